"""Modules that import what they hold when it is asked for (PEP 562), so that `import tegula` costs little."""

import sys
from importlib import import_module


def lazy(package, names, modules=()):
    """Gives __getattr__, __dir__ and __all__ of a package: `names` says which of its modules holds which names,
    `modules` which of its modules are attributes."""
    holder = {name: module for module, held in names.items() for name in held}

    def __getattr__(name):
        if name in holder:
            value = getattr(import_module(f"{package}.{holder[name]}"), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def __dir__():
        return sorted({*vars(sys.modules[package]), *holder, *modules})

    return __getattr__, __dir__, sorted(holder)
