"""What code can be compiled for, under Triton's names."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Backend:
    compiler: type
    driver: type


def __getattr__(name):
    if name == "backends":
        from ..runtime.driver import CUDADriver, Driver, XPUDriver
        from .compiler import BaseBackend

        return {"cpu": Backend(BaseBackend, Driver), "nvidia": Backend(BaseBackend, CUDADriver), "intel": Backend(BaseBackend, XPUDriver)}
    if name == "BaseBackend":
        from .compiler import BaseBackend

        return BaseBackend
    if name == "DriverBase":
        from ..runtime.driver import Driver

        return Driver
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
