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

// 4 matrices of 8 rows of 16 bytes; lane 8g+i gives the address of row i of matrix g.
__device__ __forceinline__ void load_matrices_x4(unsigned* to, const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"((unsigned)__cvta_generic_to_shared(row)) : "memory");
}

// 4 matrices of 8 rows of 16 bytes; lane 8g+i gives the address of row i of matrix g.
__device__ __forceinline__ void load_matrices_x4_transposed(unsigned* to, const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"((unsigned)__cvta_generic_to_shared(row)) : "memory");
}

// sum += a * b, of 16×16 and 16×8 elements that the lanes of a warp hold together.
__device__ __forceinline__ void mma_m16n8k16_f32_f16_f16_f32(float* sum, const unsigned* a, const unsigned* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
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
    extern __shared__ __align__(128) char shared[];
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
    const int t_6 = tid & 1;
    const int t_7 = (lane >> 1) & 1;
    const int a_index = ((t_6 * 80 + t_7 * 160) ^ ((tid & 28) * 2)) + warp * 256;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        copy_async<16>(a_shared + a_index + r * 1024, a_ptrs[r], is[r] && mask_6);
    }
    // 29: pid_n = pid % per_group // rows_in_group
    const unsigned pid_n = mask_2 ? 0u : mask_3 ? 0u - t_2 : (unsigned)div_s32(t_2, t_1);
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const int t_8 = (tid & 7) * 8;
    // 32: cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    const unsigned cols = pid_n * 64 + t_8;
    // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
    const bool mask_7 = (int)cols < N;
    // 33: inner = tl.arange(0, BLOCK_K)
    const int inner_1 = (lane >> 3) + warp * 4;
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
    const int t_9 = t_6 * 72;
    const int t_10 = t_4 & 1;
    const int t_11 = tid & 24;
    const int t_12 = warp & 1;
    const int t_13 = warp & 2;
    const int b_index = ((t_9 + t_7 * 144 + t_10 * 288) ^ t_11 ^ (t_12 * 32)) + t_13 * 256;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        copy_async<16>(b_shared + b_index + r * 1024, b_ptrs[r], is_1[r] && mask_6);
    }
    copy_commit();
    const long long t_14 = (long long)t_5;
    const bool mask_8 = t_14 > 1;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        copy_async<16>(a_shared + a_index + (r * 1024 + 2048), a_ptrs_1[r], is[r + 2] && mask_8);
    }
    // 44: b_ptrs += BLOCK_K * stride_bk
    const unsigned t_15 = (unsigned)stride_bk * 32;
    // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
    const long long t_16 = (long long)(int)t_15;
    const long long t_17 = t_16 * 2;
    __half* b_at[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        __half* const b_ptrs_1 = b_ptrs[r] + (int)t_15;
        b_at[r] = b_ptrs[r] + t_17;
        copy_async<16>(b_shared + b_index + (r * 1024 + 2048), b_ptrs_1, is_1[r + 2] && mask_8);
    }
    copy_commit();
    // 42: acc = tl.dot(a, b, acc)
    const int t_18 = tid & 8;
    const int t_19 = ((t_8 + t_18 * 32) ^ (((lane >> 4) & 1) * 80)) + t_12 * 512;
    const int t_20 = t_8 + t_11 * 64;
    const int t_21 = ((warp >> 1) & 1) * 72;
    const int t_22 = t_20 ^ t_21;
    const int t_23 = t_22 ^ 16;
    const int t_24 = t_22 ^ 32;
    const int t_25 = t_22 ^ 48;
    const int t_26 = t_19 ^ 32;
    // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
    float acc[32] = {};
    int read_stage = 0;
    int write_stage = 2;
    long long a_ptrs_offset = 0;
    long long b_ptrs_offset = 0;
    for (int k = 0; k < t_5; ++k) {
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        copy_wait<1>();
        __syncthreads();
        // 39: left = K - k * BLOCK_K
        const unsigned t_27 = K - ((unsigned)k + 2) * 32;
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        const bool mask_9 = inner < (int)t_27;
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        const bool mask_10 = t_14 - k > 2;
        __half* a_ptrs_2[2];
        __half* b_ptrs_2[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
            a_ptrs_2[r] = a_ptrs[r] + a_ptrs_offset + 64;
            // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
            b_ptrs_2[r] = b_at[r] + b_ptrs_offset;
        }
        // 39: left = K - k * BLOCK_K
        const unsigned t_28 = (unsigned)write_stage * 2048;
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        const unsigned a_index_1 = a_index + t_28;
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            copy_async<16>(a_shared + (int)a_index_1 + r * 1024, a_ptrs_2[r], mask_9 && (mask_4[r] && mask_10));
        }
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        const bool is_2 = mask_7 && mask_10;
        const unsigned b_index_1 = b_index + t_28;
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            copy_async<16>(b_shared + (int)b_index_1 + r * 1024, b_ptrs_2[r], inner_1 + r * 16 < (int)t_27 && is_2);
        }
        copy_commit();
        const unsigned t_29 = (unsigned)read_stage * 2048;
        // 42: acc = tl.dot(a, b, acc)
        const unsigned a_index_2 = t_19 + t_29;
        unsigned fragment[8];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            load_matrices_x4(&fragment[r * 4], a_shared + (int)a_index_2 + r * 1024);
        }
        unsigned fragment_1[4];
        load_matrices_x4_transposed(fragment_1, b_shared + (int)(t_22 + t_29));
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16], &fragment[r * 4], &fragment_1[0]);
        }
        unsigned fragment_2[4];
        load_matrices_x4_transposed(fragment_2, b_shared + (int)(t_23 + t_29) + 128);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16 + 4], &fragment[r * 4], &fragment_2[0]);
        }
        unsigned fragment_3[4];
        load_matrices_x4_transposed(fragment_3, b_shared + (int)(t_24 + t_29) + 256);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16 + 8], &fragment[r * 4], &fragment_3[0]);
        }
        unsigned fragment_4[4];
        load_matrices_x4_transposed(fragment_4, b_shared + (int)(t_25 + t_29) + 384);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16 + 12], &fragment[r * 4], &fragment_4[0]);
        }
        const unsigned a_index_3 = t_26 + t_29;
        unsigned fragment_5[8];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            load_matrices_x4(&fragment_5[r * 4], a_shared + (int)a_index_3 + (r * 1024 + 128));
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16], &fragment_5[r * 4], &fragment_1[2]);
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16 + 4], &fragment_5[r * 4], &fragment_2[2]);
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16 + 8], &fragment_5[r * 4], &fragment_3[2]);
            mma_m16n8k16_f32_f16_f16_f32(&acc[r * 16 + 12], &fragment_5[r * 4], &fragment_4[2]);
        }
        // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
        read_stage = (unsigned)read_stage + 1 == 3u ? 0u : (unsigned)read_stage + 1;
        write_stage = (unsigned)write_stage + 1 == 3u ? 0u : (unsigned)write_stage + 1;
        a_ptrs_offset = (unsigned long long)a_ptrs_offset + 32;
        b_ptrs_offset = (unsigned long long)b_ptrs_offset + t_16;
    }
    copy_wait<0>();
    // 49: tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
    const int rounded_index = (t_20 + t_12 * 2048) ^ t_21;
    __half rounded[32];
    #pragma unroll
    for (int r = 0; r < 16; ++r) {
        rounded[r] = __float2half_rn(acc[r % 2 + (r / 2 % 2) * 16 + (r / 4 % 2) * 2 + (r / 8) * 8]);
    }
    #pragma unroll
    for (int r = 0; r < 16; ++r) {
        rounded[r + 16] = __float2half_rn(acc[r % 2 + (r / 2 % 2) * 16 + (r / 4 % 2) * -2 + (r / 8) * 8 + 6]);
    }
    __syncthreads();
    store<8>(rounded_shared + rounded_index, &rounded[0]);
    const int rounded_index_1 = rounded_index ^ 16;
    store<8>(rounded_shared + rounded_index_1 + 128, &rounded[8]);
    store<8>(rounded_shared + rounded_index + 256, &rounded[16]);
    store<8>(rounded_shared + rounded_index_1 + 384, &rounded[24]);
    const int rounded_index_2 = (t_9 + t_7 * 260 + t_10 * 144 + t_18 * 4 + (tid & 16) * 32 + t_12 * 1024) ^ (t_13 * 2);
    __syncthreads();
    __half loaded[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        load<4>(&loaded[r * 4], rounded_shared + rounded_index_2 + r * 2048);
    }
    const int rounded_index_3 = rounded_index_2 ^ 16;
    __half loaded_1[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        load<4>(&loaded_1[r * 4], rounded_shared + rounded_index_3 + r * 2048);
    }
    const int rounded_index_4 = rounded_index_2 ^ 8;
    __half loaded_2[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        load<4>(&loaded_2[r * 4], rounded_shared + rounded_index_4 + r * 2048);
    }
    const int rounded_index_5 = rounded_index_2 ^ 24;
    __half loaded_3[8];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        load<4>(&loaded_3[r * 4], rounded_shared + rounded_index_5 + r * 2048);
    }
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const unsigned rows_1 = t_3 + inner_1;
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        // 48: c_ptrs = c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn
        __half* const c_ptrs = c_ptr + (int)((rows_1 + r * 16) * stride_cm) + (int)cols;
        // 49: tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
        const __half values[8] = {loaded[(r % 2) * 4 + (r / 2) * 2], loaded[(r % 2) * 4 + (r / 2) * 2 + 1], loaded_2[(r % 2) * 4 + (r / 2) * 2], loaded_2[(r % 2) * 4 + (r / 2) * 2 + 1], loaded_1[(r % 2) * 4 + (r / 2) * 2], loaded_1[(r % 2) * 4 + (r / 2) * 2 + 1], loaded_3[(r % 2) * 4 + (r / 2) * 2], loaded_3[(r % 2) * 4 + (r / 2) * 2 + 1]};
        if ((int)(rows_1 + r * 16) < M && mask_7) store<8>(c_ptrs, values);
    }
}
