"""Values of the language: tiles, tuples, descriptors, and what loops run over. Kernels have them; host code asks about them."""

import builtins as _builtins

from ._constant import _Named, _unwrap_if_constexpr, base_type, base_value, constexpr, constexpr_type
from ._dtype import dtype


class tuple_type(base_type):
    __tegula_name__ = _Named("triton.language.tuple_type")

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = list(fields) if fields is not None else None
        self.name = "[" + ",".join(map(str, self.types)) + "]"

    def __eq__(self, other):
        return type(self) is type(other) and self.types == other.types and self.fields == other.fields

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]


class slice_type(dtype):
    def __init__(self):
        self.name = "slice_type"


def _type_of(value):
    return constexpr_type(value) if isinstance(value, (int, float, dtype)) else getattr(value, "type", None)


class tuple(base_value):
    """A tuple of the language's values."""

    __tegula_name__ = _Named("triton.language.tuple")

    def __init__(self, args, type=None):
        self.values = list(args)
        if type is None:
            type = tuple_type([_type_of(v) for v in self.values])
        self.type = type if isinstance(type, tuple_type) else tuple_type(type)

    def __getitem__(self, index):
        index = _unwrap_if_constexpr(index)
        if isinstance(index, (slice, _builtins.slice)):
            return tuple(self.values[index.start : index.stop : index.step])
        return self.values[index]

    def __getattr__(self, name):
        fields = self.__dict__["type"].fields if "type" in self.__dict__ else None
        if not fields or name not in fields:
            raise AttributeError(f"'tuple' object has no attribute {name!r}")
        return self.values[fields.index(name)]

    def _unwrapped(self):
        return tuple([_unwrap_if_constexpr(x) for x in self.values], self.type)

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __add__(self, other):
        return tuple(self.values + list(other))

    def __mul__(self, times):
        return tuple(self.values * _unwrap_if_constexpr(times))

    def __eq__(self, other):
        return constexpr(self.values == list(other))

    def __hash__(self):
        return hash(_builtins.tuple(self.values))

    def __repr__(self):
        return "(" + ", ".join(map(repr, self.values)) + ")"


class slice:
    __tegula_name__ = _Named("triton.language.slice")

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step
        self.type = slice_type()


class tensor(base_value):
    """A value that exists when the kernel runs: a scalar, or a tile of numbers or pointers.

    Only kernels have tensors. Host code uses the class in annotations and in isinstance.
    """

    __tegula_name__ = _Named("triton.language.tensor")

    def __init__(self, handle, type):
        self.handle = handle
        self.type = type
        self.shape = tuple([constexpr(n) for n in type.shape] if type.is_block() else [])
        self.numel = constexpr(type.numel if type.is_block() else 1)
        self.dtype = type.scalar

    def __str__(self):
        return f"{self.dtype}[{', '.join(str(n.value) for n in self.shape)}]"


class tensor_descriptor_base(base_value):
    """Describes a tensor in memory."""

    __tegula_name__ = _Named("triton.language.tensor_descriptor_base")

    def __init__(self, handle, block_type):
        self.handle = handle
        self.type = block_type

    @property
    def block_type(self):
        return self.type.block_type if isinstance(self.type, tensor_descriptor_type) else self.type

    @property
    def block_shape(self):
        return self.block_type.shape

    @property
    def dtype(self):
        return self.block_type.element_ty


class tensor_descriptor(tensor_descriptor_base):
    __tegula_name__ = _Named("triton.language.tensor_descriptor")

    def __init__(self, handle, shape, strides, block_type):
        super().__init__(handle, block_type)
        self.shape, self.strides = tuple(shape), tuple(strides)


class tensor_descriptor_base_type(base_type):
    def __init__(self, block_type):
        self.block_type = block_type

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self.block_type)

    def __repr__(self):
        return f"tensor_descriptor<{self.block_type}>"


class tensor_descriptor_type(tensor_descriptor_base_type):
    __tegula_name__ = _Named("triton.language.tensor_descriptor_type")

    def __init__(self, block_type, shape_type=None, strides_type=None):
        super().__init__(block_type)
        self.shape_type, self.strides_type = shape_type, strides_type


class _Loop(base_value):
    """What a kernel's loop runs over; host code cannot run it."""

    def __iter__(self):
        raise RuntimeError(f"tl.{type(self).__name__} works inside of a kernel only")

    def __next__(self):
        raise RuntimeError(f"tl.{type(self).__name__} works inside of a kernel only")


class static_range(_Loop):
    """A loop that is unrolled when the kernel is compiled; its variable is a constant."""

    __tegula_name__ = _Named("triton.language.static_range")

    def __init__(self, arg1, arg2=None, step=None):
        self.start, self.end = (constexpr(0), arg1) if arg2 is None else (arg1, arg2)
        self.step = constexpr(1) if step is None else step


class range(_Loop):
    """A loop with hints for the compiler."""

    __tegula_name__ = _Named("triton.language.range")

    def __init__(
        self,
        arg1,
        arg2=None,
        step=None,
        num_stages=None,
        loop_unroll_factor=None,
        disallow_acc_multi_buffer=False,
        flatten=False,
        warp_specialize=False,
        disable_licm=False,
    ):
        self.start, self.end = (constexpr(0), arg1) if arg2 is None else (arg1, arg2)
        self.step = constexpr(1) if step is None else step
        self.num_stages = num_stages
        self.loop_unroll_factor = loop_unroll_factor
        self.disallow_acc_multi_buffer = disallow_acc_multi_buffer
        self.flatten = flatten
        self.warp_specialize = warp_specialize
        self.disable_licm = disable_licm


class condition(base_value):
    """A while loop's condition, with hints for the compiler."""

    __tegula_name__ = _Named("triton.language.condition")

    def __init__(self, arg1, disable_licm=False):
        self.condition, self.disable_licm = arg1, disable_licm
