"""What a process does around launches: forks, threads, signals, faults, its end."""

import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import numpy as np

import tegula
import tegula.language as tl

PRELUDE = """
import os, sys, threading, time
import numpy as np
import tegula
import tegula.language as tl

@tegula.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) + 1, i < n)

@tegula.jit
def spin(out, n):
    x = tl.load(out)
    for i in range(n):
        x = x * 3 + i
    tl.store(out, x)

def launch(n=8):
    x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    add[(1,)](x, y, n, BLOCK=8)
    assert y[:8].tolist() == [1, 2, 3, 4, 5, 6, 7, 8], y
"""


def run(text, timeout=600, **env):
    """What a program does. The limit is one against hanging."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(PRELUDE + textwrap.dedent(text))
        f.flush()
        return subprocess.run([sys.executable, f.name], capture_output=True, text=True, timeout=timeout, env={**os.environ, **env})


class Processes(unittest.TestCase):
    def good(self, text, **env):
        done = run(text, **env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_fork_before_the_first_launch(self):
        out = self.good(
            """
            pid = os.fork()
            launch()
            if pid == 0:
                os._exit(0)
            print(os.waitpid(pid, 0)[1])
            """
        )
        self.assertEqual(out, "0\n")

    def test_fork_after_a_launch(self):
        out = self.good(
            """
            launch()
            pid = os.fork()
            if pid == 0:
                try:
                    for _ in range(3):
                        launch(16)
                except tegula.DriverError as e:
                    os._exit(7 if "fork" in str(e) else 1)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            launch()
            """
        )
        self.assertIn(out, ("0\n", "7\n"))

    def test_forkserver_and_spawn(self):
        self.good(
            """
            import multiprocessing
            if __name__ == "__main__":
                launch()
                for method in ("spawn", "forkserver"):
                    with multiprocessing.get_context(method).Pool(2) as pool:
                        pool.starmap(launch, [()] * 4)
            """
        )

    def test_exit_with_a_launch_on_another_thread(self):
        self.good(
            """
            x = np.ones(1, np.int64)
            threading.Thread(target=lambda: spin[(1,)](x, 2**50), daemon=True).start()
            time.sleep(0.5)
            """
        )

    def test_exit_with_kernels_everywhere(self):
        self.good(
            """
            import atexit
            keep = [add, add[(1,)]]
            launch()
            keep.append(add.warmup(np.zeros(8, np.float32), np.zeros(8, np.float32), 8, BLOCK=8, grid=(1,)))
            atexit.register(launch)
            """
        )

    def test_an_interrupt_stops_a_launch(self):
        for first in ("", "spin[(1,)](x, 10); spin[(1,)](x, 10)\n"):
            with self.subTest(first):
                out = self.good(
                    f"""
                    import signal
                    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
                    x = np.ones(1, np.int64)
                    {first.strip()}
                    try:
                        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
                        spin[(1,)](x, 2**50)
                    except KeyboardInterrupt:
                        print("interrupted")
                    launch()
                    """
                )
                self.assertEqual(out, "interrupted\n")

    def test_faults_are_errors(self):
        out = self.good(
            """
            @tegula.jit
            def far(x, n):
                tl.store(x + n, 1.0)

            x = np.zeros(8, np.float32)
            for n in (0, 0, 1 << 40, 1 << 40):
                try:
                    far[(1,)](x, n * 1)
                    print("ran")
                except tegula.DriverError as e:
                    print(e.code, "'x'" in str(e) or " x:" in str(e))
            launch()
            """,
            TEGULA_CPU="native",
        )
        self.assertEqual(out.splitlines()[:2], ["ran", "ran"])
        if "ran" not in out.splitlines()[2:]:
            self.assertEqual(out.splitlines()[2:], ["memory-fault True"] * 2)

    def test_a_fault_elsewhere_still_ends_the_process(self):
        done = run("launch()\nimport ctypes\nctypes.string_at(8)\n")
        self.assertEqual(done.returncode, -11)

    def test_prints_go_to_sys_stdout(self):
        out = self.good(
            """
            import io
            @tegula.jit
            def show(n):
                tl.device_print("n", n)

            real, sys.stdout = sys.stdout, io.StringIO()
            show[(1,)](42)
            text, sys.stdout = sys.stdout.getvalue(), real
            print("42" in text)
            """
        )
        self.assertEqual(out, "True\n")


@tegula.jit
def spin(out, n):
    x = tl.load(out)
    for i in range(n):
        x = x * 3 + i
    tl.store(out, x)


@tegula.jit
def scale(x, y, n, K: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) * K, i < n)


class Threads(unittest.TestCase):
    def test_others_run_while_a_launch_does(self):
        out, n, steps, took = np.ones(1, np.int64), 1_000_000, 0, 0
        while steps <= 20:
            self.assertLess(took, 60, "nothing else runs for a minute")
            n *= 2
            started = time.perf_counter()
            t = threading.Thread(target=lambda: spin[(1,)](out, n))
            t.start()
            steps = 0
            while t.is_alive():
                steps += 1
                time.sleep(0.001)
            took = time.perf_counter() - started

    def test_many_at_once(self):
        errors = []

        def work(seed):
            try:
                x = np.arange(1000, dtype=np.float32) + seed
                y = np.zeros_like(x)
                for k in range(60):
                    scale[(8,)](x, y, 1000, k % 5, BLOCK=128)
                    if not np.array_equal(y, x * (k % 5)):
                        raise AssertionError((seed, k))
            except BaseException as e:
                errors.append(e)

        threads = [threading.Thread(target=work, args=(s,)) for s in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])


if __name__ == "__main__":
    unittest.main()
