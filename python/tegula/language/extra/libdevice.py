"""The functions of CUDA's libdevice, on every target."""

from .. import _table
from ..core import _add_names

__tegula_name__ = "triton.language.extra.libdevice"

_add_names(globals(), __tegula_name__, _table.LIBDEVICE)
