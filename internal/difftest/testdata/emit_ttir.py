"""Writes the TTIR of kernels as Triton prints it after its own first passes. Reads a kernel in a line of JSON:

    {"name", "source", "kernel", "signature": {parameter: type}, "constants": {parameter: text of a literal}}

and writes a line: {"name", "text"} or {"name", "error"}. No GPU is needed.
"""
import ast
import importlib.util
import json
import os
import sys
import tempfile

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import ASTSource, make_backend

TARGET = GPUTarget("cuda", 90, 32)


def load(source, folder, n):
    path = os.path.join(folder, f"k{n}.py")
    with open(path, "w") as f:
        f.write(source)
    spec = importlib.util.spec_from_file_location(f"k{n}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text(case, folder, n):
    fn = getattr(load(case["source"], folder, n), case["kernel"])
    signature, constants = {}, {}
    for p in fn.params:
        if p.name in case["signature"]:
            signature[p.name] = case["signature"][p.name]
            continue
        signature[p.name] = "constexpr"
        constants[p.name] = ast.literal_eval(case["constants"][p.name]) if p.name in case["constants"] else p.default
    source = ASTSource(fn=fn, signature=signature, constexprs=constants)
    backend = make_backend(TARGET)
    options = backend.parse_options(source.parse_options() | {"sanitize_overflow": False})
    stages = {}
    backend.add_stages(stages, options, Language.TRITON)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(options)
    functions["min_dot_size"] = lambda lhs, rhs: (1, 1, 1)
    module = source.make_ir(TARGET, options, functions, backend.get_module_map(), context)
    return str(stages["ttir"](module, {"target": TARGET, **options.__dict__}))


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # MLIR prints its complaints to the standard output
    with tempfile.TemporaryDirectory() as folder:
        for n, line in enumerate(sys.stdin):
            case = json.loads(line)
            try:
                answer = {"name": case["name"], "text": text(case, folder, n)}
            except Exception as e:  # whatever Triton throws is its answer
                answer = {"name": case["name"], "error": f"{type(e).__name__}: {e}"}
            print(json.dumps(answer), file=answers, flush=True)


main()
