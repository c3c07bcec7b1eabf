"""A gated activation (SwiGLU), out = silu(a) * b, that torch can differentiate: a kernel for each direction, and a
torch.autograd.Function around them. The kernels themselves leave no trace in autograd's graph.

    python examples/python/autograd.py
"""

import torch

import tegula
import tegula.language as tl

BLOCK = 1024


@tegula.jit
def forward(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(a_ptr + i, mask=mask, other=0.0)
    b = tl.load(b_ptr + i, mask=mask, other=0.0)
    tl.store(out_ptr + i, a / (1 + tl.exp(-a)) * b, mask=mask)


@tegula.jit
def backward(grad_ptr, a_ptr, b_ptr, da_ptr, db_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    grad = tl.load(grad_ptr + i, mask=mask, other=0.0)
    a = tl.load(a_ptr + i, mask=mask, other=0.0)
    b = tl.load(b_ptr + i, mask=mask, other=0.0)
    s = 1 / (1 + tl.exp(-a))
    tl.store(da_ptr + i, grad * b * s * (1 + a * (1 - s)), mask=mask)
    tl.store(db_ptr + i, grad * a * s, mask=mask)


class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        forward[(tegula.cdiv(out.numel(), BLOCK),)](a, b, out, out.numel(), BLOCK=BLOCK)
        ctx.save_for_backward(a, b)
        return out

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        da, db = torch.empty_like(a), torch.empty_like(b)
        backward[(tegula.cdiv(a.numel(), BLOCK),)](grad.contiguous(), a, b, da, db, a.numel(), BLOCK=BLOCK)
        return da, db


def main():
    torch.manual_seed(0)
    a = torch.randn(64, 500, dtype=torch.float64, requires_grad=True)
    b = torch.randn(64, 500, dtype=torch.float64, requires_grad=True)
    out = SwiGLU.apply(a, b)
    torch.testing.assert_close(out, torch.nn.functional.silu(a) * b)
    print("forward agrees with torch")
    small = [t.detach()[:2, :5].clone().requires_grad_() for t in (a, b)]
    assert torch.autograd.gradcheck(SwiGLU.apply, small)
    print("backward agrees with finite differences")


if __name__ == "__main__":
    main()
