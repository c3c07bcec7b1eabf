"""Where kernels may be defined."""

import functools
import linecache
import textwrap
import unittest

import numpy as np

import tegula
import tegula.language as tl


def run(kernel, n=8, **constants):
    """Launches a kernel of (out, n) once and gives what it stored."""
    out = np.zeros(n, np.int32)
    kernel[(1,)](out, n, **constants)
    return out.tolist()


def logged(fn):
    """A decorator of some program's own."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def make(scale):
    @tegula.jit
    def kernel(out, n):
        i = tl.arange(0, 8)
        tl.store(out + i, i * scale, mask=i < n)

    return kernel


class Places(unittest.TestCase):
    @tegula.jit
    def method(out, n):
        i = tl.arange(0, 8)
        tl.store(out + i, i + 1, mask=i < n)

    def test_in_a_class(self):
        self.assertEqual(run(self.method), [1, 2, 3, 4, 5, 6, 7, 8])
        self.assertEqual(run(Places.method), run(self.method))

    def test_in_a_function(self):
        @tegula.jit
        def local(out, n):
            i = tl.arange(0, 8)
            tl.store(out + i, -i, mask=i < n)

        self.assertEqual(run(local), [0, -1, -2, -3, -4, -5, -6, -7])

    def test_from_a_factory(self):
        two, three = make(2), make(3)
        self.assertEqual(run(two), [0, 2, 4, 6, 8, 10, 12, 14])
        self.assertEqual(run(three), [0, 3, 6, 9, 12, 15, 18, 21])

    def test_decorated(self):
        @tegula.jit
        @logged
        def kernel(out, n):
            i = tl.arange(0, 8)
            tl.store(out + i, 7, mask=i < n)

        self.assertEqual(run(kernel), [7] * 8)
        self.assertEqual(kernel.__name__, "kernel")

    def test_decorator_with_lines(self):
        @tegula.jit(
            do_not_specialize=["n"],
            debug=False,
        )
        def kernel(
            out,
            n,  # how many
        ):
            # a comment
            i = tl.arange(
                0,
                8,
            )
            tl.store(out + i, n, mask=i < n)

        self.assertEqual(run(kernel), [8] * 8)

    def test_executed(self):
        text = textwrap.dedent(
            """
            import tegula
            import tegula.language as tl

            STEP: tl.constexpr = 5

            @tegula.jit
            def kernel(out, n):
                i = tl.arange(0, 8)
                tl.store(out + i, i * STEP, mask=i < n)
            """
        )
        names = {}
        exec(text, names)
        self.assertEqual(run(names["kernel"]), [0, 5, 10, 15, 20, 25, 30, 35])
        self.assertEqual(names["kernel"].first_line, 7)

    def test_executed_constant(self):
        names = {}
        exec(
            "import tegula, tegula.language as tl\n@tegula.jit\ndef kernel(out, n):\n    tl.store(out + tl.arange(0, 8), 4)\n",
            names,
        )
        self.assertEqual(run(names["kernel"]), [4] * 8)

    def test_in_a_notebook(self):
        # A cell is compiled under a name of its own, and its lines are in linecache.
        cell = "import tegula, tegula.language as tl\n@tegula.jit\ndef kernel(out, n):\n    tl.store(out + tl.arange(0, 8), 9)\n"
        name = "<ipython-input-1-0123456789ab>"
        linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        names = {"__name__": "__main__"}
        exec(compile(cell, name, "exec"), names)
        self.assertEqual(run(names["kernel"]), [9] * 8)
        self.assertEqual(names["kernel"].filename, name)

    def test_text_that_is_gone(self):
        names = {}
        parts = ["import tegula\n@tegula", ".jit\ndef gone(x):\n    pass\n"]
        with self.assertRaisesRegex(OSError, "the source of gone was not found"):
            exec(compile("".join(parts), "<string>", "exec"), names)


class Functions(unittest.TestCase):
    def test_what_is_no_function(self):
        with self.assertRaisesRegex(TypeError, "jit takes a function, not int"):
            tegula.jit(3)

    def test_keyword_parameters(self):
        with self.assertRaisesRegex(TypeError, r"cannot have a \*\*options parameter"):

            @tegula.jit
            def kernel(x, **options):
                pass

    def test_call(self):
        with self.assertRaisesRegex(RuntimeError, r"launch it as method\[grid\]"):
            Places.method(1, 2)

    def test_introspection(self):
        @tegula.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=[0])
        def kernel(x, n: "i64", s: "*fp32", BLOCK: tl.constexpr, K: tl.constexpr = 4):
            """Says what it does."""

        self.assertEqual(kernel.arg_names, ["x", "n", "s", "BLOCK", "K"])
        self.assertEqual(kernel.constexprs, [3, 4])
        self.assertEqual([p.name for p in kernel.params], kernel.arg_names)
        self.assertEqual([p.is_constexpr for p in kernel.params], [False, False, False, True, True])
        self.assertEqual([p.do_not_specialize for p in kernel.params], [False, True, False, False, False])
        self.assertEqual([p.do_not_specialize_on_alignment for p in kernel.params], [True, False, False, False, False])
        self.assertEqual((kernel.params[1].annotation_type, kernel.params[2].annotation_type), ("i64", "*fp32"))
        self.assertEqual((kernel.params[4].has_default, kernel.params[4].default), (True, 4))
        self.assertEqual(kernel.__doc__, "Says what it does.")
        self.assertEqual(kernel.__name__, "kernel")
        self.assertTrue(kernel.src.startswith("def kernel(x, n"))
        self.assertIs(kernel.fn.__globals__, kernel.__globals__)
        self.assertIn("kernel", repr(kernel))

    def test_cache_key_tells_sources_apart(self):
        self.assertEqual(len(make(1).cache_key), len(Places.method.cache_key))
        self.assertNotEqual(make(1).cache_key, Places.method.cache_key)


if __name__ == "__main__":
    unittest.main()
