"""Kernels in Triton's intermediate representation: out of a compilation, in again."""

import io
import os
import tempfile
import unittest

import numpy as np

import tegula
import tegula.language as tl
from tegula.compiler import IRSource


@tegula.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


def text():
    types = {"x": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32"}
    return tegula.compile(scale, signature=types, constexprs={"BLOCK": 64}, target="cpu").asm["ttir"]


class IR(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "scale.ttir")
        with open(self.path, "w") as f:
            f.write(text())

    def scales(self, launch):
        x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        launch(x, out, 90, 3.0)
        np.testing.assert_array_equal(out, np.where(np.arange(100) < 90, x * 3, 0))

    def test_load(self):
        for kernel in (tegula.load(self.path), tegula.load(open(self.path)), tegula.load(io.StringIO(text())), tegula.load(io.BytesIO(text().encode()))):
            self.assertEqual((kernel.__name__, tuple(kernel.arg_names)), ("scale", ("x", "out", "n", "factor")))
            self.scales(kernel[(2,)])
            self.scales(lambda x, out, n, factor: kernel[lambda META: (tegula.cdiv(META["n"], 64),)](n=n, x=x, out=out, factor=factor))

    def test_compile(self):
        compiled = tegula.compile(self.path, target="cuda:90a", num_warps=8)
        self.assertIn(".entry scale", compiled.asm["ptx"])
        self.assertEqual((compiled.metadata.num_warps, compiled.metadata.name), (8, "scale"))
        self.assertIn("tt.func public @scale", compiled.asm["ttir"])
        self.assertIn(".align 16 param0", tegula.compile(self.path, {"x": "*fp32:16", "out": "*fp32:16", "n": "i32:16"}, target="cuda:90a").asm["ptx"])
        self.scales(tegula.compile(IRSource(self.path), target="cpu")[(2,)])

    def test_errors(self):
        kernel = tegula.load(self.path)
        with self.assertRaisesRegex(tegula.ArgumentError, "'x'"):
            kernel[(1,)](np.zeros(8), np.zeros(8, np.float32), 8, 1.0)
        with self.assertRaisesRegex(tegula.ArgumentError, "'factor'"):
            kernel[(1,)](np.zeros(8, np.float32), np.zeros(8, np.float32), 8)
        with tegula.check(), self.assertRaises(tegula.CheckError):
            kernel[(1,)](np.zeros(8, np.float32), np.zeros(8, np.float32), 9, 1.0)
        with self.assertRaisesRegex(tegula.SyntaxError, "bad.ttir:1:1"):
            tegula.load(self.named("bad.ttir", "func"))[(1,)]()
        with self.assertRaisesRegex(tegula.Unsupported, "tosa.add"):
            tegula.load(self.named("tosa.ttir", "tt.func public @k() {\n tosa.add\n}"))[(1,)]()
        for wrong in ("kernel.ptx", "kernel.ttgir"):
            with self.assertRaises(tegula.ArgumentError):
                tegula.load(wrong)
            with self.assertRaises(tegula.Unsupported):
                tegula.compile(wrong, target="cpu")

    def test_is_no_function(self):
        inner = tegula.load(self.path)

        @tegula.jit
        def outer(x):
            inner(x, x, 1, 1.0)

        with self.assertRaisesRegex(tegula.TegulaError, "not called by another kernel"):
            outer[(1,)](np.zeros(8, np.float32))

    def named(self, name, source):
        file = io.StringIO(source)
        file.name = name
        return file


if __name__ == "__main__":
    unittest.main()
