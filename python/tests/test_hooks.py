"""Hooks around launches, and settings."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import tegula
import tegula.language as tl
from tegula import knobs


def details(grid, metadata, args):
    details.asked += 1
    return {"name": "my name", "bytes": args["out"].nbytes, "warps": metadata.num_warps, "wanted": grid}


@tegula.jit(launch_metadata=details)
def fill(out, n, VALUE: tl.constexpr):
    i = tl.program_id(0) * 4 + tl.arange(0, 4)
    tl.store(out + i, VALUE, mask=i < n)


@tegula.jit
def plain(out):
    tl.store(out, 1)


class Hooks(unittest.TestCase):
    def setUp(self):
        details.asked = 0
        self.addCleanup(self.remove)
        self.added = []

    def add(self, chain, hook):
        chain.add(hook)
        self.added.append((chain, hook))

    def remove(self):
        for chain, hook in self.added:
            chain.remove(hook)

    def test_what_they_are_told(self):
        told = []
        self.add(knobs.runtime.launch_enter_hook, lambda launch: told.append(launch.get()))
        out = np.zeros(10, np.int32)
        fill[(3,)](out, 10, VALUE=7)
        self.assertEqual(out.tolist(), [7] * 10)
        self.assertEqual(told[0]["grid"], (3, 1, 1))
        self.assertEqual((told[0]["name"], told[0]["bytes"], told[0]["warps"], told[0]["wanted"]), ("my name", 40, 4, (3, 1, 1)))
        self.assertIn("function", told[0])
        self.assertIn("stream", told[0])
        plain[(1,)](out)
        self.assertEqual(told[1]["name"], "plain")

    def test_metadata_is_made_when_it_is_asked_for(self):
        kept = []
        self.add(knobs.runtime.launch_enter_hook, kept.append)
        fill[(1,)](np.zeros(4, np.int32), 4, VALUE=1)
        self.assertEqual(details.asked, 0)
        kept[0].get(), kept[0].get()
        self.assertEqual(details.asked, 1)

    def test_order(self):
        calls = []
        for name, where in [("global", knobs.runtime), ("own", fill)]:
            self.add(where.launch_enter_hook, lambda launch, name=name: calls.append("enter " + name))
            self.add(where.launch_exit_hook, lambda launch, name=name: calls.append("exit " + name))
        fill[(1,)](np.zeros(4, np.int32), 4, VALUE=1)
        self.assertEqual(calls, ["enter global", "enter own", "exit own", "exit global"])
        calls.clear()
        plain[(1,)](np.zeros(1, np.int32))
        self.assertEqual(calls, ["enter global", "exit global"])

    def test_a_hook_that_fails(self):
        def fail(launch):
            raise LookupError("not today")

        out = np.zeros(4, np.int32)
        self.add(knobs.runtime.launch_enter_hook, fail)
        with self.assertRaisesRegex(LookupError, "not today"):
            fill[(1,)](out, 4, VALUE=3)
        self.assertEqual(out.tolist(), [0, 0, 0, 0])
        self.remove()
        fill[(1,)](out, 4, VALUE=3)
        self.assertEqual(out.tolist(), [3, 3, 3, 3])

    def test_removed_hooks_are_not_called(self):
        calls = []
        knobs.runtime.launch_exit_hook.add(calls.append)
        knobs.runtime.launch_exit_hook.remove(calls.append)
        fill[(1,)](np.zeros(4, np.int32), 4, VALUE=1)
        self.assertEqual(calls, [])

    def test_adding_twice(self):
        calls = []
        hook = calls.append
        self.add(knobs.runtime.launch_enter_hook, hook)
        self.add(knobs.runtime.launch_enter_hook, hook)
        plain[(1,)](np.zeros(1, np.int32))
        self.assertEqual(len(calls), 1)

    def test_pre_run_hooks(self):
        @tegula.jit
        def kernel(out, VALUE: tl.constexpr):
            tl.store(out, VALUE)

        seen = []
        kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((len(args), kwargs["VALUE"])))
        out = np.zeros(1, np.int32)
        kernel[(1,)](out, VALUE=2)
        self.assertEqual((seen, out[0]), ([(1, 2)], 2))


class Settings(unittest.TestCase):
    def test_environment_then_assignment(self):
        with mock.patch.dict(os.environ, {"TRITON_PRINT_AUTOTUNING": "1"}):
            self.assertTrue(knobs.autotuning.print)
            knobs.autotuning.print = False
            self.assertFalse(knobs.autotuning.print)
            del knobs.autotuning.print
            self.assertTrue(knobs.autotuning.print)
        self.assertFalse(knobs.autotuning.print)

    def test_tegulas_name_comes_first(self):
        with mock.patch.dict(os.environ, {"TEGULA_CACHE_AUTOTUNING": "0", "TRITON_CACHE_AUTOTUNING": "1"}):
            self.assertFalse(knobs.autotuning.cache)

    def test_debug(self):
        @tegula.jit
        def asserts(out):
            tl.device_assert(tl.load(out) == 1, "no one")

        out = np.zeros(1, np.int32)
        asserts[(1,)](out)
        with knobs.runtime.scope():
            knobs.runtime.debug = True
            with self.assertRaisesRegex(tegula.CheckError, "no one"):
                asserts[(1,)](out)
            with self.assertRaisesRegex(tegula.CheckError, "no one"):
                asserts[(1,)](out, debug=False)
        asserts[(1,)](out)

    def test_debug_from_the_environment(self):
        text = """
import numpy as np, triton, triton.language as tl
@triton.jit
def asserts(out):
    tl.device_assert(tl.load(out) == 1, "no one")
asserts[(1,)](np.zeros(1, np.int32))
"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "program.py")
            path.write_text(text)
            for name, wanted in [("TRITON_DEBUG", 1), ("TEGULA_DEBUG", 1), ("OTHER", 0)]:
                env = {**os.environ, name: "1"}
                done = subprocess.run([sys.executable, "-m", "tegula", path], env=env, capture_output=True, text=True)
                self.assertEqual((done.returncode, "no one" in done.stderr), (wanted, wanted == 1), done.stderr)

    def test_scope(self):
        with knobs.amd.scope():
            knobs.amd.use_buffer_ops = False
            self.assertFalse(knobs.amd.use_buffer_ops)
        self.assertTrue(knobs.amd.use_buffer_ops)

    def test_listing(self):
        self.assertEqual(set(knobs.autotuning.knobs), {"cache", "print"})
        self.assertFalse(knobs.autotuning.copy().reset().print)


if __name__ == "__main__":
    unittest.main()
