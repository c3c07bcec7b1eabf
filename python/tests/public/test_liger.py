"""Liger's kernels, unmodified, on CPU tensors: forward and backward against torch."""

import unittest

import torch
import torch.nn.functional as F
from agreement import TOLERANCES, Agreement, leaf

try:
    from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
    from liger_kernel.ops.fused_linear_cross_entropy import LigerFusedLinearCrossEntropyFunction
    from liger_kernel.ops.geglu import LigerGELUMulFunction
    from liger_kernel.ops.group_norm import LigerGroupNormFunction
    from liger_kernel.ops.jsd import LigerJSDFunction
    from liger_kernel.ops.kl_div import LigerKLDivLossFunction
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    from liger_kernel.ops.rope import LigerRopeFunction
    from liger_kernel.ops.softmax import LigerSoftmaxFunction
    from liger_kernel.ops.sparsemax import LigerSparsemaxFunction
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction
except ImportError as e:
    raise unittest.SkipTest(f"needs liger-kernel: {e}") from None


class Liger(Agreement):
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
                        lambda x, w, b: F.layer_norm(x, (n,), w, b, 1e-6),
                        [x, w, b], dtype, loosen=4,
                    )  # fmt: skip

    def test_swiglu(self):
        for shape in [(2, 5, 64), (7, 1000)]:
            for dtype in TOLERANCES:
                with self.subTest(shape=shape, dtype=dtype):
                    a, b = leaf(*shape, dtype=dtype), leaf(*shape, dtype=dtype)
                    self.agree(LigerSiLUMulFunction.apply, lambda a, b: F.silu(a) * b, [a, b], dtype, loosen=2)

    def test_geglu(self):
        for shape in [(2, 5, 64), (7, 1000)]:
            for dtype in TOLERANCES:
                with self.subTest(shape=shape, dtype=dtype):
                    a, b = leaf(*shape, dtype=dtype), leaf(*shape, dtype=dtype)
                    self.agree(
                        LigerGELUMulFunction.apply,
                        lambda a, b: F.gelu(a, approximate="tanh") * b,
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
                            lambda x: F.cross_entropy(x, target, reduction=reduction, label_smoothing=smoothing),
                            [x],
                        )

    def test_cross_entropy_options(self):
        x, target = leaf(6, 50), torch.randint(0, 50, (6,))
        weight = torch.rand(50) + 0.5
        self.agree(
            lambda x: LigerCrossEntropyFunction.apply(x, target, weight, -100, 0.0, 0.0, "mean")[0],
            lambda x: F.cross_entropy(x, target, weight),
            [x],
        )
        x = leaf(6, 50, scale=5.0)
        self.agree(
            lambda x: LigerCrossEntropyFunction.apply(x, target, None, -100, 0.0, 0.0, "mean", 10.0)[0],
            lambda x: F.cross_entropy(10 * torch.tanh(x / 10), target),
            [x],
            loosen=2,
        )

    def test_softmax(self):
        for shape in [(4, 7, 100), (4, 5000)]:
            self.agree(LigerSoftmaxFunction.apply, lambda x: F.softmax(x, -1), [leaf(*shape)])

    def test_group_norm(self):
        self.agree(
            lambda x, w, b: LigerGroupNormFunction.apply(x, w, b, 8, 4, 1e-6),
            lambda x, w, b: F.group_norm(x, 4, w, b, 1e-6),
            [leaf(3, 8, 30), leaf(8), leaf(8)], loosen=4,
        )  # fmt: skip

    def test_divergences(self):
        q = F.log_softmax(torch.randn(6, 50), -1)

        def jsd(x):
            p = F.log_softmax(x, -1)
            m = torch.log((p.exp() + q.exp()) / 2)
            return 0.5 * sum(F.kl_div(m, y, reduction="none", log_target=True) for y in (p, q)).sum() / 6

        self.agree(lambda x: LigerJSDFunction.apply(F.log_softmax(x, -1), q, None, 0.5, -100), jsd, [leaf(6, 50)])
        self.agree(
            lambda x: LigerKLDivLossFunction.apply(F.log_softmax(x, -1), q.exp(), "batchmean", False, 1e-10),
            lambda x: F.kl_div(F.log_softmax(x, -1), q.exp(), reduction="batchmean"),
            [leaf(6, 50)],
        )

    def test_sparsemax(self):
        def reference(x):
            z, _ = torch.sort(x, -1, descending=True)
            sums, counts = z.cumsum(-1) - 1, torch.arange(1, x.shape[-1] + 1)
            support = (counts * z > sums).sum(-1, keepdim=True)
            return torch.clamp(x - sums.gather(-1, support - 1) / support, min=0)

        self.agree(lambda x: LigerSparsemaxFunction.apply(x, -1), reference, [leaf(5, 30)])

    def test_fused_linear_cross_entropy(self):
        target = torch.randint(0, 50, (9,))
        self.agree(
            lambda x, w: LigerFusedLinearCrossEntropyFunction.apply(x, w, target)[0],
            lambda x, w: F.cross_entropy(x @ w.T, target),
            [leaf(9, 16), leaf(50, 16)],
        )


if __name__ == "__main__":
    unittest.main()
