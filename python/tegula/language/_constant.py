"""Constants of the language: constexpr, and what has one inside."""

import builtins as _builtins

from .. import _native


class _Named:
    """The attribute by which the compiler knows a class of the language. Objects of the class do not have it."""

    def __init__(self, path):
        self.path = path

    def __get__(self, instance, owner):
        if instance is None:
            return self.path
        raise AttributeError("__tegula_name__")


class base_value:
    """Base class of the values that a kernel computes with."""


class base_type:
    """Base class of their types."""

    def __ne__(self, other):
        return not self == other

    __hash__ = None


class constexpr_type(base_type):
    """The type of a constant, which is told by its value."""

    __tegula_name__ = _Named("triton.language.constexpr_type")

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self):
        named = getattr(self.value, "mangle", None)
        return "c" + (named() if named else repr(self.value))


def _unwrap_if_constexpr(o):
    """The value that a constexpr holds, also inside of lists and tuples."""
    if isinstance(o, constexpr):
        return o.value
    if isinstance(o, list):
        return [_unwrap_if_constexpr(x) for x in o]
    if isinstance(o, _builtins.tuple):
        values = [_unwrap_if_constexpr(x) for x in o]
        return type(o)(*values) if hasattr(o, "_fields") else type(o)(values)
    unwrapped = getattr(o, "_unwrapped", None) if isinstance(o, base_value) else None
    return unwrapped() if unwrapped else o


_unwrap_if_constexpr.__tegula_name__ = "triton.language._unwrap_if_constexpr"


class constexpr(base_value):
    """A value that is known when the kernel is compiled; as an annotation, a parameter that takes such a value."""

    __tegula_name__ = _Named("triton.language.constexpr")

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value
        self.type = constexpr_type(value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((self.value, self.type))

    def __index__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __len__(self):
        return len(self.value)

    def __iter__(self):
        return iter(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, index):
        return self.value[_unwrap_if_constexpr(index)]

    def __not__(self):
        return constexpr(not self.value)

    def logical_and(self, other):
        return constexpr(self.value and _unwrap_if_constexpr(other))

    def logical_or(self, other):
        return constexpr(self.value or _unwrap_if_constexpr(other))


def _operators():
    """Gives constexpr Python's operators: each works on the values and gives a constexpr."""
    import operator

    def binary(apply):
        return lambda self, other: constexpr(apply(self.value, _unwrap_if_constexpr(other)))

    def reflected(apply):
        return lambda self, other: constexpr(apply(_unwrap_if_constexpr(other), self.value))

    def unary(apply):
        return lambda self: constexpr(apply(self.value))

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
        apply = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(constexpr, f"__{name}__", binary(apply))
        setattr(constexpr, f"__r{name}__", reflected(apply))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(constexpr, f"__{name}__", binary(getattr(operator, name)))
    for name in ("neg", "pos", "invert"):
        setattr(constexpr, f"__{name}__", unary(getattr(operator, name)))


_operators()

CONSTEXPR_0 = constexpr(0)

_native.set_constexpr_type(constexpr)
