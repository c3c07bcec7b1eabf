"""Values of the functions of a math library, rounded to float64 from 60 digits.

    python values.py > values.tsv

A line is: the function, its arguments and its value, all as hexadecimal floats (inf and nan as such). Needs mpmath.
"""
import math
import random

import mpmath as mp

mp.mp.dps = 60
random.seed(1)
INF, NAN = math.inf, math.nan


def f32(x):
    """The float32 nearest to x: such arguments test the float32 functions, too."""
    import struct
    return struct.unpack("f", struct.pack("f", x))[0]


def spread(lo, hi, n):
    return [random.uniform(lo, hi) for _ in range(n)]


def decades(lo, hi, n, sign=False):
    xs = [10**random.uniform(lo, hi) for _ in range(n)]
    return [x * random.choice((-1, 1)) for x in xs] if sign else xs


def near(points, n=3):
    return [p * (1 + random.uniform(-1, 1) * 10**random.uniform(-16, -3)) for p in points for _ in range(n)]


def sinpi(x):
    return mp.sinpi(x)


def power(x, y):
    return mp.power(x, y)


def norm(*x):
    return mp.sqrt(sum(a * a for a in x))


def lgamma(x):
    return mp.log(abs(mp.gamma(x)))


def i0(x):
    return mp.besseli(0, x)


PI_MULTIPLES = [math.pi * k / 2 for k in (1, 2, 3, 4, 7, 100, 1001, 12345678)]
J_ZEROS = [2.404825557695773, 5.520078110286311, 3.8317059702075125, 7.015586669815619]
Y_ZEROS = [0.8935769662791675, 3.957678419314858, 7.086051060301773, 2.197141326031017, 5.429681040794135]
TRIG = spread(-10, 10, 10) + near(PI_MULTIPLES, 1) + PI_MULTIPLES + decades(-8, 0, 4, True) + decades(1, 300, 6, True)
UNIT = spread(-1, 1, 12) + [1 - 10**-k for k in (2, 5, 9, 14)] + [-1 + 10**-k for k in (3, 8, 13)] + decades(-9, -1, 5, True)
WIDE = decades(-12, 2, 16, True) + spread(-30, 30, 8)
POSITIVE = decades(-300, 300, 12) + near([1, 2, 10], 3) + [1 + 2.0**-k for k in (20, 40, 52)] + spread(0.5, 2, 4)
TAIL = decades(-300, -1, 10) + spread(0.01, 1, 8)

FUNCTIONS = {
    "sin": (mp.sin, TRIG), "cos": (mp.cos, TRIG), "tan": (mp.tan, TRIG),
    "sinpi": (mp.sinpi, WIDE + [0.5, 1.5, 1e15 + 0.25]), "cospi": (mp.cospi, WIDE + [0.25, 1e15 + 0.25]),
    "asin": (mp.asin, UNIT), "acos": (mp.acos, UNIT), "atan": (mp.atan, WIDE + decades(2, 100, 4, True)),
    "sinh": (mp.sinh, WIDE + spread(-700, 700, 4)), "cosh": (mp.cosh, WIDE + spread(-700, 700, 4)), "tanh": (mp.tanh, WIDE),
    "asinh": (mp.asinh, WIDE + decades(2, 200, 4, True)), "acosh": (mp.acosh, [1 + x for x in decades(-12, 100, 20)]), "atanh": (mp.atanh, UNIT),
    "exp": (mp.exp, WIDE + spread(-700, 700, 6)), "exp2": (lambda x: mp.mpf(2)**x, WIDE + spread(-1000, 1000, 6)),
    "exp10": (lambda x: mp.mpf(10)**x, WIDE + spread(-300, 300, 6)), "expm1": (mp.expm1, WIDE),
    "log": (mp.log, POSITIVE), "log2": (lambda x: mp.log(x, 2), POSITIVE), "log10": (mp.log10, POSITIVE), "log1p": (mp.log1p, decades(-15, 100, 10) + UNIT),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), decades(-300, 300, 16, True)), "rcbrt": (lambda x: mp.sign(x) / mp.cbrt(abs(x)), decades(-300, 300, 16, True)),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), decades(-300, 300, 16)),
    "erf": (mp.erf, WIDE), "erfc": (mp.erfc, spread(-6, 26, 24)), "erfcx": (lambda x: mp.exp(mp.mpf(x)**2) * mp.erfc(x), spread(-20, 60, 24) + decades(2, 100, 4)),
    "erfinv": (mp.erfinv, UNIT), "erfcinv": (lambda x: mp.erfinv(1 - mp.mpf(x)) if x > 1e-20 else inverse_tail(x), TAIL + [2 - x for x in spread(0.001, 1, 6)]),
    "normcdf": (mp.ncdf, spread(-37, 8, 24)), "normcdfinv": (lambda p: -mp.sqrt(2) * (mp.erfinv(1 - 2 * mp.mpf(p)) if p > 1e-20 else inverse_tail(2 * mp.mpf(p))), TAIL[:-8] + spread(0.001, 0.999, 12)),
    "tgamma": (mp.gamma, spread(0.01, 171, 20) + spread(-20, 0, 8) + decades(-300, -1, 4)),
    "lgamma": (lgamma, spread(0.01, 30, 12) + near([1, 2], 4) + decades(2, 300, 6) + spread(-100, -24, 8) + [-0.5, -1.5, 1e-300] + [0.19, 0.2, 0.21, 1.2, 1.21, 1.22]),
    "j0": (lambda x: mp.besselj(0, x), spread(-8, 8, 12) + near(J_ZEROS, 2) + J_ZEROS + spread(8, 1000, 6)),
    "j1": (lambda x: mp.besselj(1, x), spread(-8, 8, 12) + near(J_ZEROS, 2) + J_ZEROS + spread(8, 1000, 6) + [1e-200]),
    "y0": (lambda x: mp.bessely(0, x), spread(0.001, 8, 12) + near(Y_ZEROS, 2) + Y_ZEROS + spread(8, 1000, 6)),
    "y1": (lambda x: mp.bessely(1, x), spread(0.001, 8, 12) + near(Y_ZEROS, 2) + Y_ZEROS + spread(8, 1000, 6)),
    "i0": (lambda x: mp.besseli(0, x), WIDE + spread(-700, 700, 8)), "i1": (lambda x: mp.besseli(1, x), WIDE + spread(-700, 700, 8)),
    "atan2": (mp.atan2, list(zip(decades(-5, 5, 16, True), decades(-5, 5, 16, True)))),
    "hypot": (mp.hypot, list(zip(decades(-150, 150, 16, True), decades(-150, 150, 16, True))) + list(zip(spread(1, 9, 8), spread(1, 9, 8)))),
    "rhypot": (lambda x, y: 1 / mp.hypot(x, y), list(zip(spread(1, 9, 12), decades(-3, 3, 12)))),
    "norm3": (norm, list(zip(*(decades(-3, 3, 12, True) for _ in range(3))))), "rnorm3": (lambda *x: 1 / norm(*x), list(zip(*(decades(-3, 3, 12, True) for _ in range(3))))),
    "norm4": (norm, list(zip(*(decades(-3, 3, 12, True) for _ in range(4))))), "rnorm4": (lambda *x: 1 / norm(*x), list(zip(*(decades(-3, 3, 12, True) for _ in range(4))))),
    "pow": (power, list(zip(decades(-3, 3, 16), spread(-80, 80, 16))) + [(1 + 2.0**-30, 1e9), (1.0001, 1e6), (1 - 2.0**-40, 1e13), (3.0, 40.0), (-1.5, 13.0), (-0.3, -7.0), (2.0, -1060.5), (1e-200, 1.5)]),
}


def inverse_tail(x):
    """erfcinv of a very small number: erfinv of 1-x has no digits left."""
    x = mp.mpf(x)
    y = mp.sqrt(-mp.log(x))
    for _ in range(60):
        y -= (mp.erfc(y) - x) / (-2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
    return y


def text(x):
    x = float(x)
    return str(x) if x != x or abs(x) == INF else x.hex()


def main():
    for name, (f, args) in FUNCTIONS.items():
        for i, a in enumerate(args):
            a = a if isinstance(a, tuple) else (a, )
            if i % 2 == 0:
                a = tuple(f32(x) if 1e-30 < abs(x) < 1e30 else x for x in a)
            v = f(*(mp.mpf(x) for x in a))
            print(name, *map(text, a), text(v), sep="\t")


main()
