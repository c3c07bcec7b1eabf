"""Builds dist/tegula-VERSION-cp310-abi3-linux_MACHINE.whl: the library by Go, the extension by the C compiler, and the Python
around them. It needs Go, a C compiler and this Python with its headers, nothing else.

    python3 python/wheel.py [--check-only] [--sycl DIR]

--check-only compiles the extension and throws it away. --sycl adds the library for SYCL devices, built against the runtime in DIR; the runtime
itself is the user's (pip install intel-sycl-rt intel-opencl-rt), and looked for where pip puts it.
"""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
MOST = 12 << 20  # what a wheel may have, in bytes

CFLAGS = ["-O2", "-std=c11", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-DPy_LIMITED_API=0x030a0000"]


def run(command, **kwargs):
    print("+", " ".join(map(str, command)), file=sys.stderr)
    subprocess.run(command, check=True, **kwargs)


def version():
    text = (ROOT / "internal/compiler/version.go").read_text()
    found = re.search(r'^const Version = "(.*)"', text, re.M)
    # 0.1.0-dev is how Go writes it, 0.1.0.dev0 how Python does.
    return re.sub(r"-dev$", ".dev0", found[1])


def build_extension(out):
    cc = os.environ.get("CC") or sysconfig.get_config_var("CC").split()[0]
    include = sysconfig.get_path("include")
    if not (Path(include) / "Python.h").exists():
        sys.exit(f"wheel: {include} has no Python.h; install the headers of {sys.executable}")
    sources = sorted(HERE.glob("src/*.c"))
    strict = ["-Werror"] if "--check-only" in sys.argv else []  # other compilers warn of other things
    run([cc, *CFLAGS, *strict, f'-DTEGULA_VERSION="{version()}"', f"-I{include}", "-shared", "-s", "-Wl,-z,relro,-z,now", "-o", out, *sources, "-ldl", "-lpthread"])


def build_library(out):
    env = {**os.environ, "CGO_ENABLED": "1"}
    go = os.environ.get("GO", "go")
    run([go, "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", out, "./python/bridge"], cwd=ROOT, env=env)
    out.with_suffix(".h").unlink(missing_ok=True)


def build_shim(out, root):
    run([HERE.parent / "driver/xpu/shim/build.sh", root, out, "$ORIGIN/../../.."])


def metadata(name):
    return (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version()}\n"
        "Summary: A kernel language, compiler and launch runtime for GPUs and CPUs\n"
        "License: MIT\nRequires-Python: >=3.10\n"
        "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text()
    )


def write_wheel(path, files, tag):
    info = f"tegula-{version()}.dist-info"
    license = ROOT / "LICENSE"
    files = {
        **files,
        f"{info}/METADATA": metadata("tegula").encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tegula\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{info}/licenses/LICENSE": license.read_bytes(),
        f"{info}/top_level.txt": b"tegula\n",
    }
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
            add(z, name, data)
        record.append(f"{info}/RECORD,,\n")
        add(z, f"{info}/RECORD", "".join(record).encode())


def add(z, name, data):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same input makes the same wheel
    entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    z.writestr(entry, data)


def package_files():
    keep = {".py", ".pyi", ".typed"}
    return {str(p.relative_to(HERE)): p.read_bytes() for p in sorted(HERE.glob("tegula/**/*")) if p.suffix in keep or p.name == "py.typed"}


def main():
    with tempfile.TemporaryDirectory() as tmp:
        extension, library = Path(tmp) / "_native.abi3.so", Path(tmp) / "_libtegula.so"
        build_extension(extension)
        if "--check-only" in sys.argv:
            return
        build_library(library)
        files = package_files()
        files["tegula/_native.abi3.so"] = extension.read_bytes()
        files["tegula/_libtegula.so"] = library.read_bytes()
        if "--sycl" in sys.argv:
            shim = Path(tmp) / "libtegula_sycl.so"
            build_shim(shim, sys.argv[sys.argv.index("--sycl") + 1])
            files["tegula/libtegula_sycl.so"] = shim.read_bytes()
    tag = f"cp310-abi3-linux_{platform.machine()}"
    out = ROOT / "dist" / f"tegula-{version()}-{tag}.whl"
    out.parent.mkdir(exist_ok=True)
    for old in out.parent.glob("tegula-*.whl"):
        old.unlink()
    write_wheel(out, files, tag)
    size = out.stat().st_size
    print(f"{out.relative_to(ROOT)}: {size} bytes", file=sys.stderr)
    if size > MOST:
        sys.exit(f"wheel: larger than {MOST} bytes")


main()
