"""Serves `import triton` with Tegula.

A finder answers for triton and all below it. A module that Tegula has is Tegula's own, under both names; one that Triton alone
has is a module whose names raise Unsupported when they are used; one that neither has is not found, so that programs
which try for other vendors' parts go on as they do with Triton.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types

TRITON_VERSION = "3.9.0"

# Triton's modules that are called the same below tegula.
_SAME = """
    backends backends.compiler backends.driver compiler compiler.code_generator compiler.compiler compiler.errors errors knobs
    language language.core language.extra language.extra.cuda language.extra.libdevice language.math language.random
    language.semantic language.standard language.target_info runtime runtime.autotuner runtime.build runtime.cache runtime.driver
    runtime.errors runtime.interpreter runtime.jit testing tools tools.disasm tools.tensor_descriptor
""".split()

# Those that are called otherwise.
_ALIASES = {
    "language.libdevice": "language.extra.libdevice",
    "language.extra.cuda.libdevice": "language.extra.libdevice",
    "language.extra.cuda.gdc": "language.extra.cuda",
    "language.extra.cuda.utils": "language.extra.cuda",
    "language.extra.hip": "language.extra.cuda",
    "language.extra.hip.libdevice": "language.extra.libdevice",
    "language.extra.intel": "language.extra.cuda",
    "language.extra.intel.libdevice": "language.extra.libdevice",
    "language.extra.xpu": "language.extra.cuda",
    "language.extra.xpu.libdevice": "language.extra.libdevice",
    "runtime._allocation": "runtime.allocation",
}

# The parts of Triton that Tegula lacks, and why: these modules, and with a dot at the end all below them too.
_ABSENT = {
    "_C.": "it is Triton's own compiler",
    "_internal_testing": "it belongs to Triton's own tests",
    "_utils": "it belongs to Triton's own compiler",
    "backends.amd.": "there is no back end for AMD GPUs",
    "backends.nvidia.": "binaries are loaded by Tegula's own driver",
    "experimental": "it is not part of Tegula",
    "experimental.gluon.": "Gluon, Triton's lower-level language, is not part of Tegula",
    "instrumentation.": "it belongs to Triton's own compiler",
    "plugins.": "it belongs to Triton's own compiler",
    "profiler.": "Proton, Triton's profiler, is not part of Tegula",
    "runtime._async_compile": "kernels are compiled when they are launched",
    "tools.compile": "see tegula.compile",
    "tools.link": "see tegula.compile",
    "tools.mxfp": "it is not part of Tegula",
    "tools.ragged_tma": "it is not part of Tegula",
}


def _why_absent(name):
    """Why Tegula lacks a module of Triton's; None if it is no module of Triton's."""
    for absent, why in _ABSENT.items():
        if name == absent.rstrip(".") or (absent.endswith(".") and name.startswith(absent)):
            return why
    return None


def _own(name):
    """The name below tegula of the module that serves one of Triton's; None if none does."""
    return name if name in _SAME else _ALIASES.get(name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds triton and what is below it."""

    def __init__(self):
        self.specs = {}

    def find_spec(self, fullname, path=None, target=None):
        root, _, name = fullname.partition(".")
        if root != "triton" or (name and _own(name) is None and _why_absent(name) is None):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        name = spec.name.partition(".")[2]
        if not name:
            return _triton()
        if _own(name) is None:
            return _absent(spec.name, name)
        module = importlib.import_module("tegula." + _own(name))
        self.specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        """There is nothing to run. A module of Tegula's gets back its own spec, in whose place importing has put Triton's."""
        own = self.specs.pop(module.__spec__.name, None)
        if own is not None:
            module.__spec__ = own


def _absent(fullname, name):
    """A module that stands for a part that Tegula lacks."""
    from . import _placeholder

    why, held, fallback = _why_absent(name), {}, None
    if name in ("experimental", "experimental.gluon"):
        child = {"experimental": "gluon", "experimental.gluon": "language"}[name]
        fallback = lambda attr: importlib.import_module(f"{fullname}.{child}") if attr == child else None  # noqa: E731
    if name == "experimental.gluon":
        held = {
            "jit": _placeholder.decorator("gluon.jit", why),
            "constexpr_function": _of("runtime.jit", "constexpr_function"),
            "aggregate": _of("runtime.aggregate", "aggregate"),
        }
    if name == "experimental.gluon.language":  # most of what it holds is the language's
        language = importlib.import_module("tegula.language")
        fallback = lambda attr: getattr(language, attr, None)  # noqa: E731
    return _placeholder.module(fullname, why, held, fallback)


def _of(module, name):
    return getattr(importlib.import_module("tegula." + module), name)


def _triton():
    """The module triton itself: Tegula's names, with the version of the language."""
    import tegula

    made = types.ModuleType("triton", "Triton's names, served by Tegula.")
    made.__path__ = []
    made.__version__ = TRITON_VERSION
    made.__file__ = tegula.__file__
    made.__tegula_name__ = "triton"
    modules = {name for name in [*_SAME, *_ABSENT] if "." not in name}

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(f"module 'triton' has no attribute {name!r}")
        if name in ("AsyncCompileMode", "FutureKernel"):
            value = getattr(importlib.import_module("triton.runtime._async_compile"), name)
        elif name in modules:
            value = importlib.import_module("triton." + name)
        elif name in tegula.__all__:
            value = getattr(tegula, name)
        else:
            raise AttributeError(f"module 'triton' has no attribute {name!r}")
        setattr(made, name, value)
        return value

    made.__getattr__ = __getattr__
    made.__dir__ = lambda: sorted({*vars(made), *modules, *tegula.__all__})
    made.__all__ = [name for name in tegula.__all__ if not name.startswith("_")]
    return made


def install_as_triton():
    """Lets `import triton`, and of all below it, give Tegula for the rest of the program.

    It must come before the first import of the real Triton; doing it again changes nothing.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if "triton" in sys.modules:
        raise ImportError("the program has imported triton already: call tegula.install_as_triton() before it does")
    sys.meta_path.insert(0, _Finder())
