"""Types of the language: elements, pointers, tiles."""

import builtins as _builtins
import enum as _enum

from ._constant import _Named, _unwrap_if_constexpr, base_type

TRITON_MAX_TENSOR_NUMEL = 1048576

_WIDTHS = {"void": 0, "int1": 1, "bf16": 16}
_FLOATS = {  # mantissa bits, bias of the exponent
    "fp8e4b15": (3, 15),
    "fp8e4nv": (3, 7),
    "fp8e4b8": (3, 8),
    "fp8e5": (2, 15),
    "fp8e5b16": (2, 16),
    "fp16": (10, 15),
    "bf16": (7, 127),
    "fp32": (23, 127),
    "fp64": (52, 1023),
}


class dtype(base_type):
    """An element type. Types are equal if their names are."""

    __tegula_name__ = _Named("triton.language.dtype")

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = list(_FLOATS)
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(_enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(_enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = _unwrap_if_constexpr(name)
        assert dtype.is_dtype(name), f"there is no element type named {name!r}"
        self.name = name
        self.primitive_bitwidth = _width(name)
        self.itemsize = self.primitive_bitwidth // 8
        if name in _FLOATS:
            self.fp_mantissa_width, self.exponent_bias = _FLOATS[name]
        elif name != "void":
            signed = name in dtype.SINT_TYPES
            self.int_signedness = dtype.SIGNEDNESS.SIGNED if signed else dtype.SIGNEDNESS.UNSIGNED
            self.int_bitwidth = self.primitive_bitwidth

    @staticmethod
    def is_dtype(type_str):
        return type_str in _FLOATS or type_str in dtype.SINT_TYPES or type_str in dtype.UINT_TYPES or type_str == "void"

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name in _FLOATS

    def is_standard_floating(self):
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in dtype.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in dtype.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self):
        return self.name == "int1"

    def is_void(self):
        return self.name == "void"

    def is_block(self):
        return False

    def is_ptr(self):
        return False

    def is_const(self):
        return False

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        if self.is_int():
            return dtype.KIND.INTEGRAL
        assert self.is_floating(), f"{self} is no number"
        return dtype.KIND.FLOATING

    def get_int_max_value(self):
        assert self.is_int(), f"{self} is no integer type"
        return 2 ** (self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        assert self.is_int(), f"{self} is no integer type"
        return -(2 ** (self.int_bitwidth - 1)) if self.is_int_signed() else 0

    @property
    def scalar(self):
        return self

    def with_element_ty(self, element_ty):
        return element_ty

    def codegen_name(self):
        for short, long in (("fp", "float"), ("bf", "bfloat")):
            if self.name.startswith(short):
                return long + self.name[2:]
        return self.name

    @property
    def cache_key_part(self):
        return self.name

    def mangle(self):
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return "V" if self.is_void() else self.name

    @property
    def __tegula_type__(self):
        """What the type is called in signatures."""
        return self.mangle() if self.is_int() else self.name

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return isinstance(other, dtype) and self.name == other.name

    def __hash__(self):
        return hash((self.name,))

    def __str__(self):
        return self.name

    def __repr__(self):
        return "triton.language." + self.codegen_name()


def _width(name):
    if name in _WIDTHS:
        return _WIDTHS[name]
    if name.startswith("fp8"):
        return 8
    return int(name.lstrip("uintfp"))


def _is_exactly(name):
    return lambda self: self.name == name


for _name in _FLOATS.keys() | {*dtype.SINT_TYPES, *dtype.UINT_TYPES}:
    setattr(dtype, "is_" + _name, _is_exactly(_name))


class pointer_type(dtype):
    """The type of a pointer."""

    __tegula_name__ = _Named("triton.language.pointer_type")

    def __init__(self, element_ty, address_space="global", const=False):
        element_ty = _unwrap_if_constexpr(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"a pointer points to an element type, not to {type(element_ty).__name__}")
        self.element_ty = element_ty
        self.address_space = _unwrap_if_constexpr(address_space)
        self.const = _unwrap_if_constexpr(const)
        self.name = ("const_" if self.const else "") + f"pointer<{element_ty}>"

    @property
    def __tegula_type__(self):
        return ("*k" if self.const else "*") + self.element_ty.__tegula_type__

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def mangle(self):
        return "P" + self.element_ty.mangle()

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return isinstance(other, pointer_type) and (self.element_ty, self.address_space, self.const) == (
            other.element_ty,
            other.address_space,
            other.const,
        )

    __hash__ = dtype.__hash__

    def __repr__(self):
        return self.name


class block_type(dtype):
    """The type of a tile."""

    __tegula_name__ = _Named("triton.language.block_type")

    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self.shape = _builtins.tuple(_unwrap_if_constexpr(list(shape)))
        if not self.shape:
            raise TypeError("a block type has at least one dimension")
        self.numel = _block_size(self.shape)
        self.name = f"<{self.shape}, {element_ty}>"

    @property
    def __tegula_type__(self):
        return self.element_ty.__tegula_type__

    @property
    def __tegula_block__(self):
        return self.shape

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        return self.numel * self.element_ty.primitive_bitwidth // 8

    def mangle(self):
        return f"{self.element_ty.scalar.mangle()}S{'_'.join(map(str, self.shape))}S"

    def __eq__(self, other):
        return isinstance(other, block_type) and self.element_ty == other.element_ty and self.shape == other.shape

    __hash__ = dtype.__hash__

    def __repr__(self):
        return self.name


def _block_size(shape):
    size = 1
    for i, d in enumerate(shape):
        if not isinstance(d, int):
            raise TypeError(f"dimension {i} of a tile must be an int, not {type(d).__name__}")
        if d <= 0 or d & (d - 1):
            raise ValueError(f"dimension {i} of a tile is {d}; it must be a power of 2")
        size *= d
    if size > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"a tile has at most {TRITON_MAX_TENSOR_NUMEL} elements, not {size}")
    return size


void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
pi32_t = pointer_type(int32)


def get_int_dtype(bitwidth, signed):
    """The integer type of a width."""
    width, signed = _unwrap_if_constexpr(bitwidth), _unwrap_if_constexpr(signed)
    if width == 1:
        return int1
    try:
        return dtype(f"{'' if signed else 'u'}int{width}")
    except AssertionError:
        raise ValueError(f"there is no integer type of {width} bits") from None


get_int_dtype.__tegula_name__ = "triton.language.get_int_dtype"
