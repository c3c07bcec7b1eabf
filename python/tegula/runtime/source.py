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
    finders = (_executed, _filed) if code.co_filename in _SHARED else (_filed, _executed)
    for find in finders:
        lines, first = find(code)
        if any(line.lstrip().startswith(("def " + code.co_name, "async def " + code.co_name)) for line in lines):
            return "".join(lines), code.co_filename, max(first, 1)
    raise NoSource(
        f"the source of {fn.__qualname__} was not found: its code says {code.co_filename!r}, line {code.co_firstlineno}. "
        "A kernel must be defined in a file, in a notebook, or in a string that is still there when exec runs it"
    )


# What Python calls the text that exec, -c and standard input give it: many texts have these names.
_SHARED = ("<string>", "<stdin>")


def _filed(code):
    """The lines in the file, or what linecache has in its place, as of a notebook's cell."""
    try:
        return inspect.getsourcelines(code)
    except (OSError, TypeError, IndexError, SyntaxError):
        return [], 0


def _executed(code):
    """The lines in the string that the code was compiled from, found among those that the callers hold."""
    for text in _candidates(code.co_filename):
        if _compiles_to(text, code):
            return inspect.getblock(text.splitlines(keepends=True)[code.co_firstlineno - 1 :]), code.co_firstlineno
    return [], 0


def _candidates(filename):
    frame = sys._getframe(2)
    while frame is not None:
        yield from _strings(frame)
        frame = frame.f_back
    yield from sys.orig_argv
    yield "".join(linecache.getlines(filename))


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
    return _identity(a) == _identity(b)


def _identity(code):
    constants = [repr(c) for c in code.co_consts if not inspect.iscode(c)]
    return code.co_name, code.co_firstlineno, code.co_code, code.co_names, code.co_varnames, constants
