// vector_add: one program is one block of 128 threads. Launch it with as many of them as there are programs and 0 bytes of dynamic shared memory.
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

template <int N, typename T>
__device__ __forceinline__ void store(T* to, const T* from) {
    Vec<T, N> v;
#pragma unroll
    for (int i = 0; i < N; ++i) v.at[i] = from[i];
    *(Vec<T, N>*)to = v;
}

extern "C" __global__ void __launch_bounds__(128) vector_add(float* x_ptr, float* y_ptr, float* out_ptr, int n) {
    // 13: offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    const int tid = threadIdx.x;
    const unsigned offsets = blockIdx.x * 1024 + ((tid & 31) * 4 + (tid >> 5) * 128);
    bool mask[2];
    float x[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 14: mask = offsets < n
        mask[r] = (int)(offsets + r * 512) < n;
        // 15: x = tl.load(x_ptr + offsets, mask=mask)
        load<4>(&x[r * 4], x_ptr + (int)offsets + r * 512, mask[r], 0.0f);
    }
    // 16: y = tl.load(y_ptr + offsets, mask=mask)
    float y[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        load<4>(&y[r * 4], y_ptr + (int)offsets + r * 512, mask[r], 0.0f);
    }
    // 17: tl.store(out_ptr + offsets, x + y, mask=mask)
    float sum[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        sum[r] = x[r] + y[r];
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        if (mask[r]) store<4>(out_ptr + (int)offsets + r * 512, &sum[r * 4]);
    }
}
