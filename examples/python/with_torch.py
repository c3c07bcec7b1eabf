"""The six kernels of examples/, as torch users call them, compared with torch.

The kernels' files import triton and are used as they are: install_as_triton serves that import with Tegula.

    python examples/python/with_torch.py                    # on the processor
    python examples/python/with_torch.py --device cuda      # on a GPU

On a GPU matrix products of float32 are rounded to TF32, as torch's are if it is allowed to.
"""

import argparse
import sys
import time
from pathlib import Path

import torch

import tegula

tegula.install_as_triton()
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import attention as attention_file  # noqa: E402
import dropout as dropout_file  # noqa: E402
import layer_norm as layer_norm_file  # noqa: E402
import matmul as matmul_file  # noqa: E402
import softmax as softmax_file  # noqa: E402
import vector_add as vector_add_file  # noqa: E402


def vector_add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    vector_add_file.vector_add[lambda meta: (tegula.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=1024)
    return out


def softmax(x):
    rows, cols = x.shape
    out = torch.empty_like(x)
    softmax_file.softmax[(rows,)](x, out, x.stride(0), out.stride(0), cols, BLOCK=tegula.next_power_of_2(cols))
    return out


def layer_norm(x, weight, bias, eps=1e-5):
    rows, cols = x.shape
    out, mean, rstd = torch.empty_like(x), x.new_empty(rows), x.new_empty(rows)
    layer_norm_file.layer_norm[(rows,)](x, weight, bias, out, mean, rstd, x.stride(0), cols, eps, BLOCK=1024)
    return out


def dropout(x, p, seed):
    out = torch.empty_like(x)
    n = out.numel()
    dropout_file.dropout[(tegula.cdiv(n, 1024),)](x, out, n, p, seed, BLOCK=1024)
    return out


def matmul(a, b, activation=None):
    (m, k), (_, n) = a.shape, b.shape
    c = a.new_empty(m, n)
    grid = lambda meta: (tegula.cdiv(m, meta["BLOCK_M"]) * tegula.cdiv(n, meta["BLOCK_N"]),)  # noqa: E731
    matmul_file.matmul[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=4, ACTIVATION=activation
    )  # fmt: skip
    return c


def attention(q, k, v, causal):
    heads, n_ctx, dim = q.shape
    out, lse = torch.empty_like(q), q.new_empty(heads, n_ctx)
    grid = lambda meta: (tegula.cdiv(n_ctx, meta["BLOCK_M"]), heads)  # noqa: E731
    attention_file.attention[grid](
        q, k, v, out, lse, dim**-0.5, n_ctx, HEAD_DIM=dim, BLOCK_M=64, BLOCK_N=32, CAUSAL=causal
    )  # fmt: skip
    return out


def wait(device):
    """Until what was submitted to a GPU is done."""
    if device != "cpu":
        torch.accelerator.synchronize()


def report(name, got, want, tolerance):
    """Prints how long the second call took, whose kernel is compiled, and how far it is from torch."""
    got()
    wait(want.device.type)
    start = time.perf_counter()
    result = got()
    wait(want.device.type)
    took = (time.perf_counter() - start) * 1e3
    error = (result.float() - want.float()).abs().max().item()
    print(f"{name:12} {took:8.2f} ms   largest error {error:.1e}")
    assert error <= tolerance, f"{name}: {error} is more than {tolerance}"


def main():
    parser = argparse.ArgumentParser(description="Runs the six kernels of examples/ and compares them with torch.")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1, xpu")
    device = parser.parse_args().device
    torch.set_default_device(device)
    torch.manual_seed(0)
    x, y = torch.randn(100_000), torch.randn(100_000)
    report("vector_add", lambda: vector_add(x, y), x + y, 0)
    m = torch.randn(200, 781)
    report("softmax", lambda: softmax(m), torch.softmax(m, 1), 1e-6)
    weight, bias = torch.rand(781), torch.rand(781)
    report("layer_norm", lambda: layer_norm(m, weight, bias), torch.nn.functional.layer_norm(m, (781,), weight, bias), 1e-5)
    dropped = dropout(x, 0.25, seed=123)
    kept = dropped != 0
    report("dropout", lambda: dropout(x, 0.25, seed=123), torch.where(kept, x / 0.75, 0.0), 1e-6)
    print(f"{'':12} {kept.float().mean().item():.3f} of the elements are kept")
    a, b = torch.randn(300, 200).half(), torch.randn(200, 250).half()
    want = torch.nn.functional.leaky_relu(a.float() @ b.float(), 0.01)
    report("matmul", lambda: matmul(a, b, "leaky_relu"), want, 0.05)
    q, k, v = (torch.randn(4, 200, 64) for _ in range(3))
    want = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    report("attention", lambda: attention(q, k, v, causal=True), want, 1e-5 if device == "cpu" else 5e-3)


if __name__ == "__main__":
    main()
