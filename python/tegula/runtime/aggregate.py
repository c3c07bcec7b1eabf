"""Classes of which kernels make objects."""

import inspect


class _Constructor:
    """The __init__ of an aggregate class, which is plain Python, and which kernels run too."""

    __tegula_constructor__ = True

    def __init__(self, function):
        from .jit import JITFunction

        self.function = function
        self.fn = JITFunction(function)  # by which the compiler finds its text

    def __get__(self, instance, owner=None):
        return self if instance is None else self.function.__get__(instance)

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)


class _AggregateClass(type):
    """Makes objects whose fields are set by the constructor, or by the arguments where there is none, and then stay."""

    def __call__(cls, *args, **kwargs):
        made = cls.__new__(cls)
        object.__setattr__(made, "_aggregate_init_complete", False)
        if type(cls.__init__) is _Constructor or inspect.isfunction(cls.__init__):
            cls.__init__(made, *args, **kwargs)
        else:
            bound = cls.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            for name, value in bound.arguments.items():
                setattr(made, name, value)
        missing = [name for name in cls.__aggregate_fields__ if name not in made.__dict__]
        if missing:
            raise AttributeError(f"constructor for {cls.__name__} did not initialize attribute '{missing[0]}'")
        object.__setattr__(made, "_aggregate_init_complete", True)
        return made


def _set_field(self, name, value):
    cls = type(self)
    if name not in cls.__aggregate_fields__:
        raise AttributeError(f"{cls.__name__} has no attribute '{name}'")
    if self._aggregate_init_complete:
        raise AttributeError(
            f"cannot assign to field '{name}' on immutable aggregate {cls.__name__}; use aggregate_replace() for a modified copy"
        )
    object.__setattr__(self, name, value)


def aggregate(cls):
    """Makes a class of which kernels make objects: its annotated attributes are the fields, functions with @tegula.jit the methods.

    Fields are set by __init__, which may be left out, and do not change afterwards.
    """
    fields, defaults = {}, {}
    for base in reversed(cls.__mro__):
        own = {name: kind for name, kind in inspect.get_annotations(base).items() if not name.startswith("__")}
        fields.update(own)
        defaults.update({name: base.__dict__[name] for name in own if name in base.__dict__})
    namespace = {
        "__setattr__": _set_field,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__annotations__": fields,
        "__triton_aggregate__": True,
        "__tegula_aggregate__": fields,
        "__aggregate_fields__": tuple(fields),
        "__aggregate_defaults__": defaults,
    }
    init = cls.__dict__.get("__init__")
    if init is None:
        namespace["__signature__"] = _signature_of(fields, defaults)
    else:
        init = getattr(init, "fn", init)
        namespace["__init__"] = _Constructor(init) if inspect.isfunction(init) else init
    return _AggregateClass(cls.__name__, (cls,), namespace)


def _signature_of(fields, defaults):
    """The parameters of a class without a constructor: its fields in order."""
    kind, none = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    return inspect.Signature([inspect.Parameter(name, kind, default=defaults.get(name, none)) for name in fields])


def replace(instance, **changes):
    """An object like another, with some fields changed."""
    cls = type(instance)
    if not getattr(cls, "__triton_aggregate__", False):
        raise TypeError(f"aggregate_replace() expects an aggregate instance, not {cls.__name__}")
    unknown = [name for name in changes if name not in cls.__aggregate_fields__]
    if unknown:
        raise TypeError(f"{cls.__name__} has no field '{unknown[0]}'")
    made = cls.__new__(cls)
    for name in cls.__aggregate_fields__:
        object.__setattr__(made, name, changes.get(name, getattr(instance, name)))
    object.__setattr__(made, "_aggregate_init_complete", True)
    return made
