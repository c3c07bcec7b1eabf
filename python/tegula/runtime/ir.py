"""Kernels that are files of Triton's intermediate representation (.ttir)."""

import os
import re
import types
from functools import cached_property

from .. import _native
from ..errors import ArgumentError
from .jit import KernelInterface


class IRKernel(_native.Kernel, KernelInterface):
    """A kernel of a .ttir file. ``kernel[grid](…)`` launches it. The types of its parameters are in the file, and constants are part of the code."""

    __getitem__ = _native.Kernel.__getitem__
    run = _native.Kernel.run

    def __init__(self, source, filename="kernel.ttir"):
        self.__name__ = self.__qualname__ = _name(source)
        self.__module__ = __name__
        _native.Kernel.__init__(self, _stub(self.__name__), source, filename, 1, {})

    def warmup(self, *args, grid=None, target=None, **kwargs):
        """Compiles what a launch with these arguments would compile. Arguments may be arrays, numbers, or types."""
        return _native.Kernel.warmup(self, args, kwargs, grid, None if target is None else str(target))

    @cached_property
    def params(self):
        return list(_native.Kernel.params.__get__(self))

    def __repr__(self):
        return f"IRKernel({self.__name__!r}, {self.filename!r})"


def load(file):
    """The kernel of a .ttir file: of a path, or of an object with a read method, such as an open file."""
    if hasattr(file, "read"):
        source, name = file.read(), getattr(file, "name", "kernel.ttir")
        return IRKernel(source.decode() if isinstance(source, bytes) else source, name if str(name).endswith(".ttir") else "kernel.ttir")
    path = os.fspath(file)
    if not path.endswith(".ttir"):
        raise ArgumentError(f"{path}: load takes files of Triton's intermediate representation, whose names end in .ttir")
    with open(path, encoding="utf-8") as f:
        return IRKernel(f.read(), path)


def _name(source):
    """The name that the text gives its kernel, for tracebacks and hooks; what the compiler reads decides."""
    found = re.search(r'tt\.func\s+(?:public\s+)?@(?:"([^"]*)"|([\w.$]+))', source)
    return (found[1] or found[2]) if found else "kernel"


def _stub(name):
    """A function of that name: a kernel is a function to Python."""

    def kernel():
        raise TypeError(f"{name} is launched as {name}[grid](…)")

    return types.FunctionType(kernel.__code__, {}, name, None, kernel.__closure__)
