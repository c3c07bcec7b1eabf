"""Asks Triton's front end for the types of the expressions of expressions.txt.

Writes a line for each: the expression, a tab, its type as static_print shows it, or "error". The
names in an expression say what they are: t_fp16 is a tile of 8 float16, m_fp16 one of 4 x 8, d_fp16
of 16 x 16, q_fp16 of 32 x 32, b_fp16 of 2 x 16 x 16, s_fp16 a scalar, p_fp16 a pointer.
make test-oracles runs it.
"""

import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

NAME = re.compile(r"\b([tmdqbsp])_(\w+)\b")
LOADS = {
    "t": "tl.load(p_{0} + tl.arange(0, 8))",
    "m": "tl.load(p_{0} + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])",
    "d": "tl.load(p_{0} + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])",
    "q": "tl.load(p_{0} + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])",
    "b": "tl.load(p_{0} + tl.arange(0, 2)[:, None, None] + tl.arange(0, 16)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :])",
    "s": "tl.load(p_{0})",
}


def source(expr):
    names = sorted(set(NAME.findall(expr)))
    types = sorted({t for _, t in names})
    lines = ["import triton", "import triton.language as tl",
             "from triton.language.extra import libdevice", "",
             "@triton.jit", "def add(a, b):", "    return a + b", "",
             "@triton.jit", "def first(a, i, b, j):", "    return a, i", "",
             "@triton.jit", "def twice(x):", "    return x + x", "",
             "@triton.jit", f"def kernel({', '.join('p_' + t for t in types)}):"]
    for kind, t in names:
        if kind != "p":
            lines.append(f"    {kind}_{t} = {LOADS[kind].format(t)}")
    lines += [f"    r = {expr}", "    tl.static_print(r.type)"]
    return "\n".join(lines) + "\n", types


def ask(expr, folder, n):
    text, types = source(expr)
    path = os.path.join(folder, f"e{n}.py")
    with open(path, "w") as f:
        f.write(text)
    spec = importlib.util.spec_from_file_location(f"e{n}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            src = ASTSource(fn=module.kernel, signature={"p_" + t: "*" + t for t in types})
            lower(src)
    except Exception:
        return "error"
    return out.getvalue().strip() or "error"


def lower(src):
    from triton._C.libtriton import ir
    from triton.compiler import make_backend
    backend = make_backend(GPUTarget("cuda", 90, 32))
    options = backend.parse_options(src.parse_options())
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = src.make_ir(GPUTarget("cuda", 90, 32), options, backend.get_codegen_implementation(options),
                         backend.get_module_map(), context)
    if not module.verify():
        raise ValueError("invalid IR")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for n, line in enumerate(sys.stdin):
            expr = line.strip()
            if expr and not expr.startswith("#"):
                print(expr, ask(expr, folder, n), sep="\t", flush=True)


if __name__ == "__main__":
    main()
