"""Times Tegula on a SYCL device beside the same kernel submitted by hand, and writes OUT/xpu.json and OUT/xpu.md.

    bench/xpu/build.sh SYCL_ROOT && python3 bench/xpu/compare.py OUT

First launches are whole processes, in turns; the least of them counts, and the time that their threads took, too: on a machine that has other work that
is what does not depend on it.
"""

import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/xpu"
TURNS = 7
ENV = {**os.environ, "TEGULA_XPU_SHIM": str(ROOT / "build/libtegula_sycl.so"), "PYTHONPATH": str(BUILD / "site")}
OPENCL = Path((BUILD / "sycl").read_text().strip(), "lib/libintelocl.so") if (BUILD / "sycl").exists() else None
if OPENCL and OPENCL.exists():
    ENV.setdefault("OCL_ICD_FILENAMES", str(OPENCL))  # the device for processors of the runtime that build.sh was given
LAUNCH_LIMIT, FIRST_LIMIT, COMPILE_LIMIT = 1.3, 150, 10


def process(command, **env):
    """Wall and CPU milliseconds of a process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, env={**ENV, **env}, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e3


def firsts():
    """Figures of the first launch of a process."""
    with tempfile.TemporaryDirectory() as kept:
        module = ["build/xpu/vector_add.spv", "vector_add", "128", "add"]
        go, python = ["build/xpu/bench", "-first"], [sys.executable, "bench/xpu/launch.py", "first"]
        sides = {
            "a queue alone": (["build/xpu/raw"], {}),
            "by hand, C++": (["build/xpu/raw", *module], {}),
            "tegula, Go, nothing kept": (go, {"TEGULA_CACHE": "off"}),
            "tegula, Go, code kept": (go, {"TEGULA_CACHE_DIR": kept}),
            "python -c pass": ([sys.executable, "-c", "pass"], {}),
            "tegula, Python, code kept": (python, {"TEGULA_CACHE_DIR": kept}),
        }
        for command, env in sides.values():
            process(command, **env)  # the code is kept, files are in memory
        least = {name: [float("inf")] * 2 for name in sides}
        for _ in range(TURNS):
            for name, (command, env) in sides.items():
                least[name] = [min(a, b) for a, b in zip(least[name], process(command, **env))]
    for name, (wall, cpu) in least.items():
        yield {"row": "first launch of a process", "side": name, "value": wall, "unit": "ms"}
        yield {"row": "first launch of a process, CPU time", "side": name, "value": cpu, "unit": "ms"}


def lines(command):
    done = subprocess.run(command, check=True, cwd=ROOT, env=ENV, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def verdict(f, figures):
    """What a figure is held to, and whether it is."""
    def of(row, side):
        return next(g["value"] for g in figures if (g["row"], g["side"]) == (row, side))

    if f["row"].startswith("compile"):
        return f"at most {COMPILE_LIMIT} ms", f["value"] <= COMPILE_LIMIT
    if f["row"].startswith("launch") and "tegula" in f["side"]:
        base = "by hand, C++ (beside Python)" if "Python" in f["side"] else "by hand, C++"
        ratio = f["value"] / of(f["row"], base)
        return f"at most {LAUNCH_LIMIT} × by hand", ratio <= LAUNCH_LIMIT, f"{ratio:.2f} ×"
    if f["row"].startswith("first launch") and "kept" in f["side"]:
        base = "by hand, C++" if "nothing" in f["side"] else "a queue alone"
        more = f["value"] - of(f["row"], base) - (of(f["row"], "python -c pass") if "Python" in f["side"] else 0)
        return f"at most {FIRST_LIMIT} ms more than {base}", more <= FIRST_LIMIT, f"{more:.0f} ms more"
    return None


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    figures = lines(["build/xpu/bench"]) + lines([sys.executable, "bench/xpu/launch.py"]) + list(firsts())
    device = subprocess.run(["build/xpu/bench", "-device"], check=True, cwd=ROOT, env=ENV, stdout=subprocess.PIPE, text=True).stdout.strip()
    (out / "xpu.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    text = [
        "# Launches on a SYCL device\n",
        f"{datetime.date.today()}, {device}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}; Python {platform.python_version()}. Not an Intel GPU.\n",
        "    bench/xpu/build.sh SYCL_ROOT && python3 bench/xpu/compare.py OUT\n",
        "By hand is bench/xpu/raw: the same SPIR-V module, built and submitted in C++. Launches are of 1024 elements, in turns on one queue; everything is the least",
        "of many.\n",
        "| row | side | | target | |",
        "|---|---|---|---|---|",
    ]
    for f in figures:
        target, met, *more = verdict(f, figures) or ("", None)
        said = "" if met is None else ", ".join([*more, "met" if met else "missed"])
        text.append(f"| {f['row']} | {f['side']} | {f['value']:.4g} {f['unit']} | {target} | {said} |")
    (out / "xpu.md").write_text("\n".join(text) + "\n")


main()
