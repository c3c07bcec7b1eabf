"""Asks Triton's front end for the type of every operator on every pair of types.

Writes a table: a row is an operator and its left operand, a column the right operand. An operand
is a tile's element type, or a number in parentheses. A cell is the result's element type (with an
asterisk for pointers), "-" for an error, "." where two numbers meet or Triton builds invalid IR.
make test-oracles runs it.
"""

import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.nvidia.compiler import CUDABackend
from triton.backends.compiler import GPUTarget
from triton.language.semantic import TritonSemantic

TYPES = "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e4nv fp8e5 fp8e4b15 bf16 fp16 fp32 fp64 *fp32 *i32".split()
NUMBERS = ["True", "0", "3", "-3", "300", "70000", "3000000000", "-3000000000", "5000000000", "10000000000000000000",
           "1.5", "-1.5", "1e300"]
OPERATORS = "+ - * / // % & | ^ << >> == != < <= > >= maximum minimum fdiv div_rn where".split()


def spelled(ty):
    if ty.is_ptr():
        return "*" + spelled(ty.element_ty)
    names = {"int1": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
             "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}
    return names.get(ty.name, ty.name)


def apply(semantic, op, x, y, cond):
    s = semantic
    if op == ">>":
        owner = x if isinstance(x, tl.tensor) else y
        return (s.ashr if owner.dtype.is_int_signed() else s.lshr)(x, y)
    if op == "maximum":
        return s.maximum(x, y, tl.PropagateNan.NONE)
    if op == "minimum":
        return s.minimum(x, y, tl.PropagateNan.NONE)
    if op == "fdiv":
        return s.fdiv(x, y, False)
    if op == "div_rn":
        return tl.div_rn(x, y, _semantic=s)
    if op == "where":
        return s.where(cond, x, y)
    if op in "+-*" :
        return {"+": s.add, "-": s.sub, "*": s.mul}[op](x, y, False)
    return {"/": s.truediv, "//": s.floordiv, "%": s.mod, "&": s.and_, "|": s.or_, "^": s.xor_, "<<": s.shl,
            "==": s.equal, "!=": s.not_equal, "<": s.less_than, "<=": s.less_equal, ">": s.greater_than,
            ">=": s.greater_equal}[op](x, y)


def main():
    backend = CUDABackend(GPUTarget("cuda", 90, 32))
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    builder = ir.builder(context)
    builder.options = options
    builder.codegen_fns = backend.get_codegen_implementation(options)
    module = builder.create_module()
    tiles = [tl.block_type(tl.str_to_ty(t, None), [4]) for t in TYPES] + [tl.block_type(tl.int1, [4])]
    # fp8 types need a name only: ask for their IR without the check of the architecture.
    del builder.options
    fn_type = builder.get_function_ty([t.to_ir(builder) for t in tiles], [])
    fn = builder.get_or_insert_function(module, "f", fn_type, "public", False)
    module.push_back(fn)
    builder.set_insertion_point_to_start(fn.add_entry_block())
    builder.options = options
    values = {name: tl.tensor(fn.args(i), t) for i, (name, t) in enumerate(zip(TYPES, tiles))}
    cond = tl.tensor(fn.args(len(TYPES)), tiles[-1])
    semantic = TritonSemantic(builder)

    def operand(name):
        return eval(name) if name.startswith("(") else values[name]

    def ask(op, left, right):
        pointers = left.startswith("*") + right.startswith("*")
        if left.startswith("(") and right.startswith("(") or op == "where" and pointers == 1:
            return "."
        try:
            return spelled(apply(semantic, op, operand(left), operand(right), cond).dtype)
        except Exception:
            return "-"

    operands = TYPES + [f"({n})" for n in NUMBERS]
    print("", "", *operands, sep="\t")
    for op in OPERATORS:
        for left in operands:
            print(op, left, *(ask(op, left, right) for right in operands), sep="\t")


main()
