"""tegula.testing."""

import contextlib
import io
import os
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

import numpy as np

from tegula import testing


class DoBench(unittest.TestCase):
    def test_milliseconds(self):
        took = testing.do_bench(lambda: time.sleep(0.004), warmup=4, rep=12, return_mode="min")
        self.assertGreaterEqual(took, 4)
        self.assertLess(took, 4000)  # what microseconds would be

    def test_modes(self):
        for mode in ("mean", "median", "min", "max"):
            self.assertIsInstance(testing.do_bench(lambda: None, warmup=1, rep=1, return_mode=mode), float)
        self.assertIsInstance(testing.do_bench(lambda: None, warmup=1, rep=1, return_mode="all"), list)
        with self.assertRaisesRegex(ValueError, "return_mode is 'best'"):
            testing.do_bench(lambda: None, return_mode="best")

    def test_quantiles(self):
        low, middle, high = testing.do_bench(lambda: None, warmup=1, rep=1, quantiles=[0, 0.5, 1])
        self.assertTrue(low <= middle <= high)
        self.assertIsInstance(testing.do_bench(lambda: None, warmup=1, rep=1, quantiles=[0.5]), float)

    def test_quantile_arithmetic(self):
        self.assertEqual(testing._quantile([4, 1, 3, 2], [0, 0.5, 1, 0.25]), [1, 2.5, 4, 1.75])
        with self.assertRaises(ValueError):
            testing._quantile([1], [2])

    def test_gradients(self):
        tensor = types.SimpleNamespace(grad=3)
        testing.do_bench(lambda: None, warmup=1, rep=1, grad_to_none=[tensor])
        self.assertIsNone(tensor.grad)

    def test_graphs_without_a_gpu(self):
        self.assertIsInstance(testing.do_bench_cudagraph(lambda: None, rep=1), float)


class AssertClose(unittest.TestCase):
    def test_tolerances(self):
        x = np.ones(4, np.float32)
        testing.assert_close(x, x + 1e-6)
        testing.assert_close(x.astype(np.float16), x.astype(np.float16) + np.float16(5e-3))
        testing.assert_close(x, x + 0.1, atol=0.2)
        testing.assert_close(x, x + 0.1, rtol=lambda dtype: 0.2)
        testing.assert_close(np.float32(np.nan), np.float32(np.nan))
        with self.assertRaises(AssertionError):
            testing.assert_close(x, x + 0.1)
        with self.assertRaises(AssertionError):
            testing.assert_close(np.float32(1), np.float32(2), err_msg="two")


def bench(n, provider, scale=1):
    return {"ours": n * scale, "theirs": (2 * n, n, 3 * n)}[provider]


BENCHMARK = testing.Benchmark(
    x_names=["n"], x_vals=[1, 2, 4], line_arg="provider", line_vals=["ours", "theirs"], line_names=["Ours", "Theirs"],
    plot_name="speed", args={"scale": 2}, ylabel="ms", x_log=True, styles=[("blue", "-"), ("green", "--")],
)  # fmt: skip


class PerfReport(unittest.TestCase):
    def run_it(self, **options):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            result = testing.perf_report(BENCHMARK)(bench).run(**options)
        return result, out.getvalue()

    def test_table(self):
        result, text = self.run_it(print_data=True)
        self.assertIsNone(result)
        lines = text.splitlines()
        self.assertEqual(lines[0], "speed:")
        self.assertEqual(lines[1].split(), ["n", "Ours", "(ms)", "Theirs", "(ms)"])
        self.assertEqual(lines[4].split(), ["2", "4", "8", "8"])

    def test_rows(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            result, _ = self.run_it(return_df=True)
        self.assertEqual(result, [["n", "Ours (ms)", "Theirs (ms)"], [1, 2, 2], [2, 4, 4], [4, 8, 8]])

    def test_files_without_matplotlib(self):
        with tempfile.TemporaryDirectory() as directory, mock.patch.dict(sys.modules, {"matplotlib": None, "matplotlib.pyplot": None}):
            self.run_it(save_path=os.path.join(directory, "new"))
            with open(os.path.join(directory, "new", "speed.csv")) as f:
                self.assertEqual(f.read().splitlines()[:2], ["n,Ours (ms),Theirs (ms)", "1,2,2"])
            self.assertEqual(sorted(os.listdir(os.path.join(directory, "new"))), ["results.html", "speed.csv"])

    def test_plots_with_matplotlib(self):
        figure, axes, plt = mock.Mock(), mock.Mock(), types.ModuleType("matplotlib.pyplot")
        plt.subplots, plt.show, plt.close = lambda: (figure, axes), mock.Mock(), mock.Mock()
        package = types.ModuleType("matplotlib")
        package.pyplot = plt
        with tempfile.TemporaryDirectory() as directory, mock.patch.dict(sys.modules, {"matplotlib": package, "matplotlib.pyplot": plt}):
            self.run_it(save_path=directory, show_plots=True)
            figure.savefig.assert_called_once_with(os.path.join(directory, "speed.png"))
        self.assertEqual([call.kwargs["label"] for call in axes.plot.call_args_list], ["Ours", "Theirs"])
        self.assertEqual(axes.plot.call_args_list[0].args, ([1, 2, 4], [2, 4, 8]))
        axes.fill_between.assert_called_once()
        plt.show.assert_called_once_with()

    def test_several(self):
        result = testing.perf_report([BENCHMARK, BENCHMARK])(bench).run(return_df=True)
        self.assertEqual(len(result), 2)

    def test_x_of_two(self):
        two = testing.Benchmark(["m", "n"], [(1, 2), 3], "k", [1], ["one"], "two", {})
        with mock.patch.dict(sys.modules, {"pandas": None}):
            rows = testing.perf_report(two)(lambda m, n, k: m * 10 + n).run(return_df=True)
        self.assertEqual(rows[1:], [[1, 2, 12], [3, 3, 33]])
        wrong = testing.Benchmark(["m", "n"], [(1, 2, 3)], "k", [1], ["one"], "two", {})
        with self.assertRaisesRegex(ValueError, "2 names of x"):
            testing.perf_report(wrong)(lambda m, n, k: 0).run()


if __name__ == "__main__":
    unittest.main()
