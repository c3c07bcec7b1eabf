"""The active driver: what device, target and stream launches have that say nothing else."""

import os
import sys
import time

from .. import _native
from ..backends.compiler import GPUTarget
from ..errors import DriverError


class _Utils:
    """What Triton's drivers keep under utils."""

    def get_device_properties(self, device=0):
        return driver.active.device_properties(device)

    def load_binary(self, *args, **kwargs):
        from ..errors import Unsupported

        raise Unsupported("driver.active.utils.load_binary: binaries are loaded by the compiled kernel itself")


class _Clock:
    """An event of the CPU: the moment when it was recorded."""

    def __init__(self, enable_timing=True):
        self.at = 0.0

    def record(self, stream=None):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def query(self):
        return True

    def elapsed_time(self, end):
        """Milliseconds from this event to another."""
        return (end.at - self.at) * 1e3


class _CPUInterface:
    """What torch.cuda is for CUDA: the few functions that measuring needs."""

    Event = _Clock

    @staticmethod
    def synchronize(device=None):
        pass

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def set_device(device):
        pass

    @staticmethod
    def device_count():
        return 1

    @staticmethod
    def is_available():
        return True


class _CupyEvent:
    """An event of CuPy's as torch has them."""

    def __init__(self, enable_timing=True):
        import cupy

        self.event = cupy.cuda.Event(disable_timing=not enable_timing)

    def record(self, stream=None):
        self.event.record(stream)

    def synchronize(self):
        self.event.synchronize()

    def query(self):
        return self.event.done

    def elapsed_time(self, end):
        import cupy

        return cupy.cuda.get_elapsed_time(self.event, end.event)


class _CupyInterface:
    """What torch.cuda is, for programs that have CuPy and no torch."""

    Event = _CupyEvent

    @staticmethod
    def synchronize(device=None):
        import cupy

        cupy.cuda.Device(device).synchronize()

    @staticmethod
    def current_device():
        import cupy

        return cupy.cuda.Device().id


def _torch():
    """The program's torch, if it has one that sees the GPU."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


class Driver:
    """A driver as programs ask it."""

    backend = "cpu"

    def __init__(self):
        self.utils = _Utils()

    def get_current_target(self):
        return GPUTarget("cpu", 0, 1)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return (0, 0)

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        return _CPUInterface

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    def get_device_identity(self):
        """What timings depend on: the device's kind and name."""
        found = [d for d in _native.devices() if d["backend"] == self.backend]
        index = self.get_current_device()
        return next((f"{d['name']} {d['arch']}" for d in found if d["index"] == index), self.backend)

    def device_properties(self, device):
        """As the CPU has no such limits, numbers that let programs choose their sizes as for a large GPU."""
        return {
            "max_shared_mem": 232448,
            "max_num_regs": 65536,
            "multiprocessor_count": os.cpu_count() or 1,
            "warpSize": 1,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 0,
        }

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        from ..errors import Unsupported

        raise Unsupported("driver.active.map_python_to_cpp_type: launchers are not written in C++ here")


class CUDADriver(Driver):
    """NVIDIA GPUs; torch, where the program has it, says which device and stream are current."""

    backend = "cuda"

    def get_current_target(self):
        return GPUTarget("cuda", self._arch(), 32)

    def _arch(self):
        info = self._info(self.get_current_device())
        return int("".join(c for c in str(info["arch"]) if c.isdigit()) or 0)

    def _info(self, device):
        found = [d for d in _native.devices() if d["backend"] == "cuda"]
        if not found:
            raise DriverError("there is no NVIDIA GPU that can be asked")
        return next((d for d in found if d["index"] == device), found[0])

    def get_current_device(self):
        torch = sys.modules.get("torch")
        return torch.cuda.current_device() if torch is not None and torch.cuda.is_available() else 0

    def set_current_device(self, device):
        import torch

        torch.cuda.set_device(device)

    def get_current_stream(self, device=None):
        torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
        if torch is not None and torch.cuda.is_available():
            return torch.cuda.current_stream(device).cuda_stream
        return cupy.cuda.get_current_stream().ptr if cupy is not None else 0

    def get_device_capability(self, device=None):
        return divmod(self._arch(), 10)

    def get_active_torch_device(self):
        import torch

        return torch.device("cuda", self.get_current_device())

    def get_device_interface(self):
        torch = _torch()
        return _CupyInterface if torch is None else torch.cuda

    def get_empty_cache_for_benchmark(self):
        """An array larger than the cache of any GPU; writing it throws out what is in the cache."""
        torch = _torch()
        if torch is not None:
            return torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
        import cupy

        return cupy.empty(256 << 20, dtype=cupy.uint8)

    def clear_cache(self, cache):
        cache.zero_() if hasattr(cache, "zero_") else cache.fill(0)

    def device_properties(self, device):
        info = self._info(device)
        return {
            "max_shared_mem": info.get("max_shared_mem", 0),
            "max_num_regs": info.get("max_num_regs", 65536),
            "multiprocessor_count": info.get("multiprocessor_count", 0),
            "warpSize": info.get("warp_size", 32),
            "sm_clock_rate": info.get("sm_clock_rate", 0),
            "mem_clock_rate": info.get("mem_clock_rate", 0),
            "mem_bus_width": info.get("mem_bus_width", 0),
        }


class _XPUEvent(_Clock):
    """The moment when the current queue had done what it was given before."""

    def record(self, stream=None):
        from .. import xpu

        xpu.synchronize()
        super().record()


class _XPUInterface:
    """What torch.xpu is, for programs that have no torch with it."""

    Event = _XPUEvent

    @staticmethod
    def synchronize(device=None):
        from .. import xpu

        xpu.synchronize(device or 0)

    @staticmethod
    def current_device():
        return 0


def _torch_xpu():
    """The program's torch.xpu, if it has one that sees a device."""
    there = getattr(sys.modules.get("torch"), "xpu", None)
    return there if there is not None and there.is_available() else None


class XPUDriver(Driver):
    """SYCL devices; torch, where the program has it, says which device and queue are current."""

    backend = "xpu"

    def get_current_target(self):
        return GPUTarget("xpu", 0, 32)

    def get_current_device(self):
        there = _torch_xpu()
        return 0 if there is None else there.current_device()

    def set_current_device(self, device):
        there = _torch_xpu()
        if there is not None:
            there.set_device(device)

    def get_current_stream(self, device=None):
        there = _torch_xpu()
        if there is not None:
            return there.current_stream(device).sycl_queue
        from .. import xpu

        return xpu.current_queue(device or 0).handle

    def get_active_torch_device(self):
        import torch

        return torch.device("xpu", self.get_current_device())

    def get_device_interface(self):
        return _torch_xpu() or _XPUInterface

    def device_properties(self, device):
        from .. import xpu

        *_, threads, local = xpu.limits(device)
        return {**super().device_properties(device), "max_shared_mem": local, "warpSize": 32, "max_work_group_size": threads, "sub_group_sizes": [16, 32]}


def _create_driver():
    wanted = os.environ.get("TEGULA_DEFAULT_BACKEND") or os.environ.get("TRITON_DEFAULT_BACKEND")
    if not wanted and _torch_xpu() is not None:
        return XPUDriver()
    if wanted == "cpu" or (not wanted and not any(d["backend"] == "cuda" for d in _native.devices())):
        return Driver()
    if wanted in (None, "", "cuda", "nvidia"):
        return CUDADriver()
    if wanted in ("xpu", "intel"):
        return XPUDriver()
    from ..errors import Unsupported

    raise Unsupported(f"TRITON_DEFAULT_BACKEND={wanted}: there is no driver of that name; there are cpu, cuda and xpu")


class DriverConfig:
    """Which driver is active."""

    def __init__(self):
        self._default = None
        self._active = None

    @property
    def default(self):
        if self._default is None:
            self._default = _create_driver()
        return self._default

    @property
    def active(self):
        return self.default if self._active is None else self._active

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = None


DriverBase = Driver
driver = DriverConfig()


_DLPACK = {"cpu": 1, "cuda": 2, "xpu": 14}


def current_place():
    """Where a launch is whose arguments say nothing of it: the kind of device, by DLPack's number, the device, the stream."""
    active = driver.active
    index = active.get_current_device()
    return _DLPACK[active.backend], index, active.get_current_stream(index) or 1


def __getattr__(name):
    """The module is taken for the object in it: programs write both driver.active and driver.driver.active."""
    if name in ("active", "default"):
        return getattr(driver, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def set_active(active):
    driver.set_active(active)


def reset_active():
    driver.reset_active()
