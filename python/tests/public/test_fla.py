"""Kernels of flash-linear-attention, unmodified, on CPU tensors: forward and backward against torch, and against its own references."""

import unittest

import torch
import torch.nn.functional as F
from agreement import Agreement, leaf, measure_shortly

try:
    from fla.modules.activations import logsigmoid, swiglu, swish
    from fla.modules.causal_conv1d import causal_conv1d
    from fla.modules.rotary import rotary_embedding
    from fla.ops.forgetting_attn import parallel_forgetting_attn
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule
    from fla.ops.gated_delta_rule.naive import naive_recurrent_gated_delta_rule
    from fla.ops.gla import chunk_gla, fused_recurrent_gla
    from fla.ops.gla.naive import naive_recurrent_gla
    from fla.ops.hgrn import chunk_hgrn, fused_recurrent_hgrn
    from fla.ops.hgrn.naive import naive_recurrent_hgrn
    from fla.ops.linear_attn import chunk_linear_attn, fused_recurrent_linear_attn
    from fla.ops.linear_attn.naive import naive_recurrent_linear_attn
    from fla.ops.retention import chunk_retention
    from fla.ops.retention.naive import naive_retention
    from fla.ops.utils.cumsum import chunk_global_cumsum, chunk_local_cumsum
except ImportError as e:
    raise unittest.SkipTest(f"needs fla-core: {e}") from None

measure_shortly()
B, T, H, D = 2, 100, 2, 32


def heads_first(*tensors):
    return tuple(x.transpose(1, 2) for x in tensors)


class Attention(Agreement):
    def qkv(self):
        return [leaf(B, T, H, D) for _ in range(3)]

    def gates(self, *shape):
        return F.logsigmoid(torch.randn(*shape)).requires_grad_()

    def test_linear(self):
        for ours in (chunk_linear_attn, fused_recurrent_linear_attn):
            self.agree(
                lambda q, k, v, f=ours: f(q, k, v, normalize=False)[0], lambda *qkv: naive_recurrent_linear_attn(*qkv)[0], self.qkv(), loosen=100
            )

    def test_gated(self):
        for ours in (chunk_gla, fused_recurrent_gla):
            self.agree(
                lambda *x, f=ours: f(*x)[0], lambda *x: naive_recurrent_gla(*x)[0], [*self.qkv(), self.gates(B, T, H, D)], loosen=500
            )

    def test_gated_delta_rule(self):
        q, k, v = self.qkv()
        k = F.normalize(k.detach(), dim=-1).requires_grad_()
        beta, g = torch.rand(B, T, H).requires_grad_(), self.gates(B, T, H)
        self.agree(
            lambda q, k, v, beta, g: chunk_gated_delta_rule(q, k, v, g, beta)[0],
            lambda *x: naive_recurrent_gated_delta_rule(*x)[0],
            [q, k, v, beta, g], loosen=1000,
        )  # fmt: skip

    def test_recurrent(self):
        for ours in (chunk_hgrn, fused_recurrent_hgrn):
            g = self.gates(B, T, 64)
            x = ((1 - g.detach().exp()) * torch.randn(B, T, 64)).requires_grad_()
            self.agree(lambda *a, f=ours: f(*a)[0], lambda *a: naive_recurrent_hgrn(*a)[0], [x, g], loosen=100)

    def test_retention(self):
        self.agree(lambda *x: chunk_retention(*x)[0], lambda *x: heads_first(naive_retention(*heads_first(*x)))[0], self.qkv(), loosen=500)

    def test_forgetting(self):
        def reference(q, k, v, g):
            decay = g.cumsum(1).transpose(1, 2)
            scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * D**-0.5 + decay[..., :, None] - decay[..., None, :]
            scores = scores.masked_fill(~torch.ones(T, T).tril().bool(), -float("inf"))
            return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)

        self.agree(parallel_forgetting_attn, reference, [*self.qkv(), self.gates(B, T, H)], loosen=500)


class Modules(Agreement):
    def test_activations(self):
        self.agree(swish, F.silu, [leaf(4, 100)])
        self.agree(swiglu, lambda a, b: F.silu(a) * b, [leaf(4, 100), leaf(4, 100)])
        self.agree(logsigmoid, F.logsigmoid, [leaf(4, 100)])

    def test_convolution(self):
        def ours(x, w):
            result = causal_conv1d(x, w, activation="silu")
            return result[0] if isinstance(result, tuple) else result

        def reference(x, w):
            padded = F.pad(x.transpose(1, 2), (w.shape[1] - 1, 0))
            return F.silu(F.conv1d(padded, w[:, None], groups=w.shape[0])).transpose(1, 2)

        self.agree(ours, reference, [leaf(2, 50, 32), leaf(32, 4)], loosen=10)

    def test_rotary(self):
        angles = torch.outer(torch.arange(20.0), 10000 ** (-torch.arange(0, 32, 2) / 32))
        cos, sin = angles.cos(), angles.sin()

        def reference(x):
            a, b = x.chunk(2, -1)
            c, s = cos[None, :, None], sin[None, :, None]
            return torch.cat((a * c - b * s, a * s + b * c), -1)

        self.agree(lambda x: rotary_embedding(x, cos, sin), reference, [leaf(2, 20, 4, 32)])

    def test_cumsum(self):
        x = torch.randn(B, T, H)
        self.close(chunk_global_cumsum(x), x.cumsum(1), 1e-4)
        x = torch.randn(B, 128, H, D)
        self.close(chunk_local_cumsum(x, 64), x.view(B, 2, 64, H, D).cumsum(2).view(B, 128, H, D), 1e-4)


if __name__ == "__main__":
    unittest.main()
