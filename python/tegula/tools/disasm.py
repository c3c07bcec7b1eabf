"""Triton shows a binary's machine code with NVIDIA's tools; a compiled kernel's .asm has what Tegula makes."""

from .._placeholder import placeholder


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return placeholder(f"triton.tools.disasm.{name}", "see a compiled kernel's .asm")
