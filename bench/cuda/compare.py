"""Times Tegula, Triton and PyTorch on one GPU, side by side: what compiling and launching costs, and how fast kernels run.

    bench/cuda/build.sh                     (where Go is)
    python3 bench/cuda/compare.py OUT       (where the GPU, PyTorch and Triton are; in the root of the repository)

Writes OUT/cuda.json and OUT/cuda.md. Tegula's figures are those of the command bench/cuda, which this starts; the kernels are the same files. A
side that is not there, or a figure that cannot be taken, is written down with its reason. ROWS=TEXT in the environment takes only the rows
whose names contain it.
"""
import datetime
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROWS = os.environ.get("ROWS", "")
BIG = 1 << 28
figures = []

# What a row is to reach: a number, or a multiple of another side's figure. Times are to be less, speeds more.
TARGETS = {
    "launch, 3 pointers": ("at most", 1.1, "raw"),
    "launch, 19 arguments": ("at most", 1.1, "raw"),
    "launch from Python, 3 pointers": ("at most", 1.5, "raw"),
    "launch from Python, 19 arguments": ("at most", 1.7, "raw"),
    "import in Python": ("at most", 15, "ms"),
    "first kernel of a process": ("at most", 60, "ms"),
    "compile vector_add": ("at most", 1 / 3, "triton"),
    "compile softmax": ("at most", 1 / 3, "triton"),
    "compile dropout": ("at most", 1 / 3, "triton"),
    "compile layer_norm": ("at most", 1 / 3, "triton"),
    "compile matmul": ("at most", 1 / 3, "triton"),
    "compile attention": ("at most", 1 / 3, "triton"),
    "compile vector_add, to PTX": ("at most", 10, "ms"),
    "compile softmax, to PTX": ("at most", 10, "ms"),
    "compile dropout, to PTX": ("at most", 10, "ms"),
    "compile layer_norm, to PTX": ("at most", 10, "ms"),
    "compile matmul, to PTX": ("at most", 10, "ms"),
    "compile attention, to PTX": ("at most", 25, "ms"),
    "compile a block of 4096": ("at most", 60, "ms"),
    "compile a block of 16384": ("at most", 60, "ms"),
    "compile a block of 65536": ("at most", 60, "ms"),
    "vector add, 2^28 f32": ("at least", 0.99, "best other"),
    "dropout, 2^28 f32": ("at least", 4000, "GB/s"),
    "softmax, rows of 1024 f32": ("at least", 1, "best other"),
    "softmax, rows of 4096 f32": ("at least", 4000, "GB/s"),
    "softmax, rows of 12672 f32": ("at least", 4000, "GB/s"),
    "softmax, rows of 12671 f32": ("at least", 1, "best other"),
    "layer norm, rows of 8192 fp16": ("at least", 3500, "GB/s"),
    "vector add, 2^28-1 fp16": ("at least", 0.95, "best other"),
    "fp32 to bf16, 2^28": ("at least", 0.99, "best other"),
    "transpose 16384 fp16": ("at least", 0.99, "best other"),
    "gelu(x + b), rows of 8192 fp16": ("at least", 0.99, "best other"),
    "matmul fp16 8192": ("at least", 690, "TFLOP/s"),
    "matmul bf16 8192": ("at least", 700, "TFLOP/s"),
    "matmul fp16 4096": ("at least", 660, "TFLOP/s"),
    "matmul fp16 1024": ("at least", 230, "TFLOP/s"),
    "matmul f32 (tf32) 8192": ("at least", 350, "TFLOP/s"),
    "attention Z4 H16 N8192 D64, full": ("at least", 470, "TFLOP/s"),
    "attention Z4 H16 N8192 D64, causal": ("at least", 430, "TFLOP/s"),
    "attention Z4 H16 N8192 D128, full": ("at least", 620, "TFLOP/s"),
    "attention Z4 H16 N8192 D128, causal": ("at least", 550, "TFLOP/s"),
}


def report(row, side, value, unit, detail=""):
    figures.append({"row": row, "side": side, "value": value, "unit": unit, "detail": detail})
    print(f"{row}: {side} {value:.4g} {unit} {detail}"[:160], flush=True)


def fail(row, side, error):
    figures.append({"row": row, "side": side, "error": str(error)[:2000]})
    print(f"{row}: {side}: {str(error)[:300]}", flush=True)


def wanted(row):
    return ROWS in row


def attempt(row, side, measure):
    """Takes a figure, or notes why there is none."""
    if not wanted(row):
        return
    try:
        measure()
    except Exception as e:  # whatever is wrong with one row is no reason to lose the others
        fail(row, side, "".join(traceback.format_exception_only(type(e), e)).strip())


def kernels_of(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], os.path.join(ROOT, path))  # an absolute path stays
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Tegula: the command's lines.

def tegula(*args):
    command = [os.path.join(ROOT, "build/gpu/bench"), "-rows", ROWS, *args]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "TEGULA_CACHE": "off"})
    for line in run.stdout.splitlines():
        f = json.loads(line)
        figures.append(f)
        print(f"{f['row']}: {f['side']} {f.get('value', 0):.4g} {f.get('unit', '')} {f.get('detail', '')}{f.get('error', '')}"[:200], flush=True)
    if run.returncode != 0:
        fail("all of " + " ".join(args), "tegula", run.stderr[-2000:] or f"exit status {run.returncode}")


def first_kernels():
    row = "first kernel of a process"

    def of(side, command):
        least = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env={**os.environ, "TEGULA_CACHE": "off"})
            least = min(least, time.perf_counter() - start)
        report(row, side, least * 1e3, "ms", "the whole process, nothing cached, the library and the context included")

    attempt(row, "tegula", lambda: of("tegula", [os.path.join(ROOT, "build/gpu/bench"), "-first"]))
    with tempfile.TemporaryDirectory() as cache:
        script = ("import os, sys\nos.environ['TRITON_CACHE_DIR'] = sys.argv[1] + '/' + str(os.getpid())\nsys.path.insert(0, 'bench/cuda')\n"
                  "import torch, kernels\nx = torch.zeros(16, device='cuda')\nkernels.three[(1,)](x, x, x)\ntorch.cuda.synchronize()\n")
        attempt(row, "triton", lambda: of("triton", [sys.executable, "-c", script, cache]))


def raw():
    """cuLaunchKernel from C."""
    with tempfile.TemporaryDirectory() as out:
        exe = os.path.join(out, "raw_launch")
        subprocess.run(["cc", "-O2", os.path.join(ROOT, "bench/cuda/raw/raw_launch.c"), "-o", exe, "-ldl"], check=True, capture_output=True)
        text = subprocess.run([exe], check=True, capture_output=True, text=True).stdout
        times = []
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run([exe, "once"], check=True, capture_output=True)
            times.append(time.perf_counter() - start)
        report("first kernel of a process", "raw", min(times) * 1e3, "ms", "the same from C: the library's and the context's start")
    for line in text.splitlines():
        n, ns = line.split()
        report({"3": "launch, 3 pointers", "19": "launch, 19 arguments"}[n], "raw", float(ns), "ns", "cuLaunchKernel from C")


# Triton and PyTorch.

def host_time(torch, submit):
    least = float("inf")
    for _ in range(100):
        start = time.perf_counter()
        for _ in range(100):
            submit()
        least = min(least, (time.perf_counter() - start) / 100)
        torch.cuda.synchronize()
    return least * 1e9


def served_by_tegula(path):
    """A file of kernels with Tegula in Triton's place, or why not."""
    import tegula  # noqa: F401
    with open(os.path.join(ROOT, path)) as f:
        text = f.read().replace("import triton.language as tl", "import tegula.language as tl").replace("import triton\n", "import tegula as triton\n")
    with tempfile.TemporaryDirectory() as out:
        name = os.path.join(out, "served_" + os.path.basename(path))
        with open(name, "w") as f:
            f.write(text)
        return kernels_of(name)


def python_launches(torch):
    """Launches by Tegula's Python package, on PyTorch's tensors and stream."""
    x = [torch.zeros(16, device="cuda") for _ in range(6)]
    for row, run in (
        ("launch from Python, 3 pointers", lambda k: lambda: k.three[(1,)](x[0], x[1], x[2])),
        ("launch from Python, 19 arguments", lambda k: lambda: k.nineteen[(1,)](*x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.5, 1.0)),
    ):
        attempt(row, "tegula", lambda: report(row, "tegula", host_time(torch, run(served_by_tegula("bench/cuda/kernels.py"))), "ns"))
        for f in list(figures):
            if f["row"] == row.replace(" from Python", "") and f["side"] in ("raw", "triton", "torch"):
                figures.append({**f, "row": row})


def launches(torch, small):
    x = [torch.zeros(16, device="cuda") for _ in range(6)]
    attempt("launch, 3 pointers", "triton", lambda: report(
        "launch, 3 pointers", "triton", host_time(torch, lambda: small.three[(1,)](x[0], x[1], x[2])), "ns"))
    attempt("launch, 19 arguments", "triton", lambda: report(
        "launch, 19 arguments", "triton",
        host_time(torch, lambda: small.nineteen[(1,)](*x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.5, 1.0)), "ns"))
    attempt("launch, 3 pointers", "torch", lambda: report(
        "launch, 3 pointers", "torch", host_time(torch, lambda: torch.add(x[0], x[1], out=x[2])), "ns", "torch.add(out=)"))


def compilations(torch, small):
    h, f = torch.float16, torch.float32
    pointers = lambda *types: [torch.empty(1, device="cuda", dtype=t) for t in types]
    examples = lambda name: getattr(kernels_of(f"examples/{name}.py"), name)
    n = 1 << 20
    rows = [
        ("vector_add", lambda: examples("vector_add"), [*pointers(f, f, f), n], dict(BLOCK=1024), 4),
        ("softmax", lambda: examples("softmax"), [*pointers(f, f), 4096, 4096, 4096], dict(BLOCK=4096), 4),
        ("dropout", lambda: examples("dropout"), [*pointers(f, f), n, 0.5, 123], dict(BLOCK=1024), 4),
        ("layer_norm", lambda: examples("layer_norm"), [*pointers(h, h, h, h, f, f), 8192, 8192, 1e-5], dict(BLOCK=1024), 4),
        ("matmul", lambda: examples("matmul"), [*pointers(h, h, h), 512, 512, 512, 512, 1, 512, 1, 512, 1],
         dict(BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, GROUP_M=8), 8),
        ("attention", lambda: examples("attention"), [*pointers(h, h, h, h, f), 0.125, 1024],
         dict(HEAD_DIM=64, BLOCK_M=128, BLOCK_N=64, CAUSAL=True), 8),
        *[(f"a block of {b}", lambda: small.block, [*pointers(f, f, f), n], dict(BLOCK=b), 4) for b in (4096, 16384, 65536)],
    ]
    for name, kernel, args, constants, warps in rows:
        def measure():
            with tempfile.TemporaryDirectory() as cache:
                os.environ["TRITON_CACHE_DIR"] = cache
                start = time.perf_counter()
                compiled = kernel().warmup(*args, **constants, num_warps=warps, grid=(1,))
                compiled._init_handles()
                report("compile " + name, "triton", (time.perf_counter() - start) * 1e3, "ms", "cold, and loaded")
        attempt("compile " + name, "triton", measure)
    os.environ.pop("TRITON_CACHE_DIR", None)


def seconds(torch, run):
    """The median of launches, by events."""
    for _ in range(3):
        run()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(16)]
    for e in events[:-1]:
        e.record()
        run()
    events[-1].record()
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) for a, b in zip(events, events[1:]))
    return times[len(times) // 2] * 1e-3


def best(torch, row, amount, unit, candidates):
    """The fastest of Triton's configurations: (what it is, run)."""
    fastest, how, wrong = float("inf"), "", ""
    for name, run in candidates:
        try:
            t = seconds(torch, run)
        except Exception as e:  # a configuration that does not fit
            wrong = f"; {name}: {type(e).__name__}"
            continue
        if t < fastest:
            fastest, how = t, name
    report(row, "triton", amount / fastest * (1e-9 if unit == "GB/s" else 1e-12), unit, how + wrong)


def small_kernels(torch, F, rate):
    """Kernels that move memory and are no examples."""
    k = kernels_of("bench/cuda/kernels.py")
    n = BIG - 1
    row = "vector add, 2^28-1 fp16"
    x, y, out = (torch.randn(n, device="cuda", dtype=torch.float16) for _ in range(3))
    rate(row, 6 * n, "GB/s", lambda: torch.add(x, y, out=out))
    attempt(row, "triton", lambda: best(torch, row, 6 * n, "GB/s", [
        (f"BLOCK={b}, {w} warps", lambda b=b, w=w: k.add[(-(-n // b),)](x, y, out, n, BLOCK=b, num_warps=w)) for b in (1024, 2048, 4096) for w in (4, 8)]))
    del x, y, out

    row = "fp32 to bf16, 2^28"
    x, out = torch.randn(BIG, device="cuda"), torch.empty(BIG, device="cuda", dtype=torch.bfloat16)
    rate(row, 6 * BIG, "GB/s", lambda: out.copy_(x))
    attempt(row, "triton", lambda: best(torch, row, 6 * BIG, "GB/s", [
        (f"BLOCK={b}, {w} warps", lambda b=b, w=w: k.convert[(BIG // b,)](x, out, BIG, BLOCK=b, num_warps=w)) for b in (2048, 4096) for w in (4, 8)]))
    del x, out

    row, n = "transpose 16384 fp16", 16384
    x, out = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    rate(row, 4 * n * n, "GB/s", lambda: out.copy_(x.t()))
    attempt(row, "triton", lambda: best(torch, row, 4 * n * n, "GB/s", [
        (f"{b}x{b}, {w} warps", lambda b=b, w=w: k.transpose[(n // b, n // b)](x, out, n, n, BM=b, BN=b, num_warps=w)) for b in (64, 128) for w in (4, 8)]))
    del x, out

    row, rows, cols = "gelu(x + b), rows of 8192 fp16", 16384, 8192
    x, out = (torch.randn(rows, cols, device="cuda", dtype=torch.float16) for _ in range(2))
    bias = torch.randn(cols, device="cuda", dtype=torch.float16)
    rate(row, 4 * rows * cols, "GB/s", lambda: F.gelu(x + bias))
    attempt(row, "triton", lambda: best(torch, row, 4 * rows * cols, "GB/s", [
        (f"BLOCK={b}, {w} warps", lambda b=b, w=w: k.gelu[(cols // b, rows)](x, bias, out, cols, BLOCK=b, num_warps=w))
        for b in (1024, 2048, 4096) for w in (4, 8)]))


def speeds(torch):
    import torch.nn.functional as F
    rate = lambda row, amount, unit, run: attempt(row, "torch", lambda: report(
        row, "torch", amount / seconds(torch, run) * (1e-9 if unit == "GB/s" else 1e-12), unit))

    x = torch.randn(BIG, device="cuda")
    y, out = torch.randn(BIG, device="cuda"), torch.empty(BIG, device="cuda")
    row = "vector add, 2^28 f32"
    rate(row, 12 * BIG, "GB/s", lambda: torch.add(x, y, out=out))
    if wanted(row):
        report(row, "copy", 8 * BIG / seconds(torch, lambda: out.copy_(x)) * 1e-9, "GB/s", "a copy on the device")
    add = kernels_of("examples/vector_add.py").vector_add
    attempt(row, "triton", lambda: best(torch, row, 12 * BIG, "GB/s", [
        (f"BLOCK={b}, {w} warps", lambda b=b, w=w: add[(BIG // b,)](x, y, out, BIG, BLOCK=b, num_warps=w)) for b in (1024, 2048, 4096) for w in (4, 8)]))

    row = "dropout, 2^28 f32"
    rate(row, 8 * BIG, "GB/s", lambda: F.dropout(x, 0.5))
    drop = kernels_of("examples/dropout.py").dropout
    attempt(row, "triton", lambda: best(torch, row, 8 * BIG, "GB/s", [
        (f"BLOCK={b}, {w} warps", lambda b=b, w=w: drop[(BIG // b,)](x, out, BIG, 0.5, 123, BLOCK=b, num_warps=w)) for b in (1024, 2048, 4096) for w in (4, 8)]))

    soft = kernels_of("examples/softmax.py").softmax
    for cols in (1024, 4096, 12672, 12671):
        row, rows = f"softmax, rows of {cols} f32", BIG // cols
        a = x[:rows * cols].view(rows, cols)
        block = 1 << (cols - 1).bit_length()
        rate(row, 8 * rows * cols, "GB/s", lambda: torch.softmax(a, 1, out=out[:rows * cols].view(rows, cols)))
        attempt(row, "triton", lambda: best(torch, row, 8 * rows * cols, "GB/s", [
            (f"{w} warps", lambda w=w: soft[(rows,)](a, out, cols, cols, cols, BLOCK=block, num_warps=w)) for w in (2, 4, 8, 16)]))
    del x, y, out

    row, rows, cols = "layer norm, rows of 8192 fp16", 16384, 8192
    x, out = (torch.randn(rows, cols, device="cuda", dtype=torch.float16) for _ in range(2))
    weight, bias = (torch.randn(cols, device="cuda", dtype=torch.float16) for _ in range(2))
    mean, rstd = (torch.empty(rows, device="cuda") for _ in range(2))
    rate(row, 4 * rows * cols, "GB/s", lambda: F.layer_norm(x, (cols,), weight, bias))
    norm = kernels_of("examples/layer_norm.py").layer_norm
    attempt(row, "triton", lambda: best(torch, row, 4 * rows * cols, "GB/s", [
        (f"BLOCK={b}, {w} warps", lambda b=b, w=w: norm[(rows,)](x, weight, bias, out, mean, rstd, cols, cols, 1e-5, BLOCK=b, num_warps=w))
        for b in (1024, 2048, 4096, 8192) for w in (4, 8, 16)]))
    del x, out

    small_kernels(torch, F, rate)

    mm = kernels_of("examples/matmul.py").matmul
    for n, dtype, row in ((8192, torch.float16, "matmul fp16 8192"), (8192, torch.bfloat16, "matmul bf16 8192"), (4096, torch.float16, "matmul fp16 4096"),
                          (1024, torch.float16, "matmul fp16 1024"), (8192, torch.float32, "matmul f32 (tf32) 8192")):
        if not wanted(row):
            continue
        torch.backends.cuda.matmul.allow_tf32 = True
        a, b, c = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(3))
        rate(row, 2 * n ** 3, "TFLOP/s", lambda: torch.matmul(a, b, out=c))
        attempt(row, "triton", lambda: best(torch, row, 2 * n ** 3, "TFLOP/s", [
            (f"{m}x{k}x{d}, {w} warps, {s} stages", lambda m=m, k=k, d=d, w=w, s=s: mm[(-(-n // m) * -(-n // k),)](
                a, b, c, n, n, n, n, 1, n, 1, n, 1, BLOCK_M=m, BLOCK_N=k, BLOCK_K=d, GROUP_M=8, num_warps=w, num_stages=s))
            for m, k, d in ((128, 128, 32), (256, 128, 32), (64, 128, 64), (128, 128, 64), (128, 256, 64)) for w in (4, 8) for s in (3, 4)]))
        del a, b, c

    attend = kernels_of("examples/attention.py").attention
    for dim in (64, 128):
        for causal in (False, True):
            z, heads, n = 4, 16, 8192
            row = f"attention Z{z} H{heads} N{n} D{dim}, {'causal' if causal else 'full'}"
            if not wanted(row):
                continue
            q, k, v, o = (torch.randn(z, heads, n, dim, device="cuda", dtype=torch.float16) for _ in range(4))
            lse = torch.empty(z * heads, n, device="cuda")
            flops = 4 * z * heads * n * n * dim * (0.5 if causal else 1)
            rate(row, flops, "TFLOP/s", lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal))
            attempt(row, "triton", lambda: best(torch, row, flops, "TFLOP/s", [
                (f"{m}x{b}, {w} warps, {s} stages", lambda m=m, b=b, w=w, s=s: attend[(-(-n // m), z * heads)](
                    q, k, v, o, lse, dim ** -0.5, n, HEAD_DIM=dim, BLOCK_M=m, BLOCK_N=b, CAUSAL=causal, num_warps=w, num_stages=s))
                for m, b, w, s in (*((m, 64, w, s) for m in (128, 64) for w in (4, 8) for s in (2, 3)), (128, 128, 8, 2), (128, 128, 8, 3), (256, 64, 16, 3), (256, 64, 16, 4))]))


def imports():
    for side, module in (("tegula", "tegula"), ("triton", "triton")):
        def measure():
            code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
            times = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout) for _ in range(5)]
            report("import in Python", side, min(times) * 1e3, "ms")
        attempt("import in Python", side, measure)


def table():
    """The figures by row, with what each is to reach and whether it does."""
    values = {(f["row"], f["side"]): f for f in figures}
    rows = list(dict.fromkeys(f["row"] for f in figures if f["side"] == "tegula" and f["row"] != "device"))
    lines = ["| row | Tegula | Triton | PyTorch | other | target | |", "|---|---|---|---|---|---|---|"]

    def cell(row, side):
        f = values.get((row, side))
        return "" if f is None else "no figure" if "error" in f else f"{f.get('value', 0):.4g} {f.get('unit', '')}"

    for row in rows:
        mine = values.get((row, "tegula"), {}).get("value")
        others = {s: values[row, s]["value"] for s in ("triton", "torch", "raw", "copy") if "value" in values.get((row, s), {})}
        target, met = "", ""
        if row in TARGETS:
            sense, factor, of = TARGETS[row]
            bound = {"raw": others.get("raw"), "triton": others.get("triton"), "best other": max(others.values(), default=None)}.get(of, None)
            limit = factor if of in ("ms", "ns", "GB/s", "TFLOP/s") else bound and factor * bound
            number = f"{factor:g}" if factor >= 1 else f"{factor:.2f}"
            target = f"{sense} {number} {of}" if of in ("ms", "ns", "GB/s", "TFLOP/s") else f"{sense} {number} × {of}"
            if limit is not None and mine is not None:
                good = mine <= limit if sense == "at most" else mine >= limit
                met = "met" if good else f"missed: {mine / limit:.2f} of it"
        other = ", ".join(cell(row, s) + " " + s for s in ("raw", "copy", "tegula, prepared") if (row, s) in values)
        lines.append(f"| {row} | {cell(row, 'tegula')} | {cell(row, 'triton')} | {cell(row, 'torch')} | {other} | {target} | {met} |")
    return lines


def machine():
    m = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "python": sys.version.split()[0]}
    try:
        m["gpu"] = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as e:
        m["gpu"] = str(e)
    for name in ("torch", "triton"):
        try:
            m[name] = __import__(name).__version__
        except ImportError as e:
            m[name] = str(e)
    m["tegula"] = next((f["detail"] for f in figures if f["row"] == "device"), "")
    return m


def write(out):
    m = machine()
    with open(os.path.join(out, "cuda.json"), "w") as f:
        json.dump({"machine": m, "command": "bench/cuda/run.sh OUT", "figures": figures}, f, indent=1)
    lines = ["# Tegula, Triton and PyTorch on one GPU", ""]
    lines += [f"{m['date']}, {m['gpu']}; torch {m['torch']}, triton {m['triton']}; {m['tegula']}", "", "    bench/cuda/build.sh && bench/cuda/run.sh OUT", ""]
    lines += ["Times are the least of many, speeds the median of 15 launches by events, each side in its fastest configuration of the same list.", ""]
    lines += table()
    wrong = [f for f in figures if "error" in f]
    if wrong:
        lines += ["", "No figure:", ""] + [f"- {f['row']}, {f['side']}: {f['error'].splitlines()[0] if f['error'] else ''}" for f in wrong]
    with open(os.path.join(out, "cuda.md"), "w") as f:
        f.write("\n".join(lines) + "\n")
    return lines


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    attempt("launch, raw", "raw", raw)
    tegula()
    try:
        import torch
        small = kernels_of("bench/cuda/kernels.py")
    except ImportError as e:
        fail("all", "triton", e)
        steps = []
    else:
        steps = [lambda: launches(torch, small), lambda: python_launches(torch), lambda: speeds(torch), lambda: compilations(torch, small)]
    for step in [*steps, first_kernels, imports]:
        write(out)  # what there is so far, should the time run out
        step()
    print("\n".join(write(out)))


if __name__ == "__main__":
    main()
