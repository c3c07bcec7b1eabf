"""The exceptions of Tegula: each derives from TegulaError and from the exception of Python's own that it is most like."""

from ._native import (  # noqa: F401
    ArgumentError,
    CheckError,
    CompileError,
    DriverError,
    DtypeError,
    GlobalChanged,
    GridError,
    LaunchKeywordError,
    MixedDevices,
    MixedFrameworks,
    MultipleDevices,
    NotContiguous,
    OutOfResources,
    SchemaError,
    StreamError,
    SyntaxError,
    TegulaError,
    Unsupported,
)

TritonError = TegulaError
CompilationError = CompileError

__all__ = [
    "ArgumentError", "CheckError", "CompileError", "DriverError", "DtypeError", "GlobalChanged", "GridError", "LaunchKeywordError",
    "MixedDevices", "MixedFrameworks", "MultipleDevices", "NotContiguous", "OutOfResources", "SchemaError", "StreamError", "SyntaxError",
    "TegulaError", "Unsupported",
]  # fmt: skip
