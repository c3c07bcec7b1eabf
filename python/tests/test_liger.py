"""Liger's kernels, unmodified, on CPU tensors: forward and backward against torch. Run with torch and liger-kernel installed."""

import unittest

import tegula

try:
    tegula.install_as_triton()
    import torch
    from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
    from liger_kernel.ops.geglu import LigerGELUMulFunction
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    from liger_kernel.ops.rope import LigerRopeFunction
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction
except ImportError as e:
    raise unittest.SkipTest(f"needs torch and liger-kernel: {e}") from None

TOLERANCES = {torch.float32: (1e-5, 1e-5), torch.bfloat16: (2e-2, 2e-2), torch.float16: (2e-3, 2e-3)}


def leaf(*shape, dtype=torch.float32, scale=1.0):
    return (torch.randn(*shape, dtype=torch.float32) * scale).to(dtype).requires_grad_()


class Liger(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def agree(self, ours, reference, inputs, dtype=torch.float32, loosen=1):
        """Compares two functions of the inputs, and their gradients. The reference computes in float32."""
        exact = [x.detach().float().requires_grad_() for x in inputs]
        got, want = ours(*[x.clone() for x in inputs]), reference(*exact)
        got, want = (got, want) if isinstance(got, tuple) else ((got,), (want,))
        rtol, atol = (loosen * t for t in TOLERANCES[dtype])
        for g, w in zip(got, want):
            torch.testing.assert_close(g.float(), w, rtol=rtol, atol=atol)
        seeds = [torch.randn_like(w) for w in want]
        torch.autograd.backward(got, [s.to(g.dtype, copy=True) for s, g in zip(seeds, got)])
        torch.autograd.backward(want, seeds)
        for x, e in zip(inputs, exact):
            torch.testing.assert_close(x.grad.float(), e.grad, rtol=rtol, atol=atol * max(1, e.grad.abs().max().item()))

    def test_rms_norm(self):
        def reference(x, w):
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w

        for shape in [(2, 5, 64), (7, 1000), (3, 4, 129)]:
            for dtype in TOLERANCES:
                for mode in ("llama", "gemma", "none"):
                    with self.subTest(shape=shape, dtype=dtype, mode=mode):
                        x, w = leaf(*shape, dtype=dtype), leaf(shape[-1], dtype=dtype)
                        self.agree(lambda x, w: LigerRMSNormFunction.apply(x, w, 1e-6, 0.0, mode), reference, [x, w], dtype, loosen=4)

    def test_layer_norm(self):
        for shape in [(2, 5, 64), (7, 1000)]:
            for dtype in TOLERANCES:
                with self.subTest(shape=shape, dtype=dtype):
                    n = shape[-1]
                    x, w, b = leaf(*shape, dtype=dtype), leaf(n, dtype=dtype), leaf(n, dtype=dtype)
                    self.agree(
                        lambda x, w, b: LigerLayerNormFunction.apply(x, w, b, 1e-6),
                        lambda x, w, b: torch.nn.functional.layer_norm(x, (n,), w, b, 1e-6),
                        [x, w, b], dtype, loosen=4,
                    )  # fmt: skip

    def test_swiglu(self):
        for shape in [(2, 5, 64), (7, 1000)]:
            for dtype in TOLERANCES:
                with self.subTest(shape=shape, dtype=dtype):
                    a, b = leaf(*shape, dtype=dtype), leaf(*shape, dtype=dtype)
                    self.agree(LigerSiLUMulFunction.apply, lambda a, b: torch.nn.functional.silu(a) * b, [a, b], dtype, loosen=2)

    def test_geglu(self):
        for shape in [(2, 5, 64), (7, 1000)]:
            for dtype in TOLERANCES:
                with self.subTest(shape=shape, dtype=dtype):
                    a, b = leaf(*shape, dtype=dtype), leaf(*shape, dtype=dtype)
                    self.agree(
                        LigerGELUMulFunction.apply,
                        lambda a, b: torch.nn.functional.gelu(a, approximate="tanh") * b,
                        [a, b], dtype, loosen=2,
                    )  # fmt: skip

    def test_rope(self):
        def rotate(x):
            half = x.shape[-1] // 2
            return torch.cat((-x[..., half:], x[..., :half]), -1)

        for heads, kv_heads, dim in [(4, 2, 64), (3, 3, 32)]:
            angles = torch.outer(torch.arange(9.0), 10000 ** (-torch.arange(0, dim, 2) / dim))
            cos, sin = (f(torch.cat((angles, angles), -1))[None] for f in (torch.cos, torch.sin))

            def reference(q, k, cos=cos, sin=sin):
                return tuple(x * cos[:, None] + rotate(x) * sin[:, None] for x in (q, k))

            with self.subTest(heads=heads, dim=dim):
                q, k = leaf(2, heads, 9, dim), leaf(2, kv_heads, 9, dim)
                self.agree(lambda q, k, cos=cos, sin=sin: LigerRopeFunction.apply(q, k, cos, sin), reference, [q, k])

    def test_cross_entropy(self):
        for reduction in ("mean", "sum"):
            for smoothing in (0.0, 0.1):
                for vocabulary in (100, 1000):
                    with self.subTest(reduction=reduction, smoothing=smoothing, vocabulary=vocabulary):
                        x = leaf(13, vocabulary)
                        target = torch.randint(0, vocabulary, (13,))
                        target[3] = -100
                        self.agree(
                            lambda x: LigerCrossEntropyFunction.apply(x, target, None, -100, 0.0, smoothing, reduction)[0],
                            lambda x: torch.nn.functional.cross_entropy(x, target, reduction=reduction, label_smoothing=smoothing),
                            [x],
                        )

    def test_cross_entropy_options(self):
        x, target = leaf(6, 50), torch.randint(0, 50, (6,))
        weight = torch.rand(50) + 0.5
        self.agree(
            lambda x: LigerCrossEntropyFunction.apply(x, target, weight, -100, 0.0, 0.0, "mean")[0],
            lambda x: torch.nn.functional.cross_entropy(x, target, weight),
            [x],
        )
        x = leaf(6, 50, scale=5.0)
        self.agree(
            lambda x: LigerCrossEntropyFunction.apply(x, target, None, -100, 0.0, 0.0, "mean", 10.0)[0],
            lambda x: torch.nn.functional.cross_entropy(10 * torch.tanh(x / 10), target),
            [x],
            loosen=2,
        )


if __name__ == "__main__":
    unittest.main()
