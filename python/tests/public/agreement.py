"""What the tests of public libraries' kernels share: kernels on CPU tensors are compared with torch, gradients too."""

import unittest

import tegula
import tegula.testing

tegula.install_as_triton()

try:
    import torch
except ImportError:
    raise unittest.SkipTest("needs torch") from None

TOLERANCES = {torch.float32: (1e-5, 1e-5), torch.bfloat16: (2e-2, 2e-2), torch.float16: (2e-3, 2e-3)}


def leaf(*shape, dtype=torch.float32, scale=1.0):
    return (torch.randn(*shape, dtype=torch.float32) * scale).to(dtype).requires_grad_()


class Agreement(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def close(self, got, want, tolerance=1e-5):
        torch.testing.assert_close(got.float(), want.float(), rtol=tolerance, atol=tolerance)

    def agree(self, ours, reference, inputs, dtype=torch.float32, loosen=1):
        """Compares two functions of the inputs, and their gradients. The reference computes in float32."""
        exact = [x.detach().float().requires_grad_() for x in inputs]
        got, want = ours(*[x.clone() for x in inputs]), reference(*exact)
        got, want = (got, want) if isinstance(got, tuple) else ((got,), (want,))
        rtol, atol = (loosen * t for t in TOLERANCES[dtype])
        for g, w in zip(got, want):
            torch.testing.assert_close(g.float(), w, rtol=rtol, atol=atol)
        seeds = [torch.randn_like(w) for w in want]
        torch.autograd.backward(got, [s.to(g.dtype, copy=True) for s, g in zip(seeds, got)])
        torch.autograd.backward(want, seeds)
        for x, e in zip(inputs, exact):
            torch.testing.assert_close(x.grad.float(), e.grad, rtol=rtol, atol=atol * max(1, e.grad.abs().max().item()))


def measure_shortly():
    """Autotuned kernels are measured for less than a millisecond: what they compute is tested, not their choice."""
    measure = tegula.testing.do_bench
    tegula.testing.do_bench = lambda fn, warmup=25, rep=100, **options: measure(fn, warmup=0.1, rep=0.1, **options)
