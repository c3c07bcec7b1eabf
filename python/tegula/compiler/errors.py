"""The errors of compiling, under the names that Triton has for them."""

from ..errors import CompileError, Unsupported

CompilationError = CompileError
UnsupportedLanguageConstruct = Unsupported


class _StaticAssertion(type):
    """Says of an error whether it is a static_assert's: they have no class of their own."""

    def __instancecheck__(cls, error):
        return isinstance(error, CompileError) and getattr(error, "code", None) == "static-assert"


class CompileTimeAssertionFailure(CompileError, metaclass=_StaticAssertion):
    """A static_assert that did not hold. For isinstance: what is raised is a CompileError with the code static-assert."""
