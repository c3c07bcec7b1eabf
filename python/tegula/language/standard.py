"""The language's own library, as Triton calls it; its functions are those of tegula.language."""

from . import _table, core

__tegula_name__ = "triton.language.standard"

for _name in (*_table.LIBRARY, *(n for n in _table.LANGUAGE if n.startswith("_") and not n.startswith("_experimental"))):
    globals()[_name] = getattr(core, _name)
