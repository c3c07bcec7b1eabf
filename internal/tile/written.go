package tile

// Written tells of each parameter whether the function may write through it. What is written through pointers that were
// loaded or made of numbers is nobody's.
func (f *Func) Written() []bool {
	w := writers{loops: map[*Block]*Op{}, seen: map[*Value]bool{}}
	f.Body.Walk(func(op *Op) {
		for _, b := range op.Regions {
			w.loops[b] = op
		}
		if writesThrough[op.Code] {
			w.todo = append(w.todo, op.Args[0])
		}
	})
	for len(w.todo) > 0 {
		v := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if !w.seen[v] {
			w.seen[v] = true
			w.follow(v)
		}
	}
	written := make([]bool, len(f.Params))
	for i := range written {
		written[i] = w.seen[f.Body.Args[i]]
	}
	return written
}

// writers follows pointers that are written through back to where they come from.
type writers struct {
	loops map[*Block]*Op // whose region a block is
	seen  map[*Value]bool
	todo  []*Value
}

// from adds values that a pointer may have been computed from.
func (w *writers) from(vals ...*Value) {
	for _, v := range vals {
		if v.Type.IsPtr() || v.Type.IsDesc() {
			w.todo = append(w.todo, v)
		}
	}
}

func (w *writers) follow(v *Value) {
	if v.Op == nil {
		w.followArg(v)
		return
	}
	switch op, i := v.Op, int(v.Index); op.Code {
	case OpLoad, OpIntToPtr:
	case OpFor:
		w.from(op.Regions[0].Args[i+1])
	case OpWhile:
		w.from(op.Regions[0].Terminator().Args[i+1])
	case OpIf:
		w.from(op.Regions[0].Terminator().Args[i], op.Regions[1].Terminator().Args[i])
	default:
		w.from(op.Args...)
	}
}

func (w *writers) followArg(v *Value) {
	op, i := w.loops[v.Block], int(v.Index)
	switch {
	case op == nil: // a parameter
	case op.Code == OpFor && i > 0:
		w.from(op.Args[i+2], v.Block.Terminator().Args[i-1])
	case op.Code == OpWhile && v.Block == op.Regions[0]:
		w.from(op.Args[i], op.Regions[1].Terminator().Args[i])
	case op.Code == OpWhile:
		w.from(op.Regions[0].Terminator().Args[i+1])
	default:
		w.from(op.Args...)
	}
}
