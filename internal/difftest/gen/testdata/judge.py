"""Says what generated kernels must give: reads a case in a line of JSON, writes what its outputs hold in one.

    {"name", "source", "grid", "judge", "args": [{"name", "dtype", "dims", "data", "out", "int", "block", "strides", "nan"}]}

The judge is Triton's interpreter, or a function of judges.py where it is wrong or cannot run the kernel.
"""
import base64
import importlib.util
import json
import os
import sys
import tempfile
import warnings

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import judges

TORCH = {
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8,
    "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64, "bf16": torch.bfloat16, "fp16": torch.float16,
    "fp32": torch.float32, "fp64": torch.float64,
}
FP8 = {"fp8e4nv": tl.float8e4nv, "fp8e5": tl.float8e5, "fp8e4b15": tl.float8e4b15, "fp8e4b8": tl.float8e4b8,
       "fp8e5b16": tl.float8e5b16}
MARGIN = 8192
np.seterr(all="ignore")
warnings.simplefilter("ignore")


class Array:
    """An array argument: its bytes, and the tensor on them that a kernel is given."""

    def __init__(self, arg):
        self.arg = arg
        self.dtype, self.dims = arg["dtype"], arg["dims"]
        data = bytearray(base64.b64decode(arg["data"]))
        # Descriptors want an address that is a multiple of 16. What lies around must stay as it is.
        self.around = torch.full((len(data) + 2 * MARGIN + 16, ), 0xA5, dtype=torch.uint8)
        self.first = MARGIN + -self.around.data_ptr() % 16
        self.bytes = self.around[self.first:self.first + len(data)]
        if data:
            self.bytes[:] = torch.frombuffer(data, dtype=torch.uint8)

    def tensor(self):
        t = self.bytes if self.dtype in FP8 else self.bytes.view(TORCH[self.dtype])
        return t if self.arg.get("block") else t.reshape(self.dims)

    def argument(self):
        t = self.tensor()
        if self.dtype in ("fp8e5", "fp8e4nv") and self.arg.get("block"):
            t = t.view({"fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn}[self.dtype])
        if self.arg.get("block"):
            strides = self.arg["strides"]
            flat = torch.as_strided(t, self.dims, strides)
            return TensorDescriptor(flat, self.dims, strides, self.arg["block"], padding="nan" if self.arg.get("nan") else "zero")
        if self.dtype in FP8:
            return triton.reinterpret(t, FP8[self.dtype])
        return t

    def numpy(self):
        """The elements as NumPy has them; bf16 and float8 as their bits."""
        if self.dtype in FP8:
            return self.bytes.numpy().reshape(self.dims)
        if self.dtype == "bf16":
            return self.bytes.view(torch.int16).numpy().view(np.uint16).reshape(self.dims)
        return self.tensor().numpy()

    def result(self):
        outside = torch.cat([self.around[:self.first], self.around[self.first + self.bytes.numel():]])
        if bool((outside != 0xA5).any()):
            raise MemoryError("the kernel writes outside of " + self.arg["name"])
        return base64.b64encode(self.bytes.numpy().tobytes()).decode()


def load(source, folder, n):
    path = os.path.join(folder, f"case{n}.py")
    with open(path, "w") as f:
        f.write(source)
    spec = importlib.util.spec_from_file_location(f"case{n}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wide(case, args, folder, n):
    """bf16 by way of fp32: for kernels that round once, when they store."""
    source = case["source"].replace("tl.bfloat16", "tl.float32")
    given, narrow = {}, []
    for name, a in args.items():
        if isinstance(a, Array) and a.dtype == "bf16":
            t = a.tensor()
            given[name] = t.to(torch.float32)
            narrow.append((t, given[name]))
        else:
            given[name] = plain(a)
    launch(source, case, given, folder, n)
    for t, w in narrow:
        judges.store_bf16(t, w)


def plain(a):
    return a.argument() if isinstance(a, Array) else a


def launch(source, case, args, folder, n):
    load(source, folder, n).kernel[tuple(case["grid"])](**args)


def run(case, folder, n):
    args = {a["name"]: Array(a) if a.get("data") is not None else a["int"] for a in case["args"]}
    judge = case["judge"]
    if judge == "":
        launch(case["source"], case, {name: plain(a) for name, a in args.items()}, folder, n)
    elif judge == "wide":
        wide(case, args, folder, n)
    else:
        name, _, what = judge.partition(":")
        judges.libdevice.judge(case, args, what) if name == "libdevice" else getattr(judges, name)(case, args, what)
    return {a["name"]: args[a["name"]].result() for a in case["args"] if a.get("out")}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # kernels print
    with tempfile.TemporaryDirectory() as folder:
        for n, line in enumerate(sys.stdin):
            case = json.loads(line)
            try:
                out = {"name": case["name"], "out": run(case, folder, n)}
            except Exception as e:
                out = {"name": case["name"], "error": f"{type(e).__name__}: {str(e)[-500:]}"}
            print(json.dumps(out), file=answers, flush=True)


main()
