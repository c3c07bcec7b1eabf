"""Measuring kernels and comparing results."""

import math
import statistics
import sys

_MODES = ("min", "max", "mean", "median", "all")


def _quantile(values, quantiles):
    """The quantiles, between two values in proportion."""
    values = sorted(values)

    def at(q):
        if not 0 <= q <= 1:
            raise ValueError("Quantiles must be in the range [0, 1]")
        place = q * (len(values) - 1)
        low, high = values[math.floor(place)], values[math.ceil(place)]
        return low + (high - low) * (place - math.floor(place))

    return [at(q) for q in quantiles]


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        found = _quantile(times, quantiles)
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return times
    summary = {"min": min, "max": max, "mean": statistics.mean, "median": statistics.median}
    return summary[return_mode](times)


def _clear_gradients(tensors):
    for tensor in tensors or ():
        tensor.grad = None


def _check_mode(return_mode):
    if return_mode not in _MODES:
        raise ValueError(f"return_mode is {return_mode!r}; it must be one of {', '.join(_MODES)}")


def _times(device, fn, count):
    """Milliseconds that count calls take together."""
    start, end = device.Event(enable_timing=True), device.Event(enable_timing=True)
    start.record()
    for _ in range(count):
        fn()
    end.record()
    device.synchronize()
    return start.elapsed_time(end)


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Measures a function on the active device.

    warmup, rep     about how long it runs before it is measured, and while it is, in milliseconds
    grad_to_none    tensors whose gradients are dropped before each run
    quantiles       a list: give these quantiles of the times
    return_mode     "mean", "median", "min", "max", or "all" for the list of times

    Gives milliseconds.
    """
    _check_mode(return_mode)
    from .runtime.driver import driver

    active = driver.active
    device = active.get_device_interface()
    fn()
    device.synchronize()
    cache = active.get_empty_cache_for_benchmark()

    def once():
        active.clear_cache(cache)
        fn()

    estimate = max(_times(device, once, 2) / 2, 1e-6)
    for _ in range(min(max(1, int(warmup / estimate)), 1_000_000)):
        fn()
    events = []
    for _ in range(min(max(1, int(rep / estimate)), 1_000_000)):
        _clear_gradients(grad_to_none)
        active.clear_cache(cache)
        start, end = device.Event(enable_timing=True), device.Event(enable_timing=True)
        start.record()
        fn()
        end.record()
        events.append((start, end))
    device.synchronize()
    return _summarize_statistics([start.elapsed_time(end) for start, end in events], quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Measures a function that is recorded in a CUDA graph, so that the cost of launching does not count.

    On a device that has no graphs it is do_bench.
    """
    _check_mode(return_mode)
    from .runtime.driver import driver

    if driver.active.get_current_target().backend != "cuda":
        return do_bench(fn, warmup=1, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)
    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        _clear_gradients(grad_to_none)
        count = max(1, int(rep / max(_times(torch.cuda, fn, 5) / 5, rep / 1000)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                _clear_gradients(grad_to_none)
                fn()
        torch.cuda.synchronize()
        times = [_times(torch.cuda, graph.replay, 1) / count for _ in range(10)]
    return _summarize_statistics(times, quantiles, return_mode)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless two arrays are equal, but for tolerances: numbers, or functions of the element type."""
    import numpy as np

    def tolerance(given, array):
        default = 1e-2 if "16" in str(getattr(array, "dtype", "")) else 1e-5
        if given is None:
            return default
        return given(array.dtype) if callable(given) else given

    a, b = _as_numpy(x), _as_numpy(y)
    atol, rtol = tolerance(atol, x), tolerance(rtol, x)
    if a.size > 1 or b.size > 1:
        np.testing.assert_allclose(a, b, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
    elif not np.allclose(a, b, atol=atol, rtol=rtol, equal_nan=True):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})")


def _as_numpy(value):
    import numpy as np

    if type(value).__module__.partition(".")[0] == "torch":
        value = value.detach().cpu()
        value = value.float() if str(value.dtype) in ("torch.bfloat16",) else value
        return value.contiguous().numpy()
    return np.asarray(value)


class Benchmark:
    """What perf_report runs, and how its plot looks.

    x_names, x_vals     the arguments along x, and their values (a value for all, or a tuple)
    line_arg, line_vals, line_names, styles    the argument that tells the lines apart, its values, what they are called, how they are drawn
    plot_name           the plot's title, and the name of its files
    args                arguments that are the same for all
    xlabel, ylabel, x_log, y_log    the axes
    """

    def __init__(
        self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False, y_log=False, styles=None
    ):
        self.x_names, self.x_vals = x_names, x_vals
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel = xlabel, ylabel
        self.x_log, self.y_log = x_log, y_log
        self.styles = styles


class Mark:
    """A function with its benchmarks."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _rows(self, bench, kwargs):
        """A row for each x: its values, then for each line a time with its bounds."""
        for x in bench.x_vals:
            values = tuple(x) if isinstance(x, (tuple, list)) else (x,) * len(bench.x_names)
            if len(values) != len(bench.x_names):
                raise ValueError(f"{len(bench.x_names)} names of x ({', '.join(bench.x_names)}), and {len(values)} values: {x}")
            lines = []
            for line in bench.line_vals:
                result = self.fn(**dict(zip(bench.x_names, values)), **{bench.line_arg: line}, **bench.args, **kwargs)
                lines.append(result if isinstance(result, (tuple, list)) else (result, None, None))
            yield values, lines

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        rows = list(self._rows(bench, kwargs))
        unit = f" ({bench.ylabel})" if bench.ylabel else ""
        header = [*bench.x_names, *(name + unit for name in bench.line_names)]
        table = [[*values, *(line[0] for line in lines)] for values, lines in rows]
        if diff_col and len(bench.line_names) == 2:
            header.append("Diff")
            for row in table:
                row.append(row[-1] - row[-2])
        if save_path:
            _write_csv(save_path, bench.plot_name, header, table, save_precision)
        if save_path or show_plots:
            _plot(bench, rows, save_path, show_plots)
        if print_data:
            print(bench.plot_name + ":")
            print(_text(header, table))
        return _frame(header, table)

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Runs the benchmarks: prints a table, writes NAME.csv and NAME.png below save_path, shows the plots; each if asked to.
        With return_df it gives the results: a pandas DataFrame, where pandas is there, else rows with a header."""
        import os

        if save_path:
            os.makedirs(save_path, exist_ok=True)
        single = isinstance(self.benchmarks, Benchmark)
        results = [
            self._run(bench, save_path, show_plots, print_data, **kwargs) for bench in ([self.benchmarks] if single else self.benchmarks)
        ]
        if save_path:
            _write_index(save_path, [self.benchmarks] if single else self.benchmarks)
        if return_df:
            return results[0] if single else results
        return None


def _number(value, precision=6):
    return f"{value:.{precision}f}" if isinstance(value, float) else str(value)


def _text(header, table):
    cells = [["", *header], *([str(i), *map(_number, row)] for i, row in enumerate(table))]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)


def _write_csv(directory, name, header, table, precision):
    import csv
    import os

    with open(os.path.join(directory, name + ".csv"), "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(header)
        writer.writerows([_number(value, precision) for value in row] for row in table)


def _write_index(directory, benchmarks):
    """A page that shows the plots."""
    import html
    import os

    with open(os.path.join(directory, "results.html"), "w", encoding="utf-8") as f:
        images = "".join(f'<image src="{html.escape(bench.plot_name)}.png"/>\n' for bench in benchmarks)
        f.write(f"<html><body>\n{images}</body></html>\n")


def _frame(header, table):
    pandas = sys.modules.get("pandas")
    if pandas is None:
        try:
            import pandas
        except ImportError:
            return [header, *table]
    return pandas.DataFrame(table, columns=header)


def _plot(bench, rows, save_path, show_plots):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print(f"{bench.plot_name}: no plot, because matplotlib is not installed", file=sys.stderr)
        return
    import os

    figure, axes = plt.subplots()
    xs = [values[0] for values, _ in rows]
    for i, name in enumerate(bench.line_names):
        color, style = bench.styles[i] if bench.styles else (None, None)
        ys = [lines[i] for _, lines in rows]
        axes.plot(xs, [y[0] for y in ys], label=name, color=color, linestyle=style)
        if all(len(y) > 2 and y[1] is not None and y[2] is not None for y in ys):
            low, high = [min(y[1:3]) for y in ys], [max(y[1:3]) for y in ys]
            axes.fill_between(xs, low, high, alpha=0.15, color=color)
    axes.set_title(bench.plot_name)
    axes.set_xlabel(bench.xlabel or bench.x_names[0])
    axes.set_ylabel(bench.ylabel)
    axes.set_xscale("log" if bench.x_log else "linear")
    axes.set_yscale("log" if bench.y_log else "linear")
    axes.legend()
    if save_path:
        figure.savefig(os.path.join(save_path, bench.plot_name + ".png"))
    if show_plots:
        plt.show()
    plt.close(figure)


def perf_report(benchmarks):
    """Makes a benchmark of a function: its run method calls it for each x and line of one Benchmark, or of each of a list."""
    return lambda fn: Mark(fn, benchmarks)


def nvsmi(attrs):
    """What nvidia-smi says of the first GPU, as integers."""
    import subprocess

    out = subprocess.check_output(["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs), "--format=csv,noheader,nounits"])
    return [int(word) for word in out.decode().split(",")]


def get_dram_gbps(device=None):
    """The memory bandwidth of a GPU, in GB/s."""
    from .runtime.driver import driver

    props = driver.active.utils.get_device_properties(driver.active.get_current_device() if device is None else device)
    return props["mem_clock_rate"] * props["mem_bus_width"] * 2 / 1e6 / 8


def _element_bits(dtype):
    digits = "".join(c for c in str(getattr(dtype, "name", dtype)).partition("e")[0] if c.isdigit())
    return int(digits or 32)


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """The most TFLOP/s that the tensor cores of a GPU can do at a clock rate, in kHz."""
    from .runtime.driver import driver

    active = driver.active
    props = active.utils.get_device_properties(active.get_current_device() if device is None else device)
    major, _ = active.get_device_capability(device)
    per_core = {7: 256, 8: 512, 9: 1024, 10: 2048, 12: 1024}.get(major, 512)  # of 16-bit elements, each clock
    scale = {8: 2.0, 16: 1.0, 32: 0.5}.get(_element_bits(dtype), 0.5)
    return props["multiprocessor_count"] * 4 * per_core * scale * clock_rate / 1e9


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The most TFLOP/s that the other units of a GPU can do at a clock rate, in kHz."""
    from .runtime.driver import driver

    active = driver.active
    props = active.utils.get_device_properties(active.get_current_device() if device is None else device)
    per_core = 64 if _element_bits(dtype) == 32 else 128
    return props["multiprocessor_count"] * 4 * per_core * clock_rate / 1e9


def cuda_memcheck(**target_kwargs):
    """Accepted, as a decorator; tegula.check finds more."""
    return lambda fn: fn
