"""compile, warmup, metadata, what stands for arrays."""

import enum
import json
import unittest
from unittest import mock

import numpy as np

import tegula
import tegula.language as tl
from tegula.compiler import ASTSource, CompiledKernel
from tegula.runtime.arrays import MockTensor, reinterpret


@tegula.jit
def scale(x, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


SIGNATURE = {"x": "*fp32:16", "n": "i32", "factor": "fp32"}


class Compile(unittest.TestCase):
    def test_stages(self):
        compiled = tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="cpu", num_warps=2)
        self.assertIn("tile", list(compiled.asm))
        self.assertIn("scale", compiled.asm["tile"])
        self.assertEqual(compiled.asm["tile"], compiled.asm["tile"])
        self.assertNotIn("cubin", compiled.asm)
        self.assertIsInstance(compiled.asm, dict)
        for copied in (dict(compiled.asm), {**compiled.asm}, compiled.asm.copy(), json.loads(json.dumps(compiled.asm)), dict(compiled.asm.items())):
            self.assertEqual(copied, compiled.asm)
            self.assertIn("scale", copied["tile"])
        self.assertIn("scale", compiled.asm.get("tile"))
        self.assertIsNone(compiled.asm.get("no-such-stage"))
        with self.assertRaises(KeyError):
            compiled.asm["no-such-stage"]
        self.assertEqual((compiled.metadata.num_warps, compiled.metadata.name, compiled.target), (2, "scale", "cpu"))
        self.assertEqual((compiled.name, compiled.n_spills), ("scale", 0))

    def test_cuda(self):
        """CUDA C++ needs neither a GPU nor arrays of one."""
        compiled = tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="cuda:80")
        self.assertIn('extern "C" __global__ void __launch_bounds__(128) scale(float* x, int n, float factor)', compiled.asm["cuda"])
        warm = scale.warmup(np.zeros(64, np.float32), 64, 2.0, BLOCK=64, grid=(1,), target="cuda:80")
        self.assertIn("cuda", list(warm.asm))

    def test_fusion(self):
        """Without enable_fp_fusion products and sums are rounded for themselves."""
        for options, rounded in (({}, False), ({"enable_fp_fusion": True}, False), ({"enable_fp_fusion": False}, True)):
            compiled = tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="cuda:90a", **options)
            self.assertEqual("mul.rn.f32" in compiled.asm["ptx"], rounded, options)
            warm = scale.warmup(np.zeros(64, np.float32), 64, 2.0, BLOCK=64, grid=(1,), target="cuda:90a", **options)
            self.assertEqual("mul.rn.f32" in warm.asm["ptx"], rounded, options)

    def test_registers(self):
        for n in (None, 40):
            for compiled in (
                tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="cuda:90a", maxnreg=n),
                scale.warmup(np.zeros(64, np.float32), 64, 2.0, BLOCK=64, grid=(1,), target="cuda:90a", maxnreg=n),
            ):
                self.assertEqual(".maxnreg 40" in compiled.asm["ptx"], n == 40)
        x = np.ones(64, np.float32)
        with self.assertRaises(tegula.ArgumentError):
            scale[(1,)](x, 64, 2.0, BLOCK=64, maxnreg=256)
        scale[(1,)](x, 64, 2.0, BLOCK=64, maxnreg=40)
        self.assertEqual(x.tolist(), [2] * 64)

    def test_forms_of_signatures(self):
        texts = {
            tegula.compile(scale, signature=signature, constexprs=constants, attrs=attrs, target="cpu").asm["tile"]
            for signature, constants, attrs in [
                (SIGNATURE, {"BLOCK": 64}, None),
                ({"x": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}, {"BLOCK": 64}, {"x": 16}),
                ({0: tl.pointer_type(tl.float32), 1: tl.int32, 2: tl.float32}, {(3,): tl.constexpr(64)}, {(0,): [["tt.divisibility", 16]]}),
            ]
        }
        self.assertEqual(len(texts), 1)

    def test_source_object(self):
        source = ASTSource(scale, SIGNATURE, {"BLOCK": 64})
        compiled = tegula.compile(source, target=tegula.runtime.driver.active.get_current_target(), options={"num_warps": 8})
        self.assertEqual(compiled.metadata.num_warps, 8)

    def test_errors(self):
        with self.assertRaises(tegula.ArgumentError):
            tegula.compile(3, signature={}, target="cpu")
        with self.assertRaises(tegula.TegulaError):
            tegula.compile(scale, signature={"x": "*fp33"}, constexprs={"BLOCK": 64}, target="cpu")
        with self.assertRaises(tegula.TegulaError):
            tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="abacus")

    def test_warmup(self):
        for x in (np.zeros(64, np.float32), tl.float32, MockTensor(np.dtype("float32"))):
            compiled = scale.warmup(x, 64, 2.0, BLOCK=64, grid=(1,))
            self.assertIn("scale", compiled.asm["tile"])

    def test_a_warm_kernel_tells_what_it_needs_and_is_launched(self):
        from tegula.runtime import driver

        x = np.ones(16, np.float32)
        compiled = scale.warmup(x, 16, 2.0, BLOCK=16, num_warps=8, grid=(1,))
        compiled._init_handles()
        properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
        occupancy = properties["max_num_regs"] // (compiled.n_regs * properties["warpSize"] * 8)
        occupancy = min(occupancy, properties["max_shared_mem"] // compiled.metadata.shared)
        self.assertGreaterEqual(occupancy, 1)
        compiled[(1, 1, 1)](x, 16, 2.0, 16)
        self.assertEqual(x.tolist(), [2.0] * 16)
        elsewhere = tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="cuda:80")
        with self.assertRaisesRegex(tegula.DriverError, "cannot be launched"):
            elsewhere[(1,)](x, 16, 2.0, 16)

    def test_a_warm_kernel_is_launched_with_its_options(self):
        """What is compiled for the arguments of the launch is what was compiled without one."""
        x = np.ones(16, np.float32)
        options = {"num_warps": 8, "enable_fp_fusion": False, "maxnreg": 40, "debug": True}
        for warm in (
            scale.warmup(x=x, n=16, factor=2.0, BLOCK=16, grid=(1,), **options),
            scale.run(x, 16, 2.0, BLOCK=16, grid=(1,), warmup=True, **options),
            tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 16}, target="cpu", options=options),
        ):
            with mock.patch.object(CompiledKernel, "kernel", new=mock.Mock()) as kernel:
                warm._load_and_launch((1,), (x, 16, 2.0, 16))
            self.assertEqual(kernel.run.call_args.kwargs, {"grid": (1,), "num_stages": 3, "num_ctas": 1, **options})

    def test_warmup_of_decorated_kernels(self):
        kernel = tegula.heuristics({"BLOCK": lambda args: args["n"]})(scale)
        self.assertEqual(kernel.warmup(np.zeros(64, np.float32), 64, 2.0, grid=(1,)).name, "scale")

    def test_what_a_launch_gives(self):
        x = np.ones(8, np.float32)
        compiled = scale[(1,)](x, 8, 3.0, BLOCK=8)
        self.assertIsInstance(compiled, tegula.CompiledKernel)
        self.assertEqual(x.tolist(), [3.0] * 8)
        compiled[(1, 1, 1)](x, 8, 2.0, 8)
        compiled[(1, 1, 1)](x, 8, 2.0)
        self.assertEqual(x.tolist(), [12.0] * 8)
        with self.assertRaises(tegula.ArgumentError):
            compiled[(1, 1, 1)](x)

    def test_what_a_launch_gives_is_launched_as_what_it_is(self):
        """Other constants and types are refused; numbers and arrays that only differ in what the compiler was told are launched right."""
        big = np.ones(65, np.float32)
        x, seen = big[:64], []
        compiled = scale[(1,)](x, 64, 3.0, BLOCK=64, num_warps=8)
        for args, says in [
            ((x.astype(np.float64), 64, 2.0), "array of fp64"),
            ((x, 64, 2.0, 32), "compiled for 64"),
            ((x, 64.0, 2.0), "64.0, and this variant was compiled for i32"),
            ((x, (1 << 32) + 5, 2.0), "compiled for i32"),
            ((None, 64, 2.0), "None, and this variant was compiled for .fp32"),
            (("x", 64, 2.0), "a value of type str"),
        ]:
            with self.assertRaisesRegex(tegula.ArgumentError, says):
                compiled[(1,)](*args)
        self.assertEqual(x.tolist(), [3.0] * 64)
        compiled[(1,)](x, 64, 2)
        compiled[(1,)](x, 1, 2.0)
        compiled[(1,)](big[1:], 63, 2.0)
        self.assertEqual(big.tolist(), [12.0] + [12.0] * 63 + [1.0])
        with tegula.check():
            with self.assertRaises(tegula.CheckError):
                compiled[(1,)](big[:32], 64, 2.0)
        with mock.patch.object(type(scale), "run", side_effect=AssertionError("the launch is like the one before")):
            compiled[(1,)](x, 64, 2.0)

        def hook(metadata):
            seen.append(metadata.get()["name"])

        tegula.knobs.runtime.launch_enter_hook.add(hook)
        self.addCleanup(tegula.knobs.runtime.launch_enter_hook.remove, hook)
        compiled[(1,)](x, 64, 2.0)
        self.assertEqual(seen, ["scale"])

    def test_a_compiled_variant_is_launched(self):
        """Constants are those that it was compiled with; other ones, and other types, are refused in one error."""
        compiled = tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 16}, target="cpu")
        x = np.ones(16, np.float32)
        compiled[(1,)](x, 16, 2.0)
        compiled[(1,)](x, 16, 2.0, 16)
        compiled[(1,)](x, factor=2.0, n=16)
        self.assertEqual(x.tolist(), [8.0] * 16)
        for args, says in [
            ((x, 16, 2.0, 32), "compiled for 16"),
            ((x.astype(np.float64), 16, 2.0), "array of fp64"),
            ((x, 16.5, 2.0), "compiled for i32"),
            ((x, 16), "4 arguments, or the 3"),
        ]:
            with self.assertRaisesRegex(tegula.ArgumentError, says) as caught:
                compiled[(1,)](*args)
            self.assertIsNone(caught.exception.__context__)
        for named, says in [({"m": 1}, "no parameter 'm'"), ({"x": x}, "twice"), ({"n": 1}, "misses its argument 'factor'")]:
            with self.assertRaisesRegex(tegula.ArgumentError, says):
                compiled[(1,)](x, **named)
        self.assertEqual(x.tolist(), [8.0] * 16)

    def test_what_is_not_known_of_what_was_compiled_only(self):
        elsewhere = tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="cuda:80")
        self.assertEqual((elsewhere.n_regs, elsewhere.n_spills), (None, None))
        with self.assertRaisesRegex(KeyError, "cuda:80 has no stage 'asm'; there is .*ptx"):
            elsewhere.asm["asm"]


class Metadata(unittest.TestCase):
    def text(self):
        return tegula.compile(scale, signature=SIGNATURE, constexprs={"BLOCK": 64}, target="cpu").metadata_json

    def test_round_trip(self):
        metadata = tegula.KernelMetadata.from_json(self.text())
        self.assertEqual(metadata, tegula.KernelMetadata.from_json(metadata.to_json()))
        self.assertEqual(metadata, tegula.KernelMetadata.from_json(json.loads(self.text())))
        self.assertEqual(metadata, tegula.KernelMetadata.from_json(self.text().encode()))
        self.assertEqual(metadata.name, "scale")
        self.assertEqual(metadata.args[0]["name"], "x")

    def test_what_is_wrong(self):
        for change, field in [
            (lambda d: d.pop("num_warps"), "num_warps"),
            (lambda d: d.update(num_warps="four"), "num_warps"),
            (lambda d: d.update(shared=-1), "shared"),
            (lambda d: d.update(schema=99), "schema"),
            (lambda d: d.update(more=1), "more"),
            (lambda d: d.update(name=object()), "expected what JSON has"),
        ]:
            fields = json.loads(self.text())
            change(fields)
            with self.assertRaisesRegex(tegula.SchemaError, field):
                tegula.KernelMetadata.from_json(fields)
        with self.assertRaises(tegula.SchemaError):
            tegula.KernelMetadata.from_json("no json")


class Host:
    """Called by kernels while they are compiled."""

    @staticmethod
    @tegula.constexpr_function
    def half(n):
        return n // 2


@tegula.constexpr_function
def padded(n, to=8):
    return -(-n // to) * to


class ConstexprFunctions(unittest.TestCase):
    def test_in_a_kernel(self):
        @tegula.jit
        def kernel(out, N: tl.constexpr):
            tl.store(out + tl.arange(0, padded(N)), Host.half(N))

        out = np.zeros(8, np.int32)
        kernel[(1,)](out, N=6)
        self.assertEqual(out.tolist(), [3] * 8)

    def test_constexpr_as_a_decorator(self):
        @tl.constexpr
        def wider(dtype):
            return tl.int64 if dtype.primitive_bitwidth == 32 else tl.float64

        @tegula.jit
        def kernel(out, x):
            kind: tl.constexpr = wider(x.type.element_ty)
            tl.store(out, (tl.load(x).to(kind) << 40) >> 40)

        out = np.zeros(1, np.int64)
        kernel[(1,)](out, np.full(1, 7, np.int32))
        self.assertEqual(out[0], 7)

    def test_outside(self):
        self.assertEqual((padded(5), padded(tl.constexpr(9), to=tl.constexpr(4))), (8, 12))
        self.assertEqual(padded.__name__, "padded")

    def test_exceptions_in_callbacks(self):
        @tegula.constexpr_function
        def broken(n):
            return 1 // 0

        @tegula.jit
        def kernel(out, N: tl.constexpr):
            tl.store(out, broken(N))

        with self.assertRaises((tegula.CompileError, ZeroDivisionError)) as raised:
            kernel[(1,)](np.zeros(1, np.int32), N=1)
        self.assertIn("division", str(raised.exception))


class Mode(enum.Enum):
    COPY = 0
    DOUBLE = 2


class Size(enum.IntEnum):
    SMALL = 4
    LARGE = 8


class Enumerations(unittest.TestCase):
    def test_members(self):
        @tegula.jit
        def kernel(out, n, MODE: tl.constexpr, SIZE: tl.constexpr):
            i = tl.arange(0, Size.LARGE)
            value = n + Size.SMALL
            if MODE == Mode.DOUBLE:
                value = value * MODE.value
            if SIZE == Size.SMALL:
                tl.store(out + i, value, mask=i < SIZE)
            else:
                tl.store(out + i, Size.SMALL.value, mask=i < Size.LARGE)

        for mode, size, want in [
            (Mode.COPY, Size.SMALL, [5] * 4 + [0] * 4),
            (Mode.DOUBLE, Size.SMALL, [10] * 4 + [0] * 4),
            (Mode.COPY, Size.LARGE, [4] * 8),
        ]:
            out = np.zeros(8, np.int32)
            kernel[(1,)](out, 1, MODE=mode, SIZE=size)
            self.assertEqual(out.tolist(), want)


class Aggregates(unittest.TestCase):
    def test_in_a_kernel(self):
        @tegula.aggregate
        class Range:
            start: tl.tensor
            size: tl.constexpr

            @tegula.jit
            def offsets(self):
                return self.start + tl.arange(0, self.size)

        @tegula.jit
        def kernel(out, SIZE: tl.constexpr):
            r = Range(tl.program_id(0) * SIZE, SIZE)
            tl.store(out + r.offsets(), r.offsets())

        out = np.zeros(8, np.int32)
        kernel[(2,)](out, SIZE=4)
        self.assertEqual(out.tolist(), [*range(8)])

    def test_constructor(self):
        @tegula.aggregate
        class Pair:
            a: tl.constexpr
            b: tl.constexpr

            @tegula.constexpr_function
            def __init__(self, both):
                self.a = tl.constexpr(both)
                self.b = tl.constexpr(both)

        @tegula.jit
        def kernel(out, N: tl.constexpr):
            p = Pair(N)
            tl.store(out, p.a + p.b)

        out = np.zeros(1, np.int32)
        kernel[(1,)](out, N=4)
        self.assertEqual(out[0], 8)

    def test_host_objects(self):
        @tegula.aggregate
        class Point:
            x: int
            y: int = 2

        p = Point(1)
        self.assertEqual((p.x, p.y), (1, 2))
        with self.assertRaisesRegex(AttributeError, "immutable aggregate Point"):
            p.x = 3
        with self.assertRaises(TypeError):
            Point()
        from tegula.runtime.aggregate import replace

        self.assertEqual((replace(p, x=5).x, replace(p, x=5).y, p.x), (5, 2, 1))
        with self.assertRaisesRegex(TypeError, "no field 'z'"):
            replace(p, z=1)


class Arrays(unittest.TestCase):
    def test_info(self):
        info = tegula.array_arg_info(np.zeros((2, 3), np.float16))
        self.assertEqual(tuple(info), ("numpy", "cpu", 0, "float16", True))
        self.assertFalse(tegula.array_arg_info(np.zeros((2, 3)).T).c_contiguous)
        self.assertIsNone(tegula.array_arg_info(3))

    def test_descriptor(self):
        from tegula.tools.tensor_descriptor import TensorDescriptor

        @tegula.jit
        def double(desc, M: tl.constexpr, N: tl.constexpr):
            tile = desc.load([0, 0])
            desc.store([0, 0], tile * 2)

        x = np.arange(32, dtype=np.float32).reshape(4, 8)
        double[(1,)](TensorDescriptor.from_tensor(x, [4, 8]), M=4, N=8)
        self.assertEqual(x[3, 7], 62)
        for wrong in ({"strides": [8, 2]}, {"block_shape": [3, 8]}, {"padding": "one"}, {"shape": [0, 8]}, {"block_shape": [8]}):
            good = {"base": x, "shape": [4, 8], "strides": [8, 1], "block_shape": [4, 8]}
            with self.assertRaises(ValueError):
                TensorDescriptor(**{**good, **wrong})

    def test_reinterpret(self):
        with self.assertRaisesRegex(TypeError, "int is no tensor"):
            reinterpret(3, tl.int8)

    def test_mock(self):
        mock = MockTensor(np.float32, [4, 3, 2])
        self.assertEqual((mock.stride(), mock.data_ptr()), ((6, 2, 1), 0))


class Checking(unittest.TestCase):
    def test_check(self):
        @tegula.jit
        def outside(out, n):
            tl.store(out + tl.arange(0, 8), 1)

        out = np.zeros(5, np.int32)
        with tegula.check(), self.assertRaisesRegex(tegula.CheckError, "out of bounds"):
            outside[(1,)](out, 5)


if __name__ == "__main__":
    unittest.main()
