"""Targets."""

from enum import Enum


class GPUTarget:
    """What code is compiled for: backend "cpu", "cuda" or "xpu", the architecture (90 for compute capability 9.0), the warp's size."""

    def __init__(self, backend, arch, warp_size):
        self.backend, self.arch, self.warp_size = backend, arch, warp_size

    def _key(self):
        return (self.backend, self.arch, self.warp_size)

    def __eq__(self, other):
        return isinstance(other, GPUTarget) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return f"GPUTarget(backend={self.backend!r}, arch={self.arch!r}, warp_size={self.warp_size!r})"

    def __str__(self):
        """The target's name as tegula.compile takes it. Code for 9.0 may use what only 9.0 has."""
        if not self.arch:
            return self.backend
        special = "a" if self.backend == "cuda" and str(self.arch) in ("90", "100", "103", "120") else ""
        return f"{self.backend}:{self.arch}{special}"


class Language(Enum):
    TRITON = 0
    GLUON = 1


class BaseBackend:
    """Base of the classes that plug compilers into Triton; here a name for isinstance."""

    def __init__(self, target):
        self.target = target

    def hash(self):
        from .. import _native

        return f"tegula-{_native.__version__}-{self.target}"
