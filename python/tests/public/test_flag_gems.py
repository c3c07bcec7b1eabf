"""Operators of flag_gems on CPU tensors, against torch. The library has no CPU back end: it is told that there is a GPU, and
gets CPU tensors. Its kernels are as they are."""

import contextlib
import os
import types
import unittest

import torch
import torch.nn.functional as F
from agreement import Agreement, measure_shortly

os.environ["GEMS_VENDOR"] = "nvidia"


def pretend_gpu():
    """Makes torch.cuda answer what flag_gems asks when it is imported and before it launches."""
    properties = types.SimpleNamespace(
        name="cpu", major=9, minor=0, multi_processor_count=8, warp_size=32, total_memory=1 << 34, L2_cache_size=1 << 25,
        regs_per_multiprocessor=65536, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
        max_threads_per_multi_processor=2048,
    )  # fmt: skip
    answers = {
        "is_available": True, "device_count": 1, "current_device": 0, "get_device_name": "cpu", "get_device_capability": (9, 0),
        "get_device_properties": properties, "synchronize": None, "current_stream": types.SimpleNamespace(cuda_stream=0),
    }  # fmt: skip
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *args, answer=answer: answer)
    torch.cuda.device = lambda *args: contextlib.nullcontext()


pretend_gpu()
try:
    import flag_gems.ops as gems
except ImportError as e:
    raise unittest.SkipTest(f"needs flag_gems: {e}") from None

measure_shortly()


class FlagGems(Agreement):
    def test_elementwise(self):
        x, y = torch.randn(40, 70), torch.randn(40, 70)
        for name in ("abs", "cos", "exp", "neg", "relu", "sigmoid", "sin", "tanh", "erf", "exp2", "ceil", "isnan", "isinf"):
            with self.subTest(name):
                self.close(getattr(gems, name)(x), getattr(torch, name)(x))
        for name in ("rsqrt", "sqrt", "log"):
            with self.subTest(name):
                self.close(getattr(gems, name)(x.abs() + 0.1), getattr(torch, name)(x.abs() + 0.1))
        for name in ("add", "sub", "mul", "true_divide", "eq", "ne", "lt", "gt", "le", "ge"):
            with self.subTest(name):
                self.close(getattr(gems, name)(x, y), getattr(torch, name)(x, y))
        self.close(gems.gelu(x), F.gelu(x))
        self.close(gems.clamp(x, -0.5, 0.5), x.clamp(-0.5, 0.5))
        self.close(gems.pow_tensor_scalar(x, 2), x**2)

    def test_reductions(self):
        x = torch.randn(40, 70)
        for got, want in [
            (gems.sum(x), x.sum()), (gems.sum_dim(x, [1]), x.sum(1)), (gems.mean(x), x.mean()), (gems.mean_dim(x, [1]), x.mean(1)),
            (gems.max(x), x.max()), (gems.argmax(x, 1), x.argmax(1)), (gems.amax(x, [1]), x.amax(1)), (gems.all(x > 0), (x > 0).all()),
            (gems.any(x > 0), (x > 0).any()), (gems.count_nonzero(x > 0), (x > 0).count_nonzero()), (gems.vector_norm(x, 2), x.norm()),
        ]:  # fmt: skip
            self.close(got, want, 1e-4)
        for got, want in zip(gems.max_dim(x, 1), x.max(1)):
            self.close(got, want)
        for got, want in zip(gems.var_mean(x, [1]), torch.var_mean(x, 1)):
            self.close(got, want, 1e-4)

    def test_scans_and_sorts(self):
        x = torch.randn(40, 70)
        self.close(gems.cumsum(x, 1), x.cumsum(1), 1e-4)
        self.close(gems.cumsum(torch.ones(5000), 0), torch.ones(5000).cumsum(0))
        self.close(gems.topk(x, 5)[0], x.topk(5)[0])
        self.close(gems.sort(x)[0], x.sort()[0])
        self.close(gems.nonzero(x > 0), (x > 0).nonzero())

    def test_normalisation(self):
        x = torch.randn(40, 70)
        self.close(gems.softmax(x, 1), x.softmax(1))
        self.close(gems.softmax(x, 0), x.softmax(0))
        self.close(gems.log_softmax(x, 1), x.log_softmax(1))
        self.close(gems.layer_norm(x, [70], torch.ones(70), torch.zeros(70))[0], F.layer_norm(x, (70,)))

    def test_matrices(self):
        x, y = torch.randn(40, 70), torch.randn(70, 50)
        self.close(gems.mm(x, y), x @ y, 1e-3)
        self.close(gems.mv(x, torch.ones(70)), x.sum(1), 1e-4)
        self.close(gems.addmm(torch.ones(40, 50), x, y), x @ y + 1, 1e-3)
        self.close(gems.bmm(x[None], y[None]), (x @ y)[None], 1e-3)

    def test_indexing(self):
        x, index = torch.randn(40, 70), torch.randint(0, 70, (40, 7))
        self.close(gems.gather(x, 1, index), x.gather(1, index))
        self.close(gems.index_select(x, 0, torch.tensor([3, 1, 2])), x[[3, 1, 2]])
        self.close(gems.flip(x, [1]), x.flip(1))
        self.close(gems.triu(x, 1), x.triu(1))
        self.close(gems.cat([x, x], 0), torch.cat([x, x], 0))
        self.close(gems.repeat(x, (2, 3)), x.repeat(2, 3))
        self.close(gems.pad(x, [1, 2, 0, 1]), F.pad(x, [1, 2, 0, 1]))
        self.close(gems.isin(index, torch.tensor([1, 2])), torch.isin(index, torch.tensor([1, 2])))

    def test_convolution(self):
        x, w = torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)
        self.close(gems.conv2d(x, w), F.conv2d(x, w), 1e-3)


if __name__ == "__main__":
    unittest.main()
