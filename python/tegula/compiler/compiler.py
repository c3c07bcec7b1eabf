"""Compiled kernels, and how to get one without a launch."""

import json
import os
from collections.abc import Mapping
from functools import cached_property

from .. import _native
from ..backends.compiler import BaseBackend, GPUTarget, Language  # noqa: F401
from ..errors import ArgumentError, DriverError, OutOfResources, Unsupported  # noqa: F401
from ..knobs import LazyDict  # noqa: F401
from ..metadata import KernelMetadata
from ..runtime.cache import get_cache_manager, get_dump_manager, get_override_manager, triton_key  # noqa: F401


_VECTOR_REGISTERS = 32


class AsmDict(dict):
    """The stages of a compiled kernel: each text is made when it is asked for. None stands for it until then."""

    def __init__(self, compiled):
        super().__init__(dict.fromkeys(compiled.stages()))
        self._compiled = compiled

    def __getitem__(self, stage):
        if stage not in self:
            raise KeyError(f"{self._compiled.target} has no stage {stage!r}; there is {', '.join(self)}")
        text = super().__getitem__(stage)
        if text is None:
            text = self._compiled.emit(stage)
            self[stage] = text
        return text

    def __iter__(self):  # that this is here has dict(…) and {**…} ask for the texts
        return super().__iter__()

    get, items, values, __eq__, __ne__ = Mapping.get, Mapping.items, Mapping.values, Mapping.__eq__, Mapping.__ne__
    __hash__ = None

    def copy(self):
        return dict(self)

    def __repr__(self):
        return f"<stages {', '.join(self)}>"


class CompiledKernel(_native.CompiledKernel):
    """A compiled kernel: what a launch and tegula.compile give."""

    _options, _constants = None, None  # that it was compiled with

    @property
    def asm(self):
        """The text of each stage by its name."""
        kept = self.__dict__.get("_asm")
        if kept is None:
            kept = self.__dict__["_asm"] = AsmDict(self)
        return kept

    @property
    def metadata(self):
        """The KernelMetadata. On the CPU, whose kernels have no shared memory, shared is the memory that a running program instance
        takes, so that programs can divide by it to find how many run at a time."""
        kept = self.__dict__.get("_metadata")
        if kept is None:
            fields = json.loads(self.metadata_json)
            if self.target == "cpu":
                fields["shared"] = max(fields["backends"]["cpu"]["frame"], 1)
            kept = self.__dict__["_metadata"] = KernelMetadata(fields)
        return kept

    @property
    def src(self):
        return self.kernel

    @property
    def hash(self):
        import hashlib

        return hashlib.sha256((self.kernel.cache_key + self.metadata_json).encode()).hexdigest()

    @property
    def packed_metadata(self):
        return (self.metadata.num_warps, self.metadata.num_ctas, self.metadata.shared)

    def _of_backend(self, name):
        section = self.metadata.backends.get(self.target.partition(":")[0]) or {}
        return section.get(name)

    @property
    def n_regs(self):
        """Registers of a thread; on the CPU, the vector registers that the processor has at most. None for a kernel that was compiled only,
        as the device's driver chooses them; 0 where a driver does not say."""
        return _VECTOR_REGISTERS if self.target == "cpu" else self._when_loaded("registers")

    @property
    def n_spills(self):
        """Bytes of registers that are kept in memory. None for a kernel that was compiled only."""
        return 0 if self.target == "cpu" else self._when_loaded("spills")

    def _when_loaded(self, what):
        known = self._of_backend(what)
        return known if known is not None else 0 if self.function else None

    @property
    def n_max_threads(self):
        return self._of_backend("max_threads") or 1024

    def _init_handles(self):
        """Triton's programs ask for a kernel to be loaded before they read what it needs. Here that is known without."""

    def __getitem__(self, grid):
        """compiled[grid](…) launches this variant: all arguments, or all but the constants."""

        def launch(*args, stream=None, **named):
            try:
                if not named and self.run(grid, *args):
                    return
                values = self._values(args, named)
                if values is not args and self.run(grid, *values):
                    return
            except DriverError as e:
                if e.code != "not-loaded" or self.target != str(_active_target()):
                    raise
            self._load_and_launch(grid, self._as_compiled(self._values(args, named)))

        return launch

    def _compiled_with(self):
        """The constants of this variant."""
        if self._constants is None:
            self._options = self.options
            self._constants = {name: _plain(value) for name, value in (self.constants or {}).items()}
        return self._constants

    def _constant(self, name):
        """A constant of this variant, where it was left out."""
        constants = self._compiled_with()
        if name not in constants:
            raise ArgumentError(f"{self.name} needs its constant '{name}', too")
        return constants[name]

    def _load_and_launch(self, grid, args):
        """Launches what was compiled only, as warmup does, or another variant than this, of numbers that are divisible by 16 or not, say: what
        the arguments on their device need is compiled if it has to be."""
        m = self.metadata
        options = {"num_warps": m.num_warps, "num_stages": m.num_stages, "num_ctas": m.num_ctas}
        if self.target == "xpu":
            options["threads_per_warp"] = m.threads_per_warp
        self.kernel.run(*args, grid=grid, **{**options, **self._options})

    def _values(self, args, named):
        """The values of all parameters: args itself if that is they."""
        return self._named(args, named) if named else self._filled(args)

    def _filled(self, args):
        params = self.kernel.params
        if len(args) == len(params):
            return args
        values = iter(args)
        given = sum(not p.is_constexpr for p in params)
        if len(args) != given:
            raise ArgumentError(f"{self.name} takes {len(params)} arguments, or the {given} that are no constants, not {len(args)}")
        return [self._constant(p.name) if p.is_constexpr else next(values) for p in params]

    def _named(self, args, named):
        """The values of all parameters, of which some are given by name."""
        names = self.kernel.arg_names
        if len(args) > len(names):
            raise ArgumentError(f"{self.name} takes {len(names)} arguments, not {len(args) + len(named)}")
        values = dict(zip(names, args))
        for name, value in named.items():
            if name not in names:
                raise ArgumentError(f"{self.name} has no parameter '{name}'")
            if name in values:
                raise ArgumentError(f"{self.name} is given its argument '{name}' twice")
            values[name] = value
        for p in self.kernel.params:
            if p.name not in values and not p.is_constexpr:
                raise ArgumentError(f"{self.name} misses its argument '{p.name}'")
        return [values[name] if name in values else self._constant(name) for name in names]

    def _as_compiled(self, values):
        """The values as this variant takes them. Other constants, and arrays and numbers of another type, are another kernel's."""
        values, constants = list(values), self._compiled_with()
        for i, name in enumerate(self.kernel.arg_names):
            if name in constants and not _is_constant(_plain(values[i]), constants[name]):
                raise ArgumentError(f"argument '{name}' of {self.name} is {_plain(values[i])!r}, and this variant was compiled for {constants[name]!r}")
        for arg in self.metadata.args:
            if len(arg["source"]) == 1:
                i = arg["source"][0]
                found = _not_of_type(values[i], arg["type"])
                if found:
                    raise ArgumentError(f"argument '{arg['name']}' of {self.name} is {found}, and this variant was compiled for {arg['type']}")
                if _is_int(values[i]) and arg["type"][0] == "f":
                    values[i] = float(values[i])
        return values

    def __repr__(self):
        return f"<CompiledKernel {self.name} for {self.target}>"


def _not_of_type(value, want):
    """What a value is, if that is not what was compiled for; else None."""
    array = _native.array_pointer(value)
    if want.startswith("*"):
        if array is None:
            return "None" if value is None else f"a value of type {type(value).__name__}"
        return f"an array of {array[1]}" if "*" + array[1] != want else None
    if array is not None:
        return f"an array of {array[1]}"
    if want[0] in "iu" and (isinstance(value, float) or _is_int(value) and not _fits(value, want)):
        return repr(value)
    return None


def _is_constant(value, constant):
    return type(value) is type(constant) and value == constant


def _is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _fits(value, want):
    bits = int(want[1:])
    return want == "i1" or (0 <= value < 1 << bits if want[0] == "u" else -1 << bits - 1 <= value < 1 << bits - 1)


_native.set_compiled_type(CompiledKernel)


def _active_target():
    from ..runtime.driver import driver

    return driver.active.get_current_target()


class ASTSource:
    """A kernel with what it is to be compiled for."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.language = Language.TRITON
        self.ext = "ttir"
        self.name = fn.__name__
        names = fn.arg_names
        self.signature = {_param(names, k): v for k, v in signature.items()}
        self.constants = {_param(names, k): v for k, v in (constexprs or {}).items()}
        self.constexprs = self.constants
        self.attrs = attrs or {}

    def hash(self):
        import hashlib

        parts = [self.fn.cache_key, str(sorted(self.signature.items())), str(sorted(map(str, self.constants.items()))), str(self.attrs)]
        return hashlib.sha256("-".join(parts).encode()).hexdigest()


def _param(names, key):
    """A parameter's name, for a name, an index, or a path of one index."""
    if isinstance(key, tuple):
        (key,) = key
    return names[key] if isinstance(key, int) else key


class IRSource:
    """A kernel that is a file of Triton's intermediate representation (.ttir): the types of its parameters are in it, its constants too."""

    def __init__(self, path, context=None, backend=None):
        from ..runtime.ir import load

        self.path = os.fspath(path)
        self.ext = "ttir"
        self.language = Language.TRITON
        if not self.path.endswith(".ttir"):
            raise Unsupported(f"{self.path}: kernels are compiled from Python and from Triton's .ttir, not from later stages of its compiler")
        self.fn = load(self.path)
        self.name = self.fn.__name__
        self.src = self.fn.source
        self.signature, self.constants, self.constexprs, self.attrs = {}, {}, {}, {}

    def hash(self):
        import hashlib

        return hashlib.sha256(self.src.encode()).hexdigest()


def _attributes(names, attrs):
    """The powers of two that arguments are divisible by: {"x": 16}, or as Triton writes it {(0,): [["tt.divisibility", 16]]}."""
    found = {}
    for key, value in attrs.items():
        if isinstance(value, int):
            found[_param(names, key)] = value
            continue
        for name, amount in value:
            if name != "tt.divisibility":
                raise ArgumentError(f"attribute {name!r} is not known; there is tt.divisibility")
            found[_param(names, key)] = amount
    return found


def _innermost(fn):
    while not isinstance(fn, _native.Kernel):
        fn = fn.fn
    return fn


def _plain(value):
    from ..language.core import constexpr

    return value.value if isinstance(value, constexpr) else value


def compile(src, signature=None, constexprs=None, target=None, options=None, attrs=None, **more):
    """Compiles a kernel without launching it, for any target, without a device or arrays.

    tegula.compile(fn, signature={"x": "*fp32:16", "n": "i32"}, constexprs={"BLOCK": 1024}, target="cuda:90a", num_warps=8)
    triton.compile(ASTSource(fn, signature, constexprs), target=GPUTarget("cuda", 90, 32), options={"num_warps": 8})
    tegula.compile("add.ttir", target="cuda:90a")

    Types in the signature are as in tegula compile --sig: ":16" after one says that the argument is divisible by 16. Without a
    target it is the active driver's. Gives a CompiledKernel: .asm, .metadata.
    """
    if isinstance(src, (str, os.PathLike)):
        src = IRSource(src)
        src.signature, src.attrs = signature or {}, attrs or {}
    if not isinstance(src, (ASTSource, IRSource)):
        if not hasattr(src, "fn"):
            raise ArgumentError(f"compile takes a kernel, an ASTSource or the path of a .ttir file, not {type(src).__name__}")
        src = ASTSource(_innermost(src), signature or {}, constexprs, attrs)
    kernel = _innermost(src.fn)
    if target is None:
        target = _active_target()
    constants = {name: _plain(value) for name, value in src.constants.items()}
    types, facts = {}, _attributes(kernel.arg_names, src.attrs)
    for name, given in src.signature.items():
        text = getattr(given, "__tegula_type__", given)
        base, colon, fact = str(text).partition(":")
        types[name] = base
        if colon and fact == "1":
            constants[name] = 1
            types[name] = "constexpr"
        elif colon:
            facts[name] = int(fact)
    every = {**(options or {}), **more}
    compiled = _native.compile(kernel, types, constants, facts, str(target), every)
    compiled._options, compiled._constants = every, constants
    return compiled


def make_backend(target):
    return BaseBackend(target)


def get_cache_key(src, backend, backend_options=None, env_vars=None):
    return "-".join([triton_key(), src.hash(), backend.hash(), str(backend_options), str(sorted((env_vars or {}).items()))])


def max_shared_mem(device):
    from ..runtime.driver import driver

    return driver.active.utils.get_device_properties(device)["max_shared_mem"]
