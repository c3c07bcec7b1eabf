package launch

import (
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// specialise gives what the compiler may know of an argument: its type and the facts that the
// policy asks for, or all of it if it is a constant. Arguments that no variant takes were refused
// when the key was made.
func (k *Kernel) specialise(i int, v *Value, policy target.Policy) sema.ArgSpec {
	p := &k.params[i]
	if p.Constexpr || v.Fixed {
		return sema.ArgSpec{IsConst: true, Const: v.Python()}
	}
	if p.NoSpecialize {
		policy = target.Policy{}
	}
	if p.NoAlign {
		policy.Divisibility = 0
	}
	return argSpec(v, p.Type, policy)
}

// argSpec is specialise for what is no tl.constexpr. declared is the type that the parameter is
// annotated with, zero if none.
func argSpec(v *Value, declared sema.Type, policy target.Policy) sema.ArgSpec {
	switch v.Kind {
	case KindNone:
		return sema.ArgSpec{IsConst: true, Const: pyval.None}
	case KindConst, KindStr:
		return sema.ArgSpec{IsConst: true, Const: v.Python()}
	case KindDescriptor:
		return sema.ArgSpec{Desc: v.tuple().Desc}
	case KindTuple:
		t := v.tuple()
		s := sema.ArgSpec{IsTuple: true, Tuple: make([]sema.ArgSpec, len(t.Elems)), Names: t.Names}
		for i := range t.Elems {
			s.Tuple[i] = argSpec(&t.Elems[i], sema.Type{}, policy)
		}
		return s
	case KindArray:
		return withDivisor(sema.ArgSpec{Type: sema.PointerTo(sema.ScalarType(v.DType))}, v.Bits, policy)
	}
	if declared.Tile.IsZero() {
		declared = sema.ScalarType(v.DType)
	}
	if v.Kind != KindInt || !declared.DType.IsInt() {
		return sema.ArgSpec{Type: declared}
	}
	if policy.EqualOne && v.Bits == 1 {
		return sema.ArgSpec{IsConst: true, Const: int64(1)}
	}
	return withDivisor(sema.ArgSpec{Type: declared}, v.Bits, policy)
}

// withDivisor adds that a number is divisible, if that matters.
func withDivisor(s sema.ArgSpec, n uint64, policy target.Policy) sema.ArgSpec {
	if d := policy.Divisibility; d > 0 && n%uint64(d) == 0 {
		s.Divisibility = d
	}
	return s
}

// checkRuntime refuses what cannot be passed to a kernel that runs.
func (k *Kernel) checkRuntime(i int, v *Value) error {
	if n, ok := v.Const.(*big.Int); ok && v.Kind == KindConst {
		return k.argError("integer-too-large", i, "argument '%s' of %s does not fit 64 bits: %s", k.params[i].Name, k.name, shown(n))
	}
	return nil
}

// declared reports whether the parameter is annotated with a type.
func (p *Param) declared() bool { return !p.Type.Tile.IsZero() }

// checkDeclared checks an argument against the type that its parameter is annotated with.
func (k *Kernel) checkDeclared(i int, v *Value) error {
	p := &k.params[i]
	if p.Type.IsPtr() {
		if v.Kind == KindNone || v.Kind == KindArray && v.DType == p.Type.DType {
			return nil
		}
		return k.undeclared(i, v)
	}
	switch d := p.Type.DType; v.Kind {
	case KindInt:
		if d.IsInt() && !holds(d, v) {
			return k.argError("out-of-range", i, "argument '%s' of %s is declared %s, which does not hold %s", p.Name, k.name, p.Type, pyval.Repr(v.Python()))
		}
		return nil
	case KindFloat:
		if d.IsFloat() {
			return nil
		}
	case KindBool:
		if d.IsInt() {
			return nil
		}
	case KindConst, KindStr, KindNone:
		return nil // the compiler sees the constant and judges
	}
	return k.undeclared(i, v)
}

// undeclared is the error of an argument of another type than its parameter is annotated with.
func (k *Kernel) undeclared(i int, v *Value) error {
	p := &k.params[i]
	return k.argError("dtype", i, "argument '%s' of %s is declared %s and cannot be %s", p.Name, k.name, p.Type, v.describe())
}

// holds reports whether an integer type holds the value.
func holds(d dtype.DType, v *Value) bool {
	if d.IsBool() {
		return v.Bits <= 1
	}
	bits := d.Bits()
	negative := v.DType != dtype.Uint64 && int64(v.Bits) < 0
	if d.IsSigned() {
		n := int64(v.Bits)
		return v.DType != dtype.Uint64 && n >= math.MinInt64>>(64-bits) && n <= math.MaxInt64>>(64-bits)
	}
	return !negative && v.Bits <= math.MaxUint64>>(64-bits)
}
