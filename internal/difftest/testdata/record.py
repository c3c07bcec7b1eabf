"""Runs host code of a public package under Triton's interpreter and records every kernel launch: the kernel's
file and name, the grid, the arguments, and what memory held before and after.

    python record.py DIRECTORY

It writes DIRECTORY/launches.json and, for launch i and storage j, i.j.before and i.j.after with the bytes.
"""
import inspect
import json
import math
import os
import pathlib
import sys

os.environ["TRITON_INTERPRET"] = "1"
import numpy as np
import torch
import triton
import triton.runtime.interpreter as interpreter

OUT = pathlib.Path(sys.argv[1])
NAMES = {torch.float32: "fp32", torch.float16: "fp16", torch.int32: "i32", torch.int64: "i64", torch.bool: "i1",
         torch.float64: "fp64", torch.int8: "i8", torch.uint8: "u8"}
launches = []


def raw(storage):
    return bytes(storage)


def recording(call):
    def launch(self, *args, **kwargs):
        fn = inspect.unwrap(self.fn)
        own = {k: v for k, v in kwargs.items() if k in inspect.signature(fn).parameters}
        given = inspect.signature(fn).bind(*args, **own)
        given.apply_defaults()
        storages, described = [], {}
        for name, value in given.arguments.items():
            value = getattr(value, "value", value)
            if isinstance(value, torch.Tensor):
                s = value.untyped_storage()
                if s.data_ptr() not in [t.data_ptr() for t in storages]:
                    storages.append(s)
                j = [t.data_ptr() for t in storages].index(s.data_ptr())
                described[name] = {"dtype": NAMES[value.dtype], "storage": j, "offset": value.data_ptr() - s.data_ptr()}
            elif isinstance(value, float) and not math.isfinite(value):
                described[name] = {"python": f'float("{value}")'}
            elif isinstance(value, triton.language.dtype):
                described[name] = {"python": "tl." + {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}[value.name]}
            else:
                described[name] = {"python": repr(value)}
        grid = self.grid(given.arguments) if callable(self.grid) else self.grid
        i = len(launches)
        for j, s in enumerate(storages):
            (OUT / f"{i}.{j}.before").write_bytes(raw(s))
        result = call(self, *args, **kwargs)
        for j, s in enumerate(storages):
            (OUT / f"{i}.{j}.after").write_bytes(raw(s))
        launches.append({"file": inspect.getsourcefile(fn), "kernel": fn.__name__, "grid": [int(g) for g in grid],
                         "args": described, "storages": len(storages)})
        return result

    return launch


def host_code():
    """Forward and backward of operators of liger-kernel, on the CPU."""
    from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
    from liger_kernel.ops.geglu import LigerGELUMulFunction
    from liger_kernel.ops.group_norm import LigerGroupNormFunction
    from liger_kernel.ops.jsd import LigerJSDFunction
    from liger_kernel.ops.kl_div import LigerKLDivLossFunction
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    from liger_kernel.ops.poly_norm import LigerPolyNormFunction
    from liger_kernel.ops.relu_squared import LigerReLUSquaredFunction
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    from liger_kernel.ops.rope import LigerRopeFunction
    from liger_kernel.ops.softmax import LigerSoftmaxFunction
    from liger_kernel.ops.sparsemax import LigerSparsemaxFunction
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction
    from liger_kernel.ops.tvd import LigerTVDLossFunction

    torch.manual_seed(0)

    def leaf(*shape):
        return torch.randn(*shape, requires_grad=True)

    def logp(*shape):
        return torch.log_softmax(torch.randn(*shape), -1).requires_grad_()

    w, b = leaf(300), leaf(300)
    labels = torch.randint(0, 300, (12,))
    cases = [
        lambda: LigerLayerNormFunction.apply(leaf(12, 300), w, b, 1e-5),
        lambda: LigerRMSNormFunction.apply(leaf(12, 300), w, 1e-5),
        lambda: LigerSiLUMulFunction.apply(leaf(12, 300), leaf(12, 300)),
        lambda: LigerGELUMulFunction.apply(leaf(12, 300), leaf(12, 300)),
        lambda: LigerSoftmaxFunction.apply(leaf(12, 300)),
        lambda: LigerReLUSquaredFunction.apply(leaf(12, 300)),
        lambda: LigerPolyNormFunction.apply(leaf(12, 300), leaf(3), leaf(1)),
        lambda: LigerSparsemaxFunction.apply(leaf(12, 300), -1),
        lambda: LigerCrossEntropyFunction.apply(leaf(12, 300), labels, None, -100, 1e-4, 0.1, "mean", 30.0)[0],
        lambda: LigerKLDivLossFunction.apply(logp(12, 300), torch.softmax(torch.randn(12, 300), -1)),
        lambda: LigerJSDFunction.apply(logp(12, 300), logp(12, 300).detach()),
        lambda: LigerTVDLossFunction.apply(torch.softmax(torch.randn(12, 300), -1).requires_grad_(),
                                           torch.softmax(torch.randn(12, 300), -1)),
        lambda: LigerGroupNormFunction.apply(leaf(2, 12, 50), leaf(12), leaf(12), 12, 3, 1e-5),
        lambda: LigerRopeFunction.apply(leaf(1, 4, 8, 64), leaf(1, 2, 8, 64), torch.randn(1, 8, 64), torch.randn(1, 8, 64))[0],
    ]
    failed = 0
    for case in cases:
        try:
            out = case()
            out = out[0] if isinstance(out, tuple) else out
            out.backward(torch.randn_like(out))
        except Exception as e:  # the interpreter cannot run it: nothing to compare with
            failed += 1
            print(f"{inspect.getsource(case).strip()[:70]}: {type(e).__name__}: {str(e)[-200:]}", file=sys.stderr)
    return len(cases), failed


def with_floats(convert):
    """Makes a float argument what it is in compiled Triton, an fp32 scalar; the interpreter leaves it a number."""

    def implicit(arg):
        if type(arg) is float:
            handle = interpreter.TensorHandle(np.array([arg], dtype=np.float32), triton.language.float32)
            return triton.language.tensor(handle, triton.language.float32)
        return convert(arg)

    return implicit


# The interpreter has no libdevice: its functions give None.
from triton.language.extra import libdevice

libdevice.rsqrt = lambda x: triton.language.rsqrt(x)
libdevice.tanh = lambda x: 2 * triton.language.sigmoid(2 * x) - 1

interpreter._implicit_cvt = with_floats(interpreter._implicit_cvt)
interpreter.GridExecutor.__call__ = recording(interpreter.GridExecutor.__call__)
n, failed = host_code()
(OUT / "launches.json").write_text(json.dumps(launches))
print(f"{n} operators, {failed} that the interpreter cannot run, {len(launches)} launches")
