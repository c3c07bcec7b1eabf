"""SYCL devices: their arrays and queues, torch's queue by a fake, and what is said where there is no runtime."""

import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import types
import unittest
from unittest import mock

import numpy as np

import tegula
import tegula.language as tl
from tegula import xpu
from tegula.runtime.driver import XPUDriver


@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@tegula.jit
def append(log, n):
    i = tl.load(log)
    tl.store(log + 1 + i, n)
    tl.store(log, i + 1)


@tegula.jit
def coordinates(visits, counts, X: tl.constexpr, Y: tl.constexpr):
    tl.atomic_add(visits + tl.program_id(0) + X * (tl.program_id(1) + Y * tl.program_id(2)), 1)
    tl.atomic_xchg(counts, tl.num_programs(0))
    tl.atomic_xchg(counts + 1, tl.num_programs(1))
    tl.atomic_xchg(counts + 2, tl.num_programs(2))


class Compiling(unittest.TestCase):
    """These need no device."""

    def test_for_xpu(self):
        signature = {"x": "*fp32:16", "y": "*fp32:16", "out": "*fp32:16", "n": "i32"}
        k = tegula.compile(add, signature=signature, constexprs={"BLOCK": 256}, target="xpu", num_warps=2, threads_per_warp=16)
        self.assertEqual(k.asm["spirv"][:4], b"\x03\x02\x23\x07")
        self.assertIn("OpEntryPoint", k.asm["spvasm"])
        self.assertEqual((k.metadata.target, k.metadata.num_warps, k.metadata.threads_per_warp), ("xpu", 2, 16))
        with self.assertRaisesRegex(tegula.Unsupported, "16 or 32"):
            tegula.compile(add, signature=signature, constexprs={"BLOCK": 256}, target="xpu", threads_per_warp=8).metadata
        with self.assertRaisesRegex(tegula.ArgumentError, "threads_per_warp is 24"):
            tegula.compile(add, signature=signature, constexprs={"BLOCK": 256}, target="xpu", threads_per_warp=24)

    def test_warmup_with_arrays_of_the_cpu(self):
        a = np.zeros(64, np.float32)
        k = add.warmup(a, a, a, 64, BLOCK=64, grid=(1,), target="xpu")
        self.assertEqual(k.metadata.target, "xpu")
        with self.assertRaisesRegex(tegula.DriverError, "not for a device"):
            k.run((1,), a, a, a, 64, 64)

    def test_without_a_runtime(self):
        """The error says what to install; nothing else needs the runtime."""
        text = (
            "import tegula\nfrom tegula import xpu\nassert not xpu.is_available()\n"
            "try:\n    xpu.zeros(4, 'float32')\nexcept tegula.DriverError as e:\n    print(e.code, e)\n"
        )
        env = {**os.environ, "TEGULA_XPU_SHIM": "/nowhere/libtegula_sycl.so"}
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=env, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "no-runtime")
        self.assertRegex(done.stdout, "pip install intel-sycl-rt intel-opencl-rt")

    def test_torch_that_tells_no_queue(self):
        with fake_torch(types.SimpleNamespace()):
            with self.assertRaisesRegex(tegula.StreamError, "does not tell its SYCL queue") as caught:
                append[(1,)](tensor(0x1000, "int32", (4,)), 1)
            self.assertEqual(caught.exception.code, "no-queue")

    def test_a_null_queue(self):
        stream = types.SimpleNamespace(sycl_queue=0)
        with fake_torch(types.SimpleNamespace(xpu=types.SimpleNamespace(current_stream=lambda index: stream))):
            with self.assertRaisesRegex(tegula.StreamError, "null handle") as caught:
                append[(1,)](tensor(0x1000, "int32", (4,)), 1)
            self.assertEqual(caught.exception.code, "null-handle")

    def test_a_queue_of_two_threads(self):
        """Two threads are in one queue's with; the one that came first leaves first."""
        with mock.patch.object(tegula._native, "queue_device", return_value=0):
            queue, other = xpu.Queue.from_handle(0x10), xpu.Queue.from_handle(0x20)
        meet, failed, seen = threading.Barrier(2, timeout=300), [], []

        def first():
            with other:
                with queue:
                    meet.wait()  # one is inside
                    meet.wait()  # both are
                seen.append(xpu.current_queue().handle)
            meet.wait()  # the first has left

        def second():
            meet.wait()
            with queue, other, queue:
                meet.wait()
                meet.wait()
                seen.append(xpu.current_queue().handle)

        def work(part):
            try:
                part()
            except BaseException as e:
                meet.abort()
                failed.append(e)

        threads = [threading.Thread(target=work, args=(part,)) for part in (first, second)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])
        self.assertEqual(seen, [0x20, 0x10])

    def test_mixed(self):
        stream = types.SimpleNamespace(sycl_queue=0)
        with fake_torch(types.SimpleNamespace(xpu=types.SimpleNamespace(current_stream=lambda index: stream))):
            x = tensor(0x1000, "float32", (4,))
            with self.assertRaises(tegula.MixedDevices):
                add[(1,)](x, np.zeros(4, np.float32), x, 4, BLOCK=4)
            with self.assertRaises(tegula.MultipleDevices):
                add[(1,)](x, tensor(0x2000, "float32", (4,), 1), x, 4, BLOCK=4)


class fake_torch:
    """Has sys.modules["torch"] be something else meanwhile."""

    def __init__(self, module):
        self.module = module

    def __enter__(self):
        self.before = sys.modules.get("torch")
        sys.modules["torch"] = self.module

    def __exit__(self, *error):
        if self.before is None:
            del sys.modules["torch"]
        else:
            sys.modules["torch"] = self.before


def tensor(address, dtype, shape, index=0):
    """What a tensor of torch.xpu looks like."""
    return type("Tensor", (), {
        "__module__": "torch", "dtype": f"torch.{dtype}", "shape": shape, "device": types.SimpleNamespace(type="xpu", index=index),
        "data_ptr": lambda self: address, "stride": lambda self: (1,), "is_contiguous": lambda self: True,
    })()  # fmt: skip


@unittest.skipUnless(xpu.is_available(), "there is no SYCL device")
class Launching(unittest.TestCase):
    def test_arrays(self):
        x = xpu.array(np.arange(1000, dtype=np.float32))
        y, out = xpu.array(np.ones(1000, np.float32)), xpu.zeros_like(x)
        self.assertEqual(tegula.array_arg_info(x), ("dlpack", "xpu", 0, "float32", True))
        k = add[(tegula.cdiv(1000, 256),)](x, y, out, 1000, BLOCK=256)
        self.assertEqual(k.target, "xpu")
        np.testing.assert_array_equal(out.numpy(), np.arange(1000) + 1)
        again = xpu.empty((4, 250), tl.float32).copy_from(np.arange(1000, dtype=np.float32).reshape(4, 250))
        np.testing.assert_array_equal(again.numpy(), x.numpy().reshape(4, 250))
        np.testing.assert_array_equal(out.clone().numpy(), out.numpy())
        self.assertEqual(again.stride(), (250, 1))
        self.assertEqual(xpu.zeros((), "int64").numpy()[()], 0)
        self.assertEqual(xpu.zeros((3, 0), np.int8).numpy().shape, (3, 0))

    def test_warmup(self):
        x, out = xpu.array(np.ones(64, np.float32)), xpu.zeros(64, "float32")
        k = add.warmup(x, tl.float32, out, 64, BLOCK=64)
        self.assertEqual(k.target, "xpu")
        self.assertEqual(out.numpy().tolist(), [0] * 64)
        k[(1,)](x, x, out, 64)
        self.assertEqual(out.numpy().tolist(), [2] * 64)

    def test_every_type(self):
        for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
            a = np.arange(8).astype(name)
            self.assertEqual(xpu.array(a).numpy().tolist(), a.tolist())
        with self.assertRaises(tegula.DtypeError):
            xpu.empty(4, "complex64")
        with self.assertRaisesRegex(tegula.DtypeError, "NumPy has no bfloat16"):
            xpu.zeros(4, "bfloat16").numpy()

    def test_refused(self):
        x = xpu.zeros(8, "float32")
        host = np.zeros(8, np.float32)
        with self.assertRaises(tegula.MixedDevices):
            add[(1,)](x, host, x, 8, BLOCK=8)
        with self.assertRaises(tegula.ArgumentError):
            x.copy_from(np.zeros(8))
        with self.assertRaises(tegula.ArgumentError):
            x.copy_from(np.zeros(9, np.float32))
        with self.assertRaises(tegula.NotContiguous):
            x.copy_to(np.zeros(16, np.float32)[::2])
        host.flags.writeable = False
        with self.assertRaisesRegex(tegula.ArgumentError, "read-only"):
            x.copy_to(host)
        with self.assertRaises(tegula.ArgumentError):
            xpu.array([1, 2])
        with self.assertRaises(tegula.ArgumentError):
            xpu.empty(-1, "int8")
        with self.assertRaisesRegex(tegula.DriverError, "no device xpu:60"):
            xpu.empty(1, "int8", device=60)
        with self.assertRaisesRegex(tegula.DriverError, "memory"):
            xpu.empty(1 << 60, "int8")
        with self.assertRaises(tegula.StreamError):
            xpu.Queue.from_handle(0)
        with self.assertRaises(tegula.GridError):
            add[(1, 0)](x, x, x, 8, BLOCK=8)
        with self.assertRaises(tegula.LaunchKeywordError):
            add[(1,)](x, x, x, 8, BLOCK=8, stream=1)

    def test_grids(self):
        for grid in ((7,), (7, 3), (7, 3, 2)):
            whole = (*grid, 1, 1)[:3]
            for form in (grid, list(grid), lambda args: grid):
                visits, counts = xpu.zeros(42, "int32"), xpu.zeros(3, "int32")
                coordinates[form](visits, counts, whole[0], whole[1])
                n = whole[0] * whole[1] * whole[2]
                self.assertEqual(visits.numpy().tolist(), [1] * n + [0] * (42 - n))
                self.assertEqual(counts.numpy().tolist(), list(whole))

    def test_queues(self):
        seen = []
        tegula.knobs.runtime.launch_enter_hook.add(hook := lambda lazy: seen.append(lazy.get()["stream"]))
        try:
            a, b = xpu.Queue(), xpu.Queue()
            logs = {q: xpu.zeros(9, "int32") for q in (a, b)}
            for i, q in enumerate((a, b, b, a, b, a)):
                with q:
                    self.assertIs(xpu.current_queue(), q)
                    append[(1,)](logs[q], i)
            with b, a, b:
                append[(1,)](logs[b], 9)
            append[(1,)](xpu.zeros(9, "int32"), 1)
        finally:
            tegula.knobs.runtime.launch_enter_hook.remove(hook)
        own = xpu.current_queue().handle
        self.assertEqual(seen, [q.handle for q in (a, b, b, a, b, a, b)] + [own])
        results = []
        for q in (a, b):
            with q:
                results.append(logs[q].numpy().tolist())
        self.assertEqual(results, [[3, 0, 3, 5, 0, 0, 0, 0, 0], [4, 1, 2, 4, 9, 0, 0, 0, 0]])
        self.assertEqual(xpu.Queue.from_handle(a.handle).device, 0)

    def test_threads(self):
        """Each thread has a current queue of its own."""
        logs, failed = [xpu.zeros(101, "int32") for _ in range(4)], []

        def work(log):
            try:
                with xpu.Queue():
                    for i in range(100):
                        append[(1,)](log, i)
                    xpu.synchronize()
            except Exception as e:
                failed.append(e)

        threads = [threading.Thread(target=work, args=(log,)) for log in logs]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])
        for log in logs:
            self.assertEqual(log.numpy().tolist(), [100, *range(100)])

    def test_torchs_queue(self):
        """Tensors of torch.xpu are launched on the queue that torch says is current."""
        queue, memory = xpu.Queue(), xpu.zeros(9, "int32")
        stream = types.SimpleNamespace(sycl_queue=queue.handle)
        torch = types.SimpleNamespace(xpu=types.SimpleNamespace(current_stream=lambda index: stream, is_available=lambda: True, current_device=lambda: 0))
        seen = []
        tegula.knobs.runtime.launch_enter_hook.add(hook := lambda lazy: seen.append(lazy.get()["stream"]))
        try:
            with fake_torch(torch):
                log = tensor(memory.data_ptr(), "int32", (9,))
                self.assertEqual(tegula.array_arg_info(log), ("torch", "xpu", 0, "int32", True))
                append[(1,)](log, 5)
                append[(1,)](log, 6)
                driver = XPUDriver()
                self.assertEqual(driver.get_current_stream(0), queue.handle)
                self.assertEqual(str(driver.get_current_target()), "xpu")
        finally:
            tegula.knobs.runtime.launch_enter_hook.remove(hook)
        self.assertEqual(seen, [queue.handle] * 2)
        with queue:
            self.assertEqual(memory.numpy().tolist(), [2, 5, 6, 0, 0, 0, 0, 0, 0])

    def test_sub_groups(self):
        x, out = xpu.array(np.arange(64, dtype=np.float32)), xpu.zeros(64, "float32")
        for lanes in (16, 32):
            k = add[(1,)](x, x, out, 64, BLOCK=64, threads_per_warp=lanes)
            self.assertEqual(k.metadata.threads_per_warp, lanes)
            device = k.metadata.backends["xpu"]["device"]
            self.assertIn(lanes, device["sub_group_sizes"])
            self.assertGreater(device["local_mem_size"], 1 << 14)
            self.assertTrue(device["name"] and device["driver"] and device["api"] in ("opencl", "level_zero"))
            np.testing.assert_array_equal(out.numpy(), 2 * np.arange(64))

    def test_numpy_stays_where_it_is(self):
        """Arrays of NumPy run on the CPU, in place, also where the devices are the program's choice; copies are those that are asked for."""
        text = """
            import numpy as np, tegula, tegula.language as tl
            from tegula import xpu

            @tegula.jit
            def scale(x, n, BLOCK: tl.constexpr):
                i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
                tl.store(x + i, 2 * tl.load(x + i, i < n), i < n)

            assert str(tegula.runtime.driver.active.get_current_target()) == "xpu"
            host = np.ones(1000, np.float32)
            with xpu.Queue():
                assert scale[(8,)](host, 1000, BLOCK=128).target == "cpu"
                assert (host == 2).all()
                there = xpu.array(host)
                assert scale[(8,)](there, 1000, BLOCK=128).target == "xpu"
                assert (host == 2).all()
                assert (there.numpy() == 4).all()
                there.copy_to(host)
                assert (host == 4).all()
        """
        self.run_with_devices(text)

    def test_tuning(self):
        """The active driver is the devices' where the program asks for it, and measures there."""
        text = """
            import numpy as np, tegula, tegula.language as tl
            from tegula import xpu

            @tegula.autotune([tegula.Config({"BLOCK": 64}), tegula.Config({"BLOCK": 256}, num_warps=2)], key=["n"], restore_value=["x"], cache_results=False)
            @tegula.jit
            def scale(x, n, BLOCK: tl.constexpr):
                i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
                tl.store(x + i, 2 * tl.load(x + i, i < n), i < n)

            x = xpu.array(np.ones(1000, np.float32))
            scale[lambda meta: (tegula.cdiv(1000, meta["BLOCK"]),)](x, 1000)
            assert (x.numpy() == 2).all(), x.numpy()
            assert tegula.runtime.driver.active.get_current_target().backend == "xpu"
            print(tegula.runtime.driver.active.utils.get_device_properties(0)["max_shared_mem"])
        """
        self.assertGreater(int(self.run_with_devices(text)), 1 << 14)

    def run_with_devices(self, text):
        """Runs a program whose choice these devices are, and gives what it prints."""
        with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
            f.write(textwrap.dedent(text))
            f.flush()
            env = {**os.environ, "TEGULA_DEFAULT_BACKEND": "xpu"}
            done = subprocess.run([sys.executable, f.name], capture_output=True, text=True, env=env, timeout=1200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
