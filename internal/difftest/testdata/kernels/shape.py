"""Shape operations and broadcasting."""
import triton
import triton.language as tl


# case: grid=1 x=fp32[16]:rand(-1,1) y=fp32[32]:rand(-1,1) out=>fp32[16,32]
@triton.jit
def outer(x, y, out):
    i = tl.arange(0, 16)
    j = tl.arange(0, 32)
    a = tl.load(x + i)[:, None]
    b = tl.load(y + j)[None, :]
    tl.store(out + i[:, None] * 32 + j[None, :], a * b + a)


# case: grid=1 x=i32[16,32]:int(-99,99) out=>i32[16,32]
@triton.jit
def reshape_trans(x, out):
    i = tl.arange(0, 512)
    v = tl.reshape(tl.load(x + i), (16, 32))
    w = tl.trans(v)
    tl.store(out + i, tl.ravel(w + 1))


# case: grid=1 x=i32[512]:int(-99,99) out=>i32[512]
@triton.jit
def permute_3d(x, out):
    i = tl.arange(0, 512)
    v = tl.load(x + i).reshape(4, 8, 16)
    w = tl.permute(v, (2, 0, 1))
    tl.store(out + i, w.reshape(512))


# case: grid=1 x=i32[128]:int(-99,99) y=i32[128]:int(-99,99) out=>i32[768]
@triton.jit
def join_split(x, y, out):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    j = tl.join(a, b)
    tl.store(out + tl.arange(0, 256), j.reshape(256))
    c, d = tl.split(j * 2)
    tl.store(out + 256 + i, c)
    tl.store(out + 384 + i, d)
    tl.store(out + 512 + tl.arange(0, 256), tl.interleave(a, b))


# case: grid=1 x=i32[64]:int(-99,99) y=i32[64]:int(-99,99) out=>i32[128]
@triton.jit
def cat_sum(x, y, out):
    i = tl.arange(0, 64)
    c = tl.cat(tl.load(x + i), tl.load(y + i), can_reorder=True)
    # The order is open, so look at what does not depend on it.
    tl.store(out, tl.sum(c))
    tl.store(out + 1, tl.max(c, 0))


# case: grid=1 x=fp32[8]:rand(-1,1) out=>fp32[8,4,16]
@triton.jit
def broadcast_3d(x, out):
    a = tl.load(x + tl.arange(0, 8))
    b = tl.broadcast_to(a[:, None, None], (8, 4, 16))
    c = tl.arange(0, 4)[None, :, None]
    d = tl.arange(0, 16)[None, None, :]
    e = tl.arange(0, 8)[:, None, None]
    tl.store(out + e * 64 + c * 16 + d, b + c * d)


# case: grid=1 out=>i32[8,8]
@triton.jit
def expand_views(out):
    i = tl.arange(0, 8)
    r = tl.expand_dims(i, 1)
    c = i.expand_dims(0)
    v = tl.view(r * 10 + c, (64,))
    tl.store(out + tl.arange(0, 64), v)


# case: grid=1 x=i32[64]:int(-99,99) out=>i32[192]
@triton.jit
def flip_sort(x, out):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    tl.store(out + i, tl.flip(a, 0))
    tl.store(out + 64 + i, tl.sort(a))
    tl.store(out + 128 + i, tl.sort(a, descending=True))


# case: grid=1 x=fp32[8,16]:rand(-9,9) out=>fp32[8,16]
@triton.jit
def sort_rows(x, out):
    i = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(out + i, tl.sort(tl.load(x + i), dim=1))


# case: grid=1 x=fp32[8,32]:rand(-9,9) idx=i32[8,32]:int(0,31) out=>fp32[8,32]
@triton.jit
def gather_tile(x, idx, out):
    i = tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(out + i, tl.gather(tl.load(x + i), tl.load(idx + i), 1))


# case: grid=1 x=i32[256]:int(0,15) out=>i32[16]
@triton.jit
def histogram16(x, out):
    h = tl.histogram(tl.load(x + tl.arange(0, 256)), 16)
    tl.store(out + tl.arange(0, 16), h)


# case: grid=1 out=>fp32[64] out2=>i64[64]
@triton.jit
def fills(out, out2):
    i = tl.arange(0, 64)
    z = tl.zeros([64], dtype=tl.float32)
    f = tl.full((64,), 2.5, tl.float32)
    o = tl.zeros_like(f) + 1
    tl.store(out + i, z + f * o)
    tl.store(out2 + i, tl.full([64], -3, dtype=tl.int64))


# case: grid=1 x=i32[16,16]:int(-9,9) out=>i32[16,16]
@triton.jit
def slice_forms(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i[:, None] * 16 + i[None, :])
    s = tl.sum(v, 1)
    t = s[None, :, None].reshape(16)
    tl.store(out + i[:, None] * 16 + i[None, :], v - t[:, None] + v.T)
