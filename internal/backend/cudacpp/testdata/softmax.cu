// softmax: one program is one block of 128 threads. Launch it with as many of them as there are programs and 16 bytes of dynamic shared memory.
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
    float* const largest_shared = (float*)(shared + 0);  // 4 elements
    float* const sum_shared = (float*)(shared + 0);  // 4 elements

    // 12: row = tl.program_id(0).to(tl.int64)
    const long long row = (long long)blockIdx.x;
    // 13: cols = tl.arange(0, BLOCK)
    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int cols = lane * 4 + warp * 128;
    bool mask[2];
    float x[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 14: mask = cols < n_cols
        mask[r] = cols + r * 512 < n_cols;
        // 16: x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf"))
        load<4>(&x[r * 4], x_ptr + row * x_stride + cols + r * 512, mask[r], -INFINITY);
    }
    // 17: e = tl.exp(x - tl.max(x, axis=0))
    float largest[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        largest[r] = fmaxf(x[r * 2], x[r * 2 + 1]);
    }
    float largest_1[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        largest_1[r] = fmaxf(largest[r * 2], largest[r * 2 + 1]);
    }
    const float largest_2 = fmaxf(largest_1[0], largest_1[1]);
    const float largest_3 = fmaxf(largest_2, __shfl_xor_sync(0xffffffffu, largest_2, 1));
    const float largest_4 = fmaxf(largest_3, __shfl_xor_sync(0xffffffffu, largest_3, 2));
    const float largest_5 = fmaxf(largest_4, __shfl_xor_sync(0xffffffffu, largest_4, 4));
    const float largest_6 = fmaxf(largest_5, __shfl_xor_sync(0xffffffffu, largest_5, 8));
    const float other = __shfl_xor_sync(0xffffffffu, largest_6, 16);
    const bool mask_1 = lane == 0;
    if (mask_1) largest_shared[warp] = fmaxf(largest_6, other);
    __syncthreads();
    float loaded[4];
    load<4>(loaded, largest_shared);
    float largest_7[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        largest_7[r] = fmaxf(loaded[r * 2], loaded[r * 2 + 1]);
    }
    const float largest_8 = fmaxf(largest_7[0], largest_7[1]);
    float e[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const float difference = x[r] - largest_8;
        const float t = __fmaf_rn(fma_saturated(difference, 0.00572498f, 0.5f), 252.0f, 1.2582913e+07f);
        const float t_1 = __fmaf_rn(difference, 1.925963e-08f, __fmaf_rn(difference, 1.442695f, -__fsub_rn(t, 1.2583039e+07f)));
        e[r] = __fmul_rn(fast_exp2_ftz(t_1), __int_as_float((unsigned)__float_as_int(t) << 23));
    }
    // 18: tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)
    float sum[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        sum[r] = e[r * 2] + e[r * 2 + 1];
    }
    float sum_1[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        sum_1[r] = sum[r * 2] + sum[r * 2 + 1];
    }
    const float sum_2 = sum_1[0] + sum_1[1];
    const float sum_3 = sum_2 + __shfl_xor_sync(0xffffffffu, sum_2, 1);
    const float sum_4 = sum_3 + __shfl_xor_sync(0xffffffffu, sum_3, 2);
    const float sum_5 = sum_4 + __shfl_xor_sync(0xffffffffu, sum_4, 4);
    const float sum_6 = sum_5 + __shfl_xor_sync(0xffffffffu, sum_5, 8);
    const float other_1 = __shfl_xor_sync(0xffffffffu, sum_6, 16);
    __syncthreads();
    if (mask_1) sum_shared[warp] = sum_6 + other_1;
    __syncthreads();
    float loaded_1[4];
    load<4>(loaded_1, sum_shared);
    float sum_7[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        sum_7[r] = loaded_1[r * 2] + loaded_1[r * 2 + 1];
    }
    const float sum_8 = sum_7[0] + sum_7[1];
    const float t_2 = fabsf(sum_8);
    const float t_3 = t_2 < 1.1754944e-38f ? 1.6777216e+07f : t_2 > 8.507059e+37f ? 5.9604645e-08f : 1.0f;
    const float reciprocal = fast_reciprocal(__fmul_rn(sum_8, t_3));
    float product[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        product[r] = __fmul_rn(__fmul_rn(e[r], reciprocal), t_3);
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        if (mask[r]) store<4>(out_ptr + row * out_stride + cols + r * 512, &product[r * 4]);
    }
}
