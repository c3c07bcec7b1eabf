"""Random numbers: Philox 4x32-10."""

from . import core as _core
from .core import constexpr

__tegula_name__ = "triton.language.random"

N_ROUNDS_DEFAULT = constexpr(10)
for _name in (
    "philox_impl philox randint4x randint uint_to_uniform_float rand4x rand pair_uniform_to_normal randn4x randn".split()
):
    globals()[_name] = getattr(_core, _name)
