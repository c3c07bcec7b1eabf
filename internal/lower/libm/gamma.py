# The gamma function. Its numbers are from Cephes (gamma.c).


def tgamma_f64(x):
    a = tl.abs(x)
    # Below 33 it is raised or lowered to between 2 and 3; above, by Stirling's series.
    small = a <= 33.0
    y = tl.where(small, x, 2.5)
    z = _f64(1.0)
    while y >= 3.0:
        y -= 1.0
        z *= y
    while (y < 2.0) & (tl.abs(y) >= 1e-9):
        z /= y
        y += 1.0
    tiny = tl.abs(y) < 1e-9
    e = tl.where(tiny, 0.5, y - 2.0)
    p = _poly(e, (9.99999999999999996796e-01, 4.94214826801497100753e-01, 2.07448227648435975150e-01,
                 4.76367800457137231464e-02, 1.04213797561761569935e-02, 1.19135147006586384913e-03,
                 1.60119522476751861407e-04))
    q = _poly(e, (1.00000000000000000320e+00, 7.14304917030273074085e-02, -2.34591795718243348568e-01,
                 3.58236398605498653373e-02, 1.18139785222060435552e-02, -4.45641913851797240494e-03,
                 5.39605580493303397842e-04, -2.31581873324120129819e-05))
    near = tl.where(tiny, z / ((1.0 + 0.5772156649015329 * y) * tl.where(y == 0, 1.0, y)), z * p / q)
    near = tl.where(y == 0, float("nan"), near)
    b = tl.where(small, 34.0, tl.where(a < 180.0, a, 180.0))
    w = 1.0 / b
    w = 1.0 + w * _poly(w, (8.33333333333482257126e-02, 3.47222221605458667310e-03, -2.68132617805781232825e-03,
                 -2.29549961613378126380e-04, 7.87311395793093628397e-04))
    # b^(b - 1/2) in two halves, as it may overflow; the second brings e^-b with it.
    half = _pow(b, 0.5 * b - 0.25)
    far = 2.50662827463100050242 * half * w * (half * exp_f64(-b))
    n = libdevice.floor(a)
    d = a - n
    s = sinpi_f64(tl.where(d > 0.5, 1.0 - d, d))
    left = 3.141592653589793 / (a * s * far)
    odd = libdevice.trunc(n * 0.5) * 2.0 != n
    left = tl.where(odd, left, -left)
    left = tl.where(d == 0, float("nan"), left)
    left = tl.where((a > 184.0) & (d != 0), tl.where(odd, 0.0, -0.0), left)
    far = tl.where(x < 0, left, tl.where(a > 171.7, float("inf"), far))
    r = tl.where(small, near, far)
    r = tl.where(x == 0, libdevice.copysign(_f64(float("inf")), x), r)
    return tl.where((x != x) | (x == -float("inf")), float("nan"), r)


# The logarithm of the gamma function; its numbers are from FreeBSD's msun (e_lgamma_r.c).


def _lgamma_below_2(x):
    # 0 < x < 2: about 2, about the minimum at 1.46, about 1; below 0.9 by the recurrence.
    low = x <= 0.9
    r = tl.where(low, -log_f64(tl.where(low, x, 1.0)), 0.0)
    y = tl.where(low, x + 1.0, x)
    first = y >= 1.7316321449683623
    second = (y >= 1.23163214496836) & (~first)
    middle = tl.where(low, x - 0.46163214496836234, x - 1.4616321449683622)
    t = tl.where(first, tl.where(low, 1.0 - x, 2.0 - x), tl.where(second, middle, tl.where(low, x, x - 1.0)))
    z = t * t
    p = t * _poly(z, (7.72156649015328655494e-02, 6.73523010531292681824e-02, 7.38555086081402883957e-03,
                 1.19270763183362067845e-03, 2.20862790713908385557e-04, 2.52144565451257326939e-05)) + z * _poly(z,
                 (3.22467033424113591611e-01, 2.05808084325167332806e-02, 2.89051383673415629091e-03,
                 5.10069792153511336608e-04, 1.08011567247583939954e-04, 4.48640949618915160150e-05))
    about_2 = p - 0.5 * t
    w = z * t
    p = _poly(w, (4.83836122723810047042e-01, -3.27885410759859649565e-02, 6.10053870246291332635e-03,
                 -1.40346469989232843813e-03, 3.15632070903625950361e-04))
    q = _poly(w, (-1.47587722994593911752e-01, 1.79706750811820387126e-02, -3.68452016781138256760e-03,
                 8.81081882437654011382e-04, -3.12754168375120860518e-04))
    s = _poly(w, (6.46249402391333854778e-02, -1.03142241298341437450e-02, 2.25964780900612472250e-03,
                 -5.38595305356740546715e-04, 3.35529192635519073543e-04))
    minimum = -1.21486290535849611461e-01 + (z * p - (-3.63867699703950536541e-18 - w * (q + t * s)))
    p = t * _poly(t, (-7.72156649015328655494e-02, 6.32827064025093366517e-01, 1.45492250137234768737e+00,
                 9.77717527963372745603e-01, 2.28963728064692451092e-01, 1.33810918536787660377e-02))
    q = _poly(t, (1.0, 2.45597793713041134822e+00, 2.12848976379893395361e+00, 7.69285150456672783825e-01,
                 1.04222645593369134254e-01, 3.21709242282423911810e-03))
    about_1 = -0.5 * t + p / q
    return r + tl.where(first, about_2, tl.where(second, minimum, about_1))


def _lgamma_positive(x):
    small = tl.where(x < 2.0, tl.where(x > 0, x, 1.0), 1.5)
    below_2 = _lgamma_below_2(small)
    m = tl.where((x >= 2.0) & (x < 8.0), x, 2.0)
    n = libdevice.floor(m)
    y = m - n
    p = y * _poly(y, (-7.72156649015328655494e-02, 2.14982415960608852501e-01, 3.25778796408930981787e-01,
                 1.46350472652464452805e-01, 2.66422703033638609560e-02, 1.84028451407337715652e-03,
                 3.19475326584100867617e-05))
    q = _poly(y, (1.0, 1.39200533467621045958e+00, 7.21935547567138069525e-01, 1.71933865632803078993e-01,
                 1.86459191715652901344e-02, 7.77942496381893596434e-04, 7.32668430744625636189e-06))
    z = _f64(1.0)
    for k in tl.static_range(2, 7):
        z *= tl.where(n > k, y + k, 1.0)
    below_8 = 0.5 * y + p / q + log_f64(z)
    b = tl.where(x >= 8.0, x, 8.0)
    t = log_f64(b)
    i = 1.0 / b
    w = 4.18938533204672725052e-01 + i * _poly(i * i, (8.33333333333329678849e-02, -2.77777777728775536470e-03,
                 7.93650558643019558500e-04, -5.95187557450339963135e-04, 8.36339918996282139126e-04,
                 -1.63092934096575273989e-03))
    above = tl.where(b < 2.8e17, (b - 0.5) * (t - 1.0) + w, b * (t - 1.0))
    return tl.where(x < 2.0, below_2, tl.where(x < 8.0, below_8, above))


def lgamma_f64(x):
    a = tl.abs(x)
    tiny = a < 1e-19
    r = _lgamma_positive(tl.where(tiny, 1.0, a))
    s = tl.abs(sinpi_f64(x))
    left = log_f64(3.141592653589793 / (tl.where(s == 0, 1.0, s) * a)) - r
    y = tl.where(x < 0, tl.where(s == 0, float("inf"), left), r)
    y = tl.where(tiny, -log_f64(tl.where(a == 0, 1.0, a)), y)
    y = tl.where((a == 0) | (a == float("inf")), float("inf"), y)
    return tl.where(x != x, x, y)
