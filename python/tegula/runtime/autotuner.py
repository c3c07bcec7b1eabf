"""Kernels that choose among configurations by measuring them, and arguments that are computed from others."""

import inspect
import threading
import time
from functools import cached_property

from .. import knobs
from ..errors import CompileError, OutOfResources
from . import tuned
from .errors import AutotunerError
from .jit import JITFunction, KernelInterface
from .progress import Progress

_NOTHING = object()
_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


class Config:
    """One way to launch a kernel: values of its constants, and the options of the launch.

    kwargs       values of the kernel's constexpr parameters, by name
    num_warps    warps of a program instance
    num_stages   stages of the pipelines that the compiler makes of loops
    num_ctas     CTAs of a program instance
    maxnreg      the most registers that a thread may use
    pre_hook     a function that is called before each launch with the dict of all arguments
    ir_override  accepted for programs that have it; it must stay None
    """

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state):
        self.__init__(**{"kwargs": {}, **state})

    def all_kwargs(self):
        """What a launch with this configuration is given by name."""
        given = dict(self.kwargs)
        for name in _OPTIONS:
            value = getattr(self, name)
            if value is not None:
                given[name] = value
        return given

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()

    def __hash__(self):
        return hash(self._identity())

    def __str__(self):
        options = [(name, getattr(self, name)) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")]
        return ", ".join(f"{name}: {value}" for name, value in [*self.kwargs.items(), *options])

    def __repr__(self):
        return f"<Config {self}>"


def _innermost(fn, found):
    """Follows .fn until found says yes."""
    while not found(fn):
        fn = fn.fn
    return fn


class Autotuner(KernelInterface):
    """A kernel with configurations; the first launch for each key measures them and keeps the fastest."""

    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero,
        restore_value,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        warmup=None,
        rep=None,
        use_cuda_graph=False,
        do_bench=None,
        cache_results=None,
    ):
        self.fn = fn
        self.arg_names = arg_names
        self.configs = configs if configs else [Config({})]
        self.keys = key
        self.cache = {}
        self.nargs = None
        self._tuning = threading.RLock()
        self._looks = {}
        self.reset_to_zero = list(reset_to_zero or [])
        self.restore_value = list(restore_value or [])
        self._check_names()
        self._places = [(list(arg_names).index(name), name) for name in key]
        self._set_hooks(pre_hook, post_hook)
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.base_fn = _innermost(fn, inspect.isfunction)
        self.num_warmups = warmup
        self.num_reps = rep
        self.use_cuda_graph = use_cuda_graph
        self.cache_results = knobs.autotuning.cache if cache_results is None else cache_results
        self._do_bench = do_bench
        if do_bench is None and (warmup is not None or rep is not None or use_cuda_graph):
            self._do_bench = self._bencher(warmup, rep, use_cuda_graph)
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(self, name, getattr(self.base_fn, name))

    def _check_names(self):
        named = {"key": self.keys, "reset_to_zero": self.reset_to_zero, "restore_value": self.restore_value}
        for what, names in named.items():
            unknown = [name for name in names if name not in self.arg_names]
            if unknown:
                raise ValueError(
                    f"{what} contains names that are not kernel arguments: {', '.join(unknown)}. "
                    f"Valid argument names are: {', '.join(self.arg_names)}."
                )

    def _set_hooks(self, pre_hook, post_hook):
        """Sets what happens around each measured run: as the user says, or as reset_to_zero and restore_value need."""
        self.restore_copies = {}
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook = pre_hook or (lambda kwargs, reset_only=False: self._prepare(kwargs, reset_only))
        self.post_hook = post_hook or (lambda kwargs, exception: self._restore(kwargs))

    def _prepare(self, kwargs, reset_only):
        for name in self.reset_to_zero:
            if kwargs[name] is not None:
                _zero(kwargs[name])
        if not reset_only:
            self.restore_copies = {name: _clone(kwargs[name]) for name in self.restore_value if kwargs[name] is not None}

    def _restore(self, kwargs):
        for name, value in self.restore_copies.items():
            _assign(kwargs[name], value)
        self.restore_copies = {}

    @staticmethod
    def _bencher(warmup, rep, use_cuda_graph):
        from .. import testing

        if use_cuda_graph:
            return lambda call, quantiles: testing.do_bench_cudagraph(call, rep=100 if rep is None else rep, quantiles=quantiles)
        return lambda call, quantiles: testing.do_bench(
            call, warmup=25 if warmup is None else warmup, rep=100 if rep is None else rep, quantiles=quantiles
        )

    @cached_property
    def do_bench(self):
        """The function that measures: do_bench(call, quantiles=…) -> times in milliseconds."""
        if self._do_bench is not None:
            return self._do_bench
        from .driver import driver

        return driver.active.get_benchmarker()

    def _bench(self, *args, config, **meta):
        """Measures one configuration; infinitely slow if it cannot run here."""
        if knobs.autotuning.print:
            print(f"Autotuning kernel {self.base_fn.__name__} with config {config}")
        conflicts = meta.keys() & config.kwargs.keys()
        if conflicts:
            raise ValueError(
                f"Conflicting meta-parameters: {', '.join(sorted(conflicts))}. Make sure that you don't re-define auto-tuned symbols."
            )
        current = {**meta, **config.all_kwargs()}
        named = {**self.nargs, **current}

        def call():
            if config.pre_hook:
                config.pre_hook(named)
            self.pre_hook(named)
            try:
                self.fn.run(*args, **current)
            except Exception as e:
                self.post_hook(named, exception=e)
                raise
            self.post_hook(named, exception=None)

        try:
            return self.do_bench(call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileError) as e:
            if not _is_config_failure(e):
                raise
            if knobs.autotuning.print:
                print(f"Autotuning failed with {e}")
            return [float("inf")] * 3

    def _key(self, nargs, kwargs):
        """What the choice depends on: the values of the key's arguments, and the element types of all."""
        named = {name: value for name, value in {**nargs, **kwargs}.items() if name in self.arg_names}
        key = [named[name] for name in self.keys if name in named]
        key += [str(value.dtype) for value in named.values() if hasattr(value, "dtype")]
        return tuple(key)

    def run(self, *args, **kwargs):
        config = self.configs[0] if len(self.configs) == 1 else self._known(args, kwargs)
        self.best_config = config
        options = config.all_kwargs()
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(self.arg_names, args)), **kwargs, **options})
        return self.fn.run(*args, **kwargs, **options)

    def _known(self, args, kwargs):
        """The configuration for a call. What calls of the same key look like is remembered: to make the key takes longer."""
        look = tuple([args[i] if i < len(args) else kwargs.get(name, _NOTHING) for i, name in self._places])
        look += tuple([getattr(value, "dtype", None) for value in (*args, *kwargs.values())])
        try:
            config = self.cache.get(self._looks.get(look, _NOTHING))
        except TypeError:  # an argument that cannot be remembered, as a list
            look = config = None
        if config is not None:
            return config
        nargs = dict(zip(self.arg_names, args))
        key = self._key(nargs, kwargs)
        config = self.cache.get(key) or self._choose(key, nargs, args, kwargs)
        if look is not None:
            self._looks[look] = key
        return config

    def _choose(self, key, nargs, args, kwargs):
        """Finds a configuration for a new key, for one thread at a time. While it does, nargs are the arguments by name."""
        with self._tuning:
            if key in self.cache:
                return self.cache[key]
            before, self.nargs = self.nargs, nargs
            try:
                configs = self.prune_configs(kwargs)
                if len(configs) == 1:
                    self.cache[key] = configs[0]
                    return configs[0]
                measured = self._tune(key, configs, args, kwargs)
                self._report(key, measured)
                return self.cache[key]
            finally:
                self.nargs = before

    def _report(self, key, measured):
        """Tells the listener, and who asked for it to be printed, what was chosen."""
        if knobs.autotuning.listener is not None:
            knobs.autotuning.listener(
                fn=_innermost(self.fn, lambda f: isinstance(f, JITFunction)),
                key=key,
                best_config=self.cache[key],
                configs_timings=self.configs_timings,
                duration=self.bench_time if measured else None,
                cache_hit=not measured,
            )
        if knobs.autotuning.print and measured:
            print(
                f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                f"finished after {self.bench_time:.2f}s,\nbest config selected: {self.cache[key]};"
            )

    def _tune(self, key, configs, args, kwargs):
        """Chooses a configuration for the key: reports whether it had to measure."""
        store = self._store(key, configs)
        kept = store.load(configs) if store else None
        if kept is None:
            timings = self._measure(key, configs, args, kwargs)
        else:
            timings = kept
        if all(_median(t) == float("inf") for t in timings.values()):
            raise AutotunerError(f"no configuration of {self.base_fn.__name__} can run: {len(timings)} were tried")
        self.configs_timings = timings
        self.cache[key] = min(timings, key=lambda c: timings[c])
        if kept is None:
            self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)
            if store:
                store.save(timings)
        return kept is None

    def _measure(self, key, configs, args, kwargs):
        start = time.perf_counter()
        timings, same = {}, {}
        with Progress(f"tuning {self.base_fn.__name__}", len(configs)) as progress:
            for config in configs:
                code = self._code_of(config)
                if code not in same:
                    same[code] = self._bench(*args, config=config, **kwargs)
                timings[config] = same[code]
                progress.step()
        self.bench_time = time.perf_counter() - start
        return timings

    def _code_of(self, config):
        """What tells the code of configurations apart: on the CPU the options of a launch do not, so one measures for all."""
        from .driver import driver

        if self._do_bench is not None or config.pre_hook is not None or driver.active.get_current_target().backend != "cpu":
            return config
        return tuple(config.kwargs.items())

    def _store(self, key, configs):
        """Where the timings are kept on disk; None if they must not be: what measures or prepares is only known here."""
        custom = self._do_bench is not None and self.num_warmups is None and self.num_reps is None
        hooked = self.user_defined_pre_hook or self.user_defined_post_hook or any(c.pre_hook for c in configs)
        if not self.cache_results or not key or custom or hooked:
            return None
        fn = _innermost(self.fn, lambda f: isinstance(f, JITFunction))
        return tuned.Store(fn, key, configs)

    def prune_configs(self, kwargs):
        """The configurations worth measuring, as the user's functions say."""
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not configs:
                raise AutotunerError(
                    "No valid autotuner configs after pruning. `early_config_prune` should return at least one config."
                )
        if not self.perf_model:
            return configs
        top_k = self.configs_top_k
        if isinstance(top_k, float) and top_k <= 1.0:
            top_k = max(1, int(len(configs) * top_k))
        elif not isinstance(top_k, int):
            raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int")
        if len(configs) <= top_k:
            return configs
        estimates = {c: self.perf_model(**self.nargs, **kwargs, **c.all_kwargs()) for c in configs}
        return sorted(estimates, key=estimates.get)[:top_k]

    def warmup(self, *args, **kwargs):
        """Compiles every configuration that would be measured."""
        with self._tuning:
            before, self.nargs = self.nargs, dict(zip(self.arg_names, args))
            try:
                return [self.fn.warmup(*args, **kwargs, **c.all_kwargs()) for c in self.prune_configs(kwargs)]
            finally:
                self.nargs = before

    def __repr__(self):
        return f"Autotuner({self.fn!r}, {len(self.configs)} configs)"


def _median(timing):
    return timing[0] if isinstance(timing, (list, tuple)) else timing


def _is_config_failure(error):
    """Whether another configuration may do: too large for the device, or its own static_assert says no."""
    return isinstance(error, OutOfResources) or error.code in ("static-assert", "out-of-resources")


def _zero(array):
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0


def _clone(array):
    return array.clone() if hasattr(array, "clone") else array.copy()


def _assign(array, value):
    if hasattr(array, "copy_"):
        array.copy_(value)
    else:
        array[...] = value


def autotune(
    configs,
    key,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=None,
):
    """Measures a kernel's configurations and launches the fastest.

    configs            the Configs to try
    key                arguments whose change makes it measure anew; a change of an element type does too
    prune_configs_by   "early_config_prune": f(configs, named_args, **kwargs) -> configs;
                       "perf_model": f(**arguments) -> estimated time, of which the best "top_k" (a number, or a share) are measured
    reset_to_zero      arrays that are filled with zeros before each run
    restore_value      arrays that get back their contents after each measured run
    pre_hook           f(kwargs, reset_only=False) instead of what the two above do before
    post_hook          f(kwargs, exception) instead of what they do after
    warmup, rep        milliseconds for tegula.testing.do_bench
    use_cuda_graph     measures with do_bench_cudagraph
    do_bench           f(call, quantiles) -> times, to measure otherwise
    cache_results      keep the timings on disk for other processes; by default they are, unless
                       TEGULA_CACHE_AUTOTUNING=0, or functions of the user's take part in measuring

    A kernel runs several times while it is measured, so arrays that it changes need reset_to_zero or restore_value.
    """

    def decorator(fn):
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook=pre_hook,
            post_hook=post_hook,
            prune_configs_by=prune_configs_by,
            warmup=warmup,
            rep=rep,
            use_cuda_graph=use_cuda_graph,
            do_bench=do_bench,
            cache_results=cache_results,
        )

    return decorator


class Heuristics(KernelInterface):
    """A kernel some of whose arguments are computed from the others."""

    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names
        base = _innermost(fn, inspect.isfunction)
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(self, name, getattr(base, name))

    def _filled(self, args, kwargs):
        for name, compute in self.values.items():
            kwargs[name] = compute({**dict(zip(self.arg_names, args)), **kwargs})
        return kwargs

    def run(self, *args, **kwargs):
        return self.fn.run(*args, **self._filled(args, kwargs))

    def warmup(self, *args, grid=None, **kwargs):
        return self.fn.warmup(*args, grid=grid, **self._filled(args, kwargs))

    def __repr__(self):
        return f"Heuristics({self.fn!r})"


def heuristics(values):
    """Computes arguments of a kernel: values gives for each name f(arguments) -> value."""

    def decorator(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorator
