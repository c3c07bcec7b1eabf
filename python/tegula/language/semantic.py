"""Where Triton keeps the functions that build its intermediate representation: none of them exists here."""

from .._placeholder import placeholder

__tegula_name__ = "triton.language.semantic"


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return placeholder(f"triton.language.semantic.{name}", "it belongs to Triton's own compiler")
