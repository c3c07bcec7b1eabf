"""Tegula's language: what a kernel may say. The names are Triton's.

The compiler knows what they mean; docs/language.md lists them with what is refused.
"""

from . import _table
from . import core as core
from .core import *  # noqa: F403  its public names
from . import extra as extra, math as math, random as random, semantic as semantic, standard as standard, target_info as target_info

__tegula_name__ = "triton.language"

# Names that Triton keeps private but public kernels use.
globals().update({name: getattr(core, name) for name in _table.LANGUAGE if name.startswith("_")})


def constexpr_function(fn):
    """A Python function that kernels call with constants while they are compiled."""
    from ..runtime.jit import constexpr_function

    return constexpr_function(fn)


_SHORT = {"i1": "int1", "u1": "int1", "B": "int1"}
_SHORT.update({f"i{width}": f"int{width}" for width in (8, 16, 32, 64)} | {f"u{width}": f"uint{width}" for width in (8, 16, 32, 64)})


def str_to_ty(name, c=None):
    """The type that a signature calls so."""
    if name.startswith("*"):
        is_const = name.startswith("*k")
        return core.pointer_type(str_to_ty(name[2 if is_const else 1 :], c), const=is_const)
    if name.startswith("constexpr"):
        return core.constexpr_type(c)
    return core.dtype(_SHORT.get(name, name))


def _from_signature(name, block):
    """The type that the compiler passes to a function of Python: a name, and for tiles the shape."""
    return core.block_type(str_to_ty(name), block) if block else str_to_ty(name)
