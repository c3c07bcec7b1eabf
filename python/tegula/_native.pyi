"""What the C extension gives to the Python around it.

Nothing here imports a framework. The compiler, a shared library beside the extension, is loaded when something first needs it:
a launch, ``compile``, ``Kernel.params``, ``devices``. Making a ``Kernel`` does not, so decorating costs next to nothing.

How the objects of ``tegula.language`` are told from others when a kernel's globals lead to them:

* ``__tegula_name__``, a str such as ``"triton.language.load"`` or ``"triton.language.math"``: the object stands for what the
  language has under that name. Modules, functions and classes of the language carry it.
* ``__tegula_type__``, a str as in signatures (``"fp32"``, ``"*fp32"``, ``"*kfp32"``): the object is that type.
* ``__tegula_block__``, a sequence of ints beside ``__tegula_type__``: a block (tile) type of that shape.
* an instance of the class that ``set_constexpr_type`` was told: a constant, its ``.value``.
* ``__tegula_host__`` that is true: a function that is called in Python while a kernel is compiled (``constexpr_function``).
* a ``Kernel``, or an object whose chain of ``.fn`` attributes leads to one (``Autotuner``, ``Heuristics``): that kernel function.
"""

import builtins
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, NamedTuple

__version__: str  # of the wheel, and of the library in it

# Kernels

class Param(NamedTuple):
    name: str
    kind: int  # as inspect.Parameter.kind: 0 positional only, 1 ordinary, 2 *args, 3 keyword only
    constexpr: bool
    annotation: str  # as written, or ""
    do_not_specialize: bool
    do_not_specialize_on_alignment: bool

class Kernel:
    """A kernel function; the base class of ``tegula.JITFunction``.

    ``source`` is the text of the def, with its decorators and its indentation; ``first_line`` is the number of its first
    line in ``filename``. Names that the function does not define are looked up in its closure, its globals and the
    builtins, when a kernel is compiled. Defaults and annotations are the function's own.

    Options, all of which may be left out:

    ==================================  ===================================================================
    ``do_not_specialize``               parameters, by name or by index
    ``do_not_specialize_on_alignment``  the same
    ``debug``                           ``device_assert`` is compiled in
    ``strict``                          arrays that are not C-contiguous are refused
    ``num_warps``, ``num_stages``,      what launches that do not say have
    ``num_ctas``, ``threads_per_warp``
    ==================================  ===================================================================

    ``noinline`` is accepted and changes nothing. Others raise ``ArgumentError``.
    """

    fn: FunctionType
    source: str
    filename: str
    first_line: int
    options: dict[str, Any]

    def __init__(self, fn: FunctionType, source: str, filename: str, first_line: int, options: Mapping[str, Any] | None = None) -> None: ...
    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters, as the compiler reads them. Raises what is wrong with the source."""
    @property
    def arg_names(self) -> tuple[str, ...]: ...
    @property
    def cache_key(self) -> str:
        """A hash of the source of the kernel and of all that its globals lead to."""

    def __getitem__(self, grid: Any) -> Launcher:
        """``kernel[grid](*args, **kwargs)`` launches. The grid is an int, a tuple or list of one to three, or a callable
        that is given the dict of the bound arguments. The stream is the framework's current one."""

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> CompiledKernel:
        """``self[grid](*args, **kwargs)``, or ``self.warmup(args, kwargs, grid)``."""

    def warmup(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], grid: Any = None, target: str | None = None) -> CompiledKernel:
        """Compiles what a launch with these arguments would compile, and launches nothing. Arguments may be arrays, numbers,
        or types (anything that has ``__tegula_type__``, torch and NumPy dtypes): a type of an array parameter stands for
        an array of it. A target makes it compile for that target, wherever the arrays are."""

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The bound arguments by name, with defaults, and the options among kwargs. Raises ``ArgumentError``."""

    launch_metadata: Callable[..., Any] | None  # kept for the hooks; nothing here calls it
    pre_run_hooks: list[Callable[..., Any]] | None  # each is called with the launch's args and kwargs; None or empty: none

class Launcher:
    """A kernel with its grid. It holds both."""

    kernel: Kernel
    grid: Any
    def __call__(self, *args: Any, **kwargs: Any) -> CompiledKernel: ...

class CompiledKernel:
    """What a launch or ``compile`` gives. ``set_compiled_type`` chooses a subclass of it to be made instead."""

    @property
    def name(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def metadata_json(self) -> str: ...
    @property
    def function(self) -> int:
        """The function as the device's driver knows it; 0 if it was compiled only."""

    def stages(self) -> tuple[str, ...]: ...
    def emit(self, stage: str) -> str | bytes:
        """The text of a stage, made when it is asked for. ``Unsupported`` if the target has not got it."""
    @property
    def constants(self) -> dict[str, Any] | None:
        """The constants of the launch that it was made for; None if it was compiled only."""

    @property
    def options(self) -> dict[str, Any]:
        """The options of that launch which the metadata do not have."""

    def run(self, grid: Any, *args: Any) -> bool:
        """Launches this variant; ``args`` are one for each parameter of the kernel. False, and nothing happened, if they are another
        variant's, or not as many."""

def set_compiled_type(cls: type[CompiledKernel]) -> None: ...
def set_constexpr_type(cls: type) -> None: ...

def compile(
    kernel: Kernel,
    signature: Mapping[str, str],
    constexprs: Mapping[str, Any],
    attrs: Mapping[str, int] | None,
    target: str,
    options: Mapping[str, Any] | None,
) -> CompiledKernel:
    """Compiles for a target, without arrays, without a device. ``signature`` gives the types by name, ``attrs`` the power of two
    that an argument is divisible by; a parameter that neither ``signature`` nor ``constexprs`` names has its default.
    A type ``"constexpr"`` in the signature is as if it were left out. ``options``: ``num_warps``, ``num_stages``, ``num_ctas``, ``threads_per_warp``, ``debug``."""

# Arrays

class RuntimeArrayInfo(NamedTuple):
    framework: str  # numpy, cupy, torch, jax, dlpack
    device: str  # cpu, cuda, xpu
    device_index: int
    dtype_name: str  # float32, bfloat16, int64, bool, …
    c_contiguous: bool

def array_arg_info(value: object) -> RuntimeArrayInfo | None:
    """What a launch sees of an array; None for what is no array."""

def array_pointer(value: object) -> tuple[int, str, tuple[int, ...], tuple[int, ...]] | None:
    """Address, type as in signatures (``"fp32"``), shape, strides in elements."""

def array_record(address: int, dtype: str, device: str, index: int, shape: tuple[int, ...]) -> bytes:
    """What a launch sees of an array in C order; an object that has it as ``__tegula_array__`` is such an array."""

# Hooks and modes

def set_enter_hook(hook: Callable[[Kernel, CompiledKernel, tuple[int, int, int], int, tuple[Any, ...]], None] | None) -> None:
    """Called before each launch with the kernel, what is launched, the canonical grid, the stream's handle, and the values of
    all parameters in their order. What it raises stops the launch. None: none, which costs nothing."""

def set_exit_hook(hook: Callable[[Kernel, CompiledKernel, tuple[int, int, int], int, tuple[Any, ...]], None] | None) -> None:
    """Called after each launch whose enter hook succeeded."""

def set_debug(on: object) -> None:
    """Has every kernel compiled with its assertions."""

def set_check(mode: int) -> int:
    """0: as the environment says; 1: launches on the CPU are checked; 2: strictly. Gives the mode there was."""

def devices() -> list[dict[str, Any]]:
    """backend, index, name, arch, version of each."""

def device(backend: str, index: int, what: int, *numbers: int) -> tuple[int, ...]:
    """Streams and memory of a device; ``bridge.h`` lists what there is to do. ``tegula.xpu`` is the face of it."""

def queue_device(handle: int) -> int:
    """The number of the device that a ``sycl::queue`` is of, by its address."""

def dtype_size(name: str) -> tuple[str, int]:
    """The name that frameworks have for an element type, and how many bytes an element has."""

def check_metadata(text: str) -> str:
    """Validates metadata; gives them as they are written, with every field. Raises ``SchemaError``."""

def variants(kernel: Kernel) -> int:
    """How many variants of a kernel are held."""

# Errors

class TegulaError(Exception):
    """``str()`` is the message with the place, the line and a caret."""

    code: str  # stable, kebab-case
    category: str
    message: str  # one line, without the place
    filename: str | None
    lineno: int | None
    offset: int | None  # of the column, from 1
    text: str | None  # the line

class SyntaxError(TegulaError, builtins.SyntaxError): ...
class CompileError(TegulaError, TypeError): ...
class Unsupported(TegulaError, NotImplementedError): ...
class GridError(TegulaError, ValueError): ...
class ArgumentError(TegulaError, TypeError): ...
class MixedDevices(ArgumentError): ...
class MixedFrameworks(ArgumentError): ...
class MultipleDevices(ArgumentError): ...
class NotContiguous(ArgumentError): ...
class DtypeError(ArgumentError): ...
class LaunchKeywordError(ArgumentError): ...
class GlobalChanged(TegulaError, RuntimeError): ...
class SchemaError(TegulaError, ValueError): ...
class OutOfResources(TegulaError, RuntimeError):
    resource: str
    required: int
    limit: int
class StreamError(TegulaError, ValueError): ...
class DriverError(TegulaError, RuntimeError): ...
class CheckError(TegulaError, AssertionError): ...
