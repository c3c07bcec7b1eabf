"""Kernel functions: what @tegula.jit makes."""

import inspect
import os
import types
from functools import cached_property, update_wrapper

from .. import _native
from ..compiler import compiler as _compiler  # noqa: F401  tells the extension of CompiledKernel
from ..errors import CompileError
from . import source as _source
from .arrays import MockTensor, TensorWrapper, reinterpret  # noqa: F401

_TYPE_NAMES = {
    "bool": "u1", "int1": "u1", "uint1": "u1", "i1": "u1",
    "float8e4nv": "fp8e4nv", "float8e5": "fp8e5", "float8e4b15": "fp8e4b15", "float8_e4m3fn": "fp8e4nv", "float8e4b8": "fp8e4b8",
    "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2": "fp8e5", "float8e5b16": "fp8e5b16", "float8_e5m2fnuz": "fp8e5b16",
    "half": "fp16", "float16": "fp16", "bfloat16": "bf16", "float": "fp32", "float32": "fp32", "double": "fp64", "float64": "fp64",
    "int8": "i8", "int16": "i16", "int": "i32", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "void": "void",
}  # fmt: skip
_TYPE_NAMES.update({name: name for name in list(_TYPE_NAMES.values())})


def _normalize_ty(annotation):
    """The type that an annotation names, as in signatures; its own text if it names none."""
    if isinstance(annotation, str):
        text = annotation.strip()
        if text.startswith("const "):
            return "*k" + _normalize_ty(text[6:]).removeprefix("*")
        if text.endswith("*"):
            return "*" + _normalize_ty(text[:-1])
        if text.startswith("*"):
            return "*" + _normalize_ty(text[1:])
        text = text.removeprefix("tl.")
    else:
        element = getattr(annotation, "element_ty", None)
        if element is not None:
            return "*" + _normalize_ty(element)
        text = getattr(annotation, "name", None) or getattr(annotation, "__name__", None) or str(annotation)
    return _TYPE_NAMES.get(text.replace("_t", ""), text)


class KernelParam:
    """A parameter of a kernel."""

    def __init__(self, num, param, do_not_specialize, do_not_specialize_on_alignment):
        self.num = num
        self._param = param
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment

    @property
    def name(self):
        return self._param.name

    @cached_property
    def annotation(self):
        """The annotation as in signatures, "" for none."""
        given = self._param.annotation
        return "" if given is inspect.Parameter.empty or not given else _normalize_ty(given)

    @cached_property
    def annotation_type(self):
        """The annotation if it names a type, else ""."""
        return self.annotation if self.annotation.removeprefix("*").removeprefix("k") in _TYPE_NAMES else ""

    @property
    def is_constexpr(self):
        return "constexpr" in self.annotation

    @property
    def is_const(self):
        return not self.is_constexpr and ("const" in self.annotation or self.annotation.startswith("*k"))

    @property
    def default(self):
        return self._param.default

    @property
    def has_default(self):
        return self._param.default is not inspect.Parameter.empty

    def __repr__(self):
        return f"KernelParam({self._param})"


class KernelInterface:
    """Anything that is launched as kernel[grid](…): what its run method does."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no run method")

    def warmup(self, *args, grid, **kwargs):
        return self.run(*map(MockTensor.wrap_dtype, args), grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        def launch(*args, **kwargs):
            return self.run(*args, grid=grid, warmup=False, **kwargs)

        return launch


class JITCallable:
    """A function with its source: a kernel function, or one that is called while a kernel is compiled."""

    __class_getitem__ = classmethod(types.GenericAlias)

    @cached_property
    def signature(self):
        return inspect.signature(self.fn)

    @property
    def raw_src(self):
        return self.source.splitlines(keepends=True)

    @property
    def starting_line_number(self):
        return self.first_line

    @property
    def src(self):
        """The text from its def on, without the indentation."""
        import textwrap

        text = textwrap.dedent(self.source)
        lines = text.splitlines(keepends=True)
        start = next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
        return "".join(lines[start:])

    @property
    def __globals__(self):
        return self.fn.__globals__

    def parse(self):
        import ast

        return ast.parse(self.src)

    def get_capture_scope(self):
        """The names that the function sees: its globals, and its closure's."""
        return self.fn.__globals__ | inspect.getclosurevars(self.fn).nonlocals

    @cached_property
    def type(self):
        from ..language import core

        return core.constexpr_type(self)


class JITFunction(JITCallable, _native.Kernel, KernelInterface):
    """A kernel function. ``kernel[grid](…)`` launches it; other kernels call it."""

    def __init__(
        self,
        fn,
        version=None,
        do_not_specialize=None,
        do_not_specialize_on_alignment=None,
        debug=None,
        noinline=None,
        repr=None,
        launch_metadata=None,
        strict=None,
    ):
        inner = inspect.unwrap(fn)
        if not inspect.isfunction(inner):
            raise TypeError(f"jit takes a function, not {type(fn).__name__}")
        for param in inspect.signature(inner).parameters.values():
            if param.kind is inspect.Parameter.VAR_KEYWORD:
                raise TypeError(f"a kernel cannot have a **{param.name} parameter: name the parameters")
        options = {
            "do_not_specialize": do_not_specialize,
            "do_not_specialize_on_alignment": do_not_specialize_on_alignment,
            "debug": debug,
            "noinline": noinline,
            "strict": strict,
        }
        text, filename, line = _source.of(inner)
        _native.Kernel.__init__(self, inner, text, filename, line, {k: v for k, v in options.items() if v is not None})
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = list(do_not_specialize or [])
        self.do_not_specialize_on_alignment = list(do_not_specialize_on_alignment or [])
        self.debug = debug
        self.noinline = noinline
        self.launch_metadata = launch_metadata
        self._repr = repr
        self._fn_name = f"{fn.__module__}.{fn.__qualname__}"
        self.kernel = None
        update_wrapper(self, fn)
        del self.__wrapped__

    def __init_subclass__(cls, **kwargs):
        """A subclass with a run method of its own is launched through it."""
        super().__init_subclass__(**kwargs)
        if "run" in cls.__dict__ and "__getitem__" not in cls.__dict__:
            cls.__getitem__ = KernelInterface.__getitem__

    @cached_property
    def params(self):
        def among(names, i, param):
            return i in names or param.name in names

        return [
            KernelParam(
                i, param, among(self.do_not_specialize, i, param), among(self.do_not_specialize_on_alignment, i, param)
            )
            for i, param in enumerate(self.signature.parameters.values())
        ]

    @cached_property
    def arg_names(self):
        return [p.name for p in self.params]

    @cached_property
    def constexprs(self):
        return [p.num for p in self.params if p.is_constexpr]

    def warmup(self, *args, grid=None, target=None, **kwargs):
        """Compiles what a launch with these arguments would compile. Arguments may be arrays, numbers, or types."""
        return _native.Kernel.warmup(self, args, kwargs, grid, None if target is None else str(target))

    def add_pre_run_hook(self, hook):
        """Adds a function that is called before each launch, with its arguments."""
        self.pre_run_hooks = [*(self.pre_run_hooks or ()), hook]

    @cached_property
    def launch_enter_hook(self):
        """Hooks before launches of this kernel; the global ones come first."""
        from .. import knobs

        return knobs.kernel_chain(self, "launch_enter_hook")

    @cached_property
    def launch_exit_hook(self):
        """Hooks after launches of this kernel; the global ones come last."""
        from .. import knobs

        return knobs.kernel_chain(self, "launch_exit_hook")

    def repr(self, specialization):
        return self._fn_name if self._repr is None else self._repr(specialization)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            f"{self.__name__} is a kernel function: launch it as {self.__name__}[grid](…), or call it from another kernel"
        )

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"

    def __reduce__(self):
        return _kernel_named, (self.module, self.fn.__qualname__)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _kernel_named(module, qualname):
    """Finds a kernel again when it is unpickled."""
    from importlib import import_module

    value = import_module(module)
    for part in qualname.split("."):
        value = getattr(value, part)
    return value


def jit(
    fn=None,
    *,
    version=None,
    repr=None,
    launch_metadata=None,
    do_not_specialize=None,
    do_not_specialize_on_alignment=None,
    debug=None,
    noinline=None,
    strict=None,
):
    """Makes a kernel of a function.

    do_not_specialize                parameters, by name or index, whose value makes no variant of the code
    do_not_specialize_on_alignment   parameters whose alignment makes none
    debug                            device_assert is compiled in
    noinline                         accepted; calls are compiled in place
    launch_metadata                  f(grid, metadata, args) -> dict, which hooks of launches get
    repr                             f(specialization) -> str, kept for the program's own use
    strict                           arrays that are not C-contiguous are refused
    """

    def make(fn):
        return JITFunction(
            fn,
            version=version,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
            strict=strict,
        )

    return make if fn is None else make(fn)


class ConstexprFunction(JITCallable):
    """A Python function that kernels call with constants while they are compiled."""

    __tegula_host__ = True

    def __init__(self, fn):
        self.fn = fn
        update_wrapper(self, fn)

    @cached_property
    def _text(self):
        return _source.of(inspect.unwrap(self.fn))

    source = property(lambda self: self._text[0])
    first_line = property(lambda self: self._text[2])

    @cached_property
    def cache_key(self):
        import hashlib

        return hashlib.sha256(self.source.encode()).hexdigest()

    def __call__(self, *args, _semantic=None, **kwargs):
        from ..language.core import _unwrap_if_constexpr as plain

        return self.fn(*map(plain, args), **{name: plain(value) for name, value in kwargs.items()})

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __repr__(self):
        return f"ConstexprFunction({self.fn.__module__}:{self.fn.__qualname__})"


class BoundConstexprFunction(JITCallable):
    """A ConstexprFunction as a method of an object."""

    __tegula_host__ = True

    def __init__(self, instance, fn):
        self.__self__, self.__func__ = instance, fn

    def __getattr__(self, name):
        return getattr(self.__func__, name)

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


def constexpr_function(fn):
    """Lets kernels call a Python function with constants while they are compiled."""
    return ConstexprFunction(fn)


def mangle_type(arg, specialize=False):
    """The type of an argument, as in signatures."""
    found = _native.array_pointer(arg)
    if found is not None:
        return "*" + found[1]
    if isinstance(arg, bool):
        return "u1"
    if isinstance(arg, int):
        return "i32" if -(2**31) <= arg < 2**31 else "i64" if arg < 2**63 else "u64"
    if isinstance(arg, float):
        return "fp32"
    raise CompileError(f"{type(arg).__name__} is no type of an argument")


if os.environ.get("TEGULA_DEBUG") or os.environ.get("TRITON_DEBUG"):
    from .. import knobs  # noqa: F401  tells the extension
