"""Judges for what Triton's interpreter gets wrong or cannot run; docs/triton-differences.md gives the reasons.

Each takes the case, its arguments by name (see judge.Array), and what stands after the colon of its name.
"""
import libdevice
import numpy as np
import torch


def store_bf16(to, x):
    """Rounds fp32 to bf16, to nearest even. NaNs are all one: torch's own conversion gives several."""
    to.copy_(x.to(torch.bfloat16))
    to.view(torch.int16)[torch.isnan(x)] = 0x7FC0


def put(out, values):
    """Writes values to the beginning of an output, in its own bits."""
    flat = out.numpy().reshape(-1)
    flat[:values.size] = values.reshape(-1)


def copy(case, args, what):
    """+x, which Triton has not of tensors: the bits, as they are."""
    out = args["OUT"].bytes
    out[:args["X"].bytes.numel()] = args["X"].bytes


# float8 has a sign, EXPONENT bits, MANTISSA bits and a BIAS. The formats differ in what is not finite: nothing, what
# IEEE has, the codes of all ones, or minus zero's.
FP8 = {"fp8e4nv": (4, 3, 7, "ones"), "fp8e5": (5, 2, 15, "ieee"), "fp8e4b15": (4, 3, 15, "none"),
       "fp8e4b8": (4, 3, 8, "minus zero"), "fp8e5b16": (5, 2, 16, "minus zero")}


def fp8_values(name):
    """What each of the 256 codes stands for."""
    exponent, mantissa, bias, special = FP8[name]
    codes = np.arange(256)
    e = codes >> mantissa & (1 << exponent) - 1
    m = codes & (1 << mantissa) - 1
    sign = np.where(codes < 128, 1.0, -1.0)
    v = np.where(e == 0, m / 2.0**mantissa * 2.0**(1 - bias), (1 + m / 2.0**mantissa) * 2.0**(e - float(bias))) * sign
    top = e == (1 << exponent) - 1
    if special == "ieee":
        v = np.where(top, np.where(m == 0, sign * np.inf, np.nan), v)
    elif special == "ones":
        v = np.where(top & (m == (1 << mantissa) - 1), np.nan, v)
    elif special == "minus zero":
        v = np.where(codes == 128, np.nan, v)
    return v


def to_fp8(x, name, towards_zero):
    """Rounds float64 to a float8, to nearest even or towards zero. What is too large becomes the largest number."""
    v = fp8_values(name)
    codes = np.array([c for c in range(128) if np.isfinite(v[c]) and not (name == "fp8e4b15" and c == 127)])
    v = v[codes]
    out = np.empty(x.shape, np.uint8)
    for i, a in np.ndenumerate(x):
        b = abs(a)
        k = np.searchsorted(v, b, side="right") - 1
        if np.isinf(a) and towards_zero and name == "fp8e5":
            out[i] = 0xFC if a < 0 else 0x7C  # what cutting off the bits of fp16 gives
            continue
        if np.isnan(a):
            k = None
        elif k + 1 < len(v) and not towards_zero:
            low, high = b - v[k], v[k + 1] - b
            k += int(high < low or high == low and codes[k] & 1)
        if k is None:
            nan = {"fp8e4nv": 0x7F, "fp8e5": 0x7F, "fp8e4b15": 0x7E}.get(name, 0x80)
            out[i] = nan | (0x80 if np.signbit(a) else 0)
            continue
        code = int(codes[k])
        negative = np.signbit(a) and not (code == 0 and FP8[name][3] == "minus zero")
        out[i] = code | (0x80 if negative else 0)
    return out


def decoded(a):
    """The numbers of an array as float64, or as its integers."""
    if a.dtype in FP8:
        return fp8_values(a.dtype)[a.numpy()]
    if a.dtype == "bf16":
        return (a.numpy().astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    x = a.numpy()
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def encoded(x, dtype, towards_zero=False):
    """Numbers as the elements of a type have them; each is rounded once."""
    if dtype in FP8:
        return to_fp8(x, dtype, towards_zero)
    if dtype == "bf16":
        return to_bf16(x, towards_zero)
    if dtype == "i1":
        return x != 0
    if dtype == "fp16" and towards_zero:
        return chopped(x, np.float16)
    return x.astype({"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
                     "u32": np.uint32, "u64": np.uint64, "fp16": np.float16, "fp32": np.float32, "fp64": np.float64}[dtype])


def to_bf16(x, towards_zero):
    """Rounds exactly: integers of 64 bits and float64 are not float32 in between."""
    out = np.empty(x.shape, np.uint16)
    for i, a in np.ndenumerate(x):
        out[i] = bf16_bits(a, towards_zero)
    return out


def bf16_bits(a, towards_zero):
    if a != a:
        return 0x7FC0
    sign = 0x8000 if np.signbit(np.float64(a)) else 0
    if abs(float(a)) == np.inf:
        return sign | 0x7F80
    mag = abs(int(a)) if not isinstance(a, (float, np.floating)) else abs(float(a))
    # The code below it; doubles are enough to hold bf16 numbers and their halves.
    lo, hi = 0, 0x7F80
    value = lambda c: 2.0**128 if c == 0x7F80 else float(np.array([c << 16], np.uint32).view(np.float32)[0])
    while hi - lo > 1:
        mid = (lo + hi) // 2
        lo, hi = (mid, hi) if value(mid) <= mag else (lo, mid)
    if towards_zero or value(lo) == mag:
        return sign | lo
    below, above = mag - value(lo), value(hi) - mag
    return sign | (hi if above < below or above == below and lo & 1 else lo)


def chopped(x, to):
    y = x.astype(to)
    over = np.abs(y.astype(np.float64)) > np.abs(x)
    return np.where(over, np.nextafter(y, to(0)), y)


def logic(case, args, what):
    """x and y on tiles is Python's own in the interpreter: it asks for the truth of a whole tile."""
    x, y = args["X"].numpy(), args["Y"].numpy()
    put(args["OUT"], x & y if what == "x and y" else x | y)


def exact(case, args, what):
    """Sums of bf16 with another type: small whole numbers, exact in every type."""
    x, w = decoded(args["X"]).astype(np.float64), decoded(args["W"]).astype(np.float64)
    put(args["OUT"], encoded({"x + w": x + w, "w - x": w - x}[what], args["OUT"].dtype))


def sum_along(case, args, what):
    """The interpreter asks combine functions for what only functions with a decorator have."""
    x = args["X"].numpy()
    put(args["OUT"], np.add.reduce(x, int(what), dtype=x.dtype))


def cast(case, args, what):
    put(args["OUT"], encoded(decoded(args["X"]), args["OUT"].dtype, what == "rtz"))


def absolute(case, args, what):
    """Triton has no abs(x) of tensors."""
    x, out = args["X"], args["OUT"]
    if x.dtype == "bf16":
        put(out, x.numpy() & 0x7FFF)
    elif x.dtype.startswith("u"):
        put(out, x.numpy())
    else:
        put(out, np.abs(x.numpy()))


def wide_fma(case, args, what):
    """x*y+z of bf16, rounded once: float64 holds it exactly but for the last rounding."""
    x, y, z = (decoded(args[n]) for n in "XYZ")
    put(args["OUT"], to_bf16(x * y + z, False))


def wide_max(case, args, what):
    """Extrema of bf16 are taken in fp32."""
    x = decoded(args["X"]).astype(np.float32)
    axis, fold = (1, np.min) if "min(x, 1" in case["source"] or "min(x, -1" in case["source"] else (0, np.max)
    if "max(x, 1" in case["source"]:
        axis = 1
    put(args["OUT"], fold(x, axis))


def map_halve(case, args, what):
    """The interpreter has no map_elementwise."""
    x = args["X"].numpy()
    put(args["OUT"], np.where(x > 2, x - x.dtype.type(2), x))


def map_pairs(case, args, what):
    x, y = args["X"].numpy().reshape(-1, 2), args["Y"].numpy().reshape(-1, 2)
    put(args["OUT0"], np.stack([x[:, 1] + y[:, 0], x[:, 0] + y[:, 1]], 1))
    put(args["OUT1"], np.stack([x[:, 0] * 2, y[:, 1] * 3], 1))


def gather_rows(case, args, what):
    """The interpreter stores rows that are outside of the array, as far as memory goes."""
    x, k, out = args["X"].numpy(), args["K"].numpy(), args["OUT"].numpy()
    for row in k:
        part = x[row, 16:48] if row < 14 else np.zeros(32, x.dtype)
        out[15 - row, 32:60] = part[:28]


def desc_atomic(case, args, what):
    """The interpreter has no atomics of descriptors."""
    x, out = args["X"].numpy(), args["OUT"].numpy()
    fold = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
            "xor": np.bitwise_xor}[what]
    out[4:30] = fold(out[4:30], x[:26])


def block_pointer(case, args, what):
    """Triton 3.9 has no block pointers any more; public kernels use them."""
    args["OUT"].numpy()[:7, 8:20] = args["X"].numpy()[:7, 8:20]


def exchange(case, args, what):
    """The interpreter exchanges integers only."""
    x, m, out = args["X"].numpy(), args["M"].numpy(), args["OUT"].numpy()
    args["OLD"].numpy()[:] = np.where(m, out[:32], 0)
    out[:32] = np.where(m, x, out[:32])


def matmul(case, args, what):
    """The interpreter multiplies the bits of bf16. Sums are exact here, in float64 and in what is stored."""
    x, y, out = decoded(args["X"]), decoded(args["Y"]), args["OUT"]
    r = x.astype(np.float64) @ np.swapaxes(y, -1, -2).astype(np.float64)
    for start in ("3.0", "2.0"):
        r += float(start) * (f"{start}, tl.float" in case["source"])
    put(out, r.astype(out.numpy().dtype))


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def scaled_by_floats(case, args, what):
    """The interpreter takes scales that are float8 for exponents."""
    x = args["X"].numpy()
    x = np.stack([E2M1[x & 15], E2M1[x >> 4]], -1).reshape(16, 64)
    a = x * np.repeat(decoded(args["SX"]), 16, 1)
    b = x * np.repeat(decoded(args["SY"]), 16, 1)
    put(args["OUT"], (a @ b.T).astype(np.float32))


def unrolled(case, args, what):
    """Triton has no break and continue; here they are possible where loops are unrolled."""
    total = args["n"]
    for a in range(*(int(n) for n in what.split(","))):
        if a == 3:
            total *= 2
        total += a * (a + 1)
        if a > 4:
            break
        if a == 2:
            continue
        total -= 1
    args["OUT"].numpy()[0] = total


def spans(case, args, what):
    """The interpreter's aggregates have no methods."""
    n = args["n"]
    start, step = n, n + 1
    for k in range(4):
        start += step * (k if k % 2 == 0 else 1)
    i = np.arange(8)
    put(args["OUT"], start + step * i + (start + n * i) * 100)
