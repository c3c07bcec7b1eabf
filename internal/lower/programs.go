package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// GPUs start programs in the order of their numbers, and one that runs longer than the others should not be among the last. Where loops take the more
// iterations the higher a program's number, as attention's do that end at the diagonal, numbers are given the other way round: the longest are started first,
// and short ones fill the gaps at the end.

// reverseOrder finds the axes of the grid along which numbers are given the other way round. Programs have no promised order; but of those that wait for
// others, or meet what others write, the first to start has to be the one of the lowest number, as it always is on GPUs. So no kernel with atomics, volatile
// loads or assembly has its numbers turned, and none that prints or checks, where a person may compare them with what a tool says.
func (l *lowerer) reverseOrder() {
	if !l.keepsToItself() {
		return
	}
	for axis := range l.reversed {
		t := trends{axis: axis, kernel: l.f.Body, known: map[*tile.Value]trend{}}
		longer, shorter := false, false
		l.f.Body.Walk(func(op *tile.Op) {
			if op.Code == tile.OpFor {
				of := t.of(op.Args[1]).plus(t.of(op.Args[0]).negated())
				longer, shorter = longer || of == rising, shorter || of == falling
			}
		})
		l.reversed[axis] = longer && !shorter
	}
}

// keepsToItself reports whether a kernel's programs can have nothing to do with each other.
func (l *lowerer) keepsToItself() bool {
	alone := true
	for _, f := range l.m.Funcs {
		f.Body.Walk(func(op *tile.Op) {
			switch op.Effect() {
			case tile.Writes:
				alone = alone && (op.Code == tile.OpStore || op.Code == tile.OpCall || op.Code == tile.OpBarrier)
			case tile.Observes:
				alone = alone && op.Code == tile.OpAssume
			}
			alone = alone && op.Code != tile.OpInlineAsm
		})
	}
	return alone
}

// programID gives the program's number along an axis.
func (l *lowerer) programID(axis int) *lir.Value {
	id := l.b.Pure(lir.OpProgramID, 0, lir.I32, int64(axis))
	if !l.reversed[axis] {
		return id
	}
	last := l.b.Pure(lir.OpSub, 0, lir.I32, 0, l.numPrograms(axis), l.b.I32(1))
	return l.b.Pure(lir.OpSub, 0, lir.I32, 0, last, id)
}

func (l *lowerer) numPrograms(axis int) *lir.Value {
	return l.b.Pure(lir.OpNumPrograms, 0, lir.I32, int64(axis))
}

// A trend is how a scalar changes with the program's number along an axis: what is taken for one only makes an order better or worse. So parameters, which are
// sizes and strides, are taken to be positive.
type trend int8

const (
	constant trend = iota
	rising
	falling
	mixed
)

func (t trend) negated() trend {
	switch t {
	case rising:
		return falling
	case falling:
		return rising
	}
	return t
}

// plus gives the trend of a sum, and of other functions that rise with both operands.
func (t trend) plus(u trend) trend {
	switch {
	case u == constant || t == u:
		return t
	case t == constant:
		return u
	}
	return mixed
}

// trends finds the trends of a kernel's scalars along an axis.
type trends struct {
	axis   int
	kernel *tile.Block
	known  map[*tile.Value]trend
}

func (t *trends) of(v *tile.Value) trend {
	found, ok := t.known[v]
	if !ok {
		found = t.find(v)
		t.known[v] = found
	}
	return found
}

func (t *trends) find(v *tile.Value) trend {
	op := v.Op
	if op == nil {
		if v.Block == t.kernel {
			return constant
		}
		return mixed
	}
	if op.Code == tile.OpProgramID {
		if op.Attr.(tile.AxisAttr).Axis == t.axis {
			return rising
		}
		return constant
	}
	still := op.Effect() == tile.Pure
	args := make([]trend, len(op.Args))
	for i, a := range op.Args {
		args[i] = t.of(a)
		still = still && args[i] == constant
	}
	switch {
	case still:
		return constant
	case len(op.Results) != 1 || !v.Type.IsScalar():
		return mixed
	}
	switch op.Code {
	case tile.OpAdd, tile.OpMinS, tile.OpMinU, tile.OpMaxS, tile.OpMaxU:
		return args[0].plus(args[1])
	case tile.OpSub:
		return args[0].plus(args[1].negated())
	case tile.OpExtS, tile.OpExtU, tile.OpTrunc, tile.OpHint:
		return args[0]
	case tile.OpMul:
		for i, by := range op.Args {
			if args[i] == constant {
				return args[1-i].times(by)
			}
		}
	case tile.OpDivS, tile.OpDivU, tile.OpShl, tile.OpShrS, tile.OpShrU:
		if args[1] == constant {
			return args[0].times(op.Args[1])
		}
	}
	return mixed
}

// times gives the trend of a multiple or a quotient.
func (t trend) times(by *tile.Value) trend {
	if by.Op == nil || by.Op.Code != tile.OpConst {
		return t
	}
	if bits := by.Op.Attr.(tile.ConstAttr).Bits; bits>>(by.Type.ElemBits()-1)&1 != 0 {
		return t.negated()
	}
	return t
}
