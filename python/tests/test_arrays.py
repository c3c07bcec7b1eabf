"""Arrays of every framework, real ones where they are installed, and fakes."""

import array
import ctypes
import subprocess
import sys
import unittest
import unittest.mock

import numpy as np

import tegula
import tegula.language as tl

try:
    import torch
except ImportError:
    torch = None


try:
    import jax
except ImportError:
    jax = None


@tegula.jit
def double(x, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * 2, i < n)


@tegula.jit
def copy(x, y, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n), i < n)


@tegula.jit(strict=True)
def strict(x, n):
    i = tl.arange(0, 64)
    tl.store(x + i, 1, i < n)


def fake(package, **attributes):
    """An object whose class says that it is of a package."""
    return type("array", (), {"__module__": package, **attributes})()


class Exporter:
    """An array that has nothing but DLPack's protocol, and answers as it is told."""

    def __init__(self, array, answer=lambda array, **asked: array.__dlpack__(**asked)):
        self.array, self.answer = array, answer

    def __dlpack__(self, **asked):
        return self.answer(self.array, **asked)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def interface(array, **changes):
    """An object that has nothing but the array interface."""
    return type("array", (), {"__array_interface__": {**array.__array_interface__, **changes}, "array": array})()


def read_only(array):
    array.setflags(write=False)
    return array


def cuda_interface(array, pointer=0x7F0000000000, typestr="<f4"):
    return {"shape": array.shape, "typestr": typestr, "data": (pointer, False), "version": 3, "strides": None}


class Device:
    def __init__(self, type, index=0):
        self.type, self.index, self.id = type, index, index

    def __str__(self):
        return f"{self.type}:{self.index}"


def fake_torch(device="cuda", index=0, dtype="float32", contiguous=True):
    return fake(
        "torch",
        shape=(4, 4),
        dtype=f"torch.{dtype}",
        device=Device(device, index),
        data_ptr=lambda self: 0x7F0000000000,
        stride=lambda self: (4, 1) if contiguous else (1, 4),
        is_contiguous=lambda self: contiguous,
    )


def fake_cupy(index=0, typestr="<f4"):
    return fake("cupy", device=Device("cuda", index), shape=(4,), __cuda_array_interface__=cuda_interface(np.zeros(4, np.float32), typestr=typestr))


class Info(unittest.TestCase):
    def check(self, value, *want):
        self.assertEqual(tuple(tegula.array_arg_info(value)), want)

    def test_numpy(self):
        self.check(np.zeros((2, 3), np.float32), "numpy", "cpu", 0, "float32", True)
        self.check(np.zeros((2, 3), np.int8).T, "numpy", "cpu", 0, "int8", False)
        self.check(np.zeros((2, 3), bool), "numpy", "cpu", 0, "bool", True)
        self.check(np.zeros((2, 1), np.float32, order="F"), "numpy", "cpu", 0, "float32", True)
        self.check(np.zeros((0, 3), np.float32).T, "numpy", "cpu", 0, "float32", True)
        self.check(np.zeros(3, complex), "numpy", "cpu", 0, "complex128", True)
        self.check(np.zeros(()), "numpy", "cpu", 0, "float64", True)
        self.check(np.zeros(3, np.float32).view(type("sub", (np.ndarray,), {})), "numpy", "cpu", 0, "float32", True)

    def test_every_dtype_of_numpy(self):
        for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
            self.check(np.zeros(3, name), "numpy", "cpu", 0, name, True)
        for code in "bBhHiIlLqQ":
            a = np.zeros(3, code)
            self.check(a, "numpy", "cpu", 0, a.dtype.name, True)

    @unittest.skipUnless(torch, "there is no torch")
    def test_torch(self):
        self.check(torch.zeros(2, 3), "torch", "cpu", 0, "float32", True)
        self.check(torch.zeros(2, 3, dtype=torch.bfloat16).T, "torch", "cpu", 0, "bfloat16", False)
        self.check(torch.zeros(3, requires_grad=True), "torch", "cpu", 0, "float32", True)
        self.check(torch.nn.Parameter(torch.zeros(3)), "torch", "cpu", 0, "float32", True)
        for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float8_e4m3fn float8_e5m2".split():
            self.check(torch.zeros(3, dtype=getattr(torch, name)), "torch", "cpu", 0, name, True)

    def test_fakes(self):
        self.check(fake_torch(), "torch", "cuda", 0, "float32", True)
        self.check(fake_torch("cpu", contiguous=False), "torch", "cpu", 0, "float32", False)
        self.check(fake_torch("xpu", 1, "bfloat16"), "torch", "xpu", 1, "bfloat16", True)
        self.check(fake_cupy(2), "cupy", "cuda", 2, "float32", True)
        self.check(fake("jax", shape=(3,), dtype="float16", device=Device("gpu", 1), unsafe_buffer_pointer=lambda self: 64), "jax", "cuda", 1, "float16", True)
        a = np.arange(4, dtype=np.int16)
        self.check(fake("mine", __array_interface__=a.__array_interface__), "numpy", "cpu", 0, "int16", True)
        self.check(fake("mine", __cuda_array_interface__=cuda_interface(a, typestr="<i2")), "cupy", "cuda", 0, "int16", True)

    def test_poor_fakes(self):
        """What says only what it is can be told, if not launched on."""

        class Fake:
            def __init__(self, **attributes):
                self.__dict__.update(attributes)

        def of(package, **attributes):
            return type("ndarray", (Fake,), {"__module__": package})(**attributes)

        from types import SimpleNamespace as Space

        self.check(of("torch", shape=(3,), dtype="torch.float16", device="cuda:1", is_contiguous=lambda: False), "torch", "cuda", 1, "float16", False)
        self.check(of("torch", shape=(3,), dtype=Space(name="int32"), device=Space(type="cpu", index=None)), "torch", "cpu", 0, "int32", True)
        self.check(of("cupy._core.core", shape=(3,), dtype=np.dtype("int8"), device=Space(id=3), flags=Space(c_contiguous=False)), "cupy", "cuda", 3, "int8", False)
        self.check(of("numpy", shape=(3,), dtype=np.dtype("int8"), flags=Space(c_contiguous=True)), "numpy", "cpu", 0, "int8", True)
        self.check(of("jaxlib.xla_extension", shape=(3,), dtype=np.dtype("float32"), devices=lambda: [Space(platform="gpu", id=1)]), "jax", "cuda", 1, "float32", True)
        with self.assertRaises(tegula.ArgumentError) as caught:
            double[(1,)](of("torch", shape=(3,), dtype="torch.float16", device="cpu"), 3)
        self.assertEqual(caught.exception.code, "no-memory")

    @unittest.skipUnless(jax, "there is no JAX")
    def test_jax(self):
        """What JAX computes on threads of its own is there when a kernel reads it."""
        import jax.numpy as jnp

        with jax.default_device(jax.devices("cpu")[0]):
            slow = jax.jit(lambda x, m: x + (jnp.linalg.matrix_power(m, 30)[0, 0] * 0))
            m = jnp.full((400, 400), 1e-4)
            for k in range(5):
                x, y = slow(jnp.arange(64.0) + k, m), jnp.zeros(64) + k
                copy[(1,)](x, y, 64)
                np.testing.assert_array_equal(np.asarray(y + 1), np.arange(64.0) + k + 1)
            self.check(jnp.zeros((2, 3), jnp.bfloat16), "jax", "cpu", 0, "bfloat16", True)
            x.delete()
            with self.assertRaises(tegula.ArgumentError) as caught:
                copy[(1,)](x, y, 64)
            self.assertEqual(caught.exception.code, "no-memory")

    def test_dlpack(self):
        a = np.arange(6, dtype=np.float32)
        wrapped = fake("mine", __dlpack__=lambda self, **kw: a.__dlpack__(**kw), __dlpack_device__=lambda self: a.__dlpack_device__())
        self.check(wrapped, "dlpack", "cpu", 0, "float32", True)
        double[(1,)](wrapped, 6)
        self.assertEqual(a.tolist(), [0, 2, 4, 6, 8, 10])

    def test_what_is_no_array(self):
        for value in (None, 1, 1.5, True, "x", (1, 2), [1], {}, object(), np.float32, np.float32(1), np.int64(3), np, int, lambda: 0):
            self.assertIsNone(tegula.array_arg_info(value), repr(value))

    def test_no_framework_is_imported(self):
        code = "import sys, tegula; tegula.array_arg_info(object()); print([m for m in ('torch', 'numpy', 'cupy', 'jax') if m in sys.modules])"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout, "[]\n")


class Memory(unittest.TestCase):
    def test_zero_copy(self):
        a = np.arange(100, dtype=np.float32)
        double[(2,)](a, 100)
        self.assertEqual(a.tolist(), [2 * i for i in range(100)])
        view = a[10:20]
        double[(1,)](view, 10)
        self.assertEqual((a[9], a[10], a[19], a[20]), (18, 40, 76, 40))

    def test_strided_passes_its_base(self):
        a = np.arange(12, dtype=np.float32).reshape(3, 4)
        double[(1,)](a[:, 1], 1)
        self.assertEqual(a[0].tolist(), [0, 2, 2, 3])

    def test_strict(self):
        strict[(1,)](np.zeros(3, np.int32), 3)
        with self.assertRaises(tegula.NotContiguous) as caught:
            strict[(1,)](np.zeros((3, 3), np.int32).T, 3)
        self.assertIn("'x'", str(caught.exception))

    def test_backwards(self):
        """What lies in front of the address is the array's, too."""

        @tegula.jit
        def step(x, y, stride, n):
            for i in range(n):
                tl.store(y + i, tl.load(x + i * stride) + 1)

        for view in (lambda a: a[40::-1], lambda a: interface(a[40::-1]), lambda a: Exporter(a[40::-1])):
            for _ in range(3):  # the last ones are direct
                a = np.arange(64.0, dtype=np.float32)
                want = a.copy()
                for i in range(40):
                    want[8 + i] = want[40 - i] + 1
                step[(1,)](view(a), a[8:48], -1, 40)
                np.testing.assert_array_equal(a, want)
        a = np.arange(8.0)
        with tegula.check():
            step[(1,)](a[::-1], np.zeros(8), -1, 8)
            with self.assertRaisesRegex(tegula.CheckError, "element -8 of x, which has 8 elements, 7 of them in front of its address"):
                step[(1,)](a[::-1], np.zeros(9), -1, 9)
            with self.assertRaisesRegex(tegula.CheckError, "element 1 of x"):
                step[(1,)](a[::-1], np.zeros(9), 1, 9)
        planes = np.arange(24.0).reshape(2, 3, 4)[::-1, :, ::-1]
        with tegula.check():
            out = np.zeros(1)
            step[(1,)](planes, out, 0, 1)
            self.assertEqual(out[0], planes[0, 0, 0] + 1)

    def test_dlpack(self):
        """Versions of the protocol, and exporters that say no."""
        for answer in (
            lambda a, **asked: a.__dlpack__(),
            lambda a, **asked: a.__dlpack__(max_version=(1, 0)),
            lambda a, stream=None, max_version=None: a.__dlpack__(max_version=max_version),
        ):
            a = np.ones(4, np.float32)
            double[(1,)](Exporter(a, answer), 4)
            self.assertEqual(a.tolist(), [2.0] * 4)

        def old(a, stream=None):
            return a.__dlpack__()

        a = np.ones(4, np.float32)
        double[(1,)](Exporter(a, old), 4)
        self.assertEqual(a.tolist(), [2.0] * 4)

        def refuses(a, **asked):
            raise BufferError("not today")

        with self.assertRaisesRegex(BufferError, "not today"):
            double[(1,)](Exporter(a, refuses), 4)
        with self.assertRaisesRegex(tegula.ArgumentError, "a copy of its memory"):
            double[(1,)](Exporter(a, lambda a, **asked: a.__dlpack__(max_version=(1, 0), copy=True)), 4)

    def test_read_only(self):
        for view in (lambda a: a, interface, Exporter):
            a = read_only(np.ones(4, np.float32))
            with self.assertRaises(tegula.ArgumentError) as e:
                double[(1,)](view(a), 4)
            self.assertEqual(e.exception.code, "read-only-array")
            out = np.zeros(4, np.float32)
            copy[(1,)](view(a), out, 4)
            self.assertEqual(out.tolist(), a.tolist())

    def test_odd_interfaces(self):
        a = np.ones(4, np.float32)
        for changes, code in (
            ({"shape": (-4,)}, "shape"), ({"shape": "ab"}, "shape"), ({"shape": None}, "shape"), ({"shape": (1 << 62, 1 << 62)}, "shape"),
            ({"shape": (1 << 61,)}, "shape"), ({"strides": (1 << 62,)}, "shape"), ({"typestr": "<q9"}, "dtype"), ({"typestr": 3}, "dtype"),
            ({"strides": (5,)}, "shape"), ({"shape": (1,) * 70}, "shape"), ({"typestr": ">f4"}, "dtype"), ({"typestr": "<c8"}, "dtype"), ({"data": None}, "no-memory"), ({"mask": a}, "masked"),
        ):  # fmt: skip
            with self.subTest(changes), self.assertRaises(tegula.ArgumentError) as e:
                double[(1,)](interface(a, **changes), 4)
            self.assertEqual(e.exception.code, code)

    def test_many_dimensions(self):
        a = np.ones(4, np.float32)
        double[(1,)](interface(a, shape=(1,) * 40 + (4,)), 4)
        self.assertEqual(a.tolist(), [2] * 4)
        with self.assertRaisesRegex(tegula.ArgumentError, "'x' has a shape that is no tuple of at most 64 numbers"):
            double[(1,)](interface(a, shape=(1,) * 65), 1)

    def test_fields_of_structures(self):
        a = np.ones(4, [("byte", np.int8), ("number", np.float32)])
        with self.assertRaisesRegex(tegula.ArgumentError, "'x' has strides that are no multiples of an element's size"):
            double[(1,)](a["number"], 4)
        double[(1,)](a["number"][:1], 1)  # of one element nothing is asked
        self.assertEqual(a["number"].tolist(), [2, 1, 1, 1])

    def test_objects_of_one_type(self):
        """What one object of a type lacks another may have."""

        class Box:
            def __init__(self, **attributes):
                self.__dict__.update(attributes)

        a = np.ones(4, np.float32)
        for box, code in ((Box(), "not-an-array"), (Box(dtype="float32", shape=(4,)), "not-an-array"), (Box(data_ptr=lambda: a.ctypes.data), "dtype")):
            with self.assertRaises(tegula.ArgumentError) as e:
                double[(1,)](box, 4)
            self.assertEqual(e.exception.code, code)
        double[(1,)](Box(dtype="float32", data_ptr=lambda: a.ctypes.data), 4)
        self.assertEqual(a.tolist(), [2.0] * 4)

    def test_objects_that_have_everything(self):
        with self.assertRaises(tegula.ArgumentError):
            double[(1,)](unittest.mock.MagicMock(), 4)
        loop = tl.constexpr(1)
        loop.value = loop
        with self.assertRaises((tegula.TegulaError, RecursionError)):
            double[(1,)](np.ones(4), loop)

    def test_buffers(self):
        for buffer in (bytearray(16), memoryview(bytearray(16)), array.array("f", [1.0]), (ctypes.c_float * 4)()):
            with self.assertRaisesRegex(tegula.ArgumentError, "a buffer.*numpy.frombuffer"):
                double[(1,)](buffer, 4)

    def test_empty(self):
        copy[(1,)](np.zeros(0, np.float32), np.zeros(0, np.float32), 0)

    def test_memory_of_ctypes(self):
        memory = (ctypes.c_float * 4)(1, 2, 3, 4)
        double[(1,)](np.ctypeslib.as_array(memory), 4)
        self.assertEqual(list(memory), [2, 4, 6, 8])

    @unittest.skipUnless(torch, "there is no torch")
    def test_torch(self):
        x = torch.arange(10, dtype=torch.float32, requires_grad=True)
        y = torch.zeros(10)
        copy[(1,)](x, y, 10)
        self.assertTrue(torch.equal(x.detach(), y))
        self.assertFalse(y.requires_grad)
        self.assertIsNone(y.grad_fn)
        b = torch.tensor([True, False, True])
        c = torch.zeros(3, dtype=torch.bool)
        copy[(1,)](b, c, 3)
        self.assertTrue(torch.equal(b, c))

    @unittest.skipUnless(torch, "there is no torch")
    def test_frameworks_share_code(self):
        @tegula.jit
        def kernel(x, n):
            tl.store(x + tl.arange(0, 4), n)

        compiled = {id(kernel[(1,)](a, 3)) for a in (np.zeros(4, np.float32), torch.zeros(4), fake("m", __array_interface__=np.zeros(4, np.float32).__array_interface__))}
        self.assertEqual(len(compiled), 1)


class Refused(unittest.TestCase):
    """Each is refused before anything is compiled, with an error of its own."""

    def refused(self, error, code, *args):
        with self.assertRaises(error) as caught:
            copy[(1,)](*args, 4)
        self.assertEqual(caught.exception.code, code)
        self.assertIsInstance(caught.exception, tegula.ArgumentError)
        return str(caught.exception)

    def test_mixed(self):
        cpu = np.zeros(4, np.float32)
        text = self.refused(tegula.MixedDevices, "mixed-devices", cpu, fake_cupy())
        self.assertIn("'x'", text)
        self.assertIn("'y'", text)
        self.refused(tegula.MixedDevices, "mixed-devices", fake_torch(), fake_torch("xpu"))
        self.refused(tegula.MixedFrameworks, "mixed-frameworks", fake_torch(), fake_cupy())
        self.refused(tegula.MultipleDevices, "multiple-devices", fake_cupy(0), fake_cupy(1))
        messages = {self.refused(e, c, a, b).split("'y'")[1] for e, c, a, b in [
            (tegula.MixedDevices, "mixed-devices", cpu, fake_torch()),
            (tegula.MixedFrameworks, "mixed-frameworks", fake_torch(), fake_cupy()),
            (tegula.MultipleDevices, "multiple-devices", fake_torch(index=0), fake_torch(index=1)),
        ]}  # fmt: skip
        self.assertEqual(len(messages), 3)

    def test_dtypes(self):
        good = np.zeros(4, np.float32)
        for bad in (np.zeros(4, complex), np.zeros(4, "<U3"), np.zeros(4, object), np.zeros(4, ">f4"), np.zeros(4, "M8[s]"), np.zeros(4, np.longdouble)):
            text = self.refused(tegula.DtypeError, "dtype", good, bad)
            self.assertIn("'y'", text)
        self.refused(tegula.DtypeError, "dtype", fake_cupy(typestr="<c8"), fake_cupy())

    @unittest.skipUnless(torch, "there is no torch")
    @unittest.skipUnless(torch, "there is no torch")
    def test_dtypes_of_torch(self):
        for name in ("complex64", "complex32", "quint8", "float8_e8m0fnu", "float4_e2m1fn_x2"):
            if dtype := getattr(torch, name, None):
                with self.assertRaisesRegex(tegula.DtypeError, f"{name}, which.*" + ("uint8" if name.startswith("float") else "")):
                    double[(1,)](torch.empty(4, dtype=dtype), 4)

    @unittest.skipUnless(torch, "there is no torch")
    def test_tensors_of_every_kind(self):
        """Views, subclasses, tensors of autograd and of torch.func: launched without a copy and without torch's dispatch, or refused."""

        class Raises(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                raise RuntimeError(f"{function} was called")

        with torch.inference_mode():
            inferred = torch.ones(4)
        for tensor in (
            torch.tensor(1.0), torch.ones(4, requires_grad=True), torch.nn.Parameter(torch.ones(4)), torch.ones(8, requires_grad=True)[4:],
            torch.arange(12.0).view(3, 4)[1:][:, :], torch.ones(4).share_memory_(), inferred, torch.ones(4)[None].expand(1, 4),
        ):  # fmt: skip
            want = (tensor.detach() * 2).tolist()
            double[(1,)](tensor, tensor.numel())
            self.assertEqual(tensor.tolist(), want)
        raises = torch.ones(4).as_subclass(Raises)
        double[(1,)](raises, 4)
        with torch._C.DisableTorchFunctionSubclass():
            self.assertEqual(raises.tolist(), [2.0] * 4)
        for tensor in (torch.ones(4, device="meta"), torch.eye(3).to_sparse(), torch._efficientzerotensor(4), torch.ones(4).to_mkldnn()):
            with self.assertRaises(tegula.ArgumentError):
                double[(1,)](tensor, 4)
        with self.assertRaises(tegula.ArgumentError):
            torch.vmap(lambda row: double[(1,)](row, 4))(torch.ones(2, 4))

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_tensors_without_memory(self):
        good = torch.zeros(3)
        self.refused(tegula.ArgumentError, "device", good, torch.zeros(3, device="meta"))
        self.refused(tegula.ArgumentError, "no-memory", good, torch.zeros(3, 3).to_sparse())
        self.assertEqual(tegula.array_arg_info(torch.zeros(3, device="meta")).dtype_name, "float32")

    def test_no_arrays(self):
        text = self.refused(tegula.ArgumentError, "not-an-array", np.zeros(4, np.float32), object())
        self.assertIn("'y'", text)
        self.assertIn("object", text)


if __name__ == "__main__":
    unittest.main()
