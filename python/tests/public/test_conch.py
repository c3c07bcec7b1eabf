"""Kernels of conch, unmodified, on CPU tensors, against torch and its own references."""

import unittest

import torch
from agreement import Agreement, measure_shortly

try:
    from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul
    from conch.ops.activation.silu_and_mul import silu_and_mul
    from conch.ops.attention.paged_attention import paged_attention
    from conch.ops.normalization.rms_norm import fused_add_rms_norm, rms_norm
    from conch.ops.quantization.fp8 import scaled_fp8_quant
    from conch.ops.quantization.gemm import scaled_gemm
    from conch.ops.quantization.int8 import scaled_int8_quant
    from conch.ops.vision.bev_pool import bev_pool
    from conch.ops.vision.nms import nms
    from conch.reference.activation.gelu_tanh_and_mul import gelu_tanh_and_mul as gelu_reference
    from conch.reference.activation.silu_and_mul import silu_and_mul as silu_reference
    from conch.reference.normalization.rms_norm import _fused_add_rms_norm_pytorch_ref, _rms_norm_pytorch_ref
    from conch.reference.quantization.fp8 import _scaled_fp8_quant_pytorch_ref
    from conch.reference.quantization.int8 import _scaled_int8_quant_pytorch_ref
    from conch.reference.quantization.scaled_gemm import _scaled_gemm_pytorch_ref
    from conch.reference.vision.bev_pool import bev_pool_pytorch
    from conch.reference.vision.nms import _nms_pytorch_iterative
except ImportError as e:
    raise unittest.SkipTest(f"needs conch-triton-kernels: {e}") from None

measure_shortly()


class Conch(Agreement):
    def test_activations(self):
        x = torch.randn(5, 200)
        self.close(silu_and_mul(x), silu_reference(x))
        self.close(gelu_tanh_and_mul(x), gelu_reference(x))

    def test_norms(self):
        x, residual, weight = torch.randn(7, 300), torch.randn(7, 300), torch.randn(300)
        self.close(rms_norm(x, weight, 1e-6), _rms_norm_pytorch_ref(x, weight, 1e-6))
        want = _fused_add_rms_norm_pytorch_ref(x, residual, weight, 1e-6)
        for got, w in zip(fused_add_rms_norm(x.clone(), residual.clone(), weight, 1e-6), want):
            self.close(got, w)

    def test_quantisation(self):
        x, scale = torch.randn(9, 100), torch.tensor([0.02])
        self.close(scaled_int8_quant(x, scale)[0], _scaled_int8_quant_pytorch_ref(x, scale))
        self.close(scaled_fp8_quant(x, scale)[0], _scaled_fp8_quant_pytorch_ref(x, scale))

    def test_scaled_gemm(self):
        a, b = (torch.randint(-100, 100, shape, dtype=torch.int8) for shape in ((20, 64), (64, 48)))
        scales = torch.rand(1), torch.rand(1)
        self.close(scaled_gemm(a, b, *scales, torch.float16), _scaled_gemm_pytorch_ref(a, b, *scales, torch.float16), 2e-2)

    def test_paged_attention(self):
        query, keys, values = torch.randn(2, 4, 32), torch.randn(8, 16, 2, 32), torch.randn(8, 16, 2, 32)
        table, lengths = torch.tensor([[3, 1, 5], [0, 2, 7]], dtype=torch.int32), torch.tensor([40, 17], dtype=torch.int32)
        out = paged_attention(query, keys, values, table, lengths)
        for i, length in enumerate(lengths):
            k, v = (x[table[i].long()].reshape(-1, 2, 32)[:length].repeat_interleave(2, 1) for x in (keys, values))
            scores = torch.einsum("hd,khd->hk", query[i], k) * 32**-0.5
            self.close(out[i], torch.einsum("hk,khd->hd", scores.softmax(-1), v), 1e-3)

    def test_non_maximum_suppression(self):
        corners = torch.rand(60, 2) * 50
        boxes, scores = torch.cat((corners, corners + torch.rand(60, 2) * 20 + 1), 1), torch.rand(60)
        self.assertEqual(nms(boxes, scores, 0.4).tolist(), _nms_pytorch_iterative(boxes, scores, 0.4).tolist())

    def test_pooling(self):
        features, starts, lengths = torch.randn(30, 16), torch.tensor([0, 10, 22]), torch.tensor([10, 12, 8])
        cells = torch.zeros(30, 4, dtype=torch.int32)
        for i, (start, length) in enumerate(zip(starts, lengths)):
            cells[start : start + length, 0], cells[start : start + length, 1] = i, 2 - i
        arguments = features, cells, starts.int(), lengths.int(), 1, 1, 3, 3
        self.close(bev_pool(*arguments), bev_pool_pytorch(*arguments))


if __name__ == "__main__":
    unittest.main()
