"""Kernels of unsloth on CPU tensors, forward and backward against torch. Only the files with the kernels are imported, with what they
take from the library's utilities and from packages that are not there replaced: those ask for a GPU."""

import contextlib
import importlib.util
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

import torch
import torch.nn.functional as F
from agreement import Agreement, leaf

found = importlib.util.find_spec("unsloth")
if found is None:
    raise unittest.SkipTest("needs unsloth")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.language.extra import libdevice  # noqa: E402


def prepare(root):
    """Puts packages without code of their own in the place of unsloth and its utilities."""

    def package(name, path=None, **held):
        made = types.ModuleType(name)
        made.__path__ = [str(path)] if path else []
        vars(made).update(held)
        sys.modules[name] = made

    package("unsloth", root)
    package("unsloth.kernels", root / "kernels")
    for name in ("transformers", "transformers.models.llama.modeling_llama", "unsloth_zoo", "unsloth_zoo.utils", "unsloth_zoo.patching_utils"):
        sys.modules[name] = mock.MagicMock(__path__=[], __spec__=None)
    package(
        "unsloth.kernels.utils",
        MAX_FUSED_SIZE=65536,
        next_power_of_2=triton.next_power_of_2,
        calculate_settings=lambda n: (triton.next_power_of_2(n), 4),
        norm_num_warps=lambda *args, **kwargs: 4,
        torch_gpu_device=lambda device: contextlib.nullcontext(),
        triton_tanh=libdevice.tanh,
        triton_cast=tl.cast,
        is_cdna=lambda: False,
        torch_device_stream=lambda device: mock.MagicMock(),
        long_indexing=importlib.import_module("unsloth.kernels.indexing").long_indexing,
    )
    package("unsloth.device_type", DEVICE_COUNT=1, DEVICE_TYPE="cuda", DEVICE_TYPE_TORCH="cuda", is_hip=lambda: False)


prepare(Path(found.origin).parent)


class Unsloth(Agreement):
    def test_rms_norm(self):
        from unsloth.kernels.rms_layernorm import Fast_RMS_Layernorm

        weight = torch.randn(200)
        for gemma in (False, True):
            self.agree(
                lambda x, gemma=gemma: Fast_RMS_Layernorm.apply(x, weight, 1e-6, gemma),
                lambda x, gemma=gemma: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * (weight + gemma),
                [leaf(2, 5, 200)], loosen=4,
            )  # fmt: skip

    def test_layer_norm(self):
        from unsloth.kernels.layernorm import Fast_Layernorm

        weight, bias = torch.randn(200), torch.randn(200)
        self.agree(
            lambda x: Fast_Layernorm.apply(x, weight, bias, 1e-6), lambda x: F.layer_norm(x, (200,), weight, bias, 1e-6), [leaf(2, 5, 200)], loosen=4
        )

    def test_rope(self):
        from unsloth.kernels.rope_embedding import Fast_RoPE_Embedding

        angles = torch.outer(torch.arange(9.0), 10000 ** (-torch.arange(0, 32, 2) / 32))
        cos, sin = (f(torch.cat((angles, angles), -1)) for f in (torch.cos, torch.sin))

        def reference(q):
            return q * cos[None, :, None] + torch.cat((-q[..., 16:], q[..., :16]), -1) * sin[None, :, None]

        self.agree(lambda q: Fast_RoPE_Embedding.apply(q, cos, sin), reference, [leaf(2, 9, 4, 32)])

    def test_gates(self):
        from unsloth.kernels.geglu import geglu_approx_forward_kernel, geglu_exact_forward_kernel
        from unsloth.kernels.swiglu import swiglu_DWf_DW_dfg_kernel, swiglu_fg_kernel

        e, g = torch.randn(2, 5, 100), torch.randn(2, 5, 100)
        self.close(swiglu_fg_kernel(e, g), F.silu(e) * g)
        self.close(geglu_exact_forward_kernel(e, g), F.gelu(e) * g)
        self.close(geglu_approx_forward_kernel(e, g), F.gelu(e, approximate="tanh") * g)
        e, g = e.view(10, 100).clone().requires_grad_(), g.view(10, 100).clone().requires_grad_()
        dw = torch.randn(10, 100)
        (F.silu(e) * g).backward(dw)
        h, df, de = swiglu_DWf_DW_dfg_kernel(dw.clone(), e.detach().clone(), g.detach().clone())
        self.close(h, F.silu(e) * g)
        self.close(df, dw * F.silu(e))
        self.close(de, e.grad)


if __name__ == "__main__":
    unittest.main()
