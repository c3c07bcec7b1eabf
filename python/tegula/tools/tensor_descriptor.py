"""Tensor descriptors that host code makes and passes to kernels."""

import math
from dataclasses import dataclass
from typing import Any


@dataclass
class TensorDescriptor:
    """Describes a tensor in memory: kernels read and write blocks of block_shape of it.

    base         the array
    shape        its sizes, which may be smaller than the array
    strides      in elements; the last is 1
    block_shape  the block that a load gives
    padding      what lies outside: "zero" or "nan"
    """

    base: Any
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        rank = len(self.shape)
        if not 1 <= rank <= 5:
            raise ValueError(f"a descriptor has 1 to 5 dimensions, not {rank}")
        for name, given in (("strides", self.strides), ("block_shape", self.block_shape)):
            if len(given) != rank:
                raise ValueError(f"shape has {rank} dimensions, and {name} has {len(given)}: {self}")
        if any(size <= 0 for size in self.shape):
            raise ValueError(f"shape must be positive: {list(self.shape)}")
        if self.strides[-1] != 1:
            raise ValueError(f"the last stride must be 1, not {self.strides[-1]}")
        if any(n <= 0 or n & (n - 1) for n in self.block_shape) or math.prod(self.block_shape) > 1048576:
            raise ValueError(f"a block's dimensions are powers of 2, at most 1048576 elements in all: {list(self.block_shape)}")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f'padding is "zero" or "nan", not {self.padding!r}')
        self._check_alignment()

    def _check_alignment(self):
        """Blocks are moved by hardware that wants 16-byte alignment, where there is such hardware."""
        pointer = getattr(self.base, "data_ptr", None)
        size = getattr(getattr(self.base, "dtype", None), "itemsize", None)
        if pointer is None or size is None or type(self.base).__name__ in ("FakeTensor", "FunctionalTensor"):
            return
        if pointer() % 16:
            raise ValueError("base must be 16-byte aligned")
        if any(stride * size % 16 for stride in self.strides[:-1]):
            raise ValueError(f"strides but the last must be multiples of 16 bytes: {list(self.strides)} elements of {size} bytes")

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        """Describes a whole tensor of torch, or an array of NumPy's kind."""
        if callable(getattr(tensor, "stride", None)):
            strides = list(tensor.stride())
        else:
            strides = [n // tensor.dtype.itemsize for n in tensor.strides]
        return TensorDescriptor(tensor, list(tensor.shape), strides, list(block_shape), padding, round_f32_to_tf32)
