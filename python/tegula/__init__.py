"""Kernels in Triton's language, compiled and launched by Tegula.

    import tegula, tegula.language as tl

    @tegula.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = i < n
        tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)

    add[(tegula.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)

Arrays are those of NumPy, torch, CuPy and JAX; importing tegula imports none of them. docs/python.md tells the rest.
"""

from ._lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(
    __name__,
    {
        "_native": ["RuntimeArrayInfo", "__version__", "array_arg_info", "devices"],
        "_install": ["install_as_triton"],
        "check": ["check"],
        "compiler.compiler": ["ASTSource", "CompiledKernel", "compile"],
        "errors": [
            "ArgumentError", "CheckError", "CompilationError", "CompileError", "DriverError", "DtypeError", "GlobalChanged", "GridError",
            "LaunchKeywordError", "MixedDevices", "MixedFrameworks", "MultipleDevices", "NotContiguous", "OutOfResources", "SchemaError",
            "StreamError", "SyntaxError", "TegulaError", "TritonError", "Unsupported",
        ],
        "integers": ["cdiv", "next_power_of_2"],
        "language.core": ["must_use_result"],
        "metadata": ["KernelMetadata"],
        "runtime.aggregate": ["aggregate"],
        "runtime.allocation": ["set_allocator"],
        "runtime.arrays": ["MockTensor", "TensorWrapper", "reinterpret"],
        "runtime.autotuner": ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"],
        "runtime.errors": ["AutotunerError", "InterpreterError"],
        "runtime.ir": ["IRKernel", "load"],
        "runtime.jit": ["JITFunction", "KernelInterface", "constexpr_function", "jit"],
        "tools.tensor_descriptor": ["TensorDescriptor"],
    },
    ["backends", "compiler", "errors", "knobs", "language", "runtime", "testing", "tools", "xpu"],
)  # fmt: skip
