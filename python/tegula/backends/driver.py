"""The bases of Triton's drivers."""

from ..runtime.driver import Driver as DriverBase

GPUDriver = DriverBase
