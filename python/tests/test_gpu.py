"""Launches on GPUs: with a library that plays the driver's, and fakes of frameworks' arrays."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import tegula
import tegula.language as tl

PRELUDE = """
import ctypes, os, struct, time
import tegula, tegula.language as tl

class Device:
    type = "cuda"
    def __init__(self, index): self.index = self.id = index

def array(address, package="torch", index=0, n=64):
    return type("array", (), {
        "__module__": package, "shape": (n,), "dtype": "torch.float32", "device": Device(index), "data_ptr": lambda self: address,
        "stride": lambda self: (1,), "is_contiguous": lambda self: True,
        "__cuda_array_interface__": {"shape": (n,), "typestr": "<f4", "data": (address, False), "version": 3},
    })()

class Launch(ctypes.Structure):
    _fields_ = [("context", ctypes.c_uint64), ("stream", ctypes.c_uint64), ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3),
                ("shared", ctypes.c_uint32), ("size", ctypes.c_uint64), ("params", ctypes.c_uint8 * 256)]

lib = ctypes.CDLL(os.environ["TEGULA_LIBCUDA"])
launches = (Launch * 64).in_dll(lib, "fake_launches")
count = ctypes.c_int.in_dll(lib, "fake_count")
result = ctypes.c_int.in_dll(lib, "fake_result")

@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)

x, y, out = array(0x7f0000000000), array(0x7f0000001000), array(0x7f0000002000)
"""


@unittest.skipUnless(shutil.which("cc"), "there is no C compiler to make the library with")
class GPU(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.library = Path(cls.directory.name) / "libcuda.so"
        source = Path(__file__).with_name("fake_cuda.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", cls.library, source], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def good(self, text):
        file = Path(self.directory.name) / "program.py"
        file.write_text(PRELUDE + textwrap.dedent(text))
        env = {**os.environ, "TEGULA_LIBCUDA": str(self.library), "TEGULA_CACHE": "off"}
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=env, timeout=1200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_launch(self):
        out = self.good(
            """
            for n in (64, 64, 100, 100):
                k = add[(3, 2)](x, y, out, n, BLOCK=64, num_warps=8)
            assert count.value == 4
            for n, l in zip((64, 64, 100, 100), launches):
                assert list(l.grid) == [3, 2, 1] and list(l.block) == [256, 1, 1], list(l.block)
                assert l.context == 0x1000 and l.stream == 1
                assert struct.unpack_from("<QQQi", bytes(l.params)) == (0x7f0000000000, 0x7f0000001000, 0x7f0000002000, n)
            assert k.asm["cubin"] == b"\\x7fELF\\0cod", k.asm["cubin"]  # what the fake makes of PTX
            print(k.target, k.function)
            """
        )
        self.assertEqual(out, f"cuda:90a {0x4000}\n")

    def test_the_arrays_choose_the_device(self):
        self.good(
            """
            for i in range(2):
                a = array(0x7f0000000000, index=1)
                add[(1,)](a, a, a, 64, BLOCK=64)
            assert [l.context for l in launches[:2]] == [0x1001, 0x1001]
            """
        )

    def test_contexts(self):
        """A launch finds its device's context, whatever is current on the thread, and leaves that as it was."""
        self.good(
            """
            import threading
            a, b = array(0x7f0000000000), array(0x7f0000000000, index=1)
            current = ctypes.c_void_p()
            def work():
                for context in (None, 0x1000, 0x1001, 0x7777):
                    for x, own in ((a, 0x1000), (b, 0x1001)):
                        lib.cuCtxSetCurrent(ctypes.c_void_p(context))
                        add[(1,)](x, x, x, 64, BLOCK=64)
                        assert launches[count.value - 1].context == own, (context, own)
                        lib.cuCtxGetCurrent(ctypes.byref(current))
                        assert current.value == (context or own), (context, own)
            work()
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            assert count.value == 16, count.value
            """
        )

    def test_the_exchange_api(self):
        """A launch asks for each array once, wherever the one before was; a tensor that the API has not got is asked for its attributes."""
        self.good(
            """
            class Tensor(ctypes.Structure):
                _fields_ = [("object", ctypes.c_void_p), ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("index", ctypes.c_int32),
                            ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                            ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]
            tensors = (Tensor * 16).in_dll(lib, "fake_tensors")
            looks = ctypes.c_int.in_dll(lib, "fake_looks")
            capsule = ctypes.pythonapi.PyCapsule_New
            capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
            api = capsule(ctypes.addressof(ctypes.c_char.in_dll(lib, "fake_exchange")), b"dlpack_exchange_api", None)
            base = type(array(0x7f0000003000))
            T = type("Tensor", (base,), {"__module__": "torch", "__dlpack_c_exchange_api__": api})
            shape = (ctypes.c_int64 * 1)(64)
            memory = (ctypes.c_float * 64)(*range(64))
            def tensor(i, address, device, index=0):
                t = T()
                tensors[i] = Tensor(id(t), address, device, index, 1, 2, 32, 1, ctypes.addressof(shape), None, 0)
                return t
            host = tensor(0, ctypes.addressof(memory), 1)
            one, two = tensor(1, 0x7f0000000000, 2), tensor(2, 0x7f0000001000, 2, 1)
            odd = tensor(3, 0x7f0000001004, 2, 1)
            def launch(t, n):
                before = looks.value
                k = add[(1,)](t, t, t, n, BLOCK=64)
                return k, looks.value - before, launches[count.value - 1]
            for n in (64, 1, 17):  # each divisible by 16, equal to one, or neither
                kinds = set()
                for t in (host, one, host, two, odd, one):
                    launch(t, n)
                for t, index in ((one, 0), (two, 1), (odd, 1)):
                    k, asked, l = launch(t, n)
                    assert asked == 3 and l.stream == 0x5000 + index and l.context == 0x1000 + index, (n, asked, hex(l.stream))
                    kinds.add(k.asm["ttir"])
                assert len(kinds) == 2, n  # what is known of the addresses and of n is the same for host and device, but for odd
                launch(host, n)
                assert launch(host, n)[1] == 3
            assert memory[:2] == [0.0, 2.0 ** 8], memory[:2]  # doubled by the launches with n = 64 and 17
            lost = T()
            k, asked, l = launch(lost, 64)
            assert struct.unpack_from("<Q", bytes(l.params)) == (0x7f0000003000,) and l.context == 0x1000
            """
        )

    def test_warmup(self):
        """What is only compiled is compiled for where its arrays are; types stand for arrays of the device that is active."""
        self.good(
            """
            f = tl.float32
            second = array(0x7f0000000000, index=1)
            for compiled in (add.warmup(x, y, out, 64, BLOCK=64, grid=(1,)), add.warmup(f, f, f, 64, BLOCK=64, grid=(1,)), add.warmup(x, f, f, 64, BLOCK=64),
                             add.run(x, y, out, 64, BLOCK=64, grid=(1,), warmup=True)):
                assert compiled.target == "cuda:90a" and "ptx" in compiled.asm, compiled
                assert count.value == 0
            compiled[(2,)](x, y, out, 64)
            assert count.value == 1 and launches[0].context == 0x1000
            add.warmup(second, f, f, 64, BLOCK=64)[(2,)](second, second, second, 64)
            assert count.value == 2 and launches[1].context == 0x1001
            host = type("array", (), {"__array_interface__": {"shape": (64,), "typestr": "<f4", "data": (64, False), "version": 3}})()
            assert add.warmup(host, f, host, 64, BLOCK=64).target == "cpu"
            assert add.warmup(host, host, host, 64, BLOCK=64, target="cuda:80").target == "cuda:80"
            for arrays, error in (((x, host, out), tegula.MixedDevices), ((x, second, out), tegula.MultipleDevices)):
                try:
                    add.warmup(*arrays, 64, BLOCK=64)
                except error:
                    continue
                raise AssertionError(error)
            assert count.value == 2
            """
        )

    @unittest.skipIf(importlib.util.find_spec("triton"), "Triton is installed")
    def test_without_triton(self):
        out = self.good(
            """
            try:
                add[(3,)](x, y, out, 64, BLOCK=64, backend_name="cuda-mlir")
            except tegula.DriverError as e:
                assert e.code == "no-triton" and "TEGULA_TRITON_PYTHON" in str(e), e
            else:
                raise AssertionError("it was not refused")
            assert add[(3,)](x, y, out, 64, BLOCK=64).target == "cuda:90a"
            """
        )
        self.assertEqual(out, "")

    @unittest.skipUnless(importlib.util.find_spec("triton"), "Triton is not installed")
    def test_by_triton(self):
        """backend_name="cuda-mlir" has Triton's compiler make the code, which then is another variant."""
        out = self.good(
            """
            for _ in range(2):
                add[(3,)](x, y, out, 64, BLOCK=64)
                k = add[(3,)](x, y, out, 64, BLOCK=64, num_warps=8, backend_name="cuda-mlir")
                l = launches[count.value - 1]
                assert k.target == "cuda-mlir:90a" and "ttgir" in k.asm, k
                assert list(l.grid) == [3, 1, 1] and list(l.block) == [256, 1, 1] and l.context == 0x1000 and l.stream == 1
                assert struct.unpack_from("<QQQiQQ", bytes(l.params)[:28] + bytes(20))[:4] == (0x7f0000000000, 0x7f0000001000, 0x7f0000002000, 64)
                assert l.size in (32, 40, 48), l.size  # with the addresses that Triton's functions take
            assert add[(3,)](x, y, out, 64, BLOCK=64).target == "cuda:90a"
            assert add[(3,)](x, y, out, 64, BLOCK=64, backend_name="cuda").target == "cuda:90a"  # as others' options say
            assert add.warmup(x, y, out, 64, BLOCK=64, target="cuda:90a", backend_name="cuda-mlir").target == "cuda-mlir:90a"
            class Host: __array_interface__ = {"shape": (64,), "typestr": "<f4", "data": (ctypes.addressof((ctypes.c_float * 64)()), False), "version": 3}
            for refused, code in ((lambda: add[(3,)](Host(), Host(), Host(), 64, BLOCK=64, backend_name="cuda-mlir"), "not-cuda"),
                                  (lambda: add.warmup(x, y, out, 64, BLOCK=64, target="xpu", backend_name="cuda-mlir"), "not-cuda")):
                try:
                    refused()
                except tegula.ArgumentError as e:
                    assert e.code == code, e
                else:
                    raise AssertionError("it was not refused")
            """
        )
        self.assertEqual(out, "")

    def test_arrays_of_jax(self):
        """They are waited for before a launch, and the launch afterwards: their streams are nobody else's."""
        out = self.good(
            """
            waits = ctypes.c_int.in_dll(lib, "fake_waits")
            done = []
            def jax_array():
                a = array(0x7f0000000000, "jax")
                type(a).unsafe_buffer_pointer = lambda self: 0x7f0000000000
                type(a).block_until_ready = lambda self: done.append(count.value)
                return a
            a = jax_array()
            for _ in range(2):
                add[(1,)](a, a, a, 64, BLOCK=64)
            print(done, waits.value, count.value)
            def fails(self): raise ValueError("not computed")
            b = jax_array()
            type(b).block_until_ready = fails
            try:
                add[(1,)](a, b, a, 64, BLOCK=64)
            except ValueError as e:
                print(e, count.value)
            """
        )
        self.assertEqual(out, "[0, 0, 0, 1, 1, 1] 2 2\nnot computed 2\n")

    def test_an_array_that_names_its_stream(self):
        out = self.good(
            """
            def foreign(stream):
                a = array(0x7f0000000000, "mine")
                type(a).__cuda_array_interface__["stream"] = stream
                return a
            a, b, c = foreign(0x5000), foreign(None), foreign(2)
            add[(1,)](a, a, a, 64, BLOCK=64)
            add[(1,)](b, b, b, 64, BLOCK=64)
            add[(1,)](c, c, c, 64, BLOCK=64)
            print([l.stream for l in launches[:3]])
            try:
                add[(1,)](a, c, a, 64, BLOCK=64)
            except tegula.ArgumentError as e:
                print("different streams" in str(e))
            """
        )
        self.assertEqual(out, f"[{0x5000}, 1, 2]\nTrue\n")

    def test_what_the_driver_refuses(self):
        out = self.good(
            """
            for code in (0, 700):
                result.value = code
                try:
                    add[(1,)](x, y, out, 64, BLOCK=64)
                except tegula.DriverError as e:
                    print("700" in str(e) and "CUDA_ERROR_OF_THE_FAKE" in str(e))
            """
        )
        self.assertEqual(out, "True\n")

    def test_grid_limits(self):
        out = self.good(
            """
            for grid in ((1, 65535), (1, 65536)):
                try:
                    add[grid](x, y, out, 64, BLOCK=64)
                    print("launched")
                except tegula.GridError as e:
                    print(e.code)
            """
        )
        self.assertEqual(out, "launched\ntoo-large\n")

    def test_devices(self):
        self.assertEqual(self.good("print([d['name'] for d in tegula.devices() if d['backend'] == 'cuda'])"), "['fake', 'fake']\n")

    def test_the_current_stream(self):
        self.good(
            """
            import sys, types
            cupy = types.ModuleType("cupy")
            cupy.cuda = sys.modules["cupy.cuda"] = types.ModuleType("cupy.cuda")
            sys.modules["cupy"] = cupy
            class Stream: ptr = 0x5000
            cupy.cuda.get_current_stream = lambda device_id: Stream
            a = array(0x7f0000000000, "cupy")
            for ptr in (0x5000, 0x6000, 0):
                Stream.ptr = ptr
                add[(1,)](a, a, a, 64, BLOCK=64)
            assert [l.stream for l in launches[:3]] == [0x5000, 0x6000, 1], [l.stream for l in launches[:3]]
            """
        )


try:
    import torch
except ImportError:
    torch = None


@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@unittest.skipUnless(torch and torch.cuda.is_available(), "there is no GPU that torch sees")
class RealGPU(unittest.TestCase):
    def test_add(self):
        for n in (1, 1000, 1 << 20):
            x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
            out = torch.empty_like(x)
            compiled = add[lambda meta: (tegula.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=1024)
            self.assertTrue(torch.equal(out, x + y))
        self.assertTrue(compiled.target.startswith("cuda:"))

    def test_the_streams_order(self):
        """Producer, kernel and consumer on a stream of their own, with much before them, and no synchronization."""
        n = 1 << 22
        for stream in (torch.cuda.Stream(), torch.cuda.current_stream()):
            with torch.cuda.stream(stream):
                for _ in range(10):
                    x = torch.rand(n, device="cuda")
                    for _ in range(20):
                        x = x * 1.0001
                    out = torch.empty_like(x)
                    add[(tegula.cdiv(n, 1024),)](x, x, out, n, BLOCK=1024)
                    consumed = out - x
                    self.assertTrue(torch.allclose(consumed, x))
        torch.cuda.synchronize()

    def test_mixed(self):
        x = torch.zeros(64, device="cuda")
        with self.assertRaises(tegula.MixedDevices):
            add[(1,)](x, x.cpu(), x, 64, BLOCK=64)
        self.assertEqual(tuple(tegula.array_arg_info(x)), ("torch", "cuda", 0, "float32", True))

    def test_graphs(self):
        n = 1 << 16
        x, out = torch.rand(n, device="cuda"), torch.zeros(n, device="cuda")
        add[(64,)](x, x, out, n, BLOCK=1024)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            add[(64,)](x, x, out, n, BLOCK=1024)
        x.fill_(3)
        graph.replay()
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(out, torch.full_like(out, 6)))


if __name__ == "__main__":
    unittest.main()
