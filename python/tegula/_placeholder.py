"""What stands for the parts of Triton that Tegula lacks: importing one works, using it raises Unsupported."""

import types


class Placeholder:
    """A name of Triton's without a meaning here."""

    def __init__(self, path, why):
        self.__name__ = path.rpartition(".")[2]
        self.__qualname__ = self.__name__
        self.__path, self.__why = path, why

    def _refuse(self):
        from .errors import Unsupported

        return Unsupported(f"{self.__path}: {self.__why}")

    def __call__(self, *args, **kwargs):
        raise self._refuse()

    def __getitem__(self, index):
        raise self._refuse()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder(f"{self.__path}.{name}", self.__why)

    def __mro_entries__(self, bases):
        return (object,)

    def __repr__(self):
        return f"<{self.__path}: {self.__why}>"


def placeholder(path, why):
    return Placeholder(path, why)


class _Kernel(Placeholder):
    """A function that a decorator of a missing part was put on. It can be decorated further, asked for its parameters, not launched."""

    def __init__(self, fn, path, why):
        import inspect

        super().__init__(path, why)
        self.fn = fn
        self.signature = inspect.signature(fn)
        self.arg_names = list(self.signature.parameters)
        self.__doc__ = fn.__doc__


def decorator(path, why):
    """A decorator whose functions can be defined and not launched."""

    def decorate(fn=None, **options):
        if fn is None:
            return lambda fn: decorate(fn, **options)
        return _Kernel(fn, f"{path} on {fn.__qualname__}", why)

    return decorate


def module(path, why, held=None, fallback=None):
    """A module of which every name is a placeholder, but those held and those that fallback(name) finds."""
    made = types.ModuleType(path)
    made.__path__ = []
    vars(made).update(held or {})

    def __getattr__(attr):
        if attr.startswith("__"):
            raise AttributeError(attr)
        found = fallback(attr) if fallback else None
        return Placeholder(f"{path}.{attr}", why) if found is None else found

    made.__getattr__ = __getattr__
    return made
