/* Element types: their names, and how DLPack and the array interfaces describe them. */

#include <string.h>

#include "native.h"

/* Element types: the name that the frameworks have, the one of signatures, the size; how DLPack has them. */
static const struct {
    const char *name, *brief;
    uint8_t bytes, code, bits;
} dtypes[TG_DTYPES] = {
    [TG_INVALID] = {"", "", 0, 255, 0},
    [TG_I1] = {"bool", "i1", 1, DL_BOOL, 8},
    [TG_I8] = {"int8", "i8", 1, DL_INT, 8},
    [TG_I16] = {"int16", "i16", 2, DL_INT, 16},
    [TG_I32] = {"int32", "i32", 4, DL_INT, 32},
    [TG_I64] = {"int64", "i64", 8, DL_INT, 64},
    [TG_U8] = {"uint8", "u8", 1, DL_UINT, 8},
    [TG_U16] = {"uint16", "u16", 2, DL_UINT, 16},
    [TG_U32] = {"uint32", "u32", 4, DL_UINT, 32},
    [TG_U64] = {"uint64", "u64", 8, DL_UINT, 64},
    [TG_F16] = {"float16", "fp16", 2, DL_FLOAT, 16},
    [TG_BF16] = {"bfloat16", "bf16", 2, DL_BFLOAT, 16},
    [TG_F32] = {"float32", "fp32", 4, DL_FLOAT, 32},
    [TG_F64] = {"float64", "fp64", 8, DL_FLOAT, 64},
    [TG_F8E4NV] = {"float8_e4m3fn", "fp8e4nv", 1, 10, 8},
    [TG_F8E5] = {"float8_e5m2", "fp8e5", 1, 12, 8},
    [TG_F8E4B15] = {"float8_e4m3b15", "fp8e4b15", 1, 254, 8},
    [TG_F8E4B8] = {"float8_e4m3fnuz", "fp8e4b8", 1, 11, 8},
    [TG_F8E5B16] = {"float8_e5m2fnuz", "fp8e5b16", 1, 13, 8},
};

const char *tg_dtype_name(uint8_t dtype) { return dtypes[dtype].name; }
const char *tg_dtype_short(uint8_t dtype) { return dtypes[dtype].brief; }
size_t tg_dtype_bytes(uint8_t dtype) { return dtypes[dtype].bytes; }

uint8_t tg_dtype_of(const char *name) {
    static const struct { const char *name; uint8_t dtype; } more[] = {
        {"int1", TG_I1}, {"float8e4nv", TG_F8E4NV}, {"float8e5", TG_F8E5}, {"float8e4b15", TG_F8E4B15}, {"float8e4b8", TG_F8E4B8},
        {"float8e5b16", TG_F8E5B16}, {"half", TG_F16}, {"float", TG_F32}, {"double", TG_F64}, {"bool_", TG_I1},
    };
    for (uint8_t d = TG_I1; d < TG_DTYPES; d++)
        if (strcmp(name, dtypes[d].name) == 0 || strcmp(name, dtypes[d].brief) == 0)
            return d;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (strcmp(name, more[i].name) == 0)
            return more[i].dtype;
    return TG_INVALID;
}

void tg_set_type_name(tg_array *a, const char *name) {
    strncpy(a->name, name, sizeof a->name - 1);
    a->name[sizeof a->name - 1] = 0;
}

void tg_set_dtype_named(tg_array *a, const char *text) {
    char name[sizeof a->name];
    const char *dot = strrchr(text, '.');
    strncpy(name, dot ? dot + 1 : text, sizeof name - 1);
    name[sizeof name - 1] = 0;
    name[strcspn(name, "'>")] = 0;
    a->dtype = tg_dtype_of(name);
    tg_set_type_name(a, name);
}

void tg_set_dtype(tg_array *a, int code, int bits, int lanes) {
    static const char *const codes[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
    static const char *const small[] = {
        [7] = "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
        "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn",
    };
    a->dtype = code == DL_FLOAT && bits == 32 && lanes == 1 ? TG_F32 : TG_INVALID; /* the commonest */
    for (uint8_t d = TG_I1; a->dtype == TG_INVALID && lanes == 1 && d < TG_DTYPES; d++)
        if (dtypes[d].code == code && dtypes[d].bits == bits)
            a->dtype = d;
    if (a->dtype != TG_INVALID)
        return;
    if (code < (int)(sizeof codes / sizeof *codes))
        PyOS_snprintf(a->name, sizeof a->name, lanes == 1 ? "%s%d" : "%s%dx%d", codes[code], bits, lanes);
    else if (code < (int)(sizeof small / sizeof *small))
        PyOS_snprintf(a->name, sizeof a->name, lanes == 1 ? "%s" : "%s_x%d", small[code], lanes);
    else
        PyOS_snprintf(a->name, sizeof a->name, "%d bits of DLPack's type %d", bits, code);
}
