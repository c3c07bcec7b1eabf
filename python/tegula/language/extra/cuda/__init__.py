"""Functions of CUDA; targets that have no such thing do nothing where nothing is right."""

from ... import _table
from ...core import _add_names
from .. import libdevice as libdevice

__tegula_name__ = "triton.language.extra.cuda"

_add_names(globals(), __tegula_name__, _table.CUDA)
