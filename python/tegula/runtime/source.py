"""Where a function's text is found: in its file, a notebook's cell, or the string that was executed."""

import inspect
import linecache
import sys
import textwrap


class NoSource(OSError):
    """The text of a function is nowhere to be found."""


def of(fn):
    """The text of a function with its decorators, the name of its file, and the number of its first line."""
    code = fn.__code__
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError, IndexError, SyntaxError):
        lines, first = None, 0
    if lines and _defines(lines, fn):
        return "".join(lines), code.co_filename, max(first, 1)
    text = _executed(fn)
    if text is not None:
        name = _remember(code.co_filename, text)
        lines = inspect.getblock(text.splitlines(keepends=True)[code.co_firstlineno - 1 :])
        return "".join(lines), name, code.co_firstlineno
    raise NoSource(
        f"the source of {fn.__qualname__} was not found: its code says {code.co_filename!r}, line {code.co_firstlineno}. "
        "A kernel must be defined in a file, in a notebook, or in a string that is still there when exec runs it"
    )


def _defines(lines, fn):
    """Whether the text is that of the function: the file may have changed since it was read."""
    name = fn.__code__.co_name
    return any(line.lstrip().startswith(("def " + name, "async def " + name)) for line in lines) or name == "<lambda>"


def _executed(fn):
    """The string that the function was compiled from, found among those that the callers hold."""
    frame = sys._getframe(1)
    while frame is not None:
        for text in _strings(frame):
            if _compiles_to(text, fn.__code__):
                return text
        frame = frame.f_back
    for text in sys.orig_argv:
        if _compiles_to(text, fn.__code__):
            return text
    return None


def _strings(frame):
    for value in (*frame.f_locals.values(), *frame.f_code.co_consts):
        if isinstance(value, str):
            yield value


def _compiles_to(text, code):
    """Whether compiling the text gives this code, at this place."""
    if "def " + code.co_name not in text:
        return False
    for candidate in (text, textwrap.dedent(text)):
        try:
            compiled = compile(candidate, code.co_filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        if any(_same(c, code) for c in _nested(compiled)):
            return True
    return False


def _nested(code):
    yield code
    for const in code.co_consts:
        if inspect.iscode(const):
            yield from _nested(const)


def _same(a, b):
    return (a.co_name, a.co_firstlineno, a.co_code, a.co_names, a.co_varnames) == (
        b.co_name,
        b.co_firstlineno,
        b.co_code,
        b.co_names,
        b.co_varnames,
    )


def _remember(filename, text):
    """Lets tracebacks and inspect see the text too."""
    if filename not in linecache.cache and filename.startswith("<"):
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    return filename
