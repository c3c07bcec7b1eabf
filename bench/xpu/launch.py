"""Launches from Python on a SYCL device, in turns with the same kernel submitted by hand on the same queue; compare.py starts it.

    launch.py first      launches one kernel and ends
    launch.py            prints a line of JSON for each figure
"""

import json
import sys
import time

import tegula
import tegula.language as tl
from tegula import xpu

ELEMENTS, EACH, ROUNDS = 1024, 200, 40


@tegula.jit
def vector_add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


def tegulas(x, y, out):
    start = time.perf_counter()
    for _ in range(EACH):
        vector_add[(1,)](x, y, out, ELEMENTS, BLOCK=ELEMENTS)
    host = time.perf_counter() - start
    xpu.synchronize()
    return host, time.perf_counter() - start


def by_hand(local):
    import ctypes

    lib = ctypes.CDLL("build/xpu/libraw.so")
    lib.raw_kernel.restype = ctypes.c_void_p
    queue = ctypes.c_void_p(xpu.current_queue().handle)
    kernel = ctypes.c_void_p(lib.raw_kernel(queue, b"build/xpu/vector_add.spv", b"vector_add"))

    def run(x, y, out):
        host, everything = ctypes.c_double(), ctypes.c_double()
        arrays = [ctypes.c_void_p(a.data_ptr()) for a in (x, y, out)]
        lib.raw_launches(queue, kernel, local, *arrays, ELEMENTS, EACH, ctypes.byref(host), ctypes.byref(everything))
        return host.value, everything.value

    return run


def main():
    x, y, out = (xpu.zeros(ELEMENTS, "float32") for _ in range(3))
    made = vector_add[(1,)](x, y, out, ELEMENTS, BLOCK=ELEMENTS)
    xpu.synchronize()
    if sys.argv[1:] == ["first"]:
        return
    sides = {"by hand, C++ (beside Python)": by_hand(made.metadata.num_warps * made.metadata.threads_per_warp), "tegula, Python": tegulas}
    least = {name: [float("inf")] * 2 for name in sides}
    for _ in range(ROUNDS):
        for name, run in sides.items():
            least[name] = [min(a, b) for a, b in zip(least[name], run(x, y, out))]
    for name, times in least.items():
        for row, seconds in zip(("launch, host time", "launch, until it has run"), times):
            print(json.dumps({"row": row, "side": name, "value": seconds / EACH * 1e6, "unit": "µs"}))


main()
