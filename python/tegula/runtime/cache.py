"""Files that programs keep beside compiled kernels, under Triton's names. The compiled kernels' own cache is the compiler's."""

import os

from .. import _native
from . import tuned


class CacheManager:
    """Keeps the files of one key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key


class FileCacheManager(CacheManager):
    """Keeps the files of one key in a directory."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        from .. import knobs

        base = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        self.cache_dir = os.path.join(base, "files", key)
        os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def get_group(self, filename):
        import json

        path = self.get_file("__grp__" + filename)
        if path is None:
            return None
        with open(path, encoding="utf-8") as f:
            children = json.load(f).get("child_paths", {})
        return {name: p for name, p in children.items() if os.path.exists(p)}

    def put_group(self, filename, group):
        import json

        return self.put(json.dumps({"child_paths": group}), "__grp__" + filename, binary=False)

    def put(self, data, filename, binary=True):
        import uuid

        path = self._make_path(filename)
        temporary = f"{path}.{os.getpid()}.{uuid.uuid4().hex}.tmp"
        with open(temporary, "wb") as f:
            f.write(data if isinstance(data, bytes) else str(data).encode())
        os.replace(temporary, path)
        return path


class RemoteCacheBackend:
    """A cache that other machines share; nothing here uses one."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    pass


def _key(text):
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def get_cache_manager(key):
    return FileCacheManager(_key(key))


def get_dump_manager(key):
    return FileCacheManager(_key(key), dump=True)


def get_override_manager(key):
    return FileCacheManager(_key(key), override=True)


def triton_key():
    """What changes when the compiler does."""
    return f"tegula-{_native.__version__}"


default_cache_dir = tuned.cache_dir
