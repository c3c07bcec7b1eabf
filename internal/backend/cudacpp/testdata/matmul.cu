// matmul: one program is one block of 128 threads. Launch it with as many blocks as there are programs and 24576 bytes of dynamic shared memory.
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
    unsigned short* const shared0 = (unsigned short*)(shared + 0);  // 6144 elements
    unsigned short* const shared1 = (unsigned short*)(shared + 12288);  // 6144 elements
    __half* const shared2 = (__half*)(shared + 0);  // 4096 elements

    // 22: pid = tl.program_id(0)
    const int pid = blockIdx.x;
    // 23: blocks_m = tl.cdiv(M, BLOCK_M)
    const int blocks_m = (int)((unsigned)M + 63) / 64;
    // 24: blocks_n = tl.cdiv(N, BLOCK_N)
    const int blocks_n = (int)((unsigned)N + 63) / 64;
    // 25: per_group = GROUP_M * blocks_n
    const unsigned per_group = (unsigned)blocks_n * 8;
    // 26: first_m = pid // per_group * GROUP_M
    const bool t = per_group == 0u;
    const bool t_1 = per_group == 0xffffffffu;
    const unsigned t_2 = t_1 ? 1u : t ? 1u : per_group;
    const unsigned first_m = (unsigned)(t ? 0 : t_1 ? 0 - pid : div_s32(pid, (int)t_2)) * 8;
    // 27: rows_in_group = min(blocks_m - first_m, GROUP_M)
    const int rows_in_group = min((int)(blocks_m - first_m), 8);
    // 28: pid_m = first_m + pid % per_group % rows_in_group
    const int t_3 = t ? 0 : rem_s32(pid, (int)t_2);
    const bool t_4 = rows_in_group == 0;
    const bool t_5 = rows_in_group == -1;
    const int t_6 = t_5 ? 1 : t_4 ? 1 : rows_in_group;
    const unsigned pid_m = first_m + (t_4 ? 0 : rem_s32(t_3, t_6));
    // 29: pid_n = pid % per_group // rows_in_group
    const unsigned pid_n = t_4 ? 0u : t_5 ? 0u - t_3 : (unsigned)div_s32(t_3, t_6);
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const unsigned t_7 = pid_m * 64;
    // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
    const int t_8 = (int)((unsigned)K + 31) / 32;
    // 44: b_ptrs += BLOCK_K * stride_bk
    const unsigned t_9 = (unsigned)stride_bk * 32;
    // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
    const bool t_10 = 0 < t_8;
    const long long t_11 = (long long)(int)t_9 * 2;
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const int tid = threadIdx.x;
    const int t_12 = tid & 31;
    const int t_13 = t_12 >> 2;
    const int t_14 = tid >> 5;
    const unsigned rows = t_7 + (t_13 + t_14 * 8);
    bool t_15[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        t_15[r] = (int)(rows + r * 32) < M;
    }
    // 33: inner = tl.arange(0, BLOCK_K)
    const int inner = (t_12 & 3) * 8;
    __half* a_ptrs[2];
    bool t_16[2];
    __half* a_ptrs_1[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 34: a_ptrs = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
        a_ptrs[r] = a_ptr + (int)((rows + r * 32) * stride_am) + inner;
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        t_16[r] = inner < (int)((unsigned)K + r * -32);
        a_ptrs_1[r] = a_ptrs[r] + 32;
    }
    bool t_17[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        t_17[r] = t_15[r % 2] && t_16[r / 2];
    }
    const int t_18 = t_12 & 1;
    const int t_19 = t_12 >> 1 & 1;
    const int t_20 = t_12 & 28;
    const int t_21 = (t_18 * 80 + t_19 * 160 ^ t_20 * 2) + t_14 * 256;
    const int t_22 = (t_18 * 40 + t_19 * 80 ^ t_20) + t_14 * 128;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        copy_async<16>(shared0 + t_21 + r * 1024, a_ptrs[r], t_17[r] && t_10);
    }
    // 33: inner = tl.arange(0, BLOCK_K)
    const int inner_1 = (t_12 >> 3) + t_14 * 4;
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const int t_23 = t_12 & 7;
    const int t_24 = t_23 * 8;
    // 32: cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    const unsigned cols = pid_n * 64 + t_24;
    __half* b_ptrs[2];
    __half* b_ptrs_1[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 35: b_ptrs = b_ptr + inner[:, None] * stride_bk + cols[None, :] * stride_bn
        b_ptrs[r] = b_ptr + (int)((unsigned)(inner_1 + r * 16) * stride_bk) + (int)cols;
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        b_ptrs_1[r] = b_ptrs[r] + (int)t_9;
    }
    const bool t_25 = (int)cols < N;
    bool t_26[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        t_26[r] = inner_1 + (r % 2) * 16 < (int)((unsigned)K + (r / 2) * -32) && t_25;
    }
    const int t_27 = t_18 * 72;
    const int t_28 = t_13 & 1;
    const int t_29 = t_12 & 24;
    const int t_30 = t_14 & 1;
    const int t_31 = t_14 & 2;
    const int t_32 = (t_27 + t_19 * 144 + t_28 * 288 ^ t_29 ^ t_30 * 32) + t_31 * 256;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        copy_async<16>(shared1 + t_32 + r * 1024, b_ptrs[r], t_26[r] && t_10);
    }
    copy_commit();
    const long long t_33 = (long long)t_8;
    const bool t_34 = t_33 > 1;
    bool t_35[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        t_35[r] = t_17[r + 2] && t_34;
    }
    copy_async<16>(shared0 + t_22 + 1024, a_ptrs_1[0], t_35[0]);
    copy_async<16>(shared0 + t_21 + 3072, a_ptrs_1[1], t_35[1]);
    // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
        copy_async<16>(shared1 + t_32 + (r * 1024 + 2048), b_ptrs_1[r], t_26[r + 2] && t_34);
    }
    copy_commit();
    const long long t_36 = t_11 * 2;
    // 42: acc = tl.dot(a, b, acc)
    const int t_37 = t_12 & 15 & 8;
    const int t_38 = t_37 * 4;
    const int t_39 = t_12 >> 4 & 1;
    const int t_40 = (t_23 * 4 + t_37 * 16 ^ t_39 * 40) + t_30 * 256;
    const int t_41 = (t_23 + t_38 ^ t_39 * 10) + t_30 * 64;
    const int t_42 = t_14 >> 1 & 1;
    const int t_43 = t_23 + t_29 * 8 ^ t_42 * 9;
    const int t_44 = t_43 ^ 2;
    const int t_45 = t_43 ^ 4;
    const int t_46 = t_43 ^ 6;
    const int t_47 = t_40 ^ 16;
    const int t_48 = t_41 ^ 4;
    // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
    float acc[32] = {};
    long long i = 0;
    long long i_1 = 0;
    int i_2 = 0;
    int i_3 = 2;
    for (int i_4 = 0; i_4 < t_8; ++i_4) {
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        copy_wait<1>();
        __syncthreads();
        const bool t_49 = t_33 - (long long)i_4 > 2;
        const unsigned long long t_50 = (unsigned long long)i_1 + t_36;
        // 39: left = K - k * BLOCK_K
        const unsigned t_51 = K - ((unsigned)i_4 + 2) * 32;
        unsigned long long b_ptrs_2[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
            b_ptrs_2[r] = (unsigned long long)b_ptrs[r] + t_50;
        }
        // 40: a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        const bool t_52 = inner < (int)t_51;
        const unsigned t_53 = t_22 + (unsigned)i_3 * 1024;
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            copy_async<16>(shared0 + (int)t_53 + r * 512, (char*)((unsigned long long)a_ptrs[r] + i + 128), t_15[r] && t_52 && t_49);
        }
        // 41: b = tl.load(b_ptrs, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0.0)
        const unsigned t_54 = t_32 + (unsigned)i_3 * 2048;
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
            copy_async<16>(shared1 + (int)t_54 + r * 1024, (char*)b_ptrs_2[r], inner_1 + r * 16 < (int)t_51 && t_25 && t_49);
        }
        copy_commit();
        const unsigned t_55 = (unsigned)i_2 * 1024;
        const unsigned t_56 = (unsigned)i_2 * 256;
        // 42: acc = tl.dot(a, b, acc)
        unsigned fragment[4];
        load_matrices_x4(fragment, shared0 + (int)(t_41 + t_56));
        unsigned fragment_1[4];
        load_matrices_x4_transposed(fragment_1, shared1 + (int)(t_43 + t_56));
        mma_m16n8k16_f32_f16_f16_f32(&acc[0], fragment, &fragment_1[0]);
        unsigned fragment_2[4];
        load_matrices_x4_transposed(fragment_2, shared1 + (int)(t_44 + t_56) + 16);
        mma_m16n8k16_f32_f16_f16_f32(&acc[4], fragment, &fragment_2[0]);
        unsigned fragment_3[4];
        load_matrices_x4_transposed(fragment_3, shared1 + (int)(t_45 + t_56) + 32);
        mma_m16n8k16_f32_f16_f16_f32(&acc[8], fragment, &fragment_3[0]);
        unsigned fragment_4[4];
        load_matrices_x4_transposed(fragment_4, shared1 + (int)(t_46 + t_56) + 48);
        mma_m16n8k16_f32_f16_f16_f32(&acc[12], fragment, &fragment_4[0]);
        unsigned fragment_5[4];
        load_matrices_x4(fragment_5, shared0 + (int)(t_40 + t_55) + 512);
        mma_m16n8k16_f32_f16_f16_f32(&acc[28], fragment_5, &fragment_4[0]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[24], fragment_5, &fragment_3[0]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[20], fragment_5, &fragment_2[0]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[16], fragment_5, &fragment_1[0]);
        unsigned fragment_6[4];
        load_matrices_x4(fragment_6, shared0 + (int)(t_48 + t_56) + 16);
        mma_m16n8k16_f32_f16_f16_f32(&acc[0], fragment_6, &fragment_1[2]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[4], fragment_6, &fragment_2[2]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[8], fragment_6, &fragment_3[2]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[12], fragment_6, &fragment_4[2]);
        unsigned fragment_7[4];
        load_matrices_x4(fragment_7, shared0 + (int)(t_47 + t_55) + 576);
        mma_m16n8k16_f32_f16_f16_f32(&acc[28], fragment_7, &fragment_4[2]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[24], fragment_7, &fragment_3[2]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[20], fragment_7, &fragment_2[2]);
        mma_m16n8k16_f32_f16_f16_f32(&acc[16], fragment_7, &fragment_1[2]);
        // 38: for k in range(0, tl.cdiv(K, BLOCK_K)):
        i = (unsigned long long)i + 64;
        i_1 = (unsigned long long)i_1 + t_11;
        i_2 = (unsigned)i_2 + 1 == 3u ? 0u : (unsigned)i_2 + 1;
        i_3 = (unsigned)i_3 + 1 == 3u ? 0u : (unsigned)i_3 + 1;
    }
    copy_wait<0>();
    // 49: tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
    __half t_57[32];
    #pragma unroll
    for (int r = 0; r < 32; ++r) {
        t_57[r] = __float2half_rn(acc[r]);
    }
    const int t_58 = t_24 + t_29 * 64 + t_30 * 2048 ^ t_42 * 72;
    __syncthreads();
    const __half values[8] = {t_57[0], t_57[1], t_57[16], t_57[17], t_57[2], t_57[3], t_57[18], t_57[19]};
    store<8>(shared2 + t_58, values);
    const int t_59 = t_58 ^ 16;
    const __half values_1[8] = {t_57[8], t_57[9], t_57[24], t_57[25], t_57[10], t_57[11], t_57[26], t_57[27]};
    store<8>(shared2 + t_59 + 128, values_1);
    const __half values_2[8] = {t_57[6], t_57[7], t_57[22], t_57[23], t_57[4], t_57[5], t_57[20], t_57[21]};
    store<8>(shared2 + t_58 + 256, values_2);
    const __half values_3[8] = {t_57[14], t_57[15], t_57[30], t_57[31], t_57[12], t_57[13], t_57[28], t_57[29]};
    store<8>(shared2 + t_59 + 384, values_3);
    const int t_60 = t_27 + t_19 * 260 + t_28 * 144 + t_38 + (t_12 & 16) * 32 + t_30 * 1024 ^ t_31 * 2;
    __syncthreads();
    __half t_61[4];
    load<4>(t_61, shared2 + t_60);
    const int t_62 = t_60 ^ 16;
    __half t_63[4];
    load<4>(t_63, shared2 + t_62);
    __half t_64[4];
    load<4>(t_64, shared2 + t_60 + 2048);
    __half t_65[4];
    load<4>(t_65, shared2 + t_62 + 2048);
    const int t_66 = t_60 ^ 8;
    __half t_67[4];
    load<4>(t_67, shared2 + t_66);
    const int t_68 = t_60 ^ 24;
    __half t_69[4];
    load<4>(t_69, shared2 + t_68);
    __half t_70[4];
    load<4>(t_70, shared2 + t_66 + 2048);
    __half t_71[4];
    load<4>(t_71, shared2 + t_68 + 2048);
    // 31: rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    const unsigned rows_1 = t_7 + inner_1;
    __half* c_ptrs[4];
    bool t_72[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        // 48: c_ptrs = c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn
        c_ptrs[r] = c_ptr + (int)((rows_1 + r * 16) * stride_cm) + (int)cols;
        // 49: tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
        t_72[r] = (int)(rows_1 + r * 16) < M && t_25;
    }
    const __half values_4[8] = {t_61[0], t_61[1], t_67[0], t_67[1], t_63[0], t_63[1], t_69[0], t_69[1]};
    if (t_72[0]) store<8>(c_ptrs[0], values_4);
    const __half values_5[8] = {t_64[0], t_64[1], t_70[0], t_70[1], t_65[0], t_65[1], t_71[0], t_71[1]};
    if (t_72[1]) store<8>(c_ptrs[1], values_5);
    const __half values_6[8] = {t_61[2], t_61[3], t_67[2], t_67[3], t_63[2], t_63[3], t_69[2], t_69[3]};
    if (t_72[2]) store<8>(c_ptrs[2], values_6);
    const __half values_7[8] = {t_64[2], t_64[3], t_70[2], t_70[3], t_65[2], t_65[3], t_71[2], t_71[3]};
    if (t_72[3]) store<8>(c_ptrs[3], values_7);
}
