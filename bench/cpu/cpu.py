"""Kernels of examples/ beside PyTorch, in turns, two threads each: medians in milliseconds.

    go build -o build/bench-cpu ./bench/cpu && TEGULA_CPU=native build/venv-oracles/bin/python bench/cpu/cpu.py build/bench-cpu [NAME…]
"""
import statistics
import subprocess
import sys
import time

import torch

torch.set_num_threads(2)
n, side = 1 << 24, 4096
x, y, out = torch.randn(n), torch.randn(n), torch.empty(n)
m, m_out, w, b = torch.randn(side, side), torch.empty(side, side), torch.randn(side), torch.randn(side)


def matmul(size):
    p, q, r = torch.randn(size, size), torch.randn(size, size), torch.empty(size, size)
    return lambda: torch.mm(p, q, out=r)


WORKS = {
    "vector_add": (lambda: torch.add(x, y, out=out), 12 * n, "GB/s"),
    "softmax": (lambda: torch.softmax(m, 1, out=m_out), 8 * side * side, "GB/s"),
    "layer_norm": (lambda: torch.nn.functional.layer_norm(m, (side,), w, b), 8 * side * side, "GB/s"),
    "dropout": (lambda: torch.nn.functional.dropout(x, 0.5), 8 * n, "GB/s"),
    "matmul_512": (matmul(512), 2 * 512**3, "GFLOP/s"),
    "matmul_1024": (matmul(1024), 2 * 1024**3, "GFLOP/s"),
}
server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ours(name):
    server.stdin.write(name + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


def theirs(f):
    start = time.perf_counter_ns()
    f()
    return time.perf_counter_ns() - start


print(f"{'':12} {'tegula':>10} {'torch':>10} {'ratio':>6}   unit")
for name, (f, amount, unit) in WORKS.items():
    if sys.argv[2:] and name not in sys.argv[2:]:
        continue
    ours(name), theirs(f)
    rounds = [(ours(name), theirs(f)) for _ in range(9)]
    a, t = (statistics.median(r[i] for r in rounds) for i in (0, 1))
    print(f"{name:12} {amount / a:10.2f} {amount / t:10.2f} {t / a:6.2f}   {unit}", flush=True)
