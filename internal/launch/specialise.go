package launch

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
	"unsafe"
)

// specialise gives what the compiler may know of an argument: its type and the facts that the
// policy asks for, or all of it if it is a constant.
func (k *Kernel) specialise(i int, v *Value, policy target.Policy) (sema.ArgSpec, error) {
	p := &k.params[i]
	if p.Constexpr {
		if v.hasArray() {
			return sema.ArgSpec{}, k.argError("constexpr-array", i, "argument '%s' of %s is declared tl.constexpr and cannot be %s", p.Name, k.name, v.describe())
		}
		return sema.ArgSpec{IsConst: true, Const: v.Python()}, nil
	}
	if n, ok := v.Const.(*big.Int); ok && v.Kind == KindConst {
		return sema.ArgSpec{}, k.argError("integer-too-large", i, "argument '%s' of %s does not fit 64 bits: %s", p.Name, k.name, shown(n))
	}
	if p.NoSpecialize {
		policy = target.Policy{}
	}
	if p.NoAlign {
		policy.Divisibility = 0
	}
	if !p.Type.Tile.IsZero() {
		if err := k.checkDeclared(i, v); err != nil {
			return sema.ArgSpec{}, err
		}
	}
	return argSpec(v, p.Type, policy), nil
}

// argSpec is specialise for what is no tl.constexpr. declared is the type that the parameter is
// annotated with, zero if none.
func argSpec(v *Value, declared sema.Type, policy target.Policy) sema.ArgSpec {
	switch v.Kind {
	case KindConst:
		return sema.ArgSpec{IsConst: true, Const: v.Const}
	case KindDescriptor:
		return sema.ArgSpec{Desc: v.Desc}
	case KindTuple:
		s := sema.ArgSpec{IsTuple: true, Tuple: make([]sema.ArgSpec, len(v.Elems)), Names: v.Names}
		for i := range v.Elems {
			s.Tuple[i] = argSpec(&v.Elems[i], sema.Type{}, policy)
		}
		return s
	case KindArray:
		s := sema.ArgSpec{Type: sema.PointerTo(sema.ScalarType(v.DType))}
		if d := policy.Divisibility; d > 0 && v.address()%uint64(d) == 0 {
			s.Divisibility = d
		}
		return s
	case KindInt:
		t := declared
		if t.Tile.IsZero() {
			t = sema.ScalarType(v.DType)
		}
		if !t.DType.IsInt() {
			return sema.ArgSpec{Type: t}
		}
		if policy.EqualOne && v.Bits == 1 {
			return sema.ArgSpec{IsConst: true, Const: int64(1)}
		}
		s := sema.ArgSpec{Type: t}
		if d := policy.Divisibility; d > 0 && v.Bits%uint64(d) == 0 {
			s.Divisibility = d
		}
		return s
	}
	if declared.Tile.IsZero() {
		declared = sema.ScalarType(v.DType)
	}
	return sema.ArgSpec{Type: declared}
}

// checkDeclared checks an argument against the type that its parameter is annotated with.
func (k *Kernel) checkDeclared(i int, v *Value) error {
	p := &k.params[i]
	mismatch := func() error {
		return k.argError("dtype", i, "argument '%s' of %s is declared %s and cannot be %s", p.Name, k.name, p.Type, v.describe())
	}
	if p.Type.IsPtr() {
		if v.IsNone() || v.Kind == KindArray && v.DType == p.Type.DType {
			return nil
		}
		return mismatch()
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
	case KindConst:
		return nil // the compiler sees the constant and judges
	}
	return mismatch()
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

// hasArray reports whether v is or contains an array.
func (v *Value) hasArray() bool {
	for i := range v.Elems {
		if v.Elems[i].hasArray() {
			return true
		}
	}
	return v.Kind == KindArray
}

// given reports whether v is an argument.
func (v *Value) given() bool { return v.Kind != KindConst || v.Const != nil }

// address gives where an array lies.
func (v *Value) address() uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v.Host))))
}

// bits gives a scalar argument's bits in the type that the compiled kernel takes.
func (v *Value) bits(d dtype.DType) uint64 {
	switch {
	case v.Kind == KindFloat:
		return d.Encode(math.Float64frombits(v.Bits))
	case !d.IsFloat():
		return v.Bits & (math.MaxUint64 >> (64 - d.Bits()))
	case v.Kind == KindInt && v.DType != dtype.Uint64:
		return d.Encode(float64(int64(v.Bits)))
	default:
		return d.Encode(float64(v.Bits))
	}
}

// errNoConstant is the error of a constant that cannot be told from others.
func errNoConstant(v pyval.Value) error {
	return fmt.Errorf("a value of type %s cannot be a constant of a kernel", pyval.TypeName(v))
}
