"""Settings, and hooks around launches.

A setting's value is the environment's until the program assigns another; deleting it gives the
environment's back. Settings that steer Triton's own compiler are kept for the programs that
set them, and change nothing here.
"""

import os
from contextlib import contextmanager

from . import _native

_UNSET = object()


class _Setting:
    """A setting that comes from environment variables, the first that is set."""

    def __init__(self, names, default, parse=str):
        self.names = names.split()
        self.default, self.parse = default, parse

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        value = group.__dict__.get(self.name, _UNSET)
        return self.read() if value is _UNSET else value

    def read(self):
        for name in self.names:
            text = os.environ.get(name)
            if text is not None:
                return self.parse(text)
        return self.default() if callable(self.default) else self.default

    def __set__(self, group, value):
        group.__dict__[self.name] = value

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)


class _Told(_Setting):
    """A setting whose changes the extension is told of."""

    def __init__(self, setting, tell):
        super().__init__(" ".join(setting.names), setting.default, setting.parse)
        self.tell = tell

    def __set__(self, group, value):
        super().__set__(group, value)
        self.tell(self.__get__(group))

    def __delete__(self, group):
        super().__delete__(group)
        self.tell(self.__get__(group))


def _truth(text):
    return text.lower() in ("1", "true", "on", "yes", "y")


def _flag(names, default=False):
    return _Setting(names, default, _truth)


class base_knobs:
    """A group of settings."""

    @property
    def knobs(self):
        return {name: getattr(self, name) for name, s in vars(type(self)).items() if isinstance(s, _Setting)}

    def copy(self):
        made = type(self)()
        made.__dict__.update(self.__dict__)
        return made

    def reset(self):
        for name, setting in vars(type(self)).items():
            if isinstance(setting, _Setting):
                delattr(self, name)
        return self

    @contextmanager
    def scope(self):
        """Gives the settings back as they were at the end of the block."""
        kept = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(kept)
            for setting in vars(type(self)).values():
                if isinstance(setting, _Told):
                    setting.tell(setting.__get__(self))


class HookChain:
    """Functions that are called in order; of a reversed chain the last comes first."""

    def __init__(self, reversed=False, changed=None):
        self.calls = []
        self.reversed = reversed
        self._changed = changed

    def add(self, func):
        if func not in self.calls:
            self.calls.append(func)
            self._tell()

    def remove(self, func):
        if func in self.calls:
            self.calls.remove(func)
            self._tell()

    def _tell(self):
        if self._changed is not None:
            self._changed(self)

    def __bool__(self):
        return bool(self.calls)

    def __call__(self, *args, **kwargs):
        for call in list(reversed_if(self.reversed, self.calls)):
            call(*args, **kwargs)


def reversed_if(backwards, calls):
    return reversed(calls) if backwards else iter(calls)


class LazyDict:
    """What a hook is told of a launch: get() makes it when it is first asked for."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def add(self, func, args):
        self.extras.append((func, args))

    def get(self):
        while self.extras:
            func, args = self.extras.pop(0)
            self.data = self.data | (func(*args) or {})
        return self.data

    def __getitem__(self, name):
        return self.get()[name]


class _Launches:
    """Calls the hooks of launches. The extension asks only while some chain holds a function."""

    def __init__(self):
        self.chains = {"enter": set(), "exit": set()}  # those that hold functions, by id
        self.pending = []

    def watch(self, which):
        def changed(chain):
            chains = self.chains[which]
            (chains.add if chain else chains.discard)(id(chain))
            self.install()

        return changed

    def install(self):
        any_hook = bool(self.chains["enter"] or self.chains["exit"])
        _native.set_enter_hook(self.enter if any_hook and self.chains["enter"] else None)
        _native.set_exit_hook(self.exit if self.chains["exit"] else None)

    def enter(self, kernel, compiled, grid, stream, values):
        told = describe_launch(kernel, compiled, grid, stream, values)
        runtime.launch_enter_hook(told)
        of_kernel(kernel, "launch_enter_hook")(told)

    def exit(self, kernel, compiled, grid, stream, values):
        told = describe_launch(kernel, compiled, grid, stream, values)
        of_kernel(kernel, "launch_exit_hook")(told)
        runtime.launch_exit_hook(told)


_launches = _Launches()


def describe_launch(kernel, compiled, grid, stream, values):
    """What hooks are told; the kernel's launch_metadata is asked when a hook asks."""
    told = LazyDict({"name": compiled.name, "function": compiled.function, "stream": stream, "grid": tuple(grid)})
    if kernel.launch_metadata is not None:
        arguments = dict(zip(kernel.arg_names, values))
        told.add(kernel.launch_metadata, (tuple(grid), compiled.metadata, arguments))
    return told


_NO_HOOKS = HookChain()


def of_kernel(kernel, name):
    return vars(kernel).get(name, _NO_HOOKS)


def kernel_chain(kernel, name):
    """A chain of hooks for the launches of one kernel."""
    which = "enter" if name == "launch_enter_hook" else "exit"
    return HookChain(reversed=which == "exit", changed=_launches.watch(which))


def _home(name):
    return lambda: os.path.join(os.environ.get("TRITON_HOME", os.path.expanduser("~/")), ".triton", name)


def _cache_dir():
    from .runtime import tuned

    return tuned.cache_dir() or _home("cache")()


class build_knobs(base_knobs):
    cc = _Setting("CC", None)
    cudacrt_path = _Setting("TRITON_CUDACRT_PATH", None)
    cudart_path = _Setting("TRITON_CUDART_PATH", None)
    impl = None


class cache_knobs(base_knobs):
    home_dir = _Setting("TRITON_HOME", lambda: os.path.expanduser("~/"))
    dir = _Setting("TEGULA_CACHE_DIR TRITON_CACHE_DIR", _cache_dir)
    dump_dir = _Setting("TRITON_DUMP_DIR", _home("dump"))
    override_dir = _Setting("TRITON_OVERRIDE_DIR", _home("override"))
    manager_class = _Setting("TRITON_CACHE_MANAGER", None)
    remote_manager_class = _Setting("TRITON_REMOTE_CACHE_BACKEND", None)


class compilation_knobs(base_knobs):
    override = _flag("TRITON_KERNEL_OVERRIDE")
    dump_ir = _flag("TRITON_KERNEL_DUMP")
    store_binary_only = _flag("TRITON_STORE_BINARY_ONLY")
    always_compile = _flag("TRITON_ALWAYS_COMPILE")
    use_ir_loc = _Setting("USE_IR_LOC", None)
    enable_asan = _flag("TRITON_ENABLE_ASAN")
    disable_line_info = _flag("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = _flag("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = _flag("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    instrumentation_mode = _Setting("TRITON_INSTRUMENTATION_MODE", "")
    listener = None


class autotuning_knobs(base_knobs):
    cache = _flag("TEGULA_CACHE_AUTOTUNING TRITON_CACHE_AUTOTUNING", True)
    print = _flag("TEGULA_PRINT_AUTOTUNING TRITON_PRINT_AUTOTUNING")
    listener = None


class runtime_knobs(base_knobs):
    interpret = _flag("TRITON_INTERPRET")
    debug = _Told(_flag("TEGULA_DEBUG TRITON_DEBUG"), _native.set_debug)
    override_arch = _Setting("TRITON_OVERRIDE_ARCH", None)
    jit_cache_hook = None
    jit_post_compile_hook = None
    add_stages_inspection_hook = None

    def __init__(self):
        self.launch_enter_hook = HookChain(changed=_launches.watch("enter"))
        self.launch_exit_hook = HookChain(reversed=True, changed=_launches.watch("exit"))
        self.kernel_load_start_hook = HookChain()
        self.kernel_load_end_hook = HookChain(reversed=True)
        self.kernel_unload_hook = HookChain()


class language_knobs(base_knobs):
    fp32_default = _Setting("TRITON_F32_DEFAULT", None)
    default_fp_fusion = _flag("TRITON_DEFAULT_FP_FUSION", True)


class nvidia_knobs(base_knobs):
    cuobjdump = _Setting("TRITON_CUOBJDUMP_PATH", None)
    nvdisasm = _Setting("TRITON_NVDISASM_PATH", None)
    ptxas = _Setting("TRITON_PTXAS_PATH", None)
    ptxas_blackwell = _Setting("TRITON_PTXAS_BLACKWELL_PATH", None)
    dump_nvptx = _flag("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = _flag("DISABLE_PTXAS_OPT")
    mock_ptx_version = _Setting("TRITON_MOCK_PTX_VERSION", None)
    libdevice_path = _Setting("TRITON_LIBDEVICE_PATH", None)
    libcuda_path = _Setting("TRITON_LIBCUDA_PATH", None)


class amd_knobs(base_knobs):
    use_buffer_ops = _flag("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = _flag("AMDGCN_USE_BUFFER_ATOMICS", True)
    dump_amdgcn = _flag("AMDGCN_ENABLE_DUMP")
    libhip_path = _Setting("TRITON_LIBHIP_PATH", None)
    lld_path = _Setting("TRITON_HIP_LLD_PATH", None)


class proton_knobs(base_knobs):
    disable = _flag("TRITON_PROTON_DISABLE")


class redis_knobs(base_knobs):
    key_format = _Setting("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = _Setting("TRITON_REDIS_HOST", "localhost")
    port = _Setting("TRITON_REDIS_PORT", 6379, int)


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
_native.set_debug(runtime.debug)
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()


def refresh_knobs():
    """Gives every setting the environment's value."""
    for group in (build, redis, cache, compilation, autotuning, runtime, language, nvidia, amd, proton):
        group.reset()
