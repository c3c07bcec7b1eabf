"""torch, CuPy and JAX on a real GPU: their memory, their streams, and work that takes long enough for a wrong order to show."""

import ctypes
import os
import subprocess
import sys
import textwrap
import threading
import unittest

import numpy as np

import tegula
import tegula.language as tl

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def with_gpu(name, sees):
    """A framework that is installed and sees a GPU, or None."""
    try:
        framework = __import__(name)
        return framework if sees(framework) else None
    except Exception:  # whatever a framework raises for want of a GPU
        return None


def have_driver():
    try:
        return any(d["backend"] == "cuda" for d in tegula.devices())
    except tegula.DriverError:
        return False


DRIVER = have_driver()
torch = DRIVER and with_gpu("torch", lambda f: f.cuda.is_available()) or None
cupy = DRIVER and with_gpu("cupy", lambda f: f.cuda.runtime.getDeviceCount() > 0) or None
jax = DRIVER and with_gpu("jax", lambda f: f.default_backend() == "gpu") or None

N, BLOCK = 4096, 256
GRID = (N // BLOCK,)
LONG = 2_000_000  # steps: some milliseconds
A, C = 1664525, 1013904223


@tegula.jit
def step(x, out, n, rounds, BLOCK: tl.constexpr):
    """out is x after so many steps of a generator: work that takes as long as is wanted."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    for _ in range(rounds):
        v = v * 1664525 + 1013904223
    tl.store(out + i, v, i < n)


def stepped(x, rounds):
    """What step gives."""
    a, c, m = 1, 0, 1 << 32
    fa, fc = A, C
    while rounds:
        if rounds & 1:
            a, c = a * fa % m, (c * fa + fc) % m
        fa, fc = fa * fa % m, (fc * fa + fc) % m
        rounds >>= 1
    return (np.asarray(x).astype(np.uint32) * np.uint32(a) + np.uint32(c)).view(np.int32)


def program(text, **environment):
    """Runs a program, whose context may break."""
    env = {**os.environ, **environment}
    source = textwrap.dedent(text)
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"tegula_gpu_{os.getpid()}.py")
    with open(path, "w") as file:
        file.write("import tegula, tegula.language as tl, torch\n" + source)
    try:
        return subprocess.run([sys.executable, path], capture_output=True, text=True, env=env, timeout=1200)
    finally:
        os.unlink(path)


class Model(unittest.TestCase):
    """What the tests compare with."""

    def test_stepped(self):
        x = np.arange(5, dtype=np.int32) * 77 - 3
        want = x
        for rounds in range(6):
            np.testing.assert_array_equal(stepped(x, rounds), want)
            with np.errstate(over="ignore"):
                want = want * np.int32(A) + np.int32(C)


@unittest.skipUnless(torch, "there is no torch that sees a GPU")
class Torch(unittest.TestCase):
    def numbers(self):
        return torch.arange(N, dtype=torch.int32, device="cuda")

    def test_a_chain_on_a_stream(self):
        """A slow producer, two kernels and a consumer, submitted without a wait."""
        for stream in (torch.cuda.Stream(), torch.cuda.default_stream()):
            with torch.cuda.stream(stream):
                for warm in (True, False):  # the first time code is compiled
                    x, a, b = torch.zeros(N, dtype=torch.int32, device="cuda"), self.numbers(), self.numbers()
                    torch.cuda._sleep(40_000_000)
                    x += self.numbers()
                    step[GRID](x, a, N, LONG, BLOCK=BLOCK)
                    step[GRID](a, b, N, 3, BLOCK=BLOCK)
                    y = b ^ 21
                    self.assertTrue(warm or not stream.query(), f"something waited for {stream}")
                    if warm:
                        stream.synchronize()
                want = stepped(np.arange(N), LONG + 3) ^ 21
                np.testing.assert_array_equal(y.cpu().numpy(), want)

    def test_two_streams(self):
        """What is launched on one is not behind what is launched on the other."""
        one, other = torch.cuda.Stream(), torch.cuda.Stream()
        x, a, b = self.numbers(), self.numbers(), self.numbers()
        step[GRID](x, a, N, 1, BLOCK=BLOCK)
        torch.cuda.synchronize()
        with torch.cuda.stream(one):
            step[GRID](x, a, N, 20 * LONG, BLOCK=BLOCK)
        with torch.cuda.stream(other):
            step[GRID](x, b, N, 5, BLOCK=BLOCK)
        other.synchronize()
        self.assertFalse(one.query(), "the streams are one")
        np.testing.assert_array_equal(b.cpu().numpy(), stepped(np.arange(N), 5))
        one.synchronize()
        np.testing.assert_array_equal(a.cpu().numpy(), stepped(np.arange(N), 20 * LONG))

    def test_tensors_that_are_freed(self):
        """Memory of a tensor that is gone is used again behind the kernel that reads it."""
        with torch.cuda.stream(torch.cuda.Stream()):
            outs = []
            for k in range(30):
                x, out = torch.full((N,), k, dtype=torch.int32, device="cuda"), torch.empty(N, dtype=torch.int32, device="cuda")
                step[GRID](x, out, N, LONG // 10, BLOCK=BLOCK)
                outs.append(out)
                del x
            for k, out in enumerate(outs):
                np.testing.assert_array_equal(out.cpu().numpy(), stepped(np.full(N, k), LONG // 10))

    def test_threads(self):
        """Each thread has a current stream of its own."""
        x, wrong = self.numbers(), []
        step[GRID](x, torch.empty_like(x), N, 1, BLOCK=BLOCK)
        torch.cuda.synchronize()

        def work(k):
            with torch.cuda.stream(torch.cuda.Stream()):
                a, b = torch.empty_like(x), torch.empty_like(x)
                for _ in range(50):
                    step[GRID](x, a, N, 1000 + k, BLOCK=BLOCK)
                    step[GRID](a, b, N, k, BLOCK=BLOCK)
                if (b.cpu().numpy() != stepped(np.arange(N), 1000 + 2 * k)).any():
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_another_context(self):
        """A thread whose current context is another one keeps it."""
        cuda = ctypes.CDLL("libcuda.so.1")
        x, out = self.numbers(), self.numbers()
        step[GRID](x, out, N, 1, BLOCK=BLOCK)
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        own, current, primary = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.assertEqual(cuda.cuCtxGetCurrent(ctypes.byref(primary)), 0)
        self.assertEqual(cuda.cuCtxCreate_v2(ctypes.byref(own), 0, 0), 0)
        self.assertEqual(cuda.cuCtxSetCurrent(primary), 0)
        try:
            for rounds, on in ((7, stream), (8, stream), (9, torch.cuda.default_stream())):
                with torch.cuda.stream(on):
                    on.synchronize()
                    self.assertEqual(cuda.cuCtxSetCurrent(own), 0)
                    step[GRID](x, out, N, rounds, BLOCK=BLOCK)
                    self.assertEqual(cuda.cuCtxGetCurrent(ctypes.byref(current)), 0)
                    self.assertEqual(current.value, own.value)
                    self.assertEqual(cuda.cuCtxSetCurrent(primary), 0)
                    on.synchronize()
                    np.testing.assert_array_equal(out.cpu().numpy(), stepped(np.arange(N), rounds))
        finally:
            cuda.cuCtxDestroy_v2(own)
            cuda.cuCtxSetCurrent(primary)

    def test_graphs_of_chains(self):
        x, a, b = self.numbers(), self.numbers(), self.numbers()
        step[GRID](x, a, N, 1, BLOCK=BLOCK)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step[GRID](x, a, N, 5, BLOCK=BLOCK)
            b.copy_(a)
            b += 1
            step[GRID](b, x, N, 2, BLOCK=BLOCK)
        want = np.arange(N)
        x.copy_(torch.arange(N))
        for _ in range(3):
            graph.replay()
            want = stepped(stepped(want, 5) + np.int32(1), 2)
        np.testing.assert_array_equal(x.cpu().numpy(), want)

    @unittest.skipUnless(torch and torch.cuda.device_count() > 1, "there is one GPU")
    def test_the_other_device(self):
        x = torch.arange(N, dtype=torch.int32, device="cuda:1")
        out = torch.empty_like(x)
        step[GRID](x, out, N, LONG, BLOCK=BLOCK)
        self.assertEqual(torch.cuda.current_device(), 0)
        np.testing.assert_array_equal((out + 0).cpu().numpy(), stepped(np.arange(N), LONG))
        with self.assertRaises(tegula.MultipleDevices):
            step[GRID](x, self.numbers(), N, 1, BLOCK=BLOCK)

    def test_what_kernels_print(self):
        """All lines arrive, each whole, those of a thread in order, and among the program's own."""
        done = program(
            """
            @tegula.jit
            def show(x, BLOCK: tl.constexpr):
                i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
                v = tl.load(x + i)
                tl.device_print("first", v)
                tl.device_print("second", v * 2)

            print("before", flush=True)
            show[(256,)](torch.arange(16384, dtype=torch.int32, device="cuda"), BLOCK=64)
            torch.cuda.synchronize()
            print("after", flush=True)
            """
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual((lines[0], lines[-1], len(lines)), ("before", "after", 32770))
        first = [int(line.rsplit(" ", 1)[1]) for line in lines if "first" in line]
        second = [int(line.rsplit(" ", 1)[1]) for line in lines if "second" in line]
        self.assertEqual(sorted(first), list(range(16384)))
        self.assertEqual(sorted(second), list(range(0, 32768, 2)))
        where = {line.rsplit(" ", 1)[1]: n for n, line in enumerate(lines) if "first" in line}
        for n, line in enumerate(lines):
            if "second" in line:
                self.assertGreater(n, where[str(int(line.rsplit(" ", 1)[1]) // 2)])

    def test_an_assertion_that_fails(self):
        done = program(
            """
            @tegula.jit(debug=True)
            def check(x, n):
                tl.device_assert(tl.load(x) < n, "too large")

            x = torch.full((1,), 5, dtype=torch.int32, device="cuda")
            check[(1,)](x, 9)
            torch.cuda.synchronize()
            check[(1,)](x, 5)
            try:
                torch.cuda.synchronize()
                print("nothing")
            except RuntimeError:
                print("torch was told")
            try:
                check[(1,)](x, 9)
                print("nothing")
            except tegula.CheckError as e:
                print(e.code)
            """
        )
        self.assertEqual(done.stdout.split("\\n")[0].splitlines()[-2:], ["torch was told", "device-assert"], done.stdout + done.stderr)
        self.assertIn("too large", done.stdout + done.stderr)

    def test_an_illegal_address(self):
        text = """
            @tegula.jit
            def wild(x):
                tl.store(x + (1 << 44), 1)

            x = torch.zeros(1, dtype=torch.int32, device="cuda")
            for attempt in range(2):
                try:
                    wild[(1,)](x)
                    torch.cuda.synchronize()
                except tegula.DriverError as e:
                    print(attempt, e.code, "'wild'" in str(e))
                except RuntimeError:
                    print(attempt, "torch was told")
            """
        done = program(text)
        self.assertEqual(done.stdout.splitlines(), ["0 torch was told", "1 illegal-address True"], done.stderr)
        done = program(text, CUDA_LAUNCH_BLOCKING="1")
        self.assertEqual(done.stdout.splitlines(), ["0 illegal-address True", "1 illegal-address True"], done.stderr)

    def test_many_arguments(self):
        names = [f"a{i}" for i in range(60)]
        source = f"import tegula, tegula.language as tl\n@tegula.jit\ndef total(out, {', '.join(names)}):\n    tl.store(out, {' + '.join(names)})\n"
        space = {}
        exec(source, space)
        out = torch.zeros(1, dtype=torch.int64, device="cuda")
        values = [(1 << 40) + i for i in range(60)]
        space["total"][(1,)](out, *values)
        self.assertEqual(out.item(), sum(values))

    @unittest.skipUnless(torch and torch.cuda.get_device_capability()[0] >= 9, "the GPU has no clusters")
    def test_programs_of_several_ctas(self):
        @tegula.jit
        def softmax(x, out, n, BLOCK: tl.constexpr):
            row, i = tl.program_id(0), tl.arange(0, BLOCK)
            v = tl.load(x + row * n + i, i < n, other=-float("inf"))
            e = tl.exp(v - tl.max(v, 0))
            tl.store(out + row * n + i, e / tl.sum(e, 0) + tl.num_programs(0), i < n)

        @tegula.jit
        def product(a, b, c, M: tl.constexpr, K: tl.constexpr, STEPS: tl.constexpr):
            i, k = tl.arange(0, M), tl.arange(0, K)
            sum = tl.zeros((M, M), tl.float32)
            for s in range(STEPS):
                left = tl.load(a + i[:, None] * (K * STEPS) + s * K + k[None, :])
                sum = tl.dot(left, tl.load(b + (s * K + k[:, None]) * M + i[None, :]), sum)
            tl.store(c + i[:, None] * M + i[None, :], sum)

        x = torch.randn(300, 3000, device="cuda")
        a, b = torch.randn(64, 256, device="cuda").half(), torch.randn(256, 64, device="cuda").half()
        for ctas in (1, 2, 4, 8, 16):
            out, c = torch.empty_like(x), torch.empty(64, 64, device="cuda")
            k = softmax[(300,)](x, out, 3000, BLOCK=4096, num_ctas=ctas)
            self.assertEqual(k.metadata.num_ctas, ctas)
            torch.testing.assert_close(out - 300, torch.softmax(x, 1), atol=1e-4, rtol=0)
            product[(1,)](a, b, c, 64, 32, 8, num_ctas=ctas)
            torch.testing.assert_close(c, a.float() @ b.float(), atol=1e-2, rtol=1e-3)
        with self.assertRaises(tegula.ArgumentError):
            softmax[(300,)](x, out, 3000, BLOCK=4096, num_ctas=3)

    def test_registers(self):
        @tegula.jit
        def spread(x, out, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            v = tl.load(x + i)
            tl.store(out + i, tl.cumsum(v, 0) + tl.sort(v))

        x = torch.randint(-1000, 1000, (4096,), dtype=torch.int32, device="cuda")
        want = torch.cumsum(x, 0, dtype=torch.int32) + torch.sort(x)[0]
        for most in (None, 32):
            out = torch.empty_like(x)
            k = spread[(1,)](x, out, BLOCK=4096, maxnreg=most)
            self.assertTrue(torch.equal(out, want))
            self.assertTrue(most is None or k.n_regs <= most, k.n_regs)

    def test_large_grids(self):
        @tegula.jit
        def count(out, shift):
            tl.atomic_add(out, tl.program_id(0) >> shift & 1)

        out = torch.zeros(1, dtype=torch.int32, device="cuda")
        n = 1 << 24
        count[(n + 1,)](out, 24)
        self.assertEqual(out.item(), 1)
        count[(1, 65535)](out, 0)
        for grid in ((1, 65536), (1, 1, 65536), (1 << 31,)):
            with self.assertRaises(tegula.GridError) as caught:
                count[grid](out, 0)
            self.assertEqual(caught.exception.code, "too-large")


@unittest.skipUnless(cupy, "there is no CuPy that sees a GPU")
class CuPy(unittest.TestCase):
    def slow(self, x):
        """Adds 100 to x, behind much work on the current stream."""
        big = cupy.ones(1 << 26, dtype=cupy.float32)
        for _ in range(60):
            big *= 1.0001
        x += 100

    def test_what_it_is(self):
        x = cupy.zeros((3, 4), dtype=cupy.float16)
        self.assertEqual(tuple(tegula.array_arg_info(x)), ("cupy", "cuda", 0, "float16", True))
        self.assertEqual(tuple(tegula.array_arg_info(x.T)), ("cupy", "cuda", 0, "float16", False))

    def test_a_chain_on_a_stream(self):
        streams = (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(), cupy.cuda.Stream.null, cupy.cuda.Stream.ptds)
        for stream in streams:
            with stream:
                for warm in (True, False):  # the first time code is compiled
                    x, a, b = cupy.arange(N, dtype=cupy.int32), cupy.empty(N, cupy.int32), cupy.empty(N, cupy.int32)
                    self.slow(x)
                    step[GRID](x, a, N, LONG, BLOCK=BLOCK)
                    step[GRID](a, b, N, 3, BLOCK=BLOCK)
                    y = b ^ 21
                    self.assertTrue(warm or not stream.done, f"something waited for {stream}")
                    if warm:
                        stream.synchronize()
                stream.synchronize()
                np.testing.assert_array_equal(cupy.asnumpy(y), stepped(np.arange(N) + 100, LONG + 3) ^ 21)

    def test_two_streams(self):
        one, other = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        x, a, b = cupy.arange(N, dtype=cupy.int32), cupy.empty(N, cupy.int32), cupy.empty(N, cupy.int32)
        step[GRID](x, a, N, 1, BLOCK=BLOCK)
        cupy.cuda.Device().synchronize()
        with one:
            step[GRID](x, a, N, 20 * LONG, BLOCK=BLOCK)
        with other:
            step[GRID](x, b, N, 5, BLOCK=BLOCK)
        other.synchronize()
        self.assertFalse(one.done, "the streams are one")
        one.synchronize()
        np.testing.assert_array_equal(cupy.asnumpy(b), stepped(np.arange(N), 5))
        np.testing.assert_array_equal(cupy.asnumpy(a), stepped(np.arange(N), 20 * LONG))

    def test_arrays_that_are_freed(self):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            outs = []
            for k in range(30):
                x, out = cupy.full(N, k, dtype=cupy.int32), cupy.empty(N, cupy.int32)
                step[GRID](x, out, N, LONG // 10, BLOCK=BLOCK)
                outs.append(out)
                del x
            stream.synchronize()
            for k, out in enumerate(outs):
                np.testing.assert_array_equal(cupy.asnumpy(out), stepped(np.full(N, k), LONG // 10))

    def test_graphs(self):
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            x, a = cupy.arange(N, dtype=cupy.int32), cupy.empty(N, cupy.int32)
            step[GRID](x, a, N, 1, BLOCK=BLOCK)
            stream.synchronize()
            stream.begin_capture()
            step[GRID](x, a, N, 5, BLOCK=BLOCK)
            step[GRID](a, x, N, 2, BLOCK=BLOCK)
            graph = stream.end_capture()
            for _ in range(3):
                graph.launch(stream)
            stream.synchronize()
        np.testing.assert_array_equal(cupy.asnumpy(x), stepped(np.arange(N), 21))

    def test_what_does_not_fit(self):
        x = cupy.zeros(N, cupy.int32)
        with self.assertRaises(tegula.MixedDevices):
            step[GRID](x, np.zeros(N, np.int32), N, 1, BLOCK=BLOCK)
        with self.assertRaises(tegula.DtypeError):
            step[GRID](x.astype(cupy.complex64), x, N, 1, BLOCK=BLOCK)

    @unittest.skipUnless(torch, "there is no torch")
    def test_with_torch(self):
        x, t = cupy.arange(N, dtype=cupy.int32), torch.zeros(N, dtype=torch.int32, device="cuda")
        with self.assertRaises(tegula.MixedFrameworks):
            step[GRID](x, t, N, 1, BLOCK=BLOCK)
        step[GRID](x, cupy.from_dlpack(t), N, 4, BLOCK=BLOCK)
        cupy.cuda.Device().synchronize()
        np.testing.assert_array_equal(t.cpu().numpy(), stepped(np.arange(N), 4))

    def test_an_interface_that_names_its_stream(self):
        """Arrays of a framework that is not known are used on the stream that they name."""
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            x, a = cupy.arange(N, dtype=cupy.int32), cupy.empty(N, cupy.int32)
            self.slow(x)

        class Foreign:
            def __init__(self, array, stream):
                self.array, self.__cuda_array_interface__ = array, {**array.__cuda_array_interface__, "stream": stream.ptr}

        step[GRID](Foreign(x, stream), Foreign(a, stream), N, 6, BLOCK=BLOCK)
        stream.synchronize()
        np.testing.assert_array_equal(cupy.asnumpy(a), stepped(np.arange(N) + 100, 6))
        with self.assertRaises(tegula.ArgumentError):
            step[GRID](Foreign(x, stream), Foreign(a, cupy.cuda.Stream(non_blocking=True)), N, 6, BLOCK=BLOCK)


@unittest.skipUnless(jax, "there is no JAX that sees a GPU")
class JAX(unittest.TestCase):
    def setUp(self):
        import jax.numpy as jnp

        self.jnp = jnp

        @jax.jit
        def slow(x):
            """x + 100, behind products that take long."""
            m = jnp.full((4096, 4096), 1e-4, jnp.float32)
            for _ in range(12):
                m = m @ m * 0.5 + m
            return x + 100 + (m[0, 0] * 0).astype(jnp.int32)

        @jax.jit
        def flip(x):
            return x ^ 21

        self.slow, self.flip = slow, flip

    def test_what_it_is(self):
        jnp = self.jnp
        for dtype in ("float32", "bfloat16", "float16", "int8", "uint32", "bool", "float8_e4m3fn", "float8_e5m2"):
            self.assertEqual(tuple(tegula.array_arg_info(jnp.zeros((3, 4), dtype))), ("jax", "cuda", 0, dtype, True))

    def test_a_chain(self):
        """Its streams are its own: a launch begins when its arrays are there, and has ended when it returns."""
        jnp = self.jnp
        x = jnp.arange(N, dtype=jnp.int32)
        self.slow(x).block_until_ready()
        for k in range(10):
            y, out = self.slow(x + k), jnp.zeros(N, jnp.int32) + k
            step[GRID](y, out, N, LONG // 4, BLOCK=BLOCK)
            got = self.flip(out)
            np.testing.assert_array_equal(np.asarray(got), stepped(np.arange(N) + 100 + k, LONG // 4) ^ 21)

    def test_arrays_that_are_freed(self):
        jnp, outs = self.jnp, []
        for k in range(20):
            x, out = self.slow(jnp.full(N, k, jnp.int32)), jnp.full(N, -k, jnp.int32)
            step[GRID](x, out, N, LONG // 10, BLOCK=BLOCK)
            outs.append(out)
            del x
        for k, out in enumerate(outs):
            np.testing.assert_array_equal(np.asarray(out), stepped(np.full(N, k + 100), LONG // 10))

    def test_what_does_not_fit(self):
        jnp = self.jnp
        x, out = jnp.arange(N, dtype=jnp.int32), jnp.zeros(N, jnp.int32)
        with self.assertRaises(tegula.MixedDevices):
            step[GRID](x, np.zeros(N, np.int32), N, 1, BLOCK=BLOCK)
        x.delete()
        with self.assertRaises(tegula.ArgumentError) as caught:
            step[GRID](x, out, N, 1, BLOCK=BLOCK)
        self.assertEqual(caught.exception.code, "no-memory")

        @jax.jit
        def traced(y):
            step[GRID](y, out, N, 1, BLOCK=BLOCK)
            return y

        with self.assertRaises(tegula.ArgumentError):
            traced(out)

    @unittest.skipUnless(torch, "there is no torch")
    def test_with_torch(self):
        t, out = torch.arange(N, dtype=torch.int32, device="cuda"), self.jnp.zeros(N, self.jnp.int32)
        with self.assertRaises(tegula.MixedFrameworks):
            step[GRID](t, out, N, 1, BLOCK=BLOCK)
        step[GRID](jax.dlpack.from_dlpack(t), out, N, 9, BLOCK=BLOCK)
        np.testing.assert_array_equal(np.asarray(out), stepped(np.arange(N), 9))


if __name__ == "__main__":
    unittest.main()
