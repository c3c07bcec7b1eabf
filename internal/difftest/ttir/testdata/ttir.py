"""Says which operations Triton's front end makes of kernels, with their types: reads a kernel in a line of JSON, writes a line.

    {"name", "source" or "module", "kernel", "signature": {parameter: type}, "constants": {parameter: text of a literal}}

The answer has "ops", a line for each operation: its name, the types it takes, "->", those it gives. No GPU is needed; what only
hardware limits (the smallest matrices) is not asked of kernels.
"""
import ast
import importlib.util
import json
import os
import re
import sys
import tempfile

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.language.extra import libdevice

TARGET = GPUTarget("cuda", 90, 32)

# Public kernels import from here what older releases had here.
for name in dir(libdevice):
    if not hasattr(tl.math, name):
        setattr(tl.math, name, getattr(libdevice, name))


def load(source, folder, n):
    path = os.path.join(folder, f"k{n}.py")
    with open(path, "w") as f:
        f.write(source)
    spec = importlib.util.spec_from_file_location(f"k{n}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def constant(text):
    return eval(text, {"tl": tl}) if text.startswith("tl.") else ast.literal_eval(text)


def function(case, folder, n):
    """The kernel, without what stands around it, as autotune."""
    module = importlib.import_module(case["module"]) if case["module"] else load(case["source"], folder, n)
    fn = getattr(module, case["kernel"])
    while not hasattr(fn, "params"):
        fn = fn.fn
    return fn


def front_end(case, folder, n):
    fn = function(case, folder, n)
    signature, constants = {}, {}
    for p in fn.params:
        if p.name in case["signature"]:
            signature[p.name] = case["signature"][p.name]
            continue
        signature[p.name] = "constexpr"
        constants[p.name] = constant(case["constants"][p.name]) if p.name in case["constants"] else p.default
    source = ASTSource(fn=fn, signature=signature, constexprs=constants)
    backend = make_backend(TARGET)
    options = backend.parse_options(source.parse_options() | {"sanitize_overflow": False})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(options)
    functions["min_dot_size"] = lambda lhs, rhs: (1, 1, 1)
    return context, source.make_ir(TARGET, options, functions, backend.get_module_map(), context)


def type_text(t):
    return re.sub(r"\s+", "", str(t))


def operations(module):
    lines = []

    def visit(op):
        given = [type_text(op.get_operand(i).get_type()) for i in range(op.get_num_operands())]
        gives = [type_text(op.get_result(i).get_type()) for i in range(op.get_num_results())]
        lines.append(" ".join([op.get_name(), *given, "->", *gives]))

    module.walk(visit)
    return lines


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # MLIR prints its complaints to the standard output
    with tempfile.TemporaryDirectory() as folder:
        for n, line in enumerate(sys.stdin):
            case = json.loads(line)
            try:
                context, module = front_end(case, folder, n)
                answer = {"name": case["name"], "ops": operations(module)}
            except Exception as e:
                cause = e.__cause__ or e
                answer = {"name": case["name"], "error": f"{type(cause).__name__}: {str(cause)[-300:]}"}
            print(json.dumps(answer), file=answers, flush=True)


main()
