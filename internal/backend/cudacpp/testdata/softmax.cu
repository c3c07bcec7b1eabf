// softmax: one program is one block of 128 threads. Launch it with as many blocks as there are programs and 16 bytes of dynamic shared memory.
//
//     nvcc -arch=sm_90a -cubin

// Elements that lie next to each other and are moved together.
template <typename T, int N>
struct alignas(N * sizeof(T)) Vec {
    T at[N];
};

template <int N, typename T>
__device__ __forceinline__ void load(T* to, const T* from) {
    const Vec<T, N> v = *(const Vec<T, N>*)from;
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = v.at[i];
}

// Where the mask does not hold nothing is read.
template <int N, typename T>
__device__ __forceinline__ void load(T* to, const T* from, bool mask, T other) {
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = other;
    if (mask) load<N>(to, from);
}

__device__ __forceinline__ float fma_saturated(float x, float y, float z) {
    float y_;
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(y_) : "f"(x), "f"(y), "f"(z));
    return y_;
}

__device__ __forceinline__ float fast_exp2_ftz(float x) {
    float y_;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y_) : "f"(x));
    return y_;
}

__device__ __forceinline__ float fast_reciprocal(float x) {
    float y_;
    asm("rcp.approx.f32 %0, %1;" : "=f"(y_) : "f"(x));
    return y_;
}

template <int N, typename T>
__device__ __forceinline__ void store(T* to, const T* from) {
    Vec<T, N> v;
#pragma unroll
    for (int i = 0; i < N; ++i) v.at[i] = from[i];
    *(Vec<T, N>*)to = v;
}

extern "C" __global__ void __launch_bounds__(128) softmax(float* x_ptr, float* out_ptr, int x_stride, int out_stride, int n_cols) {
    extern __shared__ __align__(128) char shared[];
    float* const shared0 = (float*)(shared + 0);  // 4 elements
    float* const shared1 = (float*)(shared + 0);  // 4 elements

    // 12: row = tl.program_id(0).to(tl.int64)
    const long long row = (long long)(int)blockIdx.x;
    // 13: cols = tl.arange(0, BLOCK)
    const int tid = threadIdx.x;
    const int t = tid & 31;
    const int t_1 = tid >> 5;
    const int cols = t * 4 + t_1 * 128;
    bool mask[2];
    float x[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 14: mask = cols < n_cols
        mask[r] = cols + r * 512 < n_cols;
        // 16: x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf"))
        load<4>(&x[r * 4], x_ptr + row * (long long)x_stride + cols + r * 512, mask[r], -INFINITY);
    }
    // 17: e = tl.exp(x - tl.max(x, axis=0))
    float t_2[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        t_2[r] = fmaxf(x[r * 2], x[r * 2 + 1]);
    }
    float t_3[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        t_3[r] = fmaxf(t_2[r * 2], t_2[r * 2 + 1]);
    }
    const float t_4 = fmaxf(t_3[0], t_3[1]);
    const float other = __shfl_xor_sync(0xffffffffu, t_4, 1);
    const float t_5 = fmaxf(t_4, other);
    const float other_1 = __shfl_xor_sync(0xffffffffu, t_5, 2);
    const float t_6 = fmaxf(t_5, other_1);
    const float other_2 = __shfl_xor_sync(0xffffffffu, t_6, 4);
    const float t_7 = fmaxf(t_6, other_2);
    const float other_3 = __shfl_xor_sync(0xffffffffu, t_7, 8);
    const float t_8 = fmaxf(t_7, other_3);
    const float other_4 = __shfl_xor_sync(0xffffffffu, t_8, 16);
    const bool t_9 = t == 0;
    if (t_9) shared0[t_1] = fmaxf(t_8, other_4);
    __syncthreads();
    float t_10[4];
    load<4>(t_10, shared0);
    float t_11[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        t_11[r] = fmaxf(t_10[r * 2], t_10[r * 2 + 1]);
    }
    const float t_12 = fmaxf(t_11[0], t_11[1]);
    float t_15[8];
    float e[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const float t_13 = x[r] - t_12;
        const float t_14 = __fmaf_rn(fma_saturated(t_13, 0.00572498f, 0.5f), 252.0f, 1.2582913e+07f);
        t_15[r] = __fmaf_rn(t_13, 1.925963e-08f, __fmaf_rn(t_13, 1.442695f, -__fsub_rn(t_14, 1.2583039e+07f)));
        e[r] = __fmul_rn(fast_exp2_ftz(t_15[r]), __int_as_float((unsigned)__float_as_int(t_14) << 23));
    }
    // 18: tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)
    float t_16[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        t_16[r] = e[r * 2] + e[r * 2 + 1];
    }
    float t_17[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        t_17[r] = t_16[r * 2] + t_16[r * 2 + 1];
    }
    const float t_18 = t_17[0] + t_17[1];
    const float other_5 = __shfl_xor_sync(0xffffffffu, t_18, 1);
    const float t_19 = t_18 + other_5;
    const float other_6 = __shfl_xor_sync(0xffffffffu, t_19, 2);
    const float t_20 = t_19 + other_6;
    const float other_7 = __shfl_xor_sync(0xffffffffu, t_20, 4);
    const float t_21 = t_20 + other_7;
    const float other_8 = __shfl_xor_sync(0xffffffffu, t_21, 8);
    const float t_22 = t_21 + other_8;
    const float other_9 = __shfl_xor_sync(0xffffffffu, t_22, 16);
    __syncthreads();
    if (t_9) shared1[t_1] = t_22 + other_9;
    __syncthreads();
    float t_23[4];
    load<4>(t_23, shared1);
    float t_24[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        t_24[r] = t_23[r * 2] + t_23[r * 2 + 1];
    }
    const float t_25 = t_24[0] + t_24[1];
    const float t_26 = fabsf(t_25);
    const float t_27 = t_26 < 1.1754944e-38f ? 1.6777216e+07f : t_26 > 8.507059e+37f ? 5.9604645e-08f : 1.0f;
    const float t_28 = fast_reciprocal(__fmul_rn(t_25, t_27));
    float t_29[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        t_29[r] = __fmul_rn(__fmul_rn(e[r], t_28), t_27);
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        if (mask[r]) store<4>(out_ptr + row * (long long)out_stride + cols + r * 512, &t_29[r * 4]);
    }
}
