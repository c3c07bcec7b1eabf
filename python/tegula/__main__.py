"""Runs a program whose `import triton` is served by Tegula."""

import os
import sys
import types

USAGE = """\
usage: python -m tegula [--check] SCRIPT.py [ARGUMENT]…
       python -m tegula [--check] -m MODULE [ARGUMENT]…
       python -m tegula [--check] -c CODE [ARGUMENT]…

Runs a Python program as python does, with Tegula in the place of Triton: what it imports from triton is Tegula's.
  --check    launches on the CPU are checked, as with TEGULA_CHECK=1
  --version  says which version of Tegula this is
"""


def main(arguments):
    while arguments and arguments[0] == "--check":
        os.environ["TEGULA_CHECK"] = "1"
        arguments = arguments[1:]
    if not arguments:
        sys.stderr.write(USAGE)
        return 2
    first, rest = arguments[0], arguments[1:]
    if first in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    if first in ("-V", "--version"):
        import tegula

        print(f"tegula {tegula.__version__}")
        return 0
    if first in ("-m", "-c") and not rest:
        sys.stderr.write(f"tegula: {first} needs an argument\n{USAGE}")
        return 2
    if first.startswith("-") and first not in ("-m", "-c"):
        sys.stderr.write(f"tegula: there is no option {first}\n{USAGE}")
        return 2
    from ._install import install_as_triton

    install_as_triton()
    run = {"-m": _run_module, "-c": _run_code}.get(first)
    if run:
        run(rest[0], rest[1:])
    else:
        _run_script(first, rest)
    return 0


def _run_module(name, arguments):
    import runpy

    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd()
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _run_code(code, arguments):
    import linecache

    sys.argv = ["-c", *arguments]
    sys.path[0] = ""
    linecache.cache["<string>"] = (len(code), None, code.splitlines(keepends=True), "<string>")
    _execute(compile(code, "<string>", "exec"), None)


def _run_script(path, arguments):
    sys.argv = [path, *arguments]
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        import runpy

        del sys.path[0]
        runpy.run_path(path, run_name="__main__")
        return
    try:
        with open(path, "rb") as f:
            text = f.read()
    except OSError as e:
        sys.stderr.write(f"tegula: can't open file {path!r}: {e.strerror}\n")
        raise SystemExit(2) from None
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    _execute(compile(text, path, "exec"), path)


def _execute(code, path):
    """Runs the program as the module __main__."""
    module = types.ModuleType("__main__")
    module.__builtins__ = __builtins__
    if path is not None:
        module.__file__ = path
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
