"""Compiles a kernel in Triton's intermediate representation. Reads a line of JSON, {"text", "arch", "options"}, and answers with one: what
cudamlir.Code has, or {"error"}."""
import base64
import json
import os
import sys
import tempfile

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the compiler prints is no answer


def answer(request):
    try:
        import triton
        from triton.backends.compiler import GPUTarget
    except ImportError as e:
        return {"missing": str(e)}
    os.environ.setdefault("TRITON_ALWAYS_COMPILE", "1")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.ttir")
        with open(path, "w") as f:
            f.write(request["text"])
        try:
            kernel = triton.compile(path, target=GPUTarget("cuda", request["arch"], 32), options=request["options"])
        except Exception as e:  # whatever Triton throws is its answer
            return {"error": f"{type(e).__name__}: {e}"}
    m = kernel.metadata
    return {
        "triton": triton.__version__,
        "cubin": base64.b64encode(kernel.asm["cubin"]).decode(),
        "stages": {name: kernel.asm[name] for name in ("ttgir", "llir", "ptx")},
        "section": {
            "entry": m.name,
            "warps": m.num_warps,
            "shared": m.shared,
            "scratch": getattr(m, "global_scratch_size", 0) or 0,
            "profile": getattr(m, "profile_scratch_size", 0) or 0,
        },
    }


json.dump(answer(json.loads(sys.stdin.readline())), answers)
