# Angles. Numbers of f64 are from FreeBSD's msun (k_sin.c, k_cos.c, e_asin.c) and Cephes (atan.c), those of f32 from Cephes
# (sinf.c); they are fits of least error.


def _sin_part(r, low):
    # sin(r + low), |r| <= pi/4.
    z = r * r
    p = _poly(z, (8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06, -2.50507602534068634195e-08,
                  1.58969099521155010221e-10))
    v = z * r
    return r - ((z * (0.5 * low - v * p) - low) - v * -1.66666666666666324348e-01)


def _cos_part(r, low):
    # cos(r + low), |r| <= pi/4.
    z = r * r
    p = z * _poly(z, (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                      -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11))
    h = libdevice.mul_rn(_f64(0.5), z)
    w = libdevice.sub_rn(_f64(1.0), h)
    return w + (libdevice.sub_rn(libdevice.sub_rn(_f64(1.0), w), h) + (z * p - r * low))


def _quarters(x):
    # x = n pi/2 + r + low for |x| < 2^20: pi/2 in three parts; n as an int64.
    k = libdevice.rint(x * 0.6366197723675814)
    a = tl.fma(-k, tl.full((), 1.5707963267948966, tl.float64), x)
    p = k * 6.123233995736766e-17
    p_low = tl.fma(k, tl.full((), 6.123233995736766e-17, tl.float64), -p)
    r = libdevice.sub_rn(a, p)
    b = libdevice.sub_rn(a, r)
    low = libdevice.sub_rn(b, p) - p_low + k * 1.4973849048591833e-33
    s = libdevice.add_rn(r, low)
    return k.to(tl.int64), s, libdevice.add_rn(libdevice.sub_rn(r, s), low)


def _word(i):
    # Word i of 2/pi as a binary fraction, 64 bits each, after a word of zeros.
    words: tl.constexpr = (0x0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                           0xb7246e3a424dd2e0, 0x6492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                           0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                           0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                           0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab)
    w = tl.full((), 0, tl.uint64)
    for k in tl.static_range(len(words)):
        w = tl.where(i == k, tl.full((), words[k], tl.uint64), w)
    return w


def _window(a, b, s):
    # 64 bits of the string a, b from bit s on, s < 64.
    return tl.where(s == 0, a, (a << s) | (b >> tl.where(s == 0, 63, 64 - s)))


def _far_quarters(x):
    # _quarters for any finite x of at least 2^30: the bits of x 2/pi below 4, by integers (M. Payne, R. Hanek, 1983).
    b = x.to(tl.int64, bitcast=True)
    e = ((b >> 52) & 0x7ff).to(tl.int32)
    m = ((b & 0xfffffffffffff) | 0x10000000000000).to(tl.uint64)
    # x = m 2^(e - 1075), so what comes before bit e - 1077 of 2/pi gives multiples of 4.
    skip = e - 1077 + 64
    w, s = skip // 64, (skip % 64).to(tl.uint64)
    b0, b1, b2, b3 = _word(w), _word(w + 1), _word(w + 2), _word(w + 3)
    f0, f1, f2 = _window(b0, b1, s), _window(b1, b2, s), _window(b2, b3, s)
    mid = m * f1
    low = mid + tl.umulhi(m, f2)
    high = m * f0 + tl.umulhi(m, f1) + (low < mid).to(tl.uint64)
    n = (high + (1 << 61)) >> 62
    rest = (high - (n << 62)).to(tl.int64)
    top = rest.to(tl.float64)
    tail = (rest - top.to(tl.int64)).to(tl.float64) * 2.168404344971009e-19 + low.to(tl.float64) * 1.1754943508222875e-38
    top = top * 2.168404344971009e-19
    r = top * 1.5707963267948966
    r_low = tl.fma(top, tl.full((), 1.5707963267948966, tl.float64), -r)
    r_low += tl.fma(top, tl.full((), 6.123233995736766e-17, tl.float64), tail * 1.5707963267948966)
    negative = x < 0
    n = n.to(tl.int64)
    return tl.where(negative, -n, n), tl.where(negative, -r, r), tl.where(negative, -r_low, r_low)


def _reduced(x):
    n, r, low = _quarters(tl.where(tl.abs(x) < 1073741824.0, x, 0.0))
    if tl.abs(x) >= 1073741824.0:
        n, r, low = _far_quarters(x)
    return n, r, low


def _sin_of(n, r, low):
    # sin(n pi/2 + r + low).
    y = tl.where((n & 1) != 0, _cos_part(r, low), _sin_part(r, low))
    return tl.where((n & 2) != 0, -y, y)


def _angle_ends(x, y):
    # Infinities have no sine, and -0 keeps its sign.
    return tl.where(tl.abs(x) < float("inf"), y, float("nan"))


def sin_f64(x):
    n, r, low = _reduced(x)
    return tl.where(x == 0, x, _angle_ends(x, _sin_of(n, r, low)))


def cos_f64(x):
    n, r, low = _reduced(x)
    return _angle_ends(x, _sin_of(n + 1, r, low))


def tan_f64(x):
    n, r, low = _reduced(x)
    s, c = _sin_part(r, low), _cos_part(r, low)
    return tl.where(x == 0, x, _angle_ends(x, tl.where((n & 1) != 0, -c / s, s / c)))


def _half_turns(x):
    # x = n / 2 + r, in turns of pi: n as an int64, and pi r as two numbers.
    b = tl.where(tl.abs(x) < 9007199254740992.0, x, 0.0)
    n = libdevice.rint(b * 2.0)
    r = b - n * 0.5
    y = r * 3.141592653589793
    low = tl.fma(r, tl.full((), 3.141592653589793, tl.float64), -y) + r * 1.2246467991473532e-16
    return n.to(tl.int64), y, low


def sinpi_f64(x):
    n, r, low = _half_turns(x)
    y = _sin_of(n, r, low)
    y = tl.where(libdevice.trunc(x) == x, libdevice.copysign(tl.full((), 0.0, tl.float64), x), y)
    return _angle_ends(x, y)


def cospi_f64(x):
    n, r, low = _half_turns(x)
    y = _sin_of(n + 1, r, low)
    return _angle_ends(x, tl.where((n & 1 != 0) & (r == 0), 0.0, y))


def _asin_series(z):
    p = z * _poly(z, (1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
                      -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05))
    q = _poly(z, (1.0, -2.40339491173441421878, 2.02094576023350569471, -6.88283971605453293030e-01, 7.70381505559019352791e-02))
    return p / q


def _root(z):
    # The root of z as two numbers.
    s = libdevice.sqrt(z)
    high = (s.to(tl.int64, bitcast=True) >> 32 << 32).to(tl.float64, bitcast=True)
    low = tl.where(z == 0, 0.0, (z - high * high) / tl.where(z == 0, 1.0, s + high))
    return s, high, low


def asin_f64(x):
    a = tl.abs(x)
    small = a < 0.5
    z = tl.where(small, x * x, (1.0 - a) * 0.5)
    r = _asin_series(z)
    s, high, low = _root(tl.where(small, 0.25, z))
    p = 2.0 * s * r - (6.12323399573676603587e-17 - 2.0 * low)
    q = 7.85398163397448278999e-01 - 2.0 * high
    y = libdevice.copysign(7.85398163397448278999e-01 - (p - q), x)
    return tl.where(a <= 1.0, tl.where(small, x + x * r, y), float("nan"))


def acos_f64(x):
    a = tl.abs(x)
    small = a < 0.5
    z = tl.where(small, x * x, (1.0 - a) * 0.5)
    r = _asin_series(z)
    s, high, low = _root(tl.where(small, 0.25, z))
    near = 1.57079632679489655800 - (x - (6.12323399573676603587e-17 - x * r))
    negative = 2.0 * (1.57079632679489655800 - (s + (r * s - 6.12323399573676603587e-17)))
    positive = 2.0 * (high + (r * s + low))
    y = tl.where(small, near, tl.where(x < 0, negative, positive))
    return tl.where(a <= 1.0, y, float("nan"))


def _atan_parts(n, d):
    # atan(n / d) for n, d >= 0: of what lies near 0, and what is to be added as two numbers.
    far = n > 2.41421356237309504880 * d
    middle = (n > 0.66 * d) & (~far)
    t = tl.where(far, -d / n, tl.where(middle, (n - d) / (n + d), n / d))
    base = tl.where(far, _f64(1.5707963267948966), tl.where(middle, _f64(0.7853981633974483), _f64(0.0)))
    more = tl.where(far, _f64(6.123233995736765886130e-17), tl.where(middle, _f64(3.061616997868382943065e-17), _f64(0.0)))
    z = t * t
    p = z * _poly(z, (-6.485021904942025371773e1, -1.228866684490136173410e2, -7.500855792314704667340e1, -1.615753718733365076637e1,
                      -8.750608600031904122785e-1))
    q = _poly(z, (1.945506571482613964425e2, 4.853903996359136964868e2, 4.328810604912902668951e2, 1.650270098316988542046e2,
                  2.485846490142306297962e1, 1.0))
    return base, tl.fma(t, p / q, t), more


def atan_f64(x):
    a = tl.abs(x)
    base, y, more = _atan_parts(tl.where(a < 1e300, a, 1e300), tl.full((), 1.0, tl.float64))
    return tl.where(x != x, x, tl.where(x == 0, x, libdevice.copysign(base + (y + more), x)))


def atan2_f64(y, x):
    # Both are scaled so that no product of them overflows or vanishes.
    a, b = tl.abs(y), tl.abs(x)
    inf: tl.constexpr = float("inf")
    big = (a > 1e150) | (b > 1e150)
    tiny = (a < 1e-150) & (b < 1e-150)
    scale = tl.where(big, _f64(7.112827998352248e-161), tl.where(tiny, _f64(1.405910560794749e+160), _f64(1.0)))
    n = tl.where(a == inf, 1.0, tl.where(b == inf, 0.0, a * scale))
    d = tl.where(b == inf, 1.0, tl.where(a == inf, 0.0, b * scale))
    both_zero = (n == 0) & (d == 0)
    base, t, more = _atan_parts(n, tl.where(both_zero, 1.0, d))
    base = tl.where(both_zero, 0.0, base)
    left = libdevice.signbit(x) != 0
    r = tl.where(left, 3.141592653589793 - (base + (t + (more - 1.2246467991473532e-16))), base + (t + more))
    r = tl.where((a == inf) & (b == inf), tl.where(left, _f64(2.356194490192345), _f64(0.7853981633974483)), r)
    return tl.where((x != x) | (y != y), float("nan"), libdevice.copysign(r, y))


def _reduced_f32(x):
    # x = n pi/2 + r, |x| < 2^17: pi/2 in three parts.
    k = libdevice.rint(x * 0.63661975)
    r = tl.fma(-k, tl.full((), 1.5707963705062866, tl.float32), x)
    r = tl.fma(-k, tl.full((), -4.371138828673793e-08, tl.float32), r)
    r = tl.fma(-k, tl.full((), -1.7151245100059696e-15, tl.float32), r)
    n = k.to(tl.int32)
    if tl.abs(x) >= 131072.0:
        m, wide, low = _reduced(x.to(tl.float64))
        n, r = m.to(tl.int32), (wide + low).to(tl.float32)
    return n, r


def _sin_f32(n, r):
    z = r * r
    s = tl.fma(z * r, _poly(z, (-0.16666654611, 0.0083321608736, -0.00019515295891)), r)
    c = tl.fma(z * z, _poly(z, (0.04166664568298827, -0.001388731625493765, 2.443315711809948e-05)), tl.fma(z, tl.full((), -0.5, tl.float32), tl.full((), 1.0, tl.float32)))
    y = tl.where((n & 1) != 0, c, s)
    return tl.where((n & 2) != 0, -y, y)


def sin_f32(x):
    n, r = _reduced_f32(x)
    return tl.where(x == 0, x, _angle_ends(x, _sin_f32(n, r)))


def cos_f32(x):
    n, r = _reduced_f32(x)
    return _angle_ends(x, _sin_f32(n + 1, r))
