# Hyperbolic functions. The rational function of tanh is from Cephes (tanh.c), the polynomial of f32 is a fit of least error.


def sinh_f64(x):
    a = tl.abs(x)
    b = tl.where(a < 711.0, a, 711.0)
    t = expm1_f64(tl.where(b < 700.0, b, 700.0))
    h = exp_f64(b * 0.5)
    y = tl.where(b < 22.0, 0.5 * (t + t / (t + 1.0)), (0.5 * h) * h)
    y = tl.where((b >= 22.0) & (b < 700.0), 0.5 * (t + 1.0), y)
    return tl.where((x != x) | (a == float("inf")) | (x == 0), x, libdevice.copysign(y, x))


def cosh_f64(x):
    a = tl.abs(x)
    b = tl.where(a < 711.0, a, 711.0)
    t = expm1_f64(tl.where(b < 0.35, b, 0.35))
    small = 1.0 + t * t / (2.0 * (1.0 + t))
    e = exp_f64(tl.where(b < 700.0, b, 700.0))
    h = exp_f64(b * 0.5)
    y = tl.where(b < 0.35, small, tl.where(b < 700.0, tl.fma(e, tl.full((), 0.5, tl.float64), 0.5 / e), (0.5 * h) * h))
    return tl.where(x != x, x, tl.where(a == float("inf"), a, y))


def tanh_f64(x):
    a = tl.abs(x)
    z = tl.where(a < 0.625, x * x, 0.0)
    p = _poly(z, (-1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1))
    q = _poly(z, (4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2, 1.0))
    small = tl.fma(x * z, p / q, x)
    e = exp_f64(2.0 * tl.where(a < 22.0, a, 22.0))
    y = libdevice.copysign(1.0 - 2.0 / (e + 1.0), x)
    return tl.where((x != x) | (x == 0), x, tl.where(a < 0.625, small, y))


def tanh_f32(x):
    a = tl.abs(x)
    z = tl.where(a < 0.65, x * x, 0.0)
    small = tl.fma(x * z, _poly(z, (-0.333333283662796, 0.1333315223455429, -0.05393994227051735, 0.021663393825292587,
                                    -0.00808560661971569, 0.0020595635287463665)), x)
    e = tl.exp(2.0 * tl.where(a < 10.0, a, 10.0))
    y = libdevice.copysign(1.0 - 2.0 / (e + 1.0), x)
    return tl.where((x != x) | (x == 0), x, tl.where(a < 0.65, small, y))


def asinh_f64(x):
    a = tl.abs(x)
    b = tl.where(a < 1e150, a, 1e150)
    z = b * b
    small = log1p_f64(b + z / (1.0 + libdevice.sqrt(z + 1.0)))
    y = tl.where(a < 268435456.0, small, log_f64(a) + 0.6931471805599453)
    return tl.where((x != x) | (x == 0), x, libdevice.copysign(y, x))


def acosh_f64(x):
    t = tl.where(x < 1e150, x, 1e150) - 1.0
    small = log1p_f64(t + libdevice.sqrt(tl.where(t > 0, 2.0 * t + t * t, 0.0)))
    y = tl.where(x < 268435456.0, small, log_f64(x) + 0.6931471805599453)
    return tl.where(x >= 1.0, y, float("nan"))


def atanh_f64(x):
    a = tl.abs(x)
    y = 0.5 * log1p_f64(2.0 * a / (1.0 - a))
    return tl.where((x != x) | (x == 0), x, libdevice.copysign(y, x))
