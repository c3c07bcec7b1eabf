"""The timings that autotune measured, on disk, for the processes after this one."""

import os

from .. import _native

_SCHEMA = 1


class Store:
    """The timings of one kernel for one key: what they depend on makes the name of the file."""

    def __init__(self, fn, key, configs):
        import hashlib

        from .driver import driver

        parts = [
            str(_SCHEMA),
            _native.__version__,
            fn.cache_key,
            repr(key),
            repr(driver.active.get_device_identity()),
            os.environ.get("TEGULA_CPU", ""),
            *map(str, configs),
        ]
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        self.path = None
        directory = cache_dir()
        if directory is not None:
            self.path = os.path.join(directory, "tuned", digest[:2], digest[2:] + ".json")

    def load(self, configs):
        """The timings of the configurations; None if there are none, or none that can be believed."""
        import json

        if self.path is None:
            return None
        try:
            with open(self.path, encoding="utf-8") as f:
                kept = json.load(f)
        except (OSError, ValueError):
            return None
        timings = kept.get("timings") if isinstance(kept, dict) and kept.get("schema") == _SCHEMA else None
        if not isinstance(timings, list) or len(timings) != len(configs) or not all(map(_is_timing, timings)):
            return None
        return {config: [float(t) for t in timing] for config, timing in zip(configs, timings)}

    def save(self, timings):
        """Keeps the timings; that it cannot is no reason to fail."""
        import json

        if self.path is None:
            return
        values = [list(t) if isinstance(t, (list, tuple)) else [t] for t in timings.values()]
        text = json.dumps({"schema": _SCHEMA, "timings": values})
        temporary = f"{self.path}.{os.getpid()}.tmp"
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            with open(temporary, "x", encoding="utf-8") as f:
                f.write(text)
            os.replace(temporary, self.path)
        except OSError:
            _remove(temporary)


def _is_timing(value):
    return isinstance(value, list) and value and all(isinstance(t, (int, float)) for t in value)


def _remove(path):
    try:
        os.remove(path)
    except OSError:
        pass


def cache_dir():
    """The directory of Tegula's cache, None if it is switched off or there is none."""
    if os.environ.get("TEGULA_CACHE", "").lower() in ("off", "0"):
        return None
    given = os.environ.get("TEGULA_CACHE_DIR")
    if given:
        return given
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tegula") if os.path.isabs(base) else None
