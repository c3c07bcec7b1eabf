"""What launches kernels: functions, tuning, the active driver."""

from .._lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(
    __name__,
    {
        "autotuner": ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"],
        "jit": ["JITFunction", "KernelInterface", "MockTensor", "TensorWrapper", "reinterpret"],
        "errors": ["InterpreterError", "OutOfResources"],
        "cache": ["RedisRemoteCacheBackend", "RemoteCacheBackend"],
        "driver": ["driver"],
    },
    ["aggregate", "autotuner", "build", "cache", "errors", "interpreter", "jit", "source"],
)
