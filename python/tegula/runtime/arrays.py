"""What stands for arrays: types to compile for, and the same memory seen as another type."""


class MockTensor:
    """Stands for an array of a type where a kernel is compiled and not run: ``kernel.warmup(MockTensor(torch.float32), …)``."""

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    @staticmethod
    def wrap_dtype(arg):
        """An array of the type, if arg is a type of torch."""
        of = type(arg)
        return MockTensor(arg) if of.__name__ == "dtype" and of.__module__ == "torch" else arg

    @property
    def __tegula_type__(self):
        from .jit import _normalize_ty

        return "*" + _normalize_ty(str(self.dtype).rpartition(".")[2])

    def stride(self):
        strides = [1]
        for size in reversed(self.shape[1:]):
            strides.append(strides[-1] * size)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        return 0


class TensorWrapper:
    """The memory of a tensor as elements of another type; reinterpret makes it."""

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.data = base.data
        self.device = base.device
        self.shape = base.shape

    @property
    def __tegula_pointer__(self):
        """The array whose memory it is, and the type of its elements as in signatures."""
        from .jit import _normalize_ty

        return self.base, _normalize_ty(getattr(self.dtype, "name", None) or str(self.dtype).rpartition(".")[2])

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """The same memory with elements of another type, as an argument of kernels."""
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"{type(tensor).__name__} is no tensor to be seen as another type")
