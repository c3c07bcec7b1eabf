"""autotune, Config, heuristics."""

import io
import os
import subprocess
import sys
import tempfile
import threading
import textwrap
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import numpy as np

import tegula
import tegula.language as tl
from tegula.runtime import progress, tuned
from tegula.runtime.autotuner import AutotunerError

CONFIGS = [tegula.Config({"BLOCK": 8}), tegula.Config({"BLOCK": 16}, num_warps=2), tegula.Config({"BLOCK": 32}, num_warps=8)]


def count_up(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def two_widths(x, n, BLOCK: tl.constexpr, ALLOWED: tl.constexpr):
    tl.static_assert(BLOCK <= ALLOWED, "too wide")
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, BLOCK, mask=i < n)


def grid(meta):
    return (tegula.cdiv(meta["n"], meta["BLOCK"]),)


class Bench:
    """Measures by the sizes of blocks, and counts."""

    def __init__(self, times):
        self.times, self.asked = list(times), 0

    def __call__(self, call, quantiles):
        call()
        self.asked += 1
        return [self.times[(self.asked - 1) % len(self.times)]] * 3


def tuned_kernel(bench=None, key=("n",), configs=CONFIGS, **options):
    return tegula.autotune(list(configs), key=list(key), do_bench=bench, **options)(tegula.jit(count_up))


class Tuning(unittest.TestCase):
    def test_fastest_is_chosen(self):
        bench = Bench([3, 1, 2])
        kernel, x = tuned_kernel(bench), np.zeros(100, np.float32)
        kernel[grid](x, 100)
        self.assertEqual(kernel.best_config, CONFIGS[1])
        self.assertEqual(bench.asked, 3)
        self.assertEqual(kernel.configs_timings[CONFIGS[0]], [3, 3, 3])
        self.assertTrue((x == 4).all(), "three runs measured it, and one was the launch")

    def test_key(self):
        bench = Bench([1, 2, 3])
        kernel, x = tuned_kernel(bench), np.zeros(100, np.float32)
        for n, asked in [(100, 3), (100, 3), (50, 6), (100, 6)]:
            kernel[grid](x, n)
            self.assertEqual(bench.asked, asked)
        kernel[grid](np.zeros(100, np.float64), 100)
        self.assertEqual(bench.asked, 9, "another element type is another key")
        self.assertEqual(len(kernel.cache), 3)

    def test_one_config_is_not_measured(self):
        bench = Bench([1])
        kernel, x = tuned_kernel(bench, configs=CONFIGS[:1]), np.zeros(10, np.float32)
        kernel[grid](x, 10)
        self.assertEqual((bench.asked, x[0]), (0, 1))

    def test_reset_to_zero(self):
        kernel, x = tuned_kernel(Bench([1, 2, 3]), reset_to_zero=["x"]), np.full(10, 5, np.float32)
        kernel[grid](x, 10)
        self.assertTrue((x == 1).all())
        kernel[grid](x, 10)
        self.assertTrue((x == 2).all(), "only measuring resets")

    def test_restore_value(self):
        kernel, x = tuned_kernel(Bench([1, 2, 3]), restore_value=["x"]), np.full(10, 5, np.float32)
        kernel[grid](x, 10)
        self.assertTrue((x == 6).all())

    def test_hooks(self):
        before, after = [], []
        kernel = tuned_kernel(
            Bench([1, 2, 3]),
            pre_hook=lambda kwargs, reset_only=False: before.append((kwargs["BLOCK"], reset_only)),
            post_hook=lambda kwargs, exception: after.append((kwargs["n"], exception)),
        )
        kernel[grid](np.zeros(10, np.float32), 10)
        self.assertEqual(before, [(8, False), (16, False), (32, False), (8, True)])
        self.assertEqual(after, [(10, None)] * 3)

    def test_pre_hook_of_a_config(self):
        seen = []
        configs = [tegula.Config({"BLOCK": 8}, pre_hook=lambda args: seen.append(args["BLOCK"])), tegula.Config({"BLOCK": 16})]
        kernel = tuned_kernel(Bench([1, 2]), configs=configs)
        kernel[grid](np.zeros(10, np.float32), 10)
        self.assertEqual(seen, [8, 8], "when it is measured, and when it is launched")

    def test_early_prune(self):
        bench = Bench([2, 1])
        prune = {"early_config_prune": lambda configs, named, **kwargs: [c for c in configs if c.kwargs["BLOCK"] <= named["n"]]}
        kernel = tuned_kernel(bench, prune_configs_by=prune)
        kernel[grid](np.zeros(20, np.float32), 20)
        self.assertEqual((bench.asked, kernel.best_config), (2, CONFIGS[1]))
        with self.assertRaisesRegex(AutotunerError, "No valid autotuner configs after pruning"):
            kernel[grid](np.zeros(20, np.float32), 4)

    def test_perf_model(self):
        for top_k, want in [(2, 2), (0.34, 1), (1.0, 3), (5, 3)]:
            bench = Bench([1, 2, 3])
            prune = {"perf_model": lambda BLOCK, **_: -BLOCK, "top_k": top_k}
            kernel = tuned_kernel(bench, prune_configs_by=prune)
            kernel[grid](np.zeros(20, np.float32), 20)
            self.assertEqual(bench.asked, want if want > 1 else 0, f"top_k={top_k}")
        self.assertEqual(kernel.prune_configs.__self__, kernel)

    def test_failing_configs(self):
        kernel = tegula.autotune(CONFIGS, key=["n"], do_bench=Bench([3, 2, 1]))(tegula.jit(two_widths))
        x = np.zeros(32, np.int32)
        kernel[grid](x, 32, ALLOWED=16)
        self.assertEqual(kernel.best_config, CONFIGS[1])
        self.assertEqual(x[0], 16)
        with self.assertRaisesRegex(AutotunerError, "no configuration of two_widths can run"):
            kernel[grid](x, 31, ALLOWED=4)

    def test_errors_of_kernels_are_not_swallowed(self):
        @tegula.autotune(CONFIGS, key=["n"], do_bench=Bench([1]))
        @tegula.jit
        def wrong(x, n, BLOCK: tl.constexpr):
            tl.store(x, nothing)  # noqa: F821

        with self.assertRaisesRegex(tegula.CompileError, "nothing"):
            wrong[(1,)](np.zeros(4, np.float32), 4)

    def test_conflicts(self):
        kernel = tuned_kernel(Bench([1]))
        with self.assertRaisesRegex(ValueError, "Conflicting meta-parameters: BLOCK"):
            kernel[grid](np.zeros(4, np.float32), 4, BLOCK=8)

    def test_names(self):
        for option in ("key", "reset_to_zero", "restore_value"):
            with self.assertRaisesRegex(ValueError, f"{option} contains names that are not kernel arguments: m"):
                tuned_kernel(**{"key": ["n"], option: ["m"]})

    def test_real_measuring(self):
        with mock.patch.object(tuned, "cache_dir", lambda: None):
            kernel = tegula.autotune(CONFIGS[:2], key=["n"], warmup=1, rep=1)(tegula.jit(count_up))
            kernel[grid](np.zeros(100, np.float32), 100)
        self.assertIn(kernel.best_config, CONFIGS[:2])
        self.assertGreater(kernel.configs_timings[CONFIGS[0]][0], 0)

    def test_what_makes_no_difference_on_the_cpu_is_measured_once(self):
        configs = [tegula.Config({"BLOCK": 8}, num_warps=w) for w in (1, 2, 4)] + [tegula.Config({"BLOCK": 16})]
        with mock.patch.object(tuned, "cache_dir", lambda: None):
            kernel = tuned_kernel(configs=configs)
            with mock.patch.object(kernel, "_bench", side_effect=[[2, 2, 2], [1, 1, 1]]) as bench:
                kernel[grid](np.zeros(100, np.float32), 100)
        self.assertEqual(bench.call_count, 2)
        self.assertEqual(kernel.best_config, configs[3])
        self.assertEqual([t[0] for t in kernel.configs_timings.values()], [2, 2, 2, 1])

    def test_printing(self):
        kernel = tuned_kernel(Bench([3, 1, 2]))
        out = io.StringIO()
        with redirect_stdout(out), tegula.knobs.autotuning.scope():
            tegula.knobs.autotuning.print = True
            kernel[grid](np.zeros(10, np.float32), 10)
        self.assertIn("autotuning for function count_up", out.getvalue())
        self.assertIn(f"best config selected: {CONFIGS[1]};", out.getvalue())

    def test_listener(self):
        heard = []
        with tegula.knobs.autotuning.scope():
            tegula.knobs.autotuning.listener = lambda **what: heard.append(what)
            kernel = tuned_kernel(Bench([3, 1, 2]))
            kernel[grid](np.zeros(10, np.float32), 10)
        self.assertEqual((heard[0]["best_config"], heard[0]["cache_hit"]), (CONFIGS[1], False))
        self.assertIs(heard[0]["fn"], kernel.fn)

    def test_warmup_compiles_all(self):
        kernel = tuned_kernel(Bench([1]))
        compiled = kernel.warmup(np.zeros(10, np.float32), 10, grid=(1,))
        self.assertEqual(len(compiled), 3)

    def test_threads(self):
        bench = Bench([3, 1, 2])
        kernel, barrier, failures = tuned_kernel(bench), threading.Barrier(8), []

        def launch(n):
            try:
                barrier.wait()
                for _ in range(20):
                    kernel[grid](np.zeros(n, np.float32), n)
            except Exception as e:
                failures.append(e)

        threads = [threading.Thread(target=launch, args=(n,)) for n in (10, 20, 10, 20, 10, 20, 10, 20)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual((failures, bench.asked, len(kernel.cache)), ([], 6, 2))

    def test_subclass(self):
        class Mine(tegula.Autotuner):
            def run(self, *args, **kwargs):
                self.ran = True
                return super().run(*args, **kwargs)

        fn = tegula.jit(count_up)
        kernel = Mine(fn, fn.arg_names, CONFIGS, ["n"], None, None, do_bench=Bench([1, 2, 3]))
        kernel[grid](np.zeros(10, np.float32), 10)
        self.assertTrue(kernel.ran)
        self.assertIs(kernel.base_fn, count_up)


class Disk(unittest.TestCase):
    PROGRAM = textwrap.dedent(
        """
        import numpy as np, tegula, tegula.language as tl
        @tegula.autotune([tegula.Config({"B": 8}), tegula.Config({"B": 16})], key=["n"], warmup=1, rep=1)
        @tegula.jit
        def kernel(x, n, B: tl.constexpr):
            i = tl.arange(0, B)
            tl.store(x + i, i, mask=i < n)
        tegula.knobs.autotuning.listener = lambda cache_hit, **_: print("hit" if cache_hit else "measured")
        kernel[(1,)](np.zeros(16, np.float32), 16)
        """
    )

    def run_program(self, directory, program=PROGRAM, **environment):
        path = os.path.join(directory, "program.py")
        with open(path, "w") as f:
            f.write(program)
        package = str(Path(tegula.__file__).parent.parent)
        env = {**os.environ, "PYTHONPATH": package, "TEGULA_CACHE_DIR": os.path.join(directory, "cache"), **environment}
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_across_processes(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(self.run_program(directory), "measured")
            self.assertEqual(self.run_program(directory), "hit")
            self.assertEqual(self.run_program(directory, TEGULA_CACHE_AUTOTUNING="0"), "measured")
            self.assertEqual(self.run_program(directory, TEGULA_CACHE="off"), "measured")
            self.assertEqual(self.run_program(directory, self.PROGRAM.replace("x + i, i", "x + i, i + 1")), "measured")

    def test_damage_is_a_miss(self):
        timings = {config: [float(i)] * 3 for i, config in enumerate(CONFIGS)}
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(tuned, "cache_dir", lambda: directory):
            store = tuned.Store(tegula.jit(count_up), (100,), CONFIGS)
            self.assertIsNone(store.load(CONFIGS))
            for text in ("", "[]", '{"schema": 1, "timings": [[1]]}', '{"schema": 2}', '{"schema": 1, "timings": [["a"], [1], [1]]}', "\0"):
                store.save(timings)
                self.assertEqual(store.load(CONFIGS), timings)
                Path(store.path).write_text(text)
                self.assertIsNone(store.load(CONFIGS), text)

    def test_a_directory_that_cannot_be_written(self):
        with mock.patch.object(tuned, "cache_dir", lambda: "/proc/nowhere"):
            store = tuned.Store(tegula.jit(count_up), (100,), CONFIGS)
            store.save({config: [1.0] for config in CONFIGS})
            self.assertIsNone(store.load(CONFIGS))


class Configs(unittest.TestCase):
    def test_equality(self):
        a, b = tegula.Config({"B": 1}, num_warps=8), tegula.Config({"B": 1}, num_warps=8)
        self.assertEqual(a, b)
        self.assertEqual(len({a, b}), 1)
        self.assertNotEqual(a, tegula.Config({"B": 1}))
        self.assertEqual(str(tegula.Config({"B": 1})), "B: 1, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None, ir_override: None")

    def test_all_kwargs(self):
        self.assertEqual(tegula.Config({"B": 1}, maxnreg=64).all_kwargs(), {"B": 1, "num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": 64})

    def test_pickle(self):
        import pickle

        self.assertEqual(pickle.loads(pickle.dumps(CONFIGS[1])), CONFIGS[1])


class HeuristicsTest(unittest.TestCase):
    def test_values(self):
        @tegula.heuristics({"BLOCK": lambda args: tegula.next_power_of_2(args["n"]), "TWICE": lambda args: args["BLOCK"] * 2})
        @tegula.jit
        def kernel(x, n, BLOCK: tl.constexpr, TWICE: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(x + i, TWICE, mask=i < n)

        x = np.zeros(5, np.int32)
        kernel[(1,)](x, 5)
        self.assertEqual(x.tolist(), [16] * 5)
        self.assertEqual(kernel.arg_names, ["x", "n", "BLOCK", "TWICE"])

    def test_with_autotune(self):
        @tegula.autotune(CONFIGS, key=["n"], do_bench=Bench([2, 1, 3]))
        @tegula.heuristics({"HALF": lambda args: args["BLOCK"] // 2})
        @tegula.jit
        def kernel(x, n, BLOCK: tl.constexpr, HALF: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + i, HALF, mask=i < n)

        x = np.zeros(20, np.int32)
        kernel[grid](x, 20)
        self.assertEqual(x.tolist(), [8] * 20)


class Bar(unittest.TestCase):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def test_after_a_second_on_a_terminal(self):
        for stream, delay, shown in [(self.Terminal(), 0, True), (self.Terminal(), 60, False), (io.StringIO(), 0, False)]:
            with mock.patch.object(progress, "DELAY", delay), mock.patch.dict(os.environ, {"TERM": "xterm"}):
                with progress.Progress("tuning", 2, stream) as bar:
                    bar.step()
                    bar.step()
            self.assertEqual("tuning [========================] 2/2" in stream.getvalue(), shown)
            self.assertTrue(not shown or stream.getvalue().endswith("\r\x1b[K"), "it is wiped at the end")


if __name__ == "__main__":
    unittest.main()
