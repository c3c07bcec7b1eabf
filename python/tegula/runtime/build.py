"""Triton builds C modules; Tegula needs no compiler."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from .._placeholder import placeholder

    return placeholder(f"triton.runtime.build.{name}", "Tegula builds no C modules")
