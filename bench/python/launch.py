"""What a launch from Python costs, and an import: prints a table in Markdown.

    make build/wheel && PYTHONPATH=build/wheel python bench/python/launch.py

Each figure is the least of many rounds. A launch is of one program that does next to nothing, compiled already; it contains the loop
around it, kernel[grid] and the run of the program. What Python's own call of an empty C function of as many arguments takes is
beside it.
"""

import resource
import subprocess
import sys
import time

import tegula
import tegula.language as tl

ROUNDS, CALLS = 30, 2000


@tegula.jit
def four(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@tegula.jit
def nineteen(a, b, c, m, n, k, s0, s1, s2, s3, s4, s5, alpha, beta, flag, p, q, r, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, i < n) * alpha + tl.load(b + i, i < n) * beta + (m + k + s0 + s1 + s2 + s3 + s4 + s5 + p + q + r), i < n)


def least(call):
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, (time.perf_counter() - start) / CALLS)
    return best * 1e6


def arrays(module):
    return [module.zeros(64, dtype=module.float32) for _ in range(3)]


def rows():
    import numpy as np

    frameworks = {"NumPy": np}
    try:
        import torch

        frameworks["torch"] = torch
    except ImportError:
        pass
    grid = (1,)
    empty = max  # a function of C
    for name, module in frameworks.items():
        x, y, out = arrays(module)
        numbers = (64, 32, 16, 1, 2, 3, 4, 5, 6)
        rest = (0.5, 2.0, True, 7, 8, 9)
        yield f"4 arguments and a constant, {name}", least(lambda: four[grid](x, y, out, 64, BLOCK=64))
        yield f"19 arguments, {name}", least(lambda: nineteen[grid](x, y, out, *numbers, *rest, BLOCK=64))
    yield "4 arguments, grid a lambda, NumPy", least(lambda: four[lambda meta: (tegula.cdiv(meta["n"], meta["BLOCK"]),)](x, y, out, 64, BLOCK=64))
    yield "`kernel[grid]` alone", least(lambda: four[grid])
    yield "a call of `max` with 4 numbers", least(lambda: empty(1, 2, 3, 4))
    yield "a call of `max` with 19 numbers", least(lambda: empty(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19))


def process(code):
    """The least processor time of a process, in milliseconds: on a busy machine the clock says nothing."""
    best = float("inf")
    for _ in range(20):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best * 1e3


def main():
    print(f"Python {sys.version.split()[0]}, Tegula {tegula.__version__}\n")
    print("| | µs |\n|---|---|")
    for what, took in rows():
        print(f"| {what} | {took:.2f} |")
    bare = process("pass")
    print("\n| processor time | ms |\n|---|---|")
    print(f"| a bare interpreter | {bare:.1f} |")
    for what, code in [
        ("`import tegula`", "import tegula"),
        ("`import tegula, tegula.language`", "import tegula, tegula.language"),
        ("these, and a kernel decorated", "import tegula, tegula.language\ntegula.jit"),
        ("`tegula.devices()`, which loads the compiler", "import tegula; tegula.devices()"),
    ]:
        print(f"| {what}, over it | {process(code) - bare:.1f} |")


main()
