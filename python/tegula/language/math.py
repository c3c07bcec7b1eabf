"""Mathematical functions of the language; those of CUDA's libdevice are found here too."""

from . import core as _core
from .extra import libdevice as _libdevice

__tegula_name__ = "triton.language.math"

_NAMES = (
    "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi "
    "maximum minimum clamp cdiv sigmoid softmax max min"
).split()
for _name in _NAMES:
    globals()[_name] = getattr(_core, _name)
core = _core


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_libdevice, name)
