"""Writes formats.json: what PyTorch's conversions give, for the tests of this package.

    python formats.py > formats.json

Results of many conversions are given as the SHA-256 of their bytes in little-endian order, every
NaN replaced by one.
"""

import hashlib
import json

import torch

NAN32 = 0x7FC00000


def digest(t):
    return hashlib.sha256(t.contiguous().view(torch.uint8).numpy().tobytes()).hexdigest()


def bits(values, dtype):
    """Bit patterns as a tensor of a type."""
    size = torch.empty(0, dtype=dtype).element_size()
    ints = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[size]
    return torch.tensor(values, dtype=torch.int64).to(ints).view(dtype)


def widen(dtype, n):
    """All n patterns of a type as float32 bits."""
    f = bits(range(n), dtype).to(torch.float32)
    return torch.where(torch.isnan(f), torch.tensor(NAN32, dtype=torch.int32), f.view(torch.int32))


def samples():
    """Float32 patterns: around every float16 and bfloat16 and around the middle of two, and random ones."""
    out = []
    for dtype in (torch.float16, torch.bfloat16):
        f = bits(range(1 << 16), dtype).to(torch.float32).view(torch.int32).to(torch.int64) & 0xFFFFFFFF
        half = 1 << 12 if dtype == torch.float16 else 1 << 15
        for d in (0, 1, half - 1, half, half + 1):
            out.append((f + d) & 0xFFFFFFFF)
    x, lcg = 12345, []
    for _ in range(100000):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        lcg.append(x)
    out.append(torch.tensor(lcg))
    return torch.cat(out)


def narrow(dtype, nan):
    t = samples()
    f = torch.where(t >= 1 << 31, t - (1 << 32), t).to(torch.int32).view(torch.float32)
    r = f.to(dtype).view(torch.int16)
    return torch.where(torch.isnan(f), torch.tensor(nan, dtype=torch.int16), r)


def narrow8(dtype):
    """All finite float16 numbers within the type's range, in the order of their bits."""
    f = bits(range(1 << 16), torch.float16).to(torch.float32)
    f = f[torch.isfinite(f) & (f.abs() <= torch.finfo(dtype).max)]
    return f.to(dtype)


FP8 = {
    "float8e4nv": torch.float8_e4m3fn,
    "float8e5": torch.float8_e5m2,
    "float8e4b8": torch.float8_e4m3fnuz,
    "float8e5b16": torch.float8_e5m2fnuz,
}

print(
    json.dumps(
        {
            "widen": {
                "float16": digest(widen(torch.float16, 1 << 16)),
                "bfloat16": digest(widen(torch.bfloat16, 1 << 16)),
                **{k: digest(widen(v, 256)) for k, v in FP8.items()},
            },
            "narrow": {
                "float16": digest(narrow(torch.float16, 0x7E00)),
                "bfloat16": digest(narrow(torch.bfloat16, 0x7FC0)),
                **{k: digest(narrow8(v)) for k, v in FP8.items()},
            },
        },
        indent=2,
    )
)
