"""Launches under the checked executor."""

import contextlib

from . import _native


@contextlib.contextmanager
def check(strict=False):
    """Within the block launches on the CPU are checked: accesses outside an array, values that nothing wrote, races between
    program instances, wrong hints, failed assertions raise CheckError at the kernel's line. strict: also what may be meant so."""
    before = _native.set_check(2 if strict else 1)
    try:
        yield
    finally:
        _native.set_check(before)
