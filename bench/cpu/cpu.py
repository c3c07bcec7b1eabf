"""Kernels of examples/ and kernels.py beside PyTorch and NumPy, in turns, two threads each: medians.

    go build -o build/bench-cpu ./bench/cpu && build/venv-oracles/bin/python bench/cpu/cpu.py build/bench-cpu [NAME…]

The ratio is to the faster of the two others. The first lines say what the machine's memory gives: a plain copy, and a triad. With
PYTHONPATH=build/wheel (make build/wheel) the last line is the launch of a kernel of one program from Python, and what an empty function of C of
as many arguments takes there.
"""
import statistics
import subprocess
import sys
import time

import numpy as np
import torch

torch.set_num_threads(2)
ROUNDS = 9
PAUSE = 0.06  # seconds
SPINNING = 0.05  # of a pause: who uses more of the processor than that while nothing is asked of it
n, side = 1 << 24, 4096
x, y, out = torch.randn(n), torch.randn(n), torch.empty(n)
m, m_out, w, b = torch.randn(side, side), torch.empty(side, side), torch.randn(side), torch.randn(side)
functional = torch.nn.functional


def matmul(size):
    p, q, r = torch.randn(size, size), torch.randn(size, size), torch.empty(size, size)
    a, c, d = p.numpy(), q.numpy(), r.numpy()
    return lambda: torch.mm(p, q, out=r), lambda: np.matmul(a, c, out=d)


def narrow_matmul(size):
    p, q, r = (torch.randn(size, size).to(torch.bfloat16) for _ in range(3))
    return lambda: torch.mm(p, q, out=r), None


def int_matmul(size):
    p, q = (torch.randint(-128, 128, (size, size), dtype=torch.int8) for _ in range(2))
    return lambda: torch._int_mm(p, q), None


def attention(heads, ctx, dim, dtype):
    q, k, v = (torch.randn(1, heads, ctx, dim).to(dtype) for _ in range(3))
    return lambda: functional.scaled_dot_product_attention(q, k, v), None


def softmax():
    e = np.exp(m.numpy() - m.numpy().max(axis=1, keepdims=True))
    np.divide(e, e.sum(axis=1, keepdims=True), out=m_out.numpy())


# PyTorch's and NumPy's way (None where it has none), what they do, in which unit.
WORKS = {
    "vector_add": (lambda: torch.add(x, y, out=out), lambda: np.add(x.numpy(), y.numpy(), out=out.numpy()), 12 * n, "GB/s"),
    "softmax": (lambda: torch.softmax(m, 1, out=m_out), softmax, 8 * side * side, "GB/s"),
    "layer_norm": (lambda: functional.layer_norm(m, (side,), w, b), None, 8 * side * side, "GB/s"),
    "dropout": (lambda: functional.dropout(x, 0.5), None, 8 * n, "GB/s"),
    "gelu": (lambda: functional.gelu(m * w + b), None, 8 * side * side, "GB/s"),
    "matmul_512": (*matmul(512), 2 * 512**3, "GFLOP/s"),
    "matmul_1024": (*matmul(1024), 2 * 1024**3, "GFLOP/s"),
    "matmul_2048": (*matmul(2048), 2 * 2048**3, "GFLOP/s"),
    "matmul_bf16": (*narrow_matmul(2048), 2 * 2048**3, "GFLOP/s"),
    "matmul_int8": (*int_matmul(2048), 2 * 2048**3, "GOP/s"),
    "attention": (*attention(8, 2048, 64, torch.float32), 4 * 8 * 2048**2 * 64, "GFLOP/s"),
    "attention_bf16": (*attention(8, 2048, 64, torch.bfloat16), 4 * 8 * 2048**2 * 64, "GFLOP/s"),
}


def rested(f, *args):
    """f's result, asked for when the threads of what ran before no longer spin. Libraries keep theirs busy waiting, OpenBLAS for 90 ms, and a
    processor that they hold is not there for f."""
    while True:
        before = time.process_time()
        time.sleep(PAUSE)
        if time.process_time() - before < SPINNING * PAUSE:
            return f(*args)


def elapsed(f):
    start = time.perf_counter_ns()
    f()
    return time.perf_counter_ns() - start


def median(f):
    f()
    return statistics.median(elapsed(f) for _ in range(ROUNDS))


def memory():
    copy, triad = median(lambda: out.copy_(x)), median(lambda: torch.add(x, y, alpha=3.0, out=out))
    print(f"memory, by PyTorch: copy {8 * n / copy:.2f} GB/s, triad {12 * n / triad:.2f} GB/s", flush=True)


def works(names, binary):
    server = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ours(name):
        server.stdin.write(name + "\n")
        server.stdin.flush()
        return int(server.stdout.readline())

    print(f"{'':14} {'tegula':>10} {'torch':>10} {'numpy':>10} {'ratio':>6}   unit")
    for name, (by_torch, by_numpy, amount, unit) in WORKS.items():
        if names and name not in names:
            continue
        others = [f for f in (by_torch, by_numpy) if f]
        ours(name), [f() for f in others]
        rounds = [(rested(ours, name), *(rested(elapsed, f) for f in others)) for _ in range(ROUNDS)]
        mine, *theirs = (statistics.median(r[i] for r in rounds) for i in range(len(others) + 1))
        columns = [f"{amount / t:10.2f}" for t in (mine, *theirs)] + [f"{'':10}"] * (2 - len(others))
        print(f"{name:14} {' '.join(columns)} {min(theirs) / mine:6.2f}   {unit}", flush=True)
    server.stdin.close()
    server.wait()


def launch():
    try:
        import tegula
        import tegula.language as tl
    except ImportError:
        print("launch: there is no package tegula; make build/wheel and PYTHONPATH=build/wheel")
        return

    @tegula.jit
    def one(out, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, i, i < n)

    array = np.zeros(16, dtype=np.int32)
    calls = 2000

    def each(f):
        return min(elapsed(lambda: [f() for _ in range(calls)]) for _ in range(30)) / calls

    ours, empty = each(lambda: one[(1,)](array, 16, BLOCK=16)), each(lambda: max(1, 2, 3))
    print(f"launch of one program: {ours / 1000:.2f} µs, an empty function of C: {empty / 1000:.2f} µs, over it: {(ours - empty) / 1000:.2f} µs")


if __name__ == "__main__":
    memory()
    works(sys.argv[2:], sys.argv[1])
    launch()
