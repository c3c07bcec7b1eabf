package tile

// Origin gives the value that pointers, or a descriptor, are computed from: it follows arithmetic and what moves
// elements. Where they may come from several values, as those that a loop carries, it gives v's last step.
func Origin(v *Value) *Value {
	for v.Op != nil && keepsOrigin[v.Op.Code] {
		v = v.Op.Args[0]
	}
	return v
}

var keepsOrigin = [numOps]bool{
	OpAddPtr: true, OpBitcast: true, OpHint: true, OpMakeDesc: true,
	OpSplat: true, OpBroadcast: true, OpExpandDims: true, OpReshape: true, OpTrans: true, OpSplit: true,
}

// writesThrough lists the operations that write through their first operand.
var writesThrough = [numOps]bool{
	OpStore: true, OpAtomicRMW: true, OpAtomicCAS: true, OpAtomicStore: true,
	OpDescStore: true, OpDescReduce: true, OpDescScatter: true,
}

// ReadOnly gives the parameter that op writes through although it is read-only; nil if it does not, as far as
// Origin tells.
func (f *Func) ReadOnly(op *Op) *Param {
	if !writesThrough[op.Code] {
		return nil
	}
	v := Origin(op.Args[0])
	if v.Block != f.Body || int(v.Index) >= len(f.Params) || !f.Params[v.Index].ReadOnly {
		return nil
	}
	return &f.Params[v.Index]
}
