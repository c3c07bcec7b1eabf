"""Compiling without launching."""

from .compiler import (  # noqa: F401
    ASTSource,
    CompiledKernel,
    IRSource,
    LazyDict,
    compile,
    get_cache_key,
    make_backend,
    max_shared_mem,
)
from .errors import CompilationError  # noqa: F401
