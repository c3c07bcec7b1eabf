"""The names of the language, as host code sees them.

A kernel's meaning is the compiler's: it recognises an object of this package by its attribute
``__tegula_name__``, the canonical name of what the object stands for ("triton.language.load"), a
type by ``__tegula_type__``, its name in signatures ("fp32"), and never runs its code. What is here
serves the program around the kernels: types that can be asked and compared, constants, signatures,
isinstance and annotations.
"""

import builtins as _builtins
import enum as _enum

from . import _table
from ._constant import *  # noqa: F403
from ._constant import CONSTEXPR_0, _Named, _unwrap_if_constexpr, base_type, base_value, constexpr, constexpr_type
from ._dtype import *  # noqa: F403
from ._dtype import TRITON_MAX_TENSOR_NUMEL, block_type, dtype, get_int_dtype, pointer_type
from ._value import *  # noqa: F403
from ._value import slice_type, tensor, tensor_descriptor_base

TRITON_BUILTIN = "__triton_builtin__"
__tegula_name__ = "triton.language"


class PropagateNan(_enum.IntEnum):
    """Whether maximum, minimum and clamp give NaN when an operand is."""

    NONE = 0
    ALL = 0xFFFF


PropagateNan.__tegula_name__ = _Named("triton.language.PropagateNan")


class const:
    """Annotation of a pointer parameter that the kernel does not write through."""

    __tegula_name__ = _Named("triton.language.const")


class _Name:
    """A function of the language. Kernels call it; host code can only ask about it."""

    __triton_builtin__ = True

    def __init__(self, path, name, params, doc):
        self.__tegula_name__ = path
        self.__name__ = name
        self.__qualname__ = name
        self.__module__ = path.rpartition(".")[0]
        self.__doc__ = doc
        self._params = params

    @property
    def __signature__(self):
        import inspect

        scope = {}
        exec(f"def {self.__name__}({self._params}): pass", scope)
        return inspect.signature(scope[self.__name__])

    signature = __signature__

    def __call__(self, *args, **kwargs):
        raise ValueError(
            f"{self.__module__.replace('triton.language', 'tl')}.{self.__name__} works inside of a kernel only: did you forget to add @tegula.jit?"
        )

    def __get__(self, instance, owner=None):
        return self

    def __reduce__(self):
        return (_named, (self.__tegula_name__,))

    def __repr__(self):
        return f"<function {self.__tegula_name__}>"


def _named(path):
    """Finds a function of the language again when it is unpickled."""
    import importlib

    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module.replace("triton", "tegula", 1)), name)


def _log2(i):
    """The logarithm to base 2 of a constant, rounded down."""
    return _builtins.max(int(_unwrap_if_constexpr(i)), 1).bit_length() - 1


_log2.__tegula_name__ = "triton.language._log2"


def _is_power_of_two(i):
    n = int(_unwrap_if_constexpr(i))
    return n != 0 and n & (n - 1) == 0


_is_power_of_two.__tegula_name__ = "triton.language._is_power_of_two"
_get_int_dtype = get_int_dtype


def is_builtin(fn):
    """Whether fn is a function of the language."""
    return getattr(fn, TRITON_BUILTIN, False)


def builtin(fn):
    """Marks a function that works on Triton's intermediate representation: what is written with it cannot be compiled here."""
    import functools

    from ..errors import Unsupported

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        raise Unsupported(f"{fn.__module__}.{fn.__qualname__} is written against Triton's own compiler (triton.language.core.builtin)")

    wrapper.__triton_builtin__ = True
    return wrapper


extern = builtin


def must_use_result(x, s=True):
    """Marks a function whose result should be used."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s
    return x


def _add_names(into, module, table):
    """Enters the functions of a table that have no object yet."""
    for name, (params, _, doc) in table.items():
        if name not in into:
            into[name] = _Name(f"{module}.{name}", name, params, doc)


def _add_methods():
    """Gives tensor and tensor_descriptor their methods."""
    scope = globals()
    for name in _table.METHODS:
        setattr(tensor, name, scope[name])
    for name in _table.DESCRIPTOR_METHODS:
        setattr(tensor_descriptor_base, name, _Name(f"triton.language.tensor_descriptor.{name}", name, "self, *args", ""))


_add_names(globals(), "triton.language", _table.LANGUAGE)
_add_methods()


def _aggregate(cls):
    """Makes a class of which kernels make objects: tegula.aggregate."""
    from ..runtime.aggregate import aggregate

    return aggregate(cls)
