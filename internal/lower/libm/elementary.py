# Exponentials, logarithms and powers. Numbers of f64 are from FreeBSD's msun (e_log.c, e_log2.c, e_log10.c, s_cbrt.c) where they
# are no Taylor coefficients.


def _poly(x, c: tl.constexpr):
    # c[0] + c[1] x + c[2] x^2 + …
    r = tl.full((), c[len(c) - 1], x.dtype)
    for i in tl.static_range(len(c) - 1):
        r = tl.fma(r, x, tl.full((), c[len(c) - 2 - i], x.dtype))
    return r


def _f64(c: tl.constexpr):
    return tl.full((), c, tl.float64)


def _power(n):
    # 2^n for an int64 n, as a normal f64.
    return ((n + 1023) << 52).to(tl.float64, bitcast=True)


def _scaled(x, n):
    # x * 2^n, where x is near 1 and |n| < 2100; it is rounded once.
    half = n >> 1
    return x * _power(half) * _power(n - half)


def _exp_tail(r):
    # (e^r - 1 - r) / r^2, |r| <= 0.35.
    return _poly(r, (0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,
                     1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800))


def _exp_reduced(x):
    # n and r with x = n ln 2 + r; ln 2 is in two parts, of which the first has few enough bits.
    n = libdevice.rint(x * 1.4426950408889634)
    r = tl.fma(-n, tl.full((), 6.93147180369123816490e-01, tl.float64), x)
    return n.to(tl.int64), tl.fma(-n, tl.full((), 1.90821492927058770002e-10, tl.float64), r)


def _bounded(x, low: tl.constexpr, high: tl.constexpr):
    return tl.where(x < low, low, tl.where(x > high, high, x))


def exp_f64(x):
    n, r = _exp_reduced(_bounded(x, -760.0, 720.0))
    return tl.where(x != x, x, _scaled(1.0 + tl.fma(r * r, _exp_tail(r), r), n))


def exp2_f64(x):
    b = _bounded(x, -1100.0, 1030.0)
    n = libdevice.rint(b)
    r = (b - n) * 0.6931471805599453
    return tl.where(x != x, x, _scaled(1.0 + tl.fma(r * r, _exp_tail(r), r), n.to(tl.int64)))


def exp10_f64(x):
    b = _bounded(x, -330.0, 310.0)
    n = libdevice.rint(b * 3.321928094887362)
    r = tl.fma(-n, tl.full((), 3.01029995663611771306e-01, tl.float64), b)
    r = tl.fma(-n, tl.full((), 3.69423907715893078616e-13, tl.float64), r)
    low = r * 2.302585092994045684
    err = tl.fma(r, tl.full((), 2.302585092994045684, tl.float64), -low)
    err = tl.fma(r, tl.full((), -2.1707562233822494e-16, tl.float64), err)
    return tl.where(x != x, x, _scaled(1.0 + (low + tl.fma(low * low, _exp_tail(low), err)), n.to(tl.int64)))


def expm1_f64(x):
    n, r = _exp_reduced(_bounded(x, -60.0, 709.0))
    m = tl.fma(r * r, _exp_tail(r), r)
    s = _power(n)
    y = tl.where(n == 0, m, tl.fma(m, s, s - 1.0))
    y = tl.where(x > 709.0, exp_f64(x), y)
    return tl.where((x != x) | (x == 0), x, y)


def _split(x):
    # m in [sqrt(1/2), sqrt(2)) and an int64 e with x = m 2^e, for x > 0.
    tiny = x < 2.2250738585072014e-308
    b = tl.where(tiny, x * 18014398509481984.0, x).to(tl.int64, bitcast=True)
    e = ((b - 0x3fe6a09e667f3bcd) >> 52) - tl.where(tiny, 54, 0)
    m = b - (((b - 0x3fe6a09e667f3bcd) >> 52) << 52)
    return m.to(tl.float64, bitcast=True), e


def _log_series(f):
    # s (f^2/2 + R) with log(1 + f) = f - f^2/2 + that.
    s = f / (2.0 + f)
    z = s * s
    r = z * _poly(z, (6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
                      1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01))
    return s * (0.5 * f * f + r)


def _log_ends(x, y):
    y = tl.where(x == float("inf"), x, y)
    y = tl.where(x == 0, -float("inf"), y)
    return tl.where((x < 0) | (x != x), float("nan"), y)


def log_f64(x):
    m, n = _split(x)
    f = m - 1.0
    e = n.to(tl.float64)
    h = 0.5 * f * f
    y = e * 6.93147180369123816490e-01 - ((h - (_log_series(f) + e * 1.90821492927058770002e-10)) - f)
    return _log_ends(x, y)


def _log_parts(f):
    # log(1 + f) as the sum of two numbers, of which the first has few bits.
    h = libdevice.mul_rn(0.5 * f, f)
    high = ((f - h).to(tl.int64, bitcast=True) >> 32 << 32).to(tl.float64, bitcast=True)
    return high, (f - high) - h + _log_series(f)


def _times(high, low, c1: tl.constexpr, c2: tl.constexpr):
    # (high + low)(c1 + c2) as two numbers; high c1 is exact.
    return high * c1, (low + high) * c2 + low * c1


def log2_f64(x):
    m, n = _split(x)
    e = n.to(tl.float64)
    high, low = _log_parts(m - 1.0)
    high, low = _times(high, low, 1.44269504072144627571, 1.67517131648865118353e-10)
    w = libdevice.add_rn(e, high)
    low += libdevice.add_rn(libdevice.sub_rn(e, w), high)
    return _log_ends(x, low + w)


def log10_f64(x):
    m, n = _split(x)
    e = n.to(tl.float64)
    high, low = _log_parts(m - 1.0)
    high, low = _times(high, low, 4.34294481878168880939e-01, 2.50829467116452752298e-11)
    low += e * 3.69423907715893078616e-13
    e = e * 3.01029995663611771306e-01
    w = libdevice.add_rn(e, high)
    low += libdevice.add_rn(libdevice.sub_rn(e, w), high)
    return _log_ends(x, low + w)


def log1p_f64(x):
    u = libdevice.add_rn(_f64(1.0), x)
    # What the sum lost, relative to it.
    lost = tl.where(x > 1.0, libdevice.sub_rn(_f64(1.0), libdevice.sub_rn(u, x)), libdevice.sub_rn(x, libdevice.sub_rn(u, _f64(1.0))))
    m, n = _split(u)
    near = n == 0
    f = tl.where(near, x, m - 1.0)
    c = tl.where(near, 0.0, lost / u)
    e = n.to(tl.float64)
    h = 0.5 * f * f
    y = e * 6.93147180369123816490e-01 - ((h - (_log_series(f) + (e * 1.90821492927058770002e-10 + c))) - f)
    y = tl.where(tl.abs(x) < 1e-17, x, y)
    y = tl.where(x == float("inf"), x, y)
    y = tl.where(x == -1.0, -float("inf"), y)
    return tl.where((x < -1.0) | (x != x), float("nan"), y)


def log_f32(x):
    # x = m 2^e, m in [2/3, 4/3): log m = f - f^2/2 + f^3 p(f). The polynomial is a fit of least relative error.
    f, e = _split_f32(x)
    return _log_ends(x, _log_f32_sum(f, e, 0.693145751953125, 1.42860677e-06, 1.0, 0.0))


def _log_f32_parts(f, e, e_high: tl.constexpr, e_low: tl.constexpr, by: tl.constexpr, by_low: tl.constexpr):
    p = _poly(f, (0.3333321511745453, -0.24999797344207764, 0.20010405778884888, -0.16680487990379333, 0.14005866646766663,
                  -0.12184260785579681, 0.13984447717666626, -0.12891685962677002))
    f2 = f * f
    # (f + tail) by + e: what is large comes last.
    tail = tl.fma(f2 * f, p, f2 * -0.5)
    high = f * by
    low = tl.fma(f, tl.full((), by, tl.float32), -high)
    low = tl.fma(f, tl.full((), by_low, tl.float32), low)
    low = tl.fma(tail, tl.full((), by, tl.float32), low)
    low = tl.fma(e, tl.full((), e_low, tl.float32), low)
    top = e * e_high
    w = libdevice.add_rn(top, high)
    low += libdevice.add_rn(libdevice.sub_rn(top, w), high)
    s = libdevice.add_rn(w, low)
    return s, libdevice.add_rn(libdevice.sub_rn(w, s), low)


def _log_f32_sum(f, e, e_high: tl.constexpr, e_low: tl.constexpr, by: tl.constexpr, by_low: tl.constexpr):
    w, _ = _log_f32_parts(f, e, e_high, e_low, by, by_low)
    return w


def _split_f32(x):
    # f in [-1/3, 1/3) and a whole e with x = (1 + f) 2^e, for x > 0.
    tiny = x < 1.1754943508222875e-38
    b = tl.where(tiny, x * 8388608.0, x).to(tl.int32, bitcast=True)
    e = ((b - 0x3f2aaaab) >> 23).to(tl.float32)
    f = (b - (((b - 0x3f2aaaab) >> 23) << 23)).to(tl.float32, bitcast=True) - 1.0
    return f, tl.where(tiny, e - 23.0, e)


def fast_powf_f32(x, y):
    # 2^(y log2 x), for x > 0, with the logarithm and the product as sums of two numbers.
    f, e = _split_f32(x)
    w, low = _log_f32_parts(f, e, 1.0, 0.0, 1.4426950216293335, 1.9259629911266175e-08)
    t = y * w
    r = tl.fma(y, w, -t) + y * low
    r = tl.where(tl.abs(t) < 256.0, r, 0.0)
    z = tl.exp2(t)
    z = tl.fma(z * r, tl.full((), 0.6931471805599453, tl.float32), z)
    z = tl.where(x == 0, tl.where(y > 0, 0.0, float("inf")), z)
    z = tl.where(x == float("inf"), tl.where(y > 0, x, 0.0), z)
    z = tl.where((x < 0) | (x != x), float("nan"), z)
    return tl.where(y == 0, 1.0, z)


def log2_f32(x):
    f, e = _split_f32(x)
    return _log_ends(x, _log_f32_sum(f, e, 1.0, 0.0, 1.4426950216293335, 1.9259629911266175e-08))


def pow_f64(x, y):
    if y.dtype.is_int():
        return _pow(x, y.to(tl.float64))
    else:
        return _pow(x, y)


def _pow(x, y):
    # |x|^y = 2^(y log2 |x|), with the logarithm and the product as sums of two numbers.
    a = tl.abs(x)
    m, n = _split(a)
    f = m - 1.0
    # log2 m: s = f / (2 + f) with its error, 2/ln 2 (s + s^3/3 + …).
    d = 2.0 + f
    s = f / d
    d_low = libdevice.sub_rn(f, libdevice.sub_rn(d, _f64(2.0)))
    s_low = (tl.fma(-s, d, f) - s * d_low) / d
    z = s * s
    tail = _poly(z, (0.2, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21))
    z_low = tl.fma(s, s, -z) + 2.0 * s * s_low
    # 1/3 + z tail as two numbers.
    t = z * tail
    third: tl.constexpr = 0.3333333333333333
    c = libdevice.add_rn(tl.full((), third, tl.float64), t)
    c_low = libdevice.add_rn(libdevice.sub_rn(tl.full((), third, tl.float64), c), t) + 1.850371707708594e-17
    p = z * c
    p_low = tl.fma(z, c, -p) + (z * c_low + z_low * c)
    q = s * p
    q_low = tl.fma(s, p, -q) + (s * p_low + s_low * p)
    l = libdevice.add_rn(s, q)
    l_low = libdevice.add_rn(libdevice.sub_rn(s, l), q) + (s_low + q_low)
    k: tl.constexpr = 2.8853900817779268
    h = l * k
    h_low = tl.fma(l, tl.full((), k, tl.float64), -h) + (l * 4.0710547481862066e-17 + l_low * k)
    e = n.to(tl.float64)
    g = libdevice.add_rn(e, h)
    g_low = libdevice.add_rn(libdevice.sub_rn(e, g), h) + h_low
    g2 = libdevice.add_rn(g, g_low)
    g_low = libdevice.add_rn(libdevice.sub_rn(g, g2), g_low)
    # 2^(y g).
    yb = _bounded(y, -1e300, 1e300)
    v = yb * g2
    v_low = tl.where(tl.abs(v) < 1e5, tl.fma(yb, g2, -v) + yb * g_low, 0.0)
    v = _bounded(v, -1200.0, 1200.0)
    i = libdevice.rint(v)
    r = libdevice.sub_rn(v, i)
    u = r * 0.6931471805599453
    u_low = tl.fma(r, tl.full((), 0.6931471805599453, tl.float64), -u) + r * 2.3190468138462996e-17 + v_low * 0.6931471805599453
    w = _scaled(1.0 + (u + tl.fma(u * u, _exp_tail(u), u_low * (1.0 + u))), i.to(tl.int64))
    return _pow_ends(x, y, w)


def _pow_ends(x, y, w):
    inf: tl.constexpr = float("inf")
    a = tl.abs(x)
    whole = libdevice.trunc(y) == y
    odd = whole & (tl.abs(y) < 9007199254740992.0) & (libdevice.trunc(y * 0.5) * 2.0 != y)
    w = tl.where(a == inf, tl.where(y > 0, inf, 0.0), w)
    w = tl.where(a == 0, tl.where(y > 0, 0.0, inf), w)
    w = tl.where(tl.abs(y) == inf, tl.where(a == 1.0, 1.0, tl.where((a > 1.0) == (y > 0), inf, 0.0)), w)
    negative = libdevice.signbit(x) != 0
    w = tl.where(negative & odd, -w, w)
    w = tl.where((x < 0) & (a != inf) & (~whole), float("nan"), w)
    w = tl.where((x != x) | (y != y), float("nan"), w)
    return tl.where((y == 0) | (x == 1.0), 1.0, w)


def cbrt_f64(x):
    a = tl.abs(x)
    tiny = a < 2.2250738585072014e-308
    a = tl.where(tiny, a * 18014398509481984.0, a)
    high = (a.to(tl.int64, bitcast=True) >> 32).to(tl.int32) // 3 + 715094163
    t = (high.to(tl.int64) << 32).to(tl.float64, bitcast=True)
    r = (t * t) * (t / a)
    t = t * _poly(r, (1.87595182427177009643, -1.88497979543377169875, 1.621429720105354466140, -0.758397934778766047437,
                      0.145996192886612446982))
    t = ((t.to(tl.int64, bitcast=True) + 0x80000000) & -1073741824).to(tl.float64, bitcast=True)
    s = t * t
    r = a / s
    t = t + t * ((r - t) / (t + t + r))
    t = tl.where(tiny, t * 3.814697265625e-06, t)
    y = libdevice.copysign(t, x)
    return tl.where((x == 0) | (x != x) | (tl.abs(x) == float("inf")), x, y)


def rcbrt_f64(x):
    y = cbrt_f64(x)
    r = 1.0 / y
    # One step of Newton's on r^3 x = 1, with the error of r^3 x known.
    c = y * y
    e = tl.fma(c, y, -x)
    good = (x == x) & (x != 0) & (tl.abs(x) != float("inf"))
    return tl.where(good, r + r * (e / (3.0 * x)), r)


def rsqrt_f64(x):
    return 1.0 / libdevice.sqrt(x)


def _norm(a, b, c, d):
    # The root of a sum of squares, of numbers scaled by the largest one's power of two.
    a, b, c, d = tl.abs(a), tl.abs(b), tl.abs(c), tl.abs(d)
    top = tl.maximum(tl.maximum(a, b), tl.maximum(c, d))
    e = (top.to(tl.int64, bitcast=True) >> 52) - 1022
    e = tl.where(e < -1000, -1000, tl.where(e > 1000, 1000, e))
    s = _power(-e)
    a, b, c, d = a * s, b * s, c * s, d * s
    sum = a * a + b * b
    err = tl.fma(a, a, -libdevice.mul_rn(a, a))
    total = tl.fma(a, a, tl.fma(b, b, tl.fma(c, c, d * d)))
    return libdevice.sqrt(total), e


def hypot_f64(x, y):
    r, e = _norm(x, y, 0.0, 0.0)
    return _norm_ends(r * _power(e), x, y, 0.0, 0.0, float("inf"))


def rhypot_f64(x, y):
    r, e = _norm(x, y, 0.0, 0.0)
    return _norm_ends(1.0 / r * _power(-e), x, y, 0.0, 0.0, 0.0)


def norm3d_f64(x, y, z):
    r, e = _norm(x, y, z, 0.0)
    return _norm_ends(r * _power(e), x, y, z, 0.0, float("inf"))


def rnorm3d_f64(x, y, z):
    r, e = _norm(x, y, z, 0.0)
    return _norm_ends(1.0 / r * _power(-e), x, y, z, 0.0, 0.0)


def norm4d_f64(x, y, z, w):
    r, e = _norm(x, y, z, w)
    return _norm_ends(r * _power(e), x, y, z, w, float("inf"))


def rnorm4d_f64(x, y, z, w):
    r, e = _norm(x, y, z, w)
    return _norm_ends(1.0 / r * _power(-e), x, y, z, w, 0.0)


def _norm_ends(r, x, y, z, w, at_infinity: tl.constexpr):
    inf: tl.constexpr = float("inf")
    any = (tl.abs(x) == inf) | (tl.abs(y) == inf) | (tl.abs(z) == inf) | (tl.abs(w) == inf)
    nan = (x != x) | (y != y) | (z != z) | (w != w)
    return tl.where(any, at_infinity, tl.where(nan, float("nan"), r))
