"""Where Triton keeps its front end; Tegula's is not written in Python."""

from .._placeholder import placeholder
from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct  # noqa: F401


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return placeholder(f"triton.compiler.code_generator.{name}", "it belongs to Triton's own compiler")
