// matmul: one program is one block of 128 threads. Launch it with as many of them as there are programs and 24576 bytes of dynamic shared memory.
//
//     nvcc -arch=sm_90a -cubin

#include <cuda_fp16.h>

__device__ __forceinline__ int div_s32(int x, int y) {
    int y_;
    asm("div.s32 %0, %1, %2;" : "=r"(y_) : "r"(x), "r"(y));
    return y_;
}

__device__ __forceinline__ int rem_s32(int x, int y) {
    int y_;
    asm("rem.s32 %0, %1, %2;" : "=r"(y_) : "r"(x), "r"(y));
    return y_;
}

// Begins a copy of 4, 8 or 16 bytes to shared memory; zeros if the mask does not hold.
template <int N>
__device__ __forceinline__ void copy_async(void* to, const void* from, bool mask) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    const size_t source = __cvta_generic_to_global(from);
    if constexpr (N == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" : : "r"(at), "l"(source), "n"(N), "r"(mask ? N : 0) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" : : "r"(at), "l"(source), "n"(N), "r"(mask ? N : 0) : "memory");
}

// The copies since the last one are a group.
__device__ __forceinline__ void copy_commit() {
    asm volatile("cp.async.commit_group;" : : : "memory");
}

// Waits until at most N groups of copies are not done.
template <int N>
__device__ __forceinline__ void copy_wait() {
    asm volatile("cp.async.wait_group %0;" : : "n"(N) : "memory");
}

// What this thread wrote to shared memory is there for matrix instructions after the next barrier.
__device__ __forceinline__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

// Names a matrix in shared memory to wgmma: from where, the distances in bytes between groups of columns and of rows, and how its rows
// are swizzled: 1, 2, 3 for 128, 64, 32 bytes. Adding n to it goes n times 16 bytes further.
__device__ __forceinline__ unsigned long long matrix_descriptor(const void* from, unsigned columns, unsigned rows, unsigned swizzle) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(from);
    return (unsigned long long)(rows >> 4 | swizzle << 30) << 32 | (columns >> 4) << 16 | at >> 4;
}

// Before the first product: what registers and shared memory hold is there.
__device__ __forceinline__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

// Begins sum += a * b, of 64×16 and 16×64 elements, for the four warps of a group.
__device__ __forceinline__ void wgmma_m64n64k16_f32_f16_f16_tb(float* sum, unsigned long long a, unsigned long long b) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 1; }"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]), "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]), "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31])
        : "l"(a), "l"(b)
        : "memory");
}

// The products since the last one are a group.
__device__ __forceinline__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

// Waits until at most N groups of products are not done.
template <int N>
__device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(N) : "memory");
}

// From here on these sums are what the products gave.
template <int N>
__device__ __forceinline__ void arrived(float* sum) {
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("" : "+f"(sum[i]) : : "memory");
}

// Elements that lie next to each other and are moved together.
template <typename T, int N>
struct alignas(N * sizeof(T)) Vec {
    T at[N];
};

template <int N, typename T>
__device__ __forceinline__ void store(T* to, const T* from) {
    Vec<T, N> v;
#pragma unroll
    for (int i = 0; i < N; ++i) v.at[i] = from[i];
    *(Vec<T, N>*)to = v;
}

template <int N, typename T>
__device__ __forceinline__ void load(T* to, const T* from) {
    const Vec<T, N> v = *(const Vec<T, N>*)from;
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = v.at[i];
}

extern "C" __global__ void __launch_bounds__(128) matmul(__half* a_ptr, __half* b_ptr, __half* c_ptr, int M, int N, int K, int stride_am, int stride_bk, int stride_cm) {
    extern __shared__ __align__(1024) char shared[];
    __half* const a_shared = (__half*)(shared + 0);  // 6144 elements
    __half* const b_shared = (__half*)(shared + 12288);  // 6144 elements
    __half* const rounded_shared = (__half*)(shared + 0);  // 4096 elements

    // 24: blocks_n = tl.cdiv(N, BLOCK_N)
    const int blocks_n = (int)((unsigned)N + 63) / 64;
    // 25: per_group = GROUP_M * blocks_n
    const unsigned per_group = (unsigned)blocks_n * 8;
    // 26: first_m = pid // per_group * GROUP_M
    const bool mask = per_group == 0u;
    const bool mask_1 = per_group == 0xffffffffu;
    const unsigned t = mask_1 ? 1u : mask ? 1u : per_group;
    // 22: pid = tl.program_id(0)
    const int pid = blockIdx.x;
    // 26: first_m = pid // per_group * GROUP_M
    const unsigned first_m = (unsigned)(mask ? 0 : mask_1 ? 0 - pid : div_s32(pid, (int)t)) * 8;
    // 23: blocks_m = tl.cdiv(M, BLOCK_M)
    const int blocks_m = (int)((unsigned)M + 63) / 64;
    // 27: rows_in_group = min(blocks_m - first_m, GROUP_M)
    const int rows_in_group = min((int)(blocks_m - first_m), 8);
    // 28: pid_m = first_m + pid % per_group % rows_in_group
    const bool mask_2 = rows_in_group == 0;
    const bool mask_3 = rows_in_group == -1;
    const int t_1 = mask_3 ? 1 : mask_2 ? 1 : rows_in_group;
    const int t_2 = mask ? 0 : rem_s32(pid, (int)t);
    const unsigned pid_m = first_m + (mask_2 ? 0 : rem_s32(t_2, t_1));
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const unsigned t_3 = pid_m * 64;
    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int t_4 = lane >> 2;
    const int warp = tid >> 5;
    const unsigned rows = t_3 + (t_4 + warp * 8);
    // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
    bool mask_4[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        mask_4[r] = (int)(rows + r * 32) < M;
    }
    // 33: inner = tl.arange(0, BLOCK_K)
    const int inner = (tid & 3) * 8;
    // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
    bool mask_5[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        mask_5[r] = inner < (int)((unsigned)K + r * -32);
    }
    bool is[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        is[r] = mask_4[r % 2] && mask_5[r / 2];
    }
    // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
    const int t_5 = (int)((unsigned)K + 31) / 32;
    const bool mask_6 = 0 < t_5;
    __half* a_ptrs[2];
    __half* a_ptrs_1[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 34: a_ptrs = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
        a_ptrs[r] = a_ptr + (int)((rows + r * 32) * stride_am) + inner;
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        a_ptrs_1[r] = a_ptrs[r] + 32;
    }
    const int t_6 = (tid & 7) * 8;
    const int t_7 = lane >> 3;
    const int t_8 = t_7 & 1;
    const int t_9 = ((lane >> 4) & 1) * 144;
    const int t_10 = t_6 ^ (t_8 * 72) ^ t_9;
    const int a_index = t_10 + warp * 256;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        copy_async<16>(a_shared + a_index + r * 1024, a_ptrs[r], is[r] && mask_6);
    }
    // 29: pid_n = pid % per_group // rows_in_group
    const unsigned pid_n = mask_2 ? 0u : mask_3 ? 0u - t_2 : (unsigned)div_s32(t_2, t_1);
    // 32: cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    const unsigned cols = pid_n * 64 + t_6;
    // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
    const bool mask_7 = (int)cols < N;
    // 33: inner = tl.arange(0, BLOCK_K)
    const int inner_1 = t_7 + warp * 4;
    bool is_1[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        is_1[r] = inner_1 + (r % 2) * 16 < (int)((unsigned)K + (r / 2) * -32) && mask_7;
    }
    __half* b_ptrs[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 35: b_ptrs = b_ptr + inner[:, None] * stride_bk + cols[None, :] * stride_bn
        b_ptrs[r] = b_ptr + (int)((unsigned)(inner_1 + r * 16) * stride_bk) + (int)cols;
    }
    // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
    const int t_11 = warp & 1;
    const int t_12 = warp & 2;
    const int b_index = (t_10 ^ (t_11 * 288)) + t_12 * 256;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        copy_async<16>(b_shared + b_index + r * 1024, b_ptrs[r], is_1[r] && mask_6);
    }
    copy_commit();
    const bool mask_8 = (long long)t_5 > 1;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        copy_async<16>(a_shared + a_index + (r * 1024 + 2048), a_ptrs_1[r], is[r + 2] && mask_8);
    }
    // 44: b_ptrs += BLOCK_K * stride_bk
    const unsigned t_13 = (unsigned)stride_bk * 32;
    // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
    const long long t_14 = (long long)(int)t_13;
    const long long t_15 = t_14 * 2;
    __half* b_at[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        __half* const b_ptrs_1 = b_ptrs[r] + (int)t_13;
        b_at[r] = b_ptrs[r] + t_15;
        copy_async<16>(b_shared + b_index + (r * 1024 + 2048), b_ptrs_1, is_1[r + 2] && mask_8);
    }
    copy_commit();
    copy_wait<1>();
    fence_async();
    float acc[32] = {};
    int read_stage = 0;
    int write_stage = 2;
    long long a_ptrs_offset = 0;
    long long b_ptrs_offset = 0;
    #pragma unroll 1
    for (int k = 0; k < t_5; ++k) {
        __syncthreads();
        const unsigned b_index_1 = (unsigned)read_stage * 4096;
        // 42: acc = tl.dot(a, b, acc)
        const unsigned long long b_matrix = matrix_descriptor((char*)b_shared + (int)b_index_1, 4096, 1024, 1);
        const unsigned long long a_matrix = matrix_descriptor((char*)a_shared + (int)b_index_1, 16, 512, 2);
        wgmma_fence();
        wgmma_m64n64k16_f32_f16_f16_tb(acc, a_matrix, b_matrix);
        wgmma_m64n64k16_f32_f16_f16_tb(acc, a_matrix + 2, b_matrix + 128);
        wgmma_commit();
        // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
        wgmma_wait<1>();
        __syncthreads();
        // 39: left = K - k * BLOCK_K
        const unsigned t_16 = K - ((unsigned)k + 2) * 32;
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        const bool mask_9 = inner < (int)t_16;
        // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
        const bool mask_10 = (unsigned)t_5 - k > 2u;
        // 39: left = K - k * BLOCK_K
        const unsigned t_17 = (unsigned)write_stage * 2048;
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        const unsigned a_index_1 = a_index + t_17;
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            copy_async<16>(a_shared + (int)a_index_1 + r * 1024, a_ptrs[r] + a_ptrs_offset + 64, mask_9 && (mask_4[r] && mask_10));
        }
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        const bool is_2 = mask_7 && mask_10;
        const unsigned b_index_2 = b_index + t_17;
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            copy_async<16>(b_shared + (int)b_index_2 + r * 1024, b_at[r] + b_ptrs_offset, inner_1 + r * 16 < (int)t_16 && is_2);
        }
        copy_commit();
        copy_wait<1>();
        fence_async();
        const int write_stage_next = read_stage;
        read_stage = (unsigned)read_stage + 1 == 3u ? 0u : (unsigned)read_stage + 1;
        write_stage = write_stage_next;
        a_ptrs_offset = (unsigned long long)a_ptrs_offset + 32;
        b_ptrs_offset = (unsigned long long)b_ptrs_offset + t_14;
    }
    copy_wait<0>();
    // 49: tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
    wgmma_wait<0>();
    arrived<32>(acc);
    const int rounded_index = (t_6 ^ (t_8 * 144)) + (tid & 16) * 32 + warp * 1024;
    __half rounded[32];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        rounded[r] = __float2half_rn(acc[r]);
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        rounded[r + 8] = __float2half_rn(acc[r % 2 + (r / 2 % 2) * -2 + (r / 4) * 4 + 10]);
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        rounded[r + 16] = __float2half_rn(acc[r + 16]);
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        rounded[r + 24] = __float2half_rn(acc[r % 2 + (r / 2 % 2) * -2 + (r / 4) * 4 + 26]);
    }
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        store<8>(rounded_shared + rounded_index + r * 256, &rounded[r * 8]);
    }
    const int rounded_index_1 = rounded_index ^ 8;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        store<8>(rounded_shared + rounded_index_1 + (r * 256 + 64), &rounded[r * 8 + 16]);
    }
    const int t_18 = (tid & 1) * 4 + ((lane >> 1) & 1) * 258 + (t_4 & 1) * 72 + (tid & 8) * 4 + t_9;
    const int rounded_index_2 = (t_18 + t_11 * 512) ^ t_12;
    __syncthreads();
    __half loaded[8];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        load<2>(&loaded[r * 2], rounded_shared + rounded_index_2 + r * 1024);
    }
    const int rounded_index_3 = rounded_index_2 ^ 8;
    __half loaded_1[8];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        load<2>(&loaded_1[r * 2], rounded_shared + rounded_index_3 + r * 1024);
    }
    const int rounded_index_4 = rounded_index_2 ^ 16;
    __half loaded_2[8];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        load<2>(&loaded_2[r * 2], rounded_shared + rounded_index_4 + r * 1024);
    }
    const int rounded_index_5 = rounded_index_2 ^ 24;
    __half loaded_3[8];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        load<2>(&loaded_3[r * 2], rounded_shared + rounded_index_5 + r * 1024);
    }
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const unsigned rows_1 = t_3 + inner_1;
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        // 48: c_ptrs = c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn
        __half* const c_ptrs = c_ptr + (int)((rows_1 + r * 16) * stride_cm) + (int)cols;
        // 49: tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
        const __half values[8] = {loaded[r * 2], loaded[r * 2 + 1], loaded_1[r * 2], loaded_1[r * 2 + 1], loaded_2[r * 2], loaded_2[r * 2 + 1], loaded_3[r * 2], loaded_3[r * 2 + 1]};
        if ((int)(rows_1 + r * 16) < M && mask_7) store<8>(c_ptrs, values);
    }
}
