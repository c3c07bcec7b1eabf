"""Reads each .ttir file of a folder with Triton, and compiles it as far as PTX unless a second argument says "read". Prints a line of JSON
for each: its name, "" or the error."""
import json
import pathlib
import sys

import triton
from triton.backends.compiler import GPUTarget, Language
from triton.backends.nvidia.compiler import CUDABackend
from triton._C.libtriton import ir


def compile_text(path):
    target = GPUTarget("cuda", 90, 32)
    backend = CUDABackend(target)
    options = backend.parse_options({"arch": "sm90"})
    stages = {}
    backend.add_stages(stages, options, Language.TRITON)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    module.context = context
    if len(sys.argv) > 2:
        return ".entry" if module.verify() else ""
    metadata = {"target": target, **options.__dict__}
    for name in ("ttir", "ttgir", "llir", "ptx"):
        module = stages[name](module, metadata)
    return module


for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ttir")):
    try:
        ptx = compile_text(path)
        error = "" if ".entry" in ptx else "no entry in the PTX"
    except Exception as e:  # whatever the compiler throws is the verdict
        error = f"{type(e).__name__}: {e}"
    print(json.dumps([path.stem, error]), flush=True)
