"""Launches: what binds to what, which variants there are, what globals mean and that their changes are noticed."""

import gc
import itertools
import math
import os
import runpy
import subprocess
import sys
import tempfile
import textwrap
import unittest
import weakref
from collections import namedtuple
from enum import Enum, IntEnum

import numpy as np

import tegula
import tegula.language as tl
from tegula import _native

SIZE = tl.constexpr(8)
PLAIN = 8


@tegula.jit
def arguments(out, a, b=20, *rest, c: tl.constexpr = 30, d=40):
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    for i in tl.static_range(len(rest)):
        tl.store(out + 4 + i, rest[i])


@tegula.jit
def value(out, x, K: tl.constexpr = None):
    tl.store(out, x)


@tegula.jit
def inner(x):
    return x * SIZE


@tegula.jit
def outer(out, x):
    tl.store(out, inner(x))


@tegula.jit
def reads_plain(out):
    tl.store(out, PLAIN)


@tegula.jit
def copy_in_steps(out, x, n, pick):
    """Writes through pointers that a loop and a branch carry; reads through the same kinds."""
    from_, to = x, out
    if pick:
        to = out + 1
    for _ in range(n):
        tl.store(to, tl.load(from_))
        from_ += 1
        to += 1


@tegula.jit
def bump(x):
    tl.atomic_add(x, 1)


@tegula.jit
def copy_blocks(out, x, B: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [B], [1], [B])
    b = tl.make_tensor_descriptor(out, [B], [1], [B])
    b.store([0], a.load([0]))


@tegula.constexpr_function
def squared(n):
    return n * n


@tegula.jit
def calls_python(out, N: tl.constexpr):
    tl.store(out, squared(N) + squared(n=3))


def factory(scale, other):
    @tegula.jit
    def kernel(out, x):
        tl.store(out, x * scale + other)

    return kernel


def run(kernel, *args, size=8, dtype=np.float64, **kwargs):
    out = np.zeros(size, dtype)
    kernel[(1,)](out, *args, **kwargs)
    return out


class Binding(unittest.TestCase):
    def test_arguments(self):
        self.assertEqual(run(arguments, 1, dtype=np.int64).tolist(), [1, 20, 30, 40, 0, 0, 0, 0])
        self.assertEqual(run(arguments, 1, 2, 3, 4, dtype=np.int64).tolist(), [1, 2, 30, 40, 3, 4, 0, 0])
        self.assertEqual(run(arguments, b=2, a=1, d=4, c=3, dtype=np.int64).tolist(), [1, 2, 3, 4, 0, 0, 0, 0])
        self.assertEqual(run(arguments, *(1, 2), **{"c": 3}, dtype=np.int64).tolist(), [1, 2, 3, 40, 0, 0, 0, 0])

    def test_refused(self):
        out = np.zeros(8)
        for code, args, kwargs in [
            ("missing-argument", (out,), {}),
            ("unknown-argument", (out, 1), {"e": 1}),
            ("duplicate-argument", (out, 1), {"a": 1}),
            ("launch-keyword", (out, 1), {"stream": 1}),
            ("launch-keyword", (out, 1), {"device": 1}),
            ("launch-keyword", (out, 1), {"device_type": 1}),
            ("num-warps", (out, 1), {"num_warps": 3}),
            ("num-stages", (out, 1), {"num_stages": -1}),
        ]:
            with self.subTest(code), self.assertRaises(tegula.ArgumentError) as caught:
                arguments[(1,)](*args, **kwargs)
            self.assertEqual(caught.exception.code, code)
        with self.assertRaises(tegula.LaunchKeywordError):
            arguments[(1,)](out, 1, stream=1)
        self.assertFalse(out.any())

    def test_read_only_arrays(self):
        """They are read, and not written: not by stores, not by atomics, not through what a loop carries."""
        def fixed(*a):
            x = np.array(a, dtype=np.int32)
            x.flags.writeable = False
            return x
        for pick in 0, 1:
            out = np.zeros(4, dtype=np.int32)
            copy_in_steps[(1,)](out, fixed(5, 6, 7), 3, pick)
            self.assertEqual(out.tolist(), [0, 5, 6, 7] if pick else [5, 6, 7, 0])
        out = np.zeros(16, dtype=np.int32)
        copy_blocks[(1,)](out, fixed(*range(16)), B=16)
        self.assertEqual(out.tolist(), list(range(16)))
        for kernel, args, options in (
            (copy_in_steps, (fixed(0, 0), fixed(1, 2), 1, 0), {}),
            (value, (fixed(0), 3), {}),
            (bump, (fixed(0),), {}),
            (copy_blocks, (fixed(*[0] * 16), fixed(*range(16))), {"B": 16}),
        ):
            with self.subTest(kernel=kernel), self.assertRaisesRegex(tegula.ArgumentError, "the kernel writes to argument '(out|x)', which is a read-only array"):
                kernel[(1,)](*args, **options)
            self.assertFalse(any(args[0]))
        bump[(1,)](out[3:]) # the variant is there, and others may be written
        self.assertEqual(out[3], 4)

    def test_options(self):
        a = value[(1,)](np.zeros(1), 1.0, num_warps=2)
        b = value[(1,)](np.zeros(1), 1.0, num_warps=4)
        c = value[(1,)](np.zeros(1), 1.0)
        self.assertIsNot(a, b)
        self.assertIs(b.kernel, value)
        self.assertIn('"num_warps": 2', a.metadata_json)
        self.assertIn('"num_warps": 4', c.metadata_json)

    def test_numbers(self):
        for x in (0, 1, 2, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63)):
            self.assertEqual(run(value, x, dtype=np.int64)[0], x)
        self.assertEqual(run(value, 2**64 - 1, dtype=np.uint64)[0], 2**64 - 1)
        with self.assertRaises(tegula.ArgumentError):
            run(value, 2**64, dtype=np.uint64)
        self.assertEqual(run(value, 0.1)[0], np.float32(0.1))
        self.assertTrue(math.isnan(run(value, math.nan)[0]))
        self.assertEqual(run(value, True)[0], 1)
        self.assertEqual(run(value, np.int64(7))[0], 7)
        self.assertEqual(run(value, np.float32(7.5))[0], 7.5)
        self.assertEqual(run(value, np.bool_(True))[0], 1)
        self.assertEqual(run(value, IntEnum("E", "A B").B)[0], 2)

    def test_grids(self):
        out = np.zeros(8)
        for grid in (1, (1,), [1, 1], (np.int64(1), 1, 1), lambda meta: (meta["x"] - 2,), lambda meta: meta["x"] - 2):
            value[grid](out, 3)
        for code, grid in [
            ("empty", ()), ("too-many-dimensions", (1, 1, 1, 1)), ("zero", (1, 0)), ("negative", (-1,)), ("not-integer", (1.0,)), ("not-integer", (True,)),
            ("not-integer", None), ("too-large", (2**31,)), ("too-large", (2**80,)), ("not-integer", lambda meta: ("x",)), ("negative", (1, -(2**80))),
            ("not-integer", np.array([1, 2])),
        ]:  # fmt: skip
            with self.subTest(code), self.assertRaises(tegula.GridError) as caught:
                value[grid](np.zeros(1), 3)
            self.assertEqual(caught.exception.code, code)
            self.assertTrue(str(caught.exception).startswith("Grid must contain 1 to 3 positive integer dimensions."))
        with self.assertRaisesRegex(tegula.GridError, f"axis 1 .y. is {2**80}"):
            value[1, 2**80](out, 3)

    def test_launchers(self):
        """A grid that is written anew is the same launcher; one that may change is none's."""
        self.assertIs(value[(1, 300)], value[(1, int("300"))])
        for one, other in (((1,), (2,)), ((1,), (1, 1)), ((1,), [1]), ([1], [1]), ((1,), (True,)), ((1,), (1.0,)), ((np.int64(1),), (np.int64(1),)), ((), (1,))):
            self.assertIsNot(value[one], value[other])
        self.assertEqual(value[(1,)].grid, (1,))

    def test_options_that_do_not_fit(self):
        out = np.zeros(8)
        value[1](out, 3, num_warps=np.int64(2), num_stages=None)
        for options in (
            {"num_warps": 3}, {"num_warps": 0}, {"num_warps": -(2**70)}, {"num_warps": 2**40}, {"num_warps": 2**70}, {"num_warps": "4"}, {"num_warps": 4.0},
            {"num_stages": 2**33}, {"num_ctas": []}, {"threads_per_warp": 3}, {"maxnreg": 1 << 21},
        ):  # fmt: skip
            (name,) = options
            with self.subTest(options), self.assertRaisesRegex(tegula.ArgumentError, f"^{name} is ") as caught:
                value[1](out, 3, **options)
            self.assertEqual(caught.exception.code, name.replace("_", "-"))
        with self.assertRaises(tegula.GridError):
            value.run(out, 3)

    def test_many_parameters(self):
        with tempfile.TemporaryDirectory() as directory:
            for n in (200, 300):
                path = os.path.join(directory, f"many{n}.py")
                names = [f"a{i}" for i in range(n)]
                with open(path, "w") as f:
                    f.write(f"import tegula, tegula.language as tl\n@tegula.jit\ndef many(o, {', '.join(names)}):\n    tl.store(o, {' + '.join(names)})\n")
                many = runpy.run_path(path)["many"]
                out = np.zeros(1)
                if n > 255:
                    with self.assertRaisesRegex(tegula.Unsupported, "at most 256 parameters"):
                        many[1](out, *range(n))
                    continue
                for k in range(3):
                    many[1](out, *range(k, n + k))
                    self.assertEqual(out[0], sum(range(k, n + k)))

    def test_a_grid_that_raises(self):
        error = KeyError("nothing")

        def grid(meta):
            raise error

        with self.assertRaises(KeyError) as caught:
            value[grid](np.zeros(1), 3)
        self.assertIs(caught.exception, error)

    def test_run_and_bind(self):
        out = np.zeros(8)
        value.run(out, 5, grid=(1,))
        self.assertEqual(out[0], 5)
        bound, options = value.bind((out, 5), {"num_warps": 8})
        self.assertEqual(list(bound), ["out", "x", "K"])
        self.assertEqual(options, {"num_warps": 8})
        self.assertEqual(value.arg_names, ["out", "x", "K"] if isinstance(value.arg_names, list) else ("out", "x", "K"))


class Variants(unittest.TestCase):
    def test_facts(self):
        @tegula.jit(do_not_specialize=["y"])
        def kernel(out, x, y, K: tl.constexpr):
            tl.store(out, x + y)

        out = np.zeros(8)
        calls = [
            (2, 2, 0), (3, 3, 0), (4, 1, 0),  # one variant
            (1, 2, 0), (2.0, 2, 0), (2**40, 2, 0), (True, 2, 0),
            (2, 2, 0.0), (2, 2, -0.0), (2, 2, False), (2, 2, None), (2, 2, "0"), (2, 2, (0, 1)), (2, 2, (0, 2)), (2, 2, math.nan), (2, 2, math.nan),
        ]  # fmt: skip
        for x, y, k in calls:
            kernel[(1,)](out, x, y, k)
        self.assertEqual(_native.variants(kernel), len(calls) - 3)

    def test_equal_strings_are_one(self):
        @tegula.jit
        def kernel(out, K: tl.constexpr):
            tl.store(out, 1 if K == "relu" else 2)

        made = {id(kernel[(1,)](np.zeros(1), "".join(["re", "lu"]))) for _ in range(3)}
        self.assertEqual(len(made), 1)

    def test_tuples(self):
        Pair = namedtuple("Pair", "a b")

        @tegula.jit
        def kernel(out, t):
            tl.store(out, t[0] + t[1][0] * t[1][1])

        self.assertEqual(run(kernel, (1, (2, 3)))[0], 7)
        self.assertEqual(run(kernel, (2, (3, 4)))[0], 14)
        self.assertEqual(run(kernel, Pair(2.5, (3, 4)))[0], 14.5)

        @tegula.jit
        def named(out, t):
            tl.store(t.a, t.b)

        a = np.zeros(2)
        for b in (3, 4):
            run(named, Pair(a, b))
            self.assertEqual(a[0], b)

    def test_descriptors(self):
        from tegula.tools.tensor_descriptor import TensorDescriptor

        @tegula.jit
        def kernel(out, d, row, column):
            tl.store(out, tl.sum(d.load([row, column])))

        a = np.arange(1024, dtype=np.float32).reshape(32, 32)
        for block, row in itertools.product(((4, 4), (8, 16)), (0, 16, 28)):
            for _ in range(2):
                got = run(kernel, TensorDescriptor(a, [32, 32], [32, 1], list(block)), row, 8)[0]
                self.assertEqual(got, a[row : row + block[0], 8 : 8 + block[1]].sum())
        with self.assertRaises(tegula.ArgumentError) as caught:
            run(kernel, TensorDescriptor(a.reshape(-1)[1:], [31, 31], [32, 1], [8, 16]), 0, 0)
        self.assertEqual(caught.exception.code, "descriptor")

    def test_constants(self):
        class Color(Enum):
            RED = 1
            BLUE = 2

        @tegula.jit
        def kernel(out, C: tl.constexpr, T: tl.constexpr):
            tl.store(out, tl.full((), 1, T).to(tl.float64) / 4 + (10 if C == Color.BLUE else 0) + (0.5 if T == tl.int32 else 0))

        self.assertEqual(run(kernel, Color.RED, tl.float32)[0], 0.25)
        self.assertEqual(run(kernel, Color.BLUE, tl.int32)[0], 10.75)

    def test_kernels_as_constants(self):
        @tegula.jit
        def apply(out, f: tl.constexpr, x):
            tl.store(out, f(x))

        self.assertEqual(run(apply, inner, 3)[0], 24)

    def test_large_tuples(self):
        @tegula.jit
        def kernel(out, K: tl.constexpr):
            tl.store(out, K[999] + len(K))

        for n in (1000, 1000, 2000):
            self.assertEqual(run(kernel, tuple(range(n)))[0], 999 + n)
        self.assertEqual(_native.variants(kernel), 2)

    def test_lists_are_read_anew(self):
        @tegula.jit
        def kernel(out, K: tl.constexpr):
            tl.store(out, K[0])

        k = [1]
        self.assertEqual(run(kernel, k)[0], 1)
        k[0] = 2
        self.assertEqual(run(kernel, k)[0], 2)


class Globals(unittest.TestCase):
    def test_constants_and_functions(self):
        self.assertEqual(run(outer, 3)[0], 24)
        self.assertEqual(run(calls_python, 5)[0], 34)

    def test_plain_data(self):
        with self.assertRaises(tegula.CompileError) as caught:
            run(reads_plain)
        self.assertEqual(caught.exception.code, "global-not-constexpr")
        self.assertEqual(caught.exception.filename, __file__)
        self.assertIn("tl.store(out, PLAIN)", caught.exception.text)
        self.assertIn("^", str(caught.exception))

    def test_factories(self):
        a, b = factory(2, 1), factory(3, 0.5)
        self.assertEqual((run(a, 10)[0], run(b, 10)[0]), (21, 30.5))

    def changed(self, kernel, *args):
        with self.assertRaises(tegula.GlobalChanged) as caught:
            run(kernel, *args)
        self.assertIsInstance(caught.exception, RuntimeError)
        return str(caught.exception)

    def module(self, text):
        import linecache

        name = f"<test {next(self.numbers)}>"
        source = "import tegula\nimport tegula.language as tl\n" + textwrap.dedent(text)
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        space = {"__name__": "test"}
        exec(compile(source, name, "exec"), space)
        return space

    numbers = itertools.count()

    def test_changes_are_noticed(self):
        text = """
        K = tl.constexpr(%s)

        @tegula.jit
        def kernel(out):
            tl.store(out, 1 if K == 1 else 2)
        """
        for before, after in [("1", "2"), ("1", "1.0"), ("1", "True"), ("0.0", "-0.0")]:
            with self.subTest(before=before, after=after):
                m = self.module(text % before)
                run(m["kernel"])
                m["K"] = tl.constexpr(eval(before))  # another object of the same value
                run(m["kernel"])
                m["K"] = tl.constexpr(eval(after))
                message = self.changed(m["kernel"])
                self.assertIn("'K'", message)
                self.assertIn(before, message)
                self.assertIn(after, message)
                m["K"] = tl.constexpr(eval(before))
                run(m["kernel"])

    def test_nan_is_itself(self):
        m = self.module("K = tl.constexpr(float('nan'))\n@tegula.jit\ndef kernel(out):\n    tl.store(out, K)\n")
        run(m["kernel"])
        m["K"] = tl.constexpr(float("nan"))
        run(m["kernel"])

    def test_functions_and_closures(self):
        m = self.module(
            """
        @tegula.jit
        def f(x):
            return x + 1

        @tegula.jit
        def g(x):
            return x + 2

        @tegula.jit
        def kernel(out):
            tl.store(out, f(1))

        def make():
            k = 1

            @tegula.jit
            def closed(out):
                tl.store(out, k)

            def change(n):
                nonlocal k
                k = n

            return closed, change
        """
        )
        run(m["kernel"])
        m["f"] = m["g"]
        self.changed(m["kernel"])
        closed, change = m["make"]()
        self.assertEqual(run(closed)[0], 1)
        change(2)
        self.changed(closed)

    def test_in_callees(self):
        m = self.module(
            """
        K = tl.constexpr(1)

        @tegula.jit
        def f(x):
            return x + K

        @tegula.jit
        def kernel(out):
            tl.store(out, f(1))
        """
        )
        self.assertEqual(run(m["kernel"])[0], 2)
        m["K"] = tl.constexpr(2)
        self.changed(m["kernel"])

    def test_changed_in_place(self):
        m = self.module("K = tl.constexpr([1, 2])\n@tegula.jit\ndef kernel(out):\n    tl.store(out, K[0])\n")
        self.assertEqual(run(m["kernel"])[0], 1)
        m["K"].value[0] = 5
        self.changed(m["kernel"])

    def test_attributes_of_modules_and_classes(self):
        import types

        m = self.module(
            """
        class Config:
            BLOCK = 4
            NAMES = ("a", "b")

        @tegula.jit
        def kernel(out):
            tl.store(out + tl.arange(0, Config.BLOCK), settings.SCALE)
        """
        )
        m["settings"] = types.ModuleType("settings")
        m["settings"].SCALE = 3
        self.assertEqual(run(m["kernel"]).tolist(), [3, 3, 3, 3, 0, 0, 0, 0])
        m["settings"].SCALE = 4
        self.assertIn("SCALE", self.changed(m["kernel"]))
        m["settings"].SCALE = 3
        run(m["kernel"])
        m["Config"].BLOCK = 8
        self.changed(m["kernel"])

    def test_deleted(self):
        m = self.module("K = tl.constexpr(1)\n@tegula.jit\ndef kernel(out):\n    tl.store(out, K)\n")
        run(m["kernel"])
        del m["K"]
        self.assertIn("no longer there", self.changed(m["kernel"]))

    def test_exceptions_of_python(self):
        error = LookupError("of mine")

        @tegula.constexpr_function
        def fails():
            raise error

        @tegula.jit
        def kernel(out):
            tl.store(out, fails())

        for _ in range(2):
            with self.assertRaises(tegula.CompileError) as caught:
                run(kernel)
            self.assertIs(caught.exception.__cause__, error)
            self.assertIn("tl.store(out, fails())", str(caught.exception))

    def test_plain_functions(self):
        def helper(x):
            return x

        @tegula.jit
        def kernel(out):
            tl.store(out, helper(1))

        with self.assertRaises(tegula.CompileError) as caught:
            run(kernel)
        self.assertIn("plain Python function", str(caught.exception))

    def test_math(self):
        @tegula.jit
        def kernel(out):
            tl.store(out, math.pi + math.floor(2.5))

        self.assertEqual(run(kernel)[0], np.float32(math.pi + 2))


class Garbage(unittest.TestCase):
    def test_kernels_are_collected(self):
        def make():
            kernel = factory(2, 3)
            run(kernel, 1)
            return weakref.ref(kernel)

        gc.collect()
        gone = make()
        gc.collect()
        self.assertIsNone(gone())

    def test_kernels_of_a_namespace_are_collected(self):
        m = Globals("test_deleted").module("@tegula.jit\ndef f(x):\n    return x\n\n@tegula.jit\ndef kernel(out, K: tl.constexpr):\n    tl.store(out, f(1))\n")
        run(m["kernel"], lambda: m)
        gone = weakref.ref(m["kernel"]), weakref.ref(m["f"])
        del m
        gc.collect()
        self.assertEqual([g() for g in gone], [None, None])

    def test_launches_leak_nothing(self):
        # TEGULA_TEST_LAUNCHES=1000000 makes it a million.
        text = """
            import os, resource, numpy as np, tegula, tegula.language as tl

            @tegula.jit
            def copy(x, y, n, BLOCK: tl.constexpr):
                i = tl.arange(0, BLOCK)
                tl.store(y + i, tl.load(x + i, i < n), i < n)

            x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)

            def memory():
                with open("/proc/self/statm") as f:
                    return int(f.read().split()[1]) * resource.getpagesize()

            def launch(n, errors=False):
                for i in range(n):
                    copy[(1,)](x, y, i % 8 + 2, BLOCK=8)
                    if i % 64 == 0:
                        copy[lambda meta: (1,)](x, y=y, n=i, BLOCK=8, num_warps=4)
                        try:
                            copy[(1 - errors,)](x, y, i, BLOCK=8)
                        except tegula.GridError:
                            pass

            n = int(os.environ.get("TEGULA_TEST_LAUNCHES", "100000"))
            launch(1000)
            before = memory()
            launch(n)
            print(memory() - before)
            launch(n, True)  # the library's heap takes its size
            before = memory()
            launch(n, True)
            print(memory() - before)
        """
        with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
            f.write(textwrap.dedent(text))
            f.flush()
            done = subprocess.run([sys.executable, f.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        launches, errors = map(int, done.stdout.split())
        self.assertLess(launches, 1 << 19)
        self.assertLess(errors, 4 << 20)


if __name__ == "__main__":
    unittest.main()
