"""Kernels that torch.compile makes, compiled by Triton to its intermediate representation, run by Tegula on CPU tensors, against torch.

TorchInductor writes its Triton kernels for the CPU, as it does for a Triton that has such a back end; what it would compile and launch, Triton
compiles as far as .ttir, for a GPU that need not be there, and Tegula launches that.
"""

import io
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1")

try:
    import torch
    import torch._inductor.config as inductor
    import torch._inductor.runtime.triton_heuristics as heuristics
    import torch.nn.functional as F
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget, Language
    from triton.backends.driver import DriverBase
    from triton.compiler import ASTSource, make_backend
    from triton.runtime import driver
except ImportError as e:
    raise unittest.SkipTest(f"needs torch and Triton: {e}") from None

import tegula

TARGET = GPUTarget("cuda", 90, 32)


class NoDriver(DriverBase):
    """What TorchInductor asks of a driver while it writes kernels."""

    def __init__(self):
        pass

    @classmethod
    def is_active(cls):
        return True

    def get_current_target(self):
        return TARGET

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_benchmarker(self):
        return None


def ttir(kernel, config):
    """The text of a kernel in one of its configurations, with its assertions."""
    meta = kernel._create_compile_meta(config)
    source = ASTSource(kernel.fn, meta["signature"], meta["constants"], meta["configs"][0])
    backend = make_backend(TARGET)
    options = backend.parse_options(source.parse_options() | {"num_warps": config.num_warps, "debug": True, "sanitize_overflow": False})
    stages = {}
    backend.add_stages(stages, options, Language.TRITON)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    return str(stages["ttir"](module, {"target": TARGET, **options.__dict__})), meta["constants"]


launched = []


def run(self, *args, stream, **kwargs):
    """Takes the place of a launch by TorchInductor."""
    for config in self.configs[:1]:
        text, constants = ttir(self, config)
        args, grid = self._interpret_args_grid(args, config)
        runtime = [p.name for p in self.fn.params if not p.is_constexpr]
        args = [a for name, a in zip(runtime, args, strict=True) if name not in constants and (self.fn.arg_names.index(name),) not in constants]
        launched.append(self.fn.__name__)
        tegula.load(io.StringIO(text))[grid](*args)


def setUpModule():
    driver.set_active(NoDriver())
    inductor.cpu_backend = "triton"
    inductor.compile_threads = 1
    heuristics.CachingAutotuner.run = run
    heuristics.CachingAutotuner.precompile = lambda self, *args, **kwargs: None


def real(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def whole(n, *shape):
    return torch.randint(0, n, shape)


CASES = {}


def case(*args, tolerance=1e-4, dynamic=False):
    def add(f):
        CASES[f.__name__] = f, args, tolerance, dynamic
        return f

    return add


torch.manual_seed(0)
@case(real(8,1000),real(8,1000))
def softmax(x,y): return torch.softmax(x*2+y,-1)
@case(real(33,77),real(77))
def pointwise(x,y): return torch.sigmoid(x)*torch.tanh(y)+torch.erf(x).clamp(-0.5,0.5)
@case(real(4,5000))
def loop_sum(x): return x.sum(-1), x.amax(-1), x.argmax(-1), x.prod(-1)
@case(real(4,70000))
def welford(x): return torch.var_mean(x,-1)
@case(real(16,768),real(768),real(768))
def layer_norm(x,w,b): return F.layer_norm(x,(768,),w,b)
@case(real(16,3000),real(3000))
def rms(x,w): return x*torch.rsqrt((x*x).mean(-1,keepdim=True)+1e-6)*w
@case(real(8,10),real(8,7),real(8,30))
def cat(a,b,c): return torch.cat([a,b*2,c.relu()],1)
@case(real(100,32),whole(100,50))
def gather_rows(x,i): return x[i]*2
@case(real(20,30),whole(30,20,5))
def gather_dim(x,i): return torch.gather(x,1,i)
@case(real(20,30),whole(30,20,5),real(20,5))
def scatter_add(x,i,v): return x.scatter_add(1,i,v)
@case(real(50,8),whole(50,20),real(20,8))
def index_put(x,i,v): return torch.index_put(x,(i,),v,accumulate=True)
@case(real(50,8),torch.arange(20)*2,real(20,8))
def index_put_set(x,i,v): return torch.index_put(x,(i,),v)
@case(real(100,64),whole(100,4,9))
def embedding(w,i): return F.embedding(i,w).sum(1)
@case(real(64,64))
def cumsum(x): return x.cumsum(1), x.cumprod(0)
@case(real(8,4096))
def cumsum_long(x): return x.cumsum(1)
@case(real(8,100))
def cummax(x): return torch.cummax(x,1)
@case(real(16,100))
def sort(x): return torch.sort(x,dim=1,stable=True)
@case(real(64,100,dtype=torch.bfloat16),real(100,dtype=torch.bfloat16),tolerance=2e-2)
def bf16(x,y): return F.gelu(x)+y, F.silu(x)*y, F.gelu(x,approximate="tanh")
@case(real(64,100).half(),real(100).half(),tolerance=1e-2)
def fp16(x,y): return torch.exp(x)-y.sqrt().abs(), (x>y).float(), torch.where(x>0,x,y)
@case(whole(1000,64,64),whole(7,64,64)+1)
def ints(a,b): return a//b, a%b, a&b, a|b, a^b, a<<b, a>>b, (-a)//b, (-a)%b, ~a
@case(whole(1000,64,64).int(),whole(7,64,64).int()+1)
def ints32(a,b): return torch.div(-a,b,rounding_mode="floor"), torch.div(-a,b,rounding_mode="trunc"), a/b, a*b, a.to(torch.int8), a.to(torch.uint8)*3, a.bool()
@case(real(64,64).double(),real(64,64).double(),tolerance=1e-10)
def doubles(x,y): return torch.sin(x)*torch.cos(y), torch.atan2(x,y), torch.hypot(x,y), torch.log1p(x.abs()), torch.expm1(x), torch.fmod(x,y), torch.remainder(x,y), x.pow(3)
@case(real(64,64),real(64,64))
def maths(x,y): return torch.tan(x), torch.asin(x.clamp(-1,1)), torch.acos(y.clamp(-1,1)), torch.atan(x), torch.sinh(x), torch.cosh(x), torch.asinh(x), torch.acosh(x.abs()+1), torch.atanh(y.clamp(-.9,.9)), torch.erfc(x), torch.erfinv(y.clamp(-.9,.9)), torch.lgamma(x), torch.log2(x.abs()), torch.log10(x.abs()), torch.exp2(x), torch.rsqrt(x.abs())
@case(real(64,64)*10,real(64,64),tolerance=1e-3)
def rounding(x,y): return torch.round(x), torch.floor(x), torch.ceil(x), torch.trunc(x), torch.frac(x), torch.sign(x), torch.copysign(x,y), torch.nextafter(x,y), torch.fmod(x,y), torch.remainder(x,y), torch.signbit(x), torch.isnan(x/0), torch.isinf(y/0), x.floor_divide(y)
@case(real(64,64),real(64,64).abs(),tolerance=1e-3)
def powers(x,y): return y**1.5, x**3, y**x, torch.ldexp(x,torch.ones_like(x)*3), x.pow(0.5).nan_to_num(), torch.special.i0(x), torch.special.i1(x), torch.special.bessel_j0(x), torch.special.bessel_j1(x), torch.digamma(y+1)
@case(real(8,3,32,32))
def pool(x): return F.max_pool2d(x,3,2,1), F.avg_pool2d(x,2), F.adaptive_avg_pool2d(x,4)
@case(real(2,3,16,16))
def interp(x): return F.interpolate(x,scale_factor=2,mode="bilinear",align_corners=False), F.interpolate(x,scale_factor=2,mode="nearest"), F.pad(x,(1,2,3,4)), F.pad(x,(1,1,1,1),mode="reflect")
@case(real(8,3,10,10),real(3),real(3),real(3),real(3).abs())
def batch_norm(x,w,b,m,v): return F.batch_norm(x,m,v,w,b,training=True)
@case(real(4,16,8,8),real(16),real(16))
def group_norm(x,w,b): return F.group_norm(x,4,w,b)
@case(real(300,200),whole(200,300))
def cross_entropy(x,t): return F.cross_entropy(x,t), F.log_softmax(x,1), F.nll_loss(F.log_softmax(x,1),t)
@case(real(100,300),real(1,300))
def transposed(x,y): return (x+y).t().contiguous(), x.t()+x.t().sum(0)
@case(real(37,50),real(37,50),dynamic=True)
def dynamic(x,y): return (x*y).sum(0), x.softmax(1)+y, torch.cat([x,y],1)
@case(real(1000))
def scalars(x): return x.sum()+x.mean()*x.std(), x.max(), x.min(), (x>0).any(), (x>0).all(), (x>0).sum(), x.norm()
@case(real(300000))
def big_reduce(x): return x.sum(), x.argmin(), x.var()
@case(real(30,40))
def tri(x): return torch.tril(x), torch.triu(x,1), torch.flip(x,(0,)), torch.roll(x,3,1), x.diagonal().clone(), torch.eye(5)+x[:5,:5]
@case(real(64,),torch.linspace(-2,2,9))
def bucketize(x,b): return torch.bucketize(x,b), torch.searchsorted(b,x)
@case(real(64,48),real(48,32),tolerance=2e-2)
def addmm(x,y): return torch.relu(x@y)+1
@case(real(8,16))
def views(x): return x.view(torch.int32)^1, x.view(torch.int32).view(torch.float32)*2
@case(real(8,128).to(torch.float8_e4m3fn) ,tolerance=1e-1)
def fp8(x): return x.float()*2, (x.float()*3).to(torch.float8_e5m2).float()
@case(whole(2,64,64).bool(),whole(2,64,64).bool())
def bools(a,b): return a&b, a|~b, a^b, a.any(1), a.all(0), torch.where(a,b,a), a.sum(1), a.int()
@case(real(64,64),whole(64,32))
def mixed(x,i): return x.index_select(1,i), x.index_add(0,i,x[:32]), x.index_fill(0,i,3.0), torch.take(x,i), x.masked_fill(x>0,0)
@case(real(20,30),whole(20,2,30),real(2,30))
def scatter_reduce(x,i,v): return x.scatter_reduce(0,i,v,"amax"), x.scatter_reduce(0,i,v,"sum"), x.scatter(0,torch.arange(60).reshape(2,30)%20,v)
@case(real(8,64))
def grads(x):
    return torch.nn.functional.softplus(x), F.mish(x), F.hardswish(x), F.elu(x), F.leaky_relu(x), F.logsigmoid(x), F.selu(x), F.hardtanh(x), F.softshrink(x), F.threshold(x,0.1,20.)


class Inductor(unittest.TestCase):
    """What a function gives, compiled and not, and what it does to its arguments."""

    def check(self, f, args, tolerance, dynamic):
        torch._dynamo.reset()
        launched.clear()
        plain, compiled = ([a.clone() for a in args] for _ in range(2))
        want = f(*plain)
        with tegula.check():
            got = torch.compile(f, dynamic=dynamic, fullgraph=True)(*compiled)
        self.assertTrue(launched, "nothing was launched")
        flat = lambda out, args: [x.float() if x.dtype.itemsize == 1 else x for x in (*(out if isinstance(out, (tuple, list)) else (out,)), *args)]
        for w, g in zip(flat(want, plain), flat(got, compiled), strict=True):
            torch.testing.assert_close(g, w, atol=tolerance, rtol=tolerance, equal_nan=True)


    def test_random(self):
        torch._dynamo.reset()
        x = torch.ones(10000)
        got = torch.compile(lambda x: (F.dropout(x, 0.25), torch.rand_like(x), torch.randn_like(x), torch.randint_like(x, 10)))(x)
        self.assertEqual(set(got[0].tolist()), {0.0, torch.tensor(1 / 0.75).item()})
        for values, mean, deviation in ((got[0] * 0.75, 0.75, 0.433), (got[1], 0.5, 0.289), (got[2], 0, 1), (got[3], 4.5, 2.87)):
            self.assertAlmostEqual(values.mean().item(), mean, delta=0.1)
            self.assertAlmostEqual(values.std().item(), deviation, delta=0.1)

    def test_matrices(self):
        a, b, c = real(70, 50), real(50, 40), real(3, 70, 50)
        with inductor.patch({"triton.native_matmul": True}):
            self.check(lambda a, b: torch.relu(a @ b) + 1, (a, b), 2e-2, False)
            self.check(lambda b, c: (c @ b).softmax(-1), (b, c), 2e-2, False)

    def templates(self, which):
        """The program that TorchInductor writes for a GPU, on CPU tensors."""
        script = pathlib.Path(__file__).with_name("inductor_gpu.py")
        code = subprocess.run([sys.executable, "-W", "ignore", script, which], capture_output=True, text=True, check=True).stdout
        for there, here in {
            "empty_strided_cuda(": "empty_strided_cpu(", "with torch.cuda._DeviceGuard(0):": "if True:", "torch.cuda.set_device(0)": "pass",
            "get_raw_stream(0)": "0", "triton_helpers.set_driver_to_gpu()": "", "device_str='cuda'": "device_str='cpu'",
        }.items():  # fmt: skip
            code = code.replace(there, here)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "written.py")
            path.write_text(code)
            program = runpy.run_path(str(path))["call"]
            launched.clear()
            yield program  # which finds its kernels beside itself

    def test_matmul_template(self):
        a, b = real(120, 72).half(), real(72, 96).half()
        for program in self.templates("matmul"):
            (got,) = program([a, b])
            torch.testing.assert_close(got.float(), torch.relu(a.float() @ b.float()) + 1, atol=2e-2, rtol=2e-2)
            self.assertIn("triton_tem", launched[0])

    def test_attention_template(self):
        q, k, v = (real(1, 2, 256, 64).half() for _ in range(3))
        for program in self.templates("attention"):
            (got,) = program([q, k, v])
            ahead = torch.arange(256)[:, None] - torch.arange(256)[None, :]
            scores = q.float() @ k.float().transpose(-1, -2) / 8 + ahead * 0.01
            want = torch.where(ahead >= 0, scores, -float("inf")).softmax(-1) @ v.float()
            torch.testing.assert_close(got.float(), want, atol=1e-2, rtol=1e-2)
            self.assertTrue(any("triton_tem" in name for name in launched))


for name in CASES:
    setattr(Inductor, f"test_{name}", lambda self, case=CASES[name]: self.check(*case))

if __name__ == "__main__":
    unittest.main()
