"""tegula.language as host code sees it."""

import ast
import inspect
import pickle
import subprocess
import sys
import unittest
from pathlib import Path

import tegula.language as tl
from tegula.language import core

PACKAGE = Path(core.__file__).parent


class Types(unittest.TestCase):
    def test_facts(self):
        for name, width, kind, signed in [
            ("int1", 1, "BOOLEAN", False),
            ("int8", 8, "INTEGRAL", True),
            ("uint16", 16, "INTEGRAL", False),
            ("int64", 64, "INTEGRAL", True),
            ("float8e4nv", 8, "FLOATING", None),
            ("float16", 16, "FLOATING", None),
            ("bfloat16", 16, "FLOATING", None),
            ("float64", 64, "FLOATING", None),
        ]:
            with self.subTest(name):
                dtype = getattr(tl, name)
                self.assertEqual(dtype.primitive_bitwidth, width)
                self.assertEqual(dtype.itemsize, width // 8)
                self.assertEqual(dtype.kind().name, kind)
                self.assertEqual(dtype.is_int_signed(), signed is True)
                self.assertEqual(dtype.is_int_unsigned(), signed is False)
                self.assertEqual(dtype.is_floating(), signed is None)

    def test_formats(self):
        facts = {"float8e5": (2, 15), "float8e4b8": (3, 8), "float16": (10, 15), "bfloat16": (7, 127), "float64": (52, 1023)}
        for name, want in facts.items():
            dtype = getattr(tl, name)
            self.assertEqual((dtype.fp_mantissa_width, dtype.exponent_bias), want, name)

    def test_predicates(self):
        self.assertTrue(tl.float16.is_fp16() and tl.float8e5.is_fp8e5() and tl.float8e5.is_fp8() and tl.int1.is_bool())
        self.assertFalse(tl.float16.is_fp8() or tl.float16.is_bf16() or tl.int8.is_uint8() or tl.float32.is_ptr())
        self.assertTrue(tl.float8e5.is_floating() and not tl.float8e5.is_standard_floating())

    def test_limits(self):
        self.assertEqual((tl.int8.get_int_min_value(), tl.int8.get_int_max_value()), (-128, 127))
        self.assertEqual((tl.uint64.get_int_min_value(), tl.uint64.get_int_max_value()), (0, 2**64 - 1))

    def test_equality(self):
        self.assertEqual(tl.dtype("fp32"), tl.float32)
        self.assertNotEqual(tl.float32, tl.float16)
        self.assertNotEqual(tl.float32, "fp32")
        self.assertEqual({tl.float32: 1}[tl.dtype("fp32")], 1)
        self.assertEqual(tl.float32, tl.constexpr(tl.float32))
        self.assertEqual(tl.pointer_type(tl.int8), tl.pointer_type(tl.int8))
        self.assertNotEqual(tl.pointer_type(tl.int8), tl.pointer_type(tl.int8, const=True))
        self.assertNotEqual(tl.pointer_type(tl.int8), tl.int8)
        self.assertEqual(tl.block_type(tl.int8, [4, 2]).numel, 8)

    def test_texts(self):
        self.assertEqual((str(tl.float32), repr(tl.float32)), ("fp32", "triton.language.float32"))
        self.assertEqual((str(tl.bfloat16), repr(tl.bfloat16)), ("bf16", "triton.language.bfloat16"))
        self.assertEqual(repr(tl.int8), "triton.language.int8")
        self.assertEqual(str(tl.pointer_type(tl.float16)), "pointer<fp16>")
        self.assertEqual(str(tl.block_type(tl.float16, [4])), "<(4,), fp16>")

    def test_signature_names(self):
        for text in ["i1", "u8", "i64", "fp32", "bf16", "fp8e4nv", "*fp32", "*ki32"]:
            want = "u1" if text == "i1" else text
            self.assertEqual(tl.str_to_ty(text).__tegula_type__, want)

    def test_refusals(self):
        with self.assertRaises(AssertionError):
            tl.dtype("float32")
        with self.assertRaises(TypeError):
            tl.pointer_type(3)
        with self.assertRaises(ValueError):
            tl.block_type(tl.int8, [3])
        with self.assertRaises(ValueError):
            core.get_int_dtype(12, True)

    def test_int_dtype(self):
        self.assertEqual(core.get_int_dtype(32, True), tl.int32)
        self.assertEqual(core.get_int_dtype(tl.constexpr(16), tl.constexpr(False)), tl.uint16)


class Constants(unittest.TestCase):
    def test_operators(self):
        two, c = tl.constexpr(2), tl.constexpr(7)
        for got, want in [
            (c + 2, 9), (2 + c, 9), (c - two, 5), (9 - c, 2), (c * 2, 14), (c / 2, 3.5), (14 / c, 2.0), (c // 2, 3), (c % two, 1), (15 % c, 1),
            (c**2, 49), (2**c, 128), (c << 1, 14), (1 << c, 128), (c >> 1, 3), (c & 3, 3), (3 & c, 3), (c | 8, 15), (c ^ 1, 6), (-c, -7), (~c, -8), (+c, 7),
        ]:  # fmt: skip
            self.assertIsInstance(got, tl.constexpr)
            self.assertEqual(got.value, want)

    def test_comparisons_are_constants(self):
        c = tl.constexpr(7)
        for got, want in [(c == 7, True), (c != 7, False), (c < 8, True), (8 < c, False), (c >= tl.constexpr(7), True)]:
            self.assertIsInstance(got, tl.constexpr)
            self.assertEqual(bool(got), want)

    def test_use_as_python(self):
        c = tl.constexpr(3)
        self.assertEqual(list(range(10))[c], 3)
        self.assertEqual([*range(c)], [0, 1, 2])
        self.assertEqual(tl.constexpr([1, 2])[1], 2)
        self.assertEqual(tl.constexpr(tl.constexpr(4)).value, 4)
        self.assertFalse(tl.constexpr(0))
        self.assertEqual(tl.constexpr(max)(1, 5), 5)
        self.assertEqual(repr(c), "constexpr[3]")
        self.assertEqual((c.logical_and(0).value, c.logical_or(0).value), (0, 3))

    def test_unwrap(self):
        self.assertEqual(core._unwrap_if_constexpr([tl.constexpr(1), (tl.constexpr(2), 3)]), [1, (2, 3)])


class Names(unittest.TestCase):
    def test_calls_outside_of_kernels(self):
        with self.assertRaisesRegex(ValueError, "did you forget to add @tegula.jit"):
            tl.load(3)
        with self.assertRaises(RuntimeError):
            for _ in tl.range(3):
                pass

    def test_signatures(self):
        parameters = inspect.signature(tl.dot).parameters
        self.assertIn("allow_tf32", parameters)
        self.assertIs(parameters["acc"].default, None)
        self.assertEqual(tl.load.__name__, "load")
        self.assertTrue(core.is_builtin(tl.load))

    def test_methods(self):
        for name in ("to", "sum", "reshape", "atomic_add", "store"):
            self.assertTrue(callable(getattr(tl.tensor, name)), name)

    def test_identity(self):
        self.assertIs(tl.math.exp, tl.exp)
        self.assertIs(tl.standard.zeros_like, tl.zeros_like)
        self.assertIs(tl.extra.cuda.libdevice, tl.extra.libdevice)
        self.assertIs(tl.math.tanh, tl.extra.libdevice.tanh)

    def test_pickle(self):
        for value in (tl.load, tl.float32, tl.extra.libdevice.tanh, tl.constexpr(3)):
            self.assertEqual(str(pickle.loads(pickle.dumps(value))), str(value))

    def test_marks(self):
        self.assertEqual(tl.load.__tegula_name__, "triton.language.load")
        self.assertEqual(tl.tensor.__tegula_name__, "triton.language.tensor")
        self.assertEqual(tl.float32.__tegula_type__, "fp32")
        self.assertFalse(hasattr(tl.float32, "__tegula_name__"), "a type is no name of the language")
        self.assertFalse(hasattr(tl.PropagateNan.ALL, "__tegula_name__"), "a member is no class")


class Stubs(unittest.TestCase):
    def test_agree_with_the_package(self):
        for path in PACKAGE.rglob("*.pyi"):
            name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")
            module = sys.modules["tegula.language" + (f".{name}" if name else "")]
            for declared in _declared(path):
                self.assertTrue(hasattr(module, declared), f"{path.name} declares {declared}, which {module.__name__} has not got")

    def test_declare_what_there_is(self):
        declared = _declared(PACKAGE / "__init__.pyi")
        missing = [name for name in vars(tl) if not name.startswith("_") and name not in declared]
        self.assertLessEqual(set(missing), {"CONSTEXPR_0", "TRITON_BUILTIN", "builtin", "extern", "is_builtin", "must_use_result",
                                            "get_int_dtype", "tensor_descriptor_base_type", "slice_type", "item", "to"})  # fmt: skip

    def test_top_level(self):
        import tegula

        modules = {"backends", "compiler", "errors", "knobs", "language", "runtime", "testing", "tools", "xpu"}
        declared = _declared(Path(tegula.__file__).with_suffix(".pyi"))
        self.assertEqual(declared - {"_F"}, {*tegula.__all__, *modules})


def _declared(path):
    """The names that a stub declares."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names.update(a.asname for a in node.names if a.asname == a.name)
    return names


class Imports(unittest.TestCase):
    def test_no_framework(self):
        code = "import sys, tegula, tegula.language; print([m for m in ('torch', 'numpy', 'cupy', 'jax', 'inspect') if m in sys.modules])"
        out = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=_path())
        self.assertEqual(out.stdout.strip(), "[]")


def _path():
    import os

    return {**os.environ, "PYTHONPATH": str(PACKAGE.parent.parent)}


if __name__ == "__main__":
    unittest.main()
