"""Fills diagnostics.md in with what Triton says of its kernels: each ```text block gets the error of the ```python block
and the --sig of the ```console block above it. It needs Triton, but no GPU.

    python docs/triton_says.py
"""
import importlib.util
import os
import pathlib
import re
import tempfile

import triton
from triton.backends.compiler import GPUTarget

PAGE = pathlib.Path(__file__).with_name("diagnostics.md")
SECTION = re.compile(r"```python\n(.*?)```.*?\$ tegula compile (\w+\.py)(?::(\w+))?.*?--sig \"(.*?)\".*?```text\n(.*?)```", re.S)


def messages(error):
    """Gives an error and its causes as Python shows them, without the tracebacks."""
    chain = []
    while error is not None:
        chain.append(f"{type(error).__module__}.{type(error).__qualname__}: {error}".removeprefix("builtins."))
        error = error.__cause__
    return "\n".join(reversed(chain))


def triton_says(source, name, kernel, sig):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if not kernel:
            kernel = re.findall(r"^def (\w+)", source, re.M)[-1]
        types, constants = {}, {}
        for word in sig.split(","):
            key, value = word.strip().split("=")
            if value.lstrip("-").isdigit():
                types[key], constants[key] = "constexpr", int(value)
            else:
                types[key] = value
        try:
            src = triton.compiler.ASTSource(fn=getattr(module, kernel), signature=types, constexprs=constants)
            triton.compile(src, target=GPUTarget("cuda", 90, 32))
        except Exception as error:
            return re.sub(r"0x[0-9a-f]{6,}", "0x…", messages(error).replace(folder + os.sep, ""))
        return "(nothing: it compiles)"


def fill(match):
    source, name, kernel, sig, old = match.groups()
    text = "\n".join(line.rstrip() for line in triton_says(source, name, kernel, sig).splitlines())
    whole = match.group(0)
    return whole[:len(whole) - len(old) - 3] + text + "\n```"


text, sections = SECTION.subn(fill, PAGE.read_text())
PAGE.write_text(text)
print(f"{PAGE.name}: {sections} messages are Triton {triton.__version__}'s")
