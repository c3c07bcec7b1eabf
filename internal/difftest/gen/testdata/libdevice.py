"""Judges libdevice: functions of floats by mpmath, with 250 bits; arithmetic and conversions exactly, by fractions."""
import math
import struct
from fractions import Fraction

import mpmath
import numpy as np
from mpmath import mp, mpf

mp.prec = 250
INF, NAN = math.inf, math.nan

SMOOTH = {
    "cos": mp.cos, "sin": mp.sin, "tan": mp.tan, "cospi": mpmath.cospi, "sinpi": mpmath.sinpi, "acos": mp.acos, "asin": mp.asin,
    "atan": mp.atan, "acosh": mp.acosh, "asinh": mp.asinh, "atanh": mp.atanh, "cosh": mp.cosh, "sinh": mp.sinh, "tanh": mp.tanh,
    "exp": mp.exp, "expm1": mp.expm1, "exp2": lambda x: mpf(2)**x, "exp10": lambda x: mpf(10)**x, "log": mp.log,
    "log2": lambda x: mp.log(x, 2), "log10": mp.log10, "log1p": mp.log1p,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "rcbrt": lambda x: mp.sign(x) / mp.cbrt(abs(x)), "rsqrt": lambda x: 1 / mp.sqrt(x),
    "rsqrt_rn": lambda x: 1 / mp.sqrt(x), "erf": mp.erf, "erfc": mp.erfc, "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "erfinv": mp.erfinv, "erfcinv": lambda x: mp.erfinv(1 - x), "normcdf": mp.ncdf,
    "normcdfinv": lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), "lgamma": lambda x: mp.log(abs(mp.gamma(x))), "tgamma": mp.gamma,
    "j0": mp.j0, "j1": mp.j1, "y0": lambda x: mp.bessely(0, x), "y1": lambda x: mp.bessely(1, x), "jn": mp.besselj, "yn": mp.bessely,
    "cyl_bessel_i0": lambda x: mp.besseli(0, x), "cyl_bessel_i1": lambda x: mp.besseli(1, x),
    "atan2": mp.atan2, "hypot": mp.hypot, "rhypot": lambda x, y: 1 / mp.hypot(x, y), "pow": mp.power,
    "norm3d": lambda *x: mp.sqrt(sum(a * a for a in x)), "rnorm3d": lambda *x: 1 / mp.sqrt(sum(a * a for a in x)),
    "norm4d": lambda *x: mp.sqrt(sum(a * a for a in x)), "rnorm4d": lambda *x: 1 / mp.sqrt(sum(a * a for a in x)),
    "fast_dividef": lambda x, y: x / y,
}
SMOOTH |= {f"fast_{n}f": SMOOTH[n] for n in ("cos", "sin", "tan", "tanh", "exp", "exp10", "log", "log2", "log10", "pow")}

# Digits of the significand, the exponent of the smallest number.
FORMATS = {"fp32": (24, -149), "fp64": (53, -1074)}


def to_float(q, form, mode="rn"):
    """Rounds a fraction that is not zero; exact but for this."""
    digits, bottom = FORMATS[form]
    sign, q = (-1, -q) if q < 0 else (1, q)
    e = q.numerator.bit_length() - q.denominator.bit_length()
    if Fraction(2)**e > q:
        e -= 1
    unit = max(e - digits + 1, bottom)
    n, rest = divmod(q, Fraction(2)**unit)
    half = Fraction(2)**(unit - 1)
    up = {"rn": rest > half or rest == half and n & 1, "rz": False, "rd": rest and sign < 0, "ru": rest and sign > 0}[mode]
    n += 1 if up else 0
    largest = 128 if form == "fp32" else 1024
    if n.bit_length() + unit > largest:
        if mode == "rn" or mode == "rd" and sign < 0 or mode == "ru" and sign > 0:
            return sign * INF
        n, unit = 2**digits - 1, largest - digits
    return sign * math.ldexp(n, unit)


def square_root(q):
    """A fraction that every rounding takes for the root: more than 1,000 bits, and a last one where it is not exact."""
    n = q.numerator * q.denominator << 4400
    r = math.isqrt(n)
    exact = r * r == n
    return Fraction(2 * r + (0 if exact else 1), q.denominator << 2201)


ARITHMETIC = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
              "fma": lambda x, y, z: x * y + z, "sqrt": square_root, "rcp": lambda x: 1 / x}


def native(name, x):
    """What IEEE says where something is not finite, or the result is zero."""
    x = [np.float64(a) for a in x]
    with np.errstate(all="ignore"):
        return float({"add": lambda: x[0] + x[1], "sub": lambda: x[0] - x[1], "mul": lambda: x[0] * x[1],
                      "div": lambda: x[0] / x[1], "fma": lambda: x[0] * x[1] + x[2], "sqrt": lambda: np.sqrt(x[0]),
                      "rcp": lambda: 1 / x[0]}[name]())


def arithmetic(name, mode, x, form):
    if not all(math.isfinite(a) for a in x) or name in ("div", "rcp") and x[-1] == 0 or name == "sqrt" and x[0] <= 0:
        if name == "fma" and math.isfinite(x[0]) and math.isfinite(x[1]):
            return x[2]  # the product is finite, though perhaps not in float64
        return native(name, x)
    q = ARITHMETIC[name](*map(Fraction, x))
    if q:
        return to_float(q, form, mode)
    if name in ("mul", "div"):
        return native(name, x)
    terms = {"add": lambda: x, "sub": lambda: (x[0], -x[1]), "fma": lambda: (native("mul", x), x[2])}[name]()
    product_zero = name != "fma" or x[0] * x[1] == 0 and (x[0] == 0 or x[1] == 0)
    if all(t == 0 for t in terms) and product_zero and math.copysign(1, terms[0]) == math.copysign(1, terms[1]):
        return terms[0]
    return -0.0 if mode == "rd" else 0.0


def bits(x, form):
    return struct.unpack("<I" if form == "fp32" else "<Q", struct.pack("<f" if form == "fp32" else "<d", x))[0]


def from_bits(n, form):
    return struct.unpack("<f" if form == "fp32" else "<d", struct.pack("<I" if form == "fp32" else "<Q", n))[0]


def whole(x, mode):
    q = Fraction(x)
    n = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[mode](q)
    return n


def rounded(x, mode):
    if not math.isfinite(x):
        return x
    return math.copysign(whole(x, mode), x)


def away(x):
    return math.copysign(math.floor(abs(Fraction(x)) + Fraction(1, 2)), x) if math.isfinite(x) else x


def logb(x):
    if x == 0:
        return -INF
    return abs(x) if not math.isfinite(x) else float(math.frexp(x)[1] - 1)


def next_after(x, y, form):
    return float(np.nextafter(np.float32(x), np.float32(y)) if form == "fp32" else np.nextafter(x, y))


def saturated(x, mode, width, signed, wide):
    """As PTX's cvt: NaN is 0, or the top bit where a type has 64 bits."""
    if math.isnan(x):
        return 1 << width - 1 if wide or width == 64 else 0
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    if math.isinf(x):
        return high if x > 0 else low
    n = math.floor(abs(Fraction(x)) + Fraction(1, 2)) * (1 if x > 0 else -1) if mode == "away" else whole(x, mode)
    return min(max(n, low), high)


def ilogb(x):
    if x == 0 or math.isnan(x):
        return -(1 << 31)  # CUDA's guide: INT_MIN for zero and NaN, INT_MAX for infinities
    return (1 << 31) - 1 if math.isinf(x) else math.frexp(x)[1] - 1


def low24(n, signed):
    n &= 0xFFFFFF
    return n - (1 << 24) if signed and n >> 23 else n


def permuted(x, y, s):
    both = y % 2**32 << 32 | x % 2**32
    return sum((both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i for i in range(4))


INTEGERS = {
    "abs": lambda x, w, s: abs(x), "clz": lambda x, w, s: w - (x % 2**w).bit_length(), "popc": lambda x, w, s: (x % 2**w).bit_count(),
    "ffs": lambda x, w, s: (x & -x).bit_length() if x else 0,
    "brev": lambda x, w, s: int(f"{x % 2**w:0{w}b}"[::-1], 2), "hadd": lambda x, y, w, s: (x + y) >> 1,
    "rhadd": lambda x, y, w, s: (x + y + 1) >> 1, "mul24": lambda x, y, w, s: low24(x, s) * low24(y, s),
    "mulhi": lambda x, y, w, s: x * y >> w, "byte_perm": lambda x, y, z, w, s: permuted(x, y, z % 2**32),
    "sad": lambda x, y, z, w, s: abs(x - y) + z,
}

FLOATS = {
    "ceil": lambda x, f: rounded(x, "ru"), "floor": lambda x, f: rounded(x, "rd"), "trunc": lambda x, f: rounded(x, "rz"),
    "rint": lambda x, f: rounded(x, "rn"), "nearbyint": lambda x, f: rounded(x, "rn"), "round": lambda x, f: away(x),
    "logb": lambda x, f: logb(x), "saturatef": lambda x, f: 0.0 if math.isnan(x) or x <= 0 else min(x, 1.0),
    "abs": lambda x, f: abs(x), "copysign": lambda x, y, f: math.copysign(x, y),
    "fdim": lambda x, y, f: NAN if math.isnan(x) or math.isnan(y) else arithmetic("sub", "rn", (x, y), f) if x > y else 0.0,
    "nextafter": next_after, "fmod": lambda x, y, f: math.fmod(x, y), "remainder": lambda x, y, f: math.remainder(x, y),
    "rcp64h": lambda x, f: from_bits(bits(1 / x, f) >> 32 << 32, f),
    "ldexp": lambda x, k, f: x if not math.isfinite(x) or x == 0 else to_float(Fraction(x) * Fraction(2)**k, f),
    "ilogb": lambda x, f: ilogb(x), "signbit": lambda x, f: int(math.copysign(1, x) < 0), "isnan": lambda x, f: math.isnan(x),
    "isinf": lambda x, f: math.isinf(x), "finitef": lambda x, f: math.isfinite(x), "isfinited": lambda x, f: math.isfinite(x),
    "llrint": lambda x, f: saturated(x, "rn", 64, True, True), "llround": lambda x, f: saturated(x, "away", 64, True, True),
    "float_as_int": lambda x, f: bits(x, f), "float_as_uint": lambda x, f: bits(x, f), "double_as_longlong": lambda x, f: bits(x, f),
    "double2hiint": lambda x, f: bits(x, f) >> 32, "double2loint": lambda x, f: bits(x, f) % 2**32,
}
FLOATS["scalbn"] = FLOATS["ldexp"]


def element(name, x, dtype, to):
    """One element of the result: a float, or an integer modulo the width."""
    stem, _, mode = name.rpartition("_")
    if name == "pow" or name in SMOOTH:
        return smooth(name, x, to)
    if stem in ARITHMETIC and mode in ("rn", "rd", "ru", "rz"):
        return arithmetic(stem, mode, x, to)
    if name in ("fma", "sqrt"):
        return arithmetic(name, "rn", x, to)
    kind = dtype[0]
    if kind in "iu" and name in INTEGERS:
        return INTEGERS[name](*x, int(dtype[1:]), kind == "i")
    if name in FLOATS:
        return FLOATS[name](*x, dtype)
    if name.startswith(("float2", "double2")) and to[0] == "i":
        unsigned = stem.endswith(("uint", "ull"))
        return saturated(x[0], mode, int(to[1:]), not unsigned, name.startswith("double"))
    if name == "hiloint2double":
        return from_bits((x[0] % 2**32) << 32 | x[1] % 2**32, "fp64")
    if name in ("int_as_float", "uint_as_float", "longlong_as_double"):
        return from_bits(x[0] % 2**(32 if to == "fp32" else 64), to)
    if not math.isfinite(x[0]) or x[0] == 0:
        return float(x[0])
    return to_float(Fraction(x[0]), to, mode)  # int2float_rd, double2float_ru


def smooth(name, x, to):
    y = SMOOTH[name](*(mpf(a) if isinstance(a, float) else a for a in x))
    if not isinstance(y, mpf) or mp.isnan(y):
        return NAN
    if mp.isinf(y) or y == 0:
        return float(y)
    sign, man, exp, _ = y._mpf_
    return to_float(Fraction(-man if sign else man) * Fraction(2)**exp, to)


def judge(case, args, what):
    name, _, order = what.partition(":")
    given = [args[a].numpy().reshape(-1).tolist() for a in order]
    dtype, out = args["X"].dtype, args["OUT"]
    to = out.numpy().reshape(-1)
    for i, x in enumerate(zip(*given)):
        y = element(name, x, dtype, out.dtype)
        if out.dtype[0] in "iu" and out.dtype != "i1":
            to[i:i + 1] = np.array([y % 2**int(out.dtype[1:])], np.uint64).astype("u%d" % out.numpy().itemsize).view(to.dtype)
        else:
            to[i] = y
