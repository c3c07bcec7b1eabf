"""Tegula with NumPy alone: a running mean and variance of columns, in one pass (Welford's).

    python examples/python/numpy_only.py
"""

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def merge(count_a, mean_a, m2_a, count_b, mean_b, m2_b):
    # Two parts of a column together: Chan's formula.
    count = count_a + count_b
    share = tl.where(count == 0, 0.0, count_b / tl.maximum(count, 1.0))
    delta = mean_b - mean_a
    return count, mean_a + delta * share, m2_a + m2_b + delta * delta * count_a * share


@tegula.jit
def moments(x_ptr, mean_ptr, var_ptr, rows, cols, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    count = tl.zeros([COLS], tl.float32)
    mean = tl.zeros([COLS], tl.float32)
    m2 = tl.zeros([COLS], tl.float32)
    for start in range(0, rows, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = (row < rows)[:, None] & (col < cols)[None, :]
        x = tl.load(x_ptr + row[:, None] * stride + col[None, :], mask=inside, other=0.0)
        parts = tl.reduce((inside.to(tl.float32), x, tl.zeros_like(x)), 0, merge)
        count, mean, m2 = merge(count, mean, m2, parts[0], parts[1], parts[2])
    tl.store(mean_ptr + col, mean, mask=col < cols)
    tl.store(var_ptr + col, m2 / count, mask=col < cols)


def mean_and_variance(x):
    rows, cols = x.shape
    mean, variance = np.empty(cols, np.float32), np.empty(cols, np.float32)
    moments[lambda meta: (tegula.cdiv(cols, meta["COLS"]),)](x, mean, variance, rows, cols, x.strides[0] // 4, ROWS=32, COLS=32)
    return mean, variance


def main():
    x = np.random.default_rng(0).normal(5, 2, (1000, 300)).astype(np.float32)
    mean, variance = mean_and_variance(x)
    print("an argument as a launch sees it:", tegula.array_arg_info(x))
    print("largest error of the mean:     %.1e" % abs(mean - x.mean(0)).max())
    print("largest error of the variance: %.1e" % abs(variance - x.var(0)).max())
    np.testing.assert_allclose(mean, x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(variance, x.var(0), rtol=1e-4)


if __name__ == "__main__":
    main()
