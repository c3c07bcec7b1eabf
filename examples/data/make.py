"""Makes the arrays of this directory: inputs, and what NumPy says the results are.

    python make.py
"""
import numpy as np

rng = np.random.default_rng(2026)


def normal(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def save(name, **arrays):
    for key, value in arrays.items():
        np.save(f"{name}.{key}.npy", value)


def philox(seed, count, rounds=10):
    """The first word of Philox 4x32-10 for the counters (i, 0, 0, 0), i < count (doi:10.1145/2063384.2063405)."""
    m = np.uint64(0xFFFFFFFF)
    c = [np.arange(count, dtype=np.uint64)] + [np.zeros(count, np.uint64)] * 3
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(rounds):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ k[0], b & m, (a >> np.uint64(32)) ^ c[3] ^ k[1], a & m]
        k = [(k[0] + np.uint64(0x9E3779B9)) & m, (k[1] + np.uint64(0xBB67AE85)) & m]
    return c[0].astype(np.uint32)


def uniform(words):
    """Maps words to [0, 1) as the language does: through the magnitude of the signed value."""
    x = words.view(np.int32)
    return np.where(x < 0, ~x, x).astype(np.float32) * np.float32(4.6566127342e-10)


x, y = normal(10000), normal(10000)
save("vector_add", x_ptr=x, y_ptr=y, out_ptr=x + y)

x = normal(48, 301)
e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
save("softmax", x_ptr=x, out_ptr=(e / e.sum(axis=1, keepdims=True)).astype(np.float32))

x, w, b = normal(16, 1500, dtype=np.float16), normal(1500, dtype=np.float16), normal(1500, dtype=np.float16)
d = x.astype(np.float64)
mean = d.mean(axis=1)
rstd = 1 / np.sqrt(d.var(axis=1) + 1e-5)
out = (d - mean[:, None]) * rstd[:, None] * w.astype(np.float64) + b.astype(np.float64)
save("layer_norm", x_ptr=x, weight_ptr=w, bias_ptr=b, out_ptr=out.astype(np.float16), mean_ptr=mean.astype(np.float32),
     rstd_ptr=rstd.astype(np.float32))

x = normal(10000)
keep = uniform(philox(123, 10000)) > np.float32(0.25)
save("dropout", x_ptr=x, out_ptr=np.where(keep, x / (np.float32(1) - np.float32(0.25)), np.float32(0)))

a, b = normal(150, 100, dtype=np.float16), normal(100, 130, dtype=np.float16)
c = a.astype(np.float64) @ b.astype(np.float64)
save("matmul", a_ptr=a, b_ptr=b, c_ptr=np.where(c >= 0, c, 0.01 * c).astype(np.float16))

q, k, v = (normal(3, 100, 32) for _ in range(3))
s = np.einsum("hmd,hnd->hmn", q.astype(np.float64), k.astype(np.float64)) * 32**-0.5
s = np.where(np.tril(np.ones((100, 100), bool)), s, -np.inf)
top = s.max(axis=2, keepdims=True)
p = np.exp(s - top)
total = p.sum(axis=2, keepdims=True)
save("attention", q_ptr=q, k_ptr=k, v_ptr=v, out_ptr=(p / total @ v.astype(np.float64)).astype(np.float32),
     lse_ptr=((top + np.log(total))[:, :, 0] / np.log(2)).astype(np.float32))
