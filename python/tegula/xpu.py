"""SYCL devices without torch: arrays in their memory, and queues.

    import numpy as np, tegula, tegula.language as tl
    from tegula import xpu

    x = xpu.array(np.arange(1000, dtype=np.float32))     # a copy in the device's memory
    out = xpu.empty_like(x)
    kernel[(4,)](x, out, 1000, BLOCK=256)                # on the current queue
    print(out.numpy())                                   # waits for the queue, and copies back

Nothing is copied that is not asked for. Tensors of torch.xpu are passed to kernels as they are, and their launches go on torch's current queue.
"""

import contextvars

from . import _native
from .errors import ArgumentError, DtypeError, NotContiguous

__all__ = ["Array", "Queue", "array", "current_queue", "device_count", "empty", "empty_like", "is_available", "limits", "synchronize", "zeros", "zeros_like"]

# What to do with a device, as bridge.h has it.
_OWN_STREAM, _NEW_STREAM, _CLOSE_STREAM, _WAIT, _LIMITS, _ALLOCATE, _RELEASE, _COPY_IN, _COPY_OUT, _FILL_ZERO = range(10)


def _do(device, what, *numbers):
    return _native.device("xpu", device, what, *numbers)


def device_count():
    """How many SYCL devices there are: 0 without a runtime."""
    return sum(d["backend"] == "xpu" for d in _native.devices())


def is_available():
    return device_count() > 0


def limits(device=0):
    """The most programs along the axes of a grid, work-items of a work-group, and bytes of its local memory."""
    return _do(device, _LIMITS)


class Queue:
    """A queue of a device, whose work runs in order: a new one, or with Queue.from_handle somebody else's.

    with queue: launches on arrays of this module go on it. Each thread, and each asynchronous task, has its own current queue.
    """

    def __init__(self, device=0):
        (self.handle,) = _do(device, _NEW_STREAM)
        self.device, self._own = device, True

    @classmethod
    def from_handle(cls, handle):
        """The queue at an address, a sycl::queue*. Who made it keeps it alive, and ends it."""
        queue = cls.__new__(cls)
        queue.handle, queue._own = int(handle), False
        queue.device = _native.queue_device(queue.handle)
        return queue

    def synchronize(self):
        """Returns when all that was submitted to the queue is done."""
        _do(self.device, _WAIT, self.handle)

    def __enter__(self):
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *error):
        _entered.set(_entered.get()[:-1])

    def __del__(self):
        if getattr(self, "_own", False):
            self._own = False
            try:
                _do(self.device, _CLOSE_STREAM, self.handle)
            except Exception:  # the interpreter ends, or the process was forked
                pass

    def __repr__(self):
        return f"<queue {self.handle:#x} of xpu:{self.device}>"


_own_handles = {}  # of the devices' own queues, which stay
# The queues of the with blocks that a thread or task is in. Tuples, as a task begins with what its maker has and changes only its own.
_entered = contextvars.ContextVar("tegula.xpu queues", default=())


def _current(device):
    """The queue of the innermost with, if it is the device's."""
    queues = _entered.get()
    return queues[-1] if queues and queues[-1].device == device else None


def _current_handle(device):
    """The queue for launches on a device, for the extension."""
    queue = _current(device)
    if queue is not None:
        return queue.handle
    own = _own_handles.get(device)
    if own is None:
        own = _own_handles[device] = _do(device, _OWN_STREAM)[0]
    return own


def current_queue(device=0):
    """The queue that launches on arrays of a device go on: the one of the innermost with, or the device's own."""
    queue = _current(device)
    return queue if queue is not None else Queue.from_handle(_current_handle(device))


def synchronize(device=0):
    """Returns when all that was submitted to the device's current queue is done."""
    _do(device, _WAIT, _current_handle(device))


def _dtype_name(dtype):
    """The name of an element type: float32 of "fp32", numpy.float32, torch.float32, tl.float32."""
    if isinstance(dtype, str):
        return dtype
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    return name if isinstance(name, str) else str(dtype).rpartition(".")[2]


class Array:
    """Elements in a device's memory, in C order; kernels take it as they take other arrays."""

    def __init__(self, shape, dtype, device=0):
        self.dtype, self.itemsize = _native.dtype_size(_dtype_name(dtype))
        self.shape = (int(shape),) if hasattr(shape, "__index__") else tuple(int(n) for n in shape)
        self.size = 1
        for n in self.shape:
            if n < 0:
                raise ArgumentError(f"a shape has no negative sizes: {self.shape}")
            self.size *= n
        self.device_index, self.nbytes, self.ndim = device, self.size * self.itemsize, len(self.shape)
        self._memory, self._address = _do(device, _ALLOCATE, self.nbytes)
        self.__tegula_array__ = _native.array_record(self._address, self.dtype, "xpu", device, self.shape)

    @property
    def device(self):
        return f"xpu:{self.device_index}"

    def data_ptr(self):
        return self._address

    def stride(self):
        """In elements."""
        strides, step = [], 1
        for n in reversed(self.shape):
            strides.append(step)
            step *= n
        return tuple(reversed(strides))

    def is_contiguous(self):
        return True

    def numel(self):
        return self.size

    def element_size(self):
        return self.itemsize

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def _host(self, other, writable):
        """The address of an array of the CPU that has this one's elements."""
        info = _native.array_arg_info(other)
        if info is None or info.device != "cpu":
            raise ArgumentError(f"only arrays of the CPU are copied, not {type(other).__name__}" + (f" on {info.device}" if info else ""))
        address, _, shape, _ = _native.array_pointer(other)
        if info.dtype_name != self.dtype or tuple(shape) != self.shape:
            raise ArgumentError(f"an array of {info.dtype_name} {tuple(shape)} is not one of {self.dtype} {self.shape}")
        if not info.c_contiguous:
            raise NotContiguous("the array is not C-contiguous; numpy.ascontiguousarray makes one that is")
        if writable and not getattr(getattr(other, "flags", None), "writeable", True):
            raise ArgumentError("the array is read-only")
        return address

    def copy_from(self, other):
        """Copies the elements of an array of the CPU here, in the current queue's order; returns when that is done."""
        _do(self.device_index, _COPY_IN, _current_handle(self.device_index), self._memory, 0, self._host(other, False), self.nbytes)
        return self

    def copy_to(self, other):
        """Copies the elements to an array of the CPU, after all that was submitted to the current queue."""
        _do(self.device_index, _COPY_OUT, _current_handle(self.device_index), self._memory, 0, self._host(other, True), self.nbytes)
        return other

    def zero_(self):
        """Fills the memory with zeros."""
        _do(self.device_index, _FILL_ZERO, _current_handle(self.device_index), self._memory)
        return self

    def copy_(self, other):
        """Copies the elements of another array of the device, in the current queue's order."""
        if not isinstance(other, Array) or (other.dtype, other.shape, other.device_index) != (self.dtype, self.shape, self.device_index):
            raise ArgumentError(f"{other!r} is not like {self!r}")
        _do(self.device_index, _COPY_IN, _current_handle(self.device_index), self._memory, 0, other._address, self.nbytes)
        return self

    def clone(self):
        return Array(self.shape, self.dtype, self.device_index).copy_(self)

    def numpy(self):
        """A NumPy array of the elements, after all that was submitted to the current queue."""
        import numpy

        try:
            made = numpy.empty(self.shape, self.dtype)
        except TypeError:
            raise DtypeError(f"NumPy has no {self.dtype}; copy_to takes arrays of other packages") from None
        return self.copy_to(made)

    def __del__(self):
        if hasattr(self, "_memory"):
            memory = self._memory
            del self._memory
            try:
                _do(self.device_index, _RELEASE, 0, memory)
            except Exception:  # the interpreter ends, or the process was forked
                pass

    def __repr__(self):
        return f"<{self.dtype}{list(self.shape)} on {self.device}>"


def array(other, device=0):
    """A copy of an array of the CPU, of any framework, in a device's memory."""
    info = _native.array_arg_info(other)
    if info is None:
        raise ArgumentError(f"{type(other).__name__} is no array; numpy.asarray makes one")
    return Array(_native.array_pointer(other)[2], info.dtype_name, device).copy_from(other)


def empty(shape, dtype, device=0):
    """Memory that is not defined yet."""
    return Array(shape, dtype, device)


def empty_like(other, device=None):
    return Array(other.shape, other.dtype, getattr(other, "device_index", 0) if device is None else device)


def zeros(shape, dtype, device=0):
    return Array(shape, dtype, device).zero_()


def zeros_like(other, device=None):
    return zeros(other.shape, other.dtype, getattr(other, "device_index", 0) if device is None else device)
