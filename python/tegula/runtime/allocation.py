"""Memory that kernels ask the program for."""

_allocator = None


def set_allocator(allocator):
    """Sets the function that gives kernels global memory, f(size, alignment, stream). Kept for programs that set one:
    what Tegula compiles needs no such memory."""
    global _allocator
    _allocator = allocator


def get_allocator():
    return _allocator
