"""Classes of which kernels make objects."""

import inspect

_MISSING = object()


def aggregate(cls):
    """Makes a class of which kernels make objects: its annotated attributes are the fields, functions with @tegula.jit the methods.

    Objects that host code makes are constants of kernels. Fields are set by __init__, which is made if the class has none,
    and do not change afterwards.
    """
    fields, defaults = {}, {}
    for base in reversed(cls.__mro__):
        fields.update(inspect.get_annotations(base))
        defaults.update({name: base.__dict__[name] for name in inspect.get_annotations(base) if name in base.__dict__})
    given = cls.__dict__.get("__init__") or _init_of(cls, fields, defaults)

    def __init__(self, *args, **kwargs):
        object.__setattr__(self, "_aggregate_init_complete", False)
        given(self, *args, **kwargs)
        missing = [name for name in fields if name not in self.__dict__]
        if missing:
            raise AttributeError(f"constructor for {cls.__name__} did not initialize attribute '{missing[0]}'")
        object.__setattr__(self, "_aggregate_init_complete", True)

    def __setattr__(self, name, value):
        if name not in fields:
            raise AttributeError(f"{cls.__name__} has no attribute '{name}'")
        if self._aggregate_init_complete:
            raise AttributeError(
                f"cannot assign to field '{name}' on immutable aggregate {cls.__name__}; use aggregate_replace() for a modified copy"
            )
        object.__setattr__(self, name, value)

    namespace = {
        "__init__": __init__,
        "__setattr__": __setattr__,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__triton_aggregate__": True,
        "__tegula_aggregate__": dict(fields),
        "__tegula_init__": staticmethod(cls.__dict__["__init__"]) if "__init__" in cls.__dict__ else None,
        "__aggregate_fields__": tuple(fields),
        "__aggregate_defaults__": defaults,
        "__annotations__": fields,
    }
    return type(cls.__name__, (cls,), namespace)


def _init_of(cls, fields, defaults):
    """A constructor that takes the fields in order."""
    params = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    params += [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(name, inspect.Parameter.empty))
        for name in fields
    ]
    signature = None

    def __init__(self, *args, **kwargs):
        nonlocal signature
        if signature is None:
            signature = inspect.Signature(params)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name in fields:
            setattr(self, name, bound.arguments[name])

    return __init__


def replace(instance, **changes):
    """An object like another, with some fields changed."""
    cls = type(instance)
    if not getattr(cls, "__triton_aggregate__", False):
        raise TypeError(f"aggregate_replace() expects an aggregate instance, not {cls.__name__}")
    unknown = [name for name in changes if name not in cls.__aggregate_fields__]
    if unknown:
        raise TypeError(f"{cls.__name__} has no field '{unknown[0]}'")
    made = cls.__new__(cls)
    object.__setattr__(made, "_aggregate_init_complete", True)
    for name in cls.__aggregate_fields__:
        object.__setattr__(made, name, changes.get(name, getattr(instance, name)))
    return made
