# Random numbers from counters: Philox (J. Salmon et al., "Parallel random numbers: as easy as
# 1, 2, 3", SC 2011). The same seed and offset give the same number, whatever the program.


def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    """n_rounds rounds of Philox 4x for the counter c and the key k, all uint32 or all uint64."""
    if c0.dtype == tl.uint32:
        mul_a: tl.constexpr = 0xD2511F53
        mul_b: tl.constexpr = 0xCD9E8D57
        weyl_a: tl.constexpr = 0x9E3779B9
        weyl_b: tl.constexpr = 0xBB67AE85
    else:
        tl.static_assert(c0.dtype == tl.uint64, "philox needs counters of uint32 or uint64")
        mul_a: tl.constexpr = 0xD2E7470EE14C6C93
        mul_b: tl.constexpr = 0xCA5A826395121157
        weyl_a: tl.constexpr = 0x9E3779B97F4A7C15
        weyl_b: tl.constexpr = 0xBB67AE8584CAA73B
    for _ in tl.static_range(n_rounds):
        hi_a, lo_a = tl.umulhi(mul_a, c0), tl.mul(mul_a, c0, sanitize_overflow=False)
        hi_b, lo_b = tl.umulhi(mul_b, c2), tl.mul(mul_b, c2, sanitize_overflow=False)
        c0, c1, c2, c3 = hi_b ^ c1 ^ k0, lo_b, hi_a ^ c3 ^ k1, lo_a
        k0 = tl.add(k0, weyl_a, sanitize_overflow=False)
        k1 = tl.add(k1, weyl_b, sanitize_overflow=False)
    return c0, c1, c2, c3


def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    """Four random integers for a counter; they have the counter's width and no sign."""
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), "the seed must be an integer")
    seed = seed.to(tl.uint64)
    c0, c1, c2, c3 = tl.to_tensor(c0), tl.to_tensor(c1), tl.to_tensor(c2), tl.to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        word: tl.constexpr = tl.uint32
        k0, k1 = (seed & 0xFFFFFFFF).to(tl.uint32), (seed >> 32).to(tl.uint32)
    else:
        tl.static_assert(c0.dtype.primitive_bitwidth == 64, "philox needs counters of 32 or 64 bits")
        word: tl.constexpr = tl.uint64
        k0, k1 = seed, tl.full((1, ), 0, tl.uint64)
    return philox_impl(c0.to(word, bitcast=True), c1.to(word, bitcast=True), c2.to(word, bitcast=True),
                       c3.to(word, bitcast=True), k0, k1, n_rounds)


def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four independent tiles of random uint32."""
    low = offset.to(tl.uint32)
    zero = low * 0
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


def randint(seed, offset, n_rounds: tl.constexpr = 10):
    """A tile of random uint32."""
    a, _, _, _ = randint4x(seed, offset, n_rounds)
    return a


def uint_to_uniform_float(x):
    """Spread integers of 32 or 64 bits over [0, 1) as float32."""
    if x.dtype.primitive_bitwidth == 32:
        tl.static_assert(x.dtype.is_int(), "uint_to_uniform_float needs integers")
        x = x.to(tl.int32, bitcast=True)
        scale = 4.6566127342e-10  # the largest float32 for which scale * (2^31 - 1) rounds below 1
    else:
        tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 64,
                         "uint_to_uniform_float needs integers of 32 or 64 bits")
        x = x.to(tl.int64, bitcast=True)
        scale = 1.0842020432385337e-19
    return tl.where(x < 0, ~x, x) * scale


def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    """Four independent tiles of float32, uniform in [0, 1)."""
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return (uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c),
            uint_to_uniform_float(d))


def rand(seed, offset, n_rounds: tl.constexpr = 10):
    """A tile of float32, uniform in [0, 1)."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


def pair_uniform_to_normal(u1, u2):
    """Two independent normal variates from two uniform ones (Box and Muller)."""
    u1 = tl.maximum(1.0e-7, u1)
    radius = tl.sqrt(-2.0 * tl.log(u1))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four independent tiles of float32, normal with mean 0 and variance 1."""
    a, b, c, d = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(a, b)
    n3, n4 = pair_uniform_to_normal(c, d)
    return n1, n2, n3, n4


def randn(seed, offset, n_rounds: tl.constexpr = 10):
    """A tile of float32, normal with mean 0 and variance 1."""
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    n, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return n
