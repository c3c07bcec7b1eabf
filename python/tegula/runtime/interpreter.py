"""Triton's interpreter has no counterpart: kernels are compiled, and tegula.check runs them under the checker."""

from .._placeholder import placeholder
from .errors import InterpreterError  # noqa: F401
from .jit import JITFunction as InterpretedFunction  # noqa: F401


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return placeholder(f"triton.runtime.interpreter.{name}", "there is no interpreter; see tegula.check")
