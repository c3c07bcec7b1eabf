"""Prints what TorchInductor writes for a GPU that is not there: python inductor_gpu.py matmul|attention.

Its templates (matrix products, flex attention) are for GPUs only. Tensors are fake, so nothing runs; what TorchInductor asks of the device is answered here.
"""

import os
import sys
import types

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

import torch
import torch._dynamo.device_interface as device_interface
import torch._inductor.config as inductor
import torch._inductor.select_algorithm as select_algorithm
from test_inductor import NoDriver
from torch._inductor.graph import GraphLowering
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention.flex_attention import flex_attention
from triton.runtime import driver


def pretend():
    properties = types.SimpleNamespace(
        name="H200", major=9, minor=0, multi_processor_count=132, warp_size=32, total_memory=1 << 37, L2_cache_size=50 << 20,
        max_threads_per_block=1024, max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536,
        shared_memory_per_block=49152, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
    )  # fmt: skip
    torch.cuda.device_count = lambda: 1
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_capability = lambda *args: (9, 0)
    torch.cuda._lazy_init = lambda: None
    cuda = device_interface.CudaInterface
    cuda.is_available = staticmethod(lambda: True)
    cuda.get_compute_capability = staticmethod(lambda *args: 90)
    cuda.get_device_properties = cuda.Worker.get_device_properties = staticmethod(lambda *args: properties)
    torch.cuda.get_device_properties = cuda.get_device_properties
    driver.set_active(NoDriver())


def first(self, name, choices, *args, **kwargs):
    """Takes the place of measuring: the first configuration of Triton's template."""
    choice = next(c for c in choices if isinstance(c, select_algorithm.TritonTemplateCaller))
    return choice.output_node(), choice


def score(s, b, h, i, j):
    return torch.where(i >= j, s + (i - j) * 0.01, -float("inf"))


def main(which):
    pretend()
    inductor.compile_threads = 1
    inductor.joint_graph_constant_folding = False
    inductor.max_autotune_gemm, inductor.max_autotune_gemm_backends = True, "TRITON"
    select_algorithm.AlgorithmSelectorCache.__call__ = first
    codes = []
    GraphLowering.save_output_code = staticmethod(codes.append)

    def fake(*shape):
        return torch.empty(*shape, device="cuda", dtype=torch.float16)

    try:
        with FakeTensorMode():
            if which == "matmul":
                torch.compile(lambda a, b: torch.relu(a @ b) + 1)(fake(120, 72), fake(72, 96))
            else:
                torch.compile(lambda q, k, v: flex_attention(q, k, v, score_mod=score))(*(fake(1, 2, 256, 64) for _ in range(3)))
    except Exception as e:  # the code is written, and then there is no GPU to load it
        if not codes:
            raise e
    print(codes[0])


if __name__ == "__main__":
    main(sys.argv[1])
