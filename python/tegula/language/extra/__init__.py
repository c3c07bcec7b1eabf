"""Functions that only some targets have."""

from . import cuda as cuda
from . import libdevice as libdevice

__tegula_name__ = "triton.language.extra"
hip = intel = xpu = cuda
