package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

func asmRows() []*Builtin {
	return []*Builtin{
		{Name: "inline_asm_elementwise", Sig: "asm, constraints, args, dtype, is_pure, pack", Fn: langInlineAsm},
		{Name: "extern_elementwise", Sig: "lib_name, lib_path, args, arg_type_symbol_dict, is_pure", Fn: langExternLibrary},
	}
}

func langInlineAsm(g *gen, c *call) Value {
	attr := tile.AsmAttr{
		Asm:         c.constString(g, 0),
		Constraints: c.constString(g, 1),
		Pure:        c.constBool(g, 4),
		Pack:        int(c.constInt(g, 5)),
	}
	if attr.Pack < 1 || attr.Pack > 64 {
		g.fail(c.at[5], "bad-argument", "pack is %d; it may be 1 to 64", attr.Pack)
	}
	operands := c.elements(g, 2)
	in := make([]Tensor, len(operands))
	for i, v := range operands {
		in[i] = g.toTensor(v, c.at[2])
	}
	in = g.broadcastAll(in, c.node)
	var shape tile.Type
	if len(in) > 0 {
		shape = in[0].V.Type
	}
	wanted, tuple := elementsOf(c.args[3])
	if !tuple {
		wanted = []Value{c.args[3]}
	}
	if len(wanted) == 0 {
		g.fail(c.at[3], "bad-argument", "assembly must give at least one result")
	}
	out := make([]Tensor, len(wanted))
	types := make([]tile.Type, len(wanted))
	for i, v := range wanted {
		t := c.asType(g, 3, v).Scalar()
		types[i] = shape.WithScalar(t.Tile)
		out[i].DType = t.DType
	}
	op := g.b.Op(tile.OpInlineAsm, attr, handles(in), types...)
	return results(tensorsLike(op, out), tuple)
}

// langExternLibrary is the call of a function in a library of device code, of which there is none here but
// libdevice, whose functions have names of their own.
func langExternLibrary(g *gen, c *call) Value {
	g.unsupported(c.node, "%s: code from another library than libdevice", c.name)
	return noValue
}

// cudaRows are what triton.language.extra.cuda holds besides libdevice.
func cudaRows() []*Builtin {
	return []*Builtin{
		{Name: "extra.cuda.gdc_wait", Sig: "", Fn: langNoOp},
		{Name: "extra.cuda.gdc_launch_dependents", Sig: "", Fn: langNoOp},
		{Name: "extra.cuda.num_warps", Sig: "", Fn: func(g *gen, c *call) Value { return int64(g.opts.NumWarps) }},
		{Name: "extra.cuda.num_threads", Sig: "", Fn: func(g *gen, c *call) Value { return int64(g.opts.NumWarps) * 32 }},
		{Name: "extra.cuda.convert_custom_float8_sm80", Sig: "arg, dst_ty, fp_downcast_rounding=None, has_minx2=True", Fn: langCustomFloat8},
		{Name: "extra.cuda.convert_custom_float8_sm70", Sig: "arg, dst_ty, fp_downcast_rounding=None", Fn: langCustomFloat8},
		{Name: "extra.cuda.globaltimer", Sig: "", Fn: langRegister("mov.u64 $0, %globaltimer;", "=l", dtype.Int64, false)},
		{Name: "extra.cuda.smid", Sig: "", Fn: langRegister("mov.u32 $0, %smid;", "=r", dtype.Int32, true)},
	}
}

// langCustomFloat8 converts from or to float8e4b15, as any cast does here.
func langCustomFloat8(g *gen, c *call) Value {
	return g.castType(c.tensor(g, 0), c.dtype(g, 1), c.node)
}

// langNoOp is a hint to the launcher that no meaning depends on: programs of dependent launches are ordered
// anyway.
func langNoOp(*gen, *call) Value { return noValue }

// langRegister reads a special register of the GPU.
func langRegister(asm, constraint string, d dtype.DType, pure bool) func(*gen, *call) Value {
	return func(g *gen, c *call) Value {
		attr := tile.AsmAttr{Asm: asm, Constraints: constraint, Pure: pure, Pack: 1}
		return Tensor{g.b.Op(tile.OpInlineAsm, attr, nil, tile.Scalar(elems[d])).Result(), d}
	}
}

// targetInfoRows are questions about the target, which sema does not know. The answer is no, so that a kernel takes
// its portable side.
func targetInfoRows() []*Builtin {
	var rows []*Builtin
	for name, sig := range map[string]string{
		"is_cuda": "", "is_hip": "", "is_hip_cdna3": "", "is_hip_cdna4": "", "is_hip_gfx1250": "",
		"cuda_capability_geq": "major, minor=0",
	} {
		rows = append(rows, &Builtin{Name: "target_info." + name, Sig: sig, Fn: func(*gen, *call) Value { return false }})
	}
	return rows
}
