"""Programs whose import of triton is served by Tegula."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import tegula

PACKAGE = str(Path(tegula.__file__).parent.parent)

# What public programs import.
IMPORTS = """
import triton
import triton.language as tl
import triton.language
import triton.testing
import triton.runtime.driver as driver
import triton.language.core as core
import triton.language.extra.libdevice as tldevice
import triton.language.extra.xpu.libdevice as xpu
import triton.compiler.compiler as triton_compiler
import triton.knobs as knobs
import triton.profiler as proton
import triton.experimental.gluon.language as gl
from triton import language as tl
from triton import cdiv, Config, autotune, heuristics, jit, knobs, __version__ as triton_version
from triton.backends import backends
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import libcuda_dirs
from triton.compiler import CompiledKernel, ASTSource
from triton.compiler.compiler import CompiledKernel, get_cache_manager, triton_key
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import get_tmem_reg_layout
from triton.knobs import HookChain, nvidia
from triton.language.core import _unwrap_if_constexpr
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice, globaltimer, smid
from triton.language.extra.cuda.libdevice import rsqrt, tanh, pow
from triton.language.extra.intel import libdevice
from triton.language.extra.libdevice import rsqrt, tanh
from triton.language.math import rsqrt, tanh, pow
from triton.language.standard import _log2, zeros_like
from triton.runtime import driver, OutOfResources
from triton.runtime.autotuner import Autotuner, autotune, Heuristics, OutOfResources
from triton.runtime.build import get_cc, _find_compiler
from triton.runtime.cache import FileCacheManager
from triton.runtime.errors import OutOfResources
from triton.runtime.jit import JITFunction, MockTensor, constexpr_function, KernelInterface
from triton.runtime.interpreter import InterpretedFunction
from triton.testing import do_bench, get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops, nvsmi
from triton.tools.disasm import extract
from triton.tools.tensor_descriptor import TensorDescriptor
"""

ABSENT = """
triton.windows_utils triton.common.build triton.ops triton.language.extra.mlu.libdevice triton.experimental.tle.language
triton.language.extra.cann.extension triton.backends.mlu.driver
"""

KERNEL = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def fill(out, n, VALUE: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(out + i, VALUE, mask=i < n)

def fives():
    out = np.zeros(8, np.int32)
    fill[(1,)](out, 8, VALUE=5)
    return out.tolist()
"""


def python(*arguments, cwd=None, **environment):
    env = {**os.environ, "PYTHONPATH": PACKAGE, **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env=env)


class CommandLine(unittest.TestCase):
    def check(self, done, want):
        self.assertEqual((done.stdout.strip(), done.returncode), (want, 0), done.stderr)

    def test_code(self):
        self.check(python("-m", "tegula", "-c", KERNEL + "print(fives(), sys.argv)", "a", "-b"), "[5, 5, 5, 5, 5, 5, 5, 5] ['-c', 'a', '-b']")

    def test_script(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "kernels.py").write_text(KERNEL)
            script = Path(directory, "script.py")
            script.write_text("import sys, kernels\nif __name__ == '__main__':\n    print(kernels.fives(), sys.argv[1:], __file__ == sys.argv[0])\n")
            self.check(python("-m", "tegula", str(script), "x", "--check"), "[5, 5, 5, 5, 5, 5, 5, 5] ['x', '--check'] True")

    def test_module(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "program.py").write_text(KERNEL + "if __name__ == '__main__':\n    print(fives(), sys.argv[1:])\n")
            self.check(python("-m", "tegula", "-m", "program", "y", cwd=directory), "[5, 5, 5, 5, 5, 5, 5, 5] ['y']")

    def test_a_test_runner(self):
        with tempfile.TemporaryDirectory() as directory:
            test = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(fives(), [5] * 8)\n"
            Path(directory, "test_it.py").write_text(KERNEL + test)
            done = python("-m", "tegula", "-m", "unittest", "test_it", cwd=directory)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Ran 1 test", done.stderr)

    def test_exit_status(self):
        self.assertEqual(python("-m", "tegula", "-c", "raise SystemExit(3)").returncode, 3)
        done = python("-m", "tegula", "-c", "1 / 0")
        self.assertEqual((done.returncode, "ZeroDivisionError" in done.stderr), (1, True))

    def test_usage(self):
        for arguments in ([], ["-m"], ["--unknown"]):
            done = python("-m", "tegula", *arguments)
            self.assertEqual((done.returncode, "usage: python -m tegula" in done.stderr), (2, True), arguments)
        self.assertIn("usage", python("-m", "tegula", "--help").stdout)
        self.check(python("-m", "tegula", "--version"), f"tegula {tegula.__version__}")
        missing = python("-m", "tegula", "no-such-file.py")
        self.assertEqual((missing.returncode, missing.stderr), (2, "tegula: can't open file 'no-such-file.py': No such file or directory\n"))

    def test_check(self):
        outside = KERNEL.replace("mask=i < n", "mask=i < n + 1").replace("fill[(1,)](out, 8", "fill[(1,)](out[:4], 8")
        done = python("-m", "tegula", "--check", "-c", outside + "fives()")
        self.assertIn("CheckError", done.stderr)


class Imports(unittest.TestCase):
    def test_what_programs_import(self):
        program = "\n".join(
            f"try:\n    {line}\nexcept Exception as e:\n    print({line!r}, type(e).__name__, e)" for line in IMPORTS.strip().splitlines()
        )
        done = python("-m", "tegula", "-c", program)
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_what_is_not_there(self):
        program = textwrap.dedent(
            f"""
            import importlib
            for name in {ABSENT.split()!r}:
                try:
                    importlib.import_module(name)
                    print("found", name)
                except ModuleNotFoundError:
                    pass
            """
        )
        done = python("-m", "tegula", "-c", program)
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_one_module_under_both_names(self):
        program = textwrap.dedent(
            """
            import triton.language as tl, tegula.language, triton.runtime.jit, tegula.runtime.jit, triton
            assert tl is tegula.language and triton.runtime.jit.JITFunction is tegula.JITFunction
            assert tl.__spec__.name == "tegula.language" and tl.__name__ == "tegula.language"
            assert triton.language is tl and triton.__version__ == "3.9.0" and not hasattr(triton, "ops")
            assert triton.JITFunction is tegula.JITFunction and triton.CompilationError is tegula.CompileError
            assert "jit" in dir(triton) and "language" in dir(triton)
            """
        )
        done = python("-m", "tegula", "-c", program)
        self.assertEqual(done.stderr, "")

    def test_what_is_lacking_is_refused_where_it_is_used(self):
        program = textwrap.dedent(
            """
            from triton.experimental import gluon
            from triton.experimental.gluon import language as gl
            import triton, triton.profiler as proton

            @triton.autotune([triton.Config({})], key=["x"])
            @gluon.jit
            def kernel(x):
                pass

            @triton.language.core.builtin
            def own(x, _semantic=None):
                return x

            for use in (lambda: kernel[(1,)](3), lambda: gl.BlockedLayout([1], [32], [4], [0]), lambda: proton.start(), lambda: own(3)):
                try:
                    use()
                    print("used")
                except triton.TritonError as e:
                    assert isinstance(e, NotImplementedError), type(e)
            assert gl.float32 is triton.language.float32
            """
        )
        done = python("-m", "tegula", "-c", program)
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_install(self):
        self.assertEqual(python("-c", "import tegula; tegula.install_as_triton(); tegula.install_as_triton(); import triton; triton.jit").stderr, "")
        late = "import sys, types; sys.modules['triton'] = types.ModuleType('triton'); import tegula; tegula.install_as_triton()"
        self.assertIn("the program has imported triton already", python("-c", late).stderr)


class ActiveDriver(unittest.TestCase):
    def test_answers_without_a_gpu(self):
        program = textwrap.dedent(
            """
            import triton
            from triton.runtime import driver
            active = triton.runtime.driver.active
            assert active is driver.active
            target = active.get_current_target()
            assert (target.backend, target.arch, str(target)) == ("cpu", 0, "cpu"), target
            assert active.get_current_device() == 0 and active.get_current_stream(0) == 0
            properties = active.utils.get_device_properties(0)
            assert properties["multiprocessor_count"] >= 1 and properties["max_shared_mem"] > 0
            assert active.get_device_interface().current_device() == 0
            """
        )
        done = python("-m", "tegula", "-c", program, TRITON_DEFAULT_BACKEND="cpu")
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
