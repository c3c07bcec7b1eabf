"""Runs the expressions of values.txt in Triton's interpreter.

Writes a line for each: the expression, its element type, its shape and the bytes of its elements,
packed and in base 64. The names in an expression are as in expressions.py; what they hold is
described at inputs() and repeated in values_test.go.
make test-oracles runs it.
"""

import base64
import importlib.util
import os
import sys
import tempfile
import zlib

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(__file__))
import expressions  # noqa: E402

SHORT = {"int1": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
         "uint32": "u32", "uint64": "u64"}
ELEMENTS = 1024


def inputs(t):
    """Element i is k = 37i mod 101: itself if unsigned, k-50 if signed, (k-50)/8 as a float, k mod 3 = 0 as a bool."""
    k = np.arange(ELEMENTS) * 37 % 101
    if t == "i1":
        return torch.from_numpy(k % 3 == 0)
    if t.startswith("u"):
        return torch.from_numpy(k.astype("uint" + t[1:]))
    if t.startswith("i"):
        return torch.from_numpy((k - 50).astype("int" + t[1:]))
    return torch.from_numpy(((k - 50) / 8).astype("float" + t[2:]))


def run(expr, folder, n):
    text, types = expressions.source(expr)
    head, _, _ = text.rpartition("    tl.static_print")
    head = head.replace("def kernel(", "def kernel(seen, out, ")
    head += "    seen.append(r)\n"
    path = os.path.join(folder, f"v{n}.py")
    with open(path, "w") as f:
        f.write(head)
    spec = importlib.util.spec_from_file_location(f"v{n}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    seen = []
    module.kernel[(1, )](seen, None, *(inputs(t) for t in types))
    r = seen[0]
    dtype = r.dtype.name if hasattr(r.dtype, "name") else str(r.dtype)
    data = np.asarray(r.handle.data)
    return SHORT.get(dtype, dtype), [int(s) for s in r.shape], data


def main():
    with tempfile.TemporaryDirectory() as folder:
        for n, line in enumerate(sys.stdin):
            expr = line.split(" # ")[0].strip()
            if not expr or expr.startswith("#"):
                continue
            try:
                dtype, shape, data = run(expr, folder, n)
            except Exception as e:
                print(f"{expr}: {e}", file=sys.stderr)
                continue
            packed = base64.b64encode(zlib.compress(np.ascontiguousarray(data).tobytes(), 9)).decode()
            print(line.strip(), dtype, "x".join(map(str, shape)), packed, sep="\t", flush=True)


main()
