"""Kernels in Triton's language, compiled and launched by Tegula."""

from typing import Any, Callable, ContextManager, Iterable, Mapping, Sequence, TypeVar, overload

from . import backends as backends, compiler as compiler, errors as errors, knobs as knobs, language as language, runtime as runtime, testing as testing, tools as tools, xpu as xpu
from ._install import install_as_triton as install_as_triton
from ._native import RuntimeArrayInfo as RuntimeArrayInfo, array_arg_info as array_arg_info, devices as devices
from .compiler.compiler import ASTSource as ASTSource, CompiledKernel as CompiledKernel
from .errors import (
    ArgumentError as ArgumentError,
    CheckError as CheckError,
    CompilationError as CompilationError,
    CompileError as CompileError,
    DriverError as DriverError,
    DtypeError as DtypeError,
    GlobalChanged as GlobalChanged,
    GridError as GridError,
    LaunchKeywordError as LaunchKeywordError,
    MixedDevices as MixedDevices,
    MixedFrameworks as MixedFrameworks,
    MultipleDevices as MultipleDevices,
    NotContiguous as NotContiguous,
    OutOfResources as OutOfResources,
    SchemaError as SchemaError,
    StreamError as StreamError,
    SyntaxError as SyntaxError,
    TegulaError as TegulaError,
    TritonError as TritonError,
    Unsupported as Unsupported,
)
from .language.core import must_use_result as must_use_result
from .metadata import KernelMetadata as KernelMetadata
from .runtime.aggregate import aggregate as aggregate
from .runtime.allocation import set_allocator as set_allocator
from .runtime.arrays import MockTensor as MockTensor, TensorWrapper as TensorWrapper, reinterpret as reinterpret
from .runtime.autotuner import Autotuner as Autotuner, Config as Config, Heuristics as Heuristics
from .runtime.errors import AutotunerError as AutotunerError, InterpreterError as InterpreterError
from .runtime.ir import IRKernel as IRKernel, load as load
from .runtime.jit import JITFunction as JITFunction, KernelInterface as KernelInterface
from .tools.tensor_descriptor import TensorDescriptor as TensorDescriptor

__version__: str

_F = TypeVar("_F", bound=Callable[..., Any])

@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(
    *,
    version: Any = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., Any] | None = None,
    do_not_specialize: Iterable[int | str] | None = None,
    do_not_specialize_on_alignment: Iterable[int | str] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
    strict: bool | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]:
    """Makes a kernel of a function."""

def autotune(
    configs: Sequence[Config],
    key: Sequence[str],
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: float | None = None,
    rep: float | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool | None = None,
) -> Callable[[Any], Autotuner]:
    """Measures a kernel's configurations and launches the fastest."""

def heuristics(values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]:
    """Computes arguments of a kernel from the others."""

def constexpr_function(fn: _F) -> _F:
    """Lets kernels call a Python function with constants while they are compiled."""

def compile(
    src: Any,
    signature: Mapping[str, Any] | None = None,
    constexprs: Mapping[Any, Any] | None = None,
    target: Any = None,
    options: Mapping[str, Any] | None = None,
    attrs: Mapping[Any, Any] | None = None,
    **more: Any,
) -> CompiledKernel:
    """Compiles a kernel without launching it, for any target, without a device or arrays."""

def check(strict: bool = False) -> ContextManager[None]:
    """Launches on the CPU within the block are checked."""

def cdiv(x: int, y: int) -> int:
    """x / y, rounded up."""

def next_power_of_2(n: int) -> int:
    """The smallest power of 2 that is not less than n; 0 for 0."""
