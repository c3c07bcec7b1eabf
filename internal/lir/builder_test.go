package lir

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/tile"
)

func build(f func(b *Builder)) *Func {
	fn := NewFunc("k", 2, 32)
	fn.Params = []Param{{Name: "p", Type: I64, Pointer: true, Align: 16}, {Name: "n", Type: I32}}
	b := NewBuilder(fn)
	f(b)
	b.Return()
	return fn
}

// count counts the operations of a code.
func count(f *Func, code Code) int {
	n := 0
	f.Body.Walk(func(op *Op) {
		if op.Code == code {
			n++
		}
	})
	return n
}

// TestMerges: what was computed is not computed again, and what does not change in a loop is computed in front of it.
func TestMerges(t *testing.T) {
	f := build(func(b *Builder) {
		n := b.Pure(OpParam, 0, I32, 1)
		x := b.Pure(OpMul, 0, I32, 0, n, n)
		b.For(false, b.I32(0), n, b.I32(1), nil, func(i *Value, _ []*Value) []*Value {
			y := b.Pure(OpMul, 0, I32, 0, n, n)
			z := b.Pure(OpAdd, 0, I32, 0, y, b.Pure(OpNumPrograms, 0, I32, 0))
			b.Store(Mem{Space: Global}, b.Pure(OpParam, 0, I64, 0), nil, b.Pure(OpAdd, 0, I32, 0, z, i), b.Pure(OpSub, 0, I32, 0, x, y))
			return nil
		})
	})
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	if n := count(f, OpMul); n != 1 {
		t.Errorf("%d products\n%s", n, f)
	}
	var loop *Op
	f.Body.Walk(func(op *Op) {
		if op.Code == OpFor {
			loop = op
		}
	})
	if n := len(loop.Regions[0].Ops); n != 3 {
		t.Errorf("%d operations in the loop: an addition, a store and the end are wanted\n%s", n, f)
	}
}

// TestBranchesKeepTheirOwn: what only one arm computes stays there.
func TestBranchesKeepTheirOwn(t *testing.T) {
	f := build(func(b *Builder) {
		n := b.Pure(OpParam, 0, I32, 1)
		c := b.Pure(OpCmp, uint8(tile.LTS), I1, 0, n, b.I32(3))
		x := b.If(c, func() []*Value { return []*Value{b.Pure(OpDivS, 0, I32, 0, b.I32(100), n)} }, func() []*Value { return []*Value{n} })
		b.Store(Mem{Space: Global}, b.Pure(OpParam, 0, I64, 0), nil, x...)
	})
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	for _, op := range f.Body.Ops {
		if op.Code == OpDivS {
			t.Errorf("the division was moved out of its arm\n%s", f)
		}
	}
}

var foldable = []Code{OpAdd, OpSub, OpMul, OpAnd, OpOr, OpXor, OpMinS, OpMinU, OpMaxS, OpMaxU, OpShl, OpShrU, OpShrS, OpDivU, OpRemU, OpDivS, OpRemS}

// TestIdentities: an operation of a value and a constant that is folded to something is right for every value.
func TestIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]Type{I32, I64}).Draw(t, "type")
		code := rapid.SampledFrom(foldable).Draw(t, "code")
		small := rapid.SampledFrom([]uint64{0, 1, 2, 8, 31, 1 << 31, 1<<32 - 1, 1<<64 - 1}).Draw(t, "constant")
		second := typ
		if code == OpShl || code == OpShrS || code == OpShrU {
			second = I32
		}
		x := rapid.Uint64().Draw(t, "x") & typ.Mask()
		f := build(func(b *Builder) {
			v := b.Pure(OpNumPrograms, 0, I32, 0) // a value that is not known
			if typ == I64 {
				v = b.Pure(OpExtU, 0, I64, 0, v)
			}
			c := b.Const(second, small)
			got := b.Pure(code, 0, typ, 0, v, c)
			want, ok := compute(code, typ, b.Const(typ, x), c)
			if !ok {
				return
			}
			if r, known := evaluate(got, v, x); known && r&typ.Mask() != want&typ.Mask() {
				t.Fatalf("%s of %#x and %#x folds to %#x, not %#x", code, x, c.Bits, r, want)
			}
		})
		_ = f
	})
}

// evaluate gives the value of an expression of constants and v, which is x.
func evaluate(e, v *Value, x uint64) (uint64, bool) {
	switch {
	case e == v:
		return x, true
	case e.IsConst():
		return e.Bits, true
	}
	args := make([]*Value, 0, 2)
	for _, a := range e.Op.Args {
		r, ok := evaluate(a, v, x)
		if !ok {
			return 0, false
		}
		args = append(args, &Value{Type: a.Type, Bits: r & a.Type.Mask()})
	}
	if len(args) != 2 {
		return 0, false
	}
	return compute(e.Op.Code, e.Type, args[0], args[1])
}

// TestSharedPlaces: buffers whose lives do not meet share their place; one that a loop uses again lives until its end.
func TestSharedPlaces(t *testing.T) {
	var one, two, three int
	f := build(func(b *Builder) {
		p := b.Pure(OpParam, 0, I64, 0)
		use := func(buffer int) {
			m := Mem{Space: Shared, Buffer: buffer}
			b.Store(m, b.I32(0), nil, b.I32(1))
			b.Store(Mem{Space: Global}, p, nil, b.Load(m, I32, 1, b.I32(0), nil, nil)...)
		}
		one, two, three = b.Func.NewShared(64, 16), b.Func.NewShared(32, 16), b.Func.NewShared(16, 16)
		use(one)
		use(two)
		b.For(false, b.I32(0), b.I32(4), b.I32(1), nil, func(*Value, []*Value) []*Value {
			use(three)
			use(two)
			return nil
		})
	})
	Finish(f)
	if a, b := f.Shared[one], f.Shared[two]; a.Offset != 0 || b.Offset != 0 {
		t.Errorf("one at %d, two at %d: both can be at 0", a.Offset, b.Offset)
	}
	if c := f.Shared[three]; c.Offset < 32 || f.SharedBytes != 64 {
		t.Errorf("three at %d of %d: it must not overlap two, which the loop reads again", c.Offset, f.SharedBytes)
	}
}

// TestSharedPlacesBehindLoops: what a loop writes for later is not where the loop's next iteration writes something else.
func TestSharedPlacesBehindLoops(t *testing.T) {
	var other, kept int
	f := build(func(b *Builder) {
		p := b.Pure(OpParam, 0, I64, 0)
		other, kept = b.Func.NewShared(64, 16), b.Func.NewShared(32, 16)
		read := func(buffer int) {
			b.Store(Mem{Space: Global}, p, nil, b.Load(Mem{Space: Shared, Buffer: buffer}, I32, 1, b.I32(0), nil, nil)...)
		}
		loop := func(body func()) {
			b.For(false, b.I32(0), b.I32(4), b.I32(1), nil, func(*Value, []*Value) []*Value {
				body()
				return nil
			})
		}
		loop(func() {
			b.Store(Mem{Space: Shared, Buffer: other}, b.I32(0), nil, b.I32(1))
			read(other)
			loop(func() { b.Store(Mem{Space: Shared, Buffer: kept}, b.I32(0), nil, b.I32(1)) })
		})
		read(kept)
	})
	Finish(f)
	if a, b := f.Shared[other], f.Shared[kept]; a.Offset < b.Offset+b.Size && b.Offset < a.Offset+a.Size {
		t.Errorf("buffers at %d and %d overlap", a.Offset, b.Offset)
	}
}

// TestBarriers counts the barriers that accesses need.
func TestBarriers(t *testing.T) {
	shared := Mem{Space: Shared}
	write := func(b *Builder) { b.Store(shared, b.Pure(OpThreadID, 0, I32, 0), nil, b.Const(I8, 1)) }
	read := func(b *Builder) {
		v := b.Load(shared, I8, 1, b.I32(0), nil, nil)
		b.Store(Mem{Space: Global, Origin: 1, Group: 1}, b.Pure(OpParam, 0, I64, 0), nil, v...)
	}
	global := func(b *Builder, m Mem, code Code) {
		p := b.Pure(OpParam, 0, I64, 0)
		m.Space = Global
		if code == OpLoad {
			b.Store(Mem{Space: Global, Origin: 9}, p, nil, b.Load(m, I32, 1, p, nil, nil)...)
			return
		}
		b.Store(m, p, nil, b.I32(1))
	}
	loop := func(b *Builder, body func()) {
		b.For(false, b.I32(0), b.I32(4), b.I32(1), nil, func(*Value, []*Value) []*Value {
			body()
			return nil
		})
	}
	atomic := func(b *Builder, used bool) {
		p := b.Pure(OpParam, 0, I64, 0)
		old := b.Emit(&Op{Code: OpAtomicRMW, Args: []*Value{p, b.I32(1)}, Mem: &Mem{Space: Global, Origin: 1, Kind: tile.AtomicAdd, Sem: tile.Relaxed}}, I32)
		if used {
			b.Store(Mem{Space: Global, Origin: 9, Group: 9}, p, nil, old...)
		}
	}
	for name, test := range map[string]struct {
		want int
		f    func(b *Builder)
	}{
		"atomics":              {0, func(b *Builder) { atomic(b, false); loop(b, func() { atomic(b, false) }) }},
		"atomics with results": {2, func(b *Builder) { atomic(b, true); loop(b, func() { atomic(b, true) }); atomic(b, false) }},
		"written, read":        {1, func(b *Builder) { write(b); read(b) }},
		"written, read twice":  {1, func(b *Builder) { write(b); read(b); read(b) }},
		"read, written":        {1, func(b *Builder) { read(b); write(b) }},
		"again in a loop":      {2, func(b *Builder) { loop(b, func() { write(b); read(b) }) }},
		"read in a loop":       {1, func(b *Builder) { write(b); loop(b, func() { read(b) }) }},
		"a barrier is there":   {1, func(b *Builder) { write(b); b.Emit(&Op{Code: OpBarrier}); read(b) }},
		"other parameters":     {0, func(b *Builder) { global(b, Mem{Origin: 1}, OpStore); global(b, Mem{Origin: 2}, OpLoad) }},
		"the same parameter":   {1, func(b *Builder) { global(b, Mem{Origin: 1}, OpStore); global(b, Mem{Origin: 1}, OpLoad) }},
		"unknown parameters":   {1, func(b *Builder) { global(b, Mem{}, OpStore); global(b, Mem{Origin: 1}, OpLoad) }},
		"each thread its own": {0, func(b *Builder) {
			global(b, Mem{Origin: 1, Group: 3}, OpLoad)
			global(b, Mem{Origin: 1, Group: 3}, OpStore)
		}},
		"what nobody writes": {0, func(b *Builder) {
			global(b, Mem{Origin: 1}, OpStore)
			global(b, Mem{Origin: 1, ReadOnly: true}, OpLoad)
		}},
		"one arm writes":          {1, func(b *Builder) { b.If(b.isSet(), func() []*Value { write(b); return nil }, nil); read(b) }},
		"threads part, then meet": {1, func(b *Builder) { write(b); b.IfEach(b.isSet(), func() []*Value { read(b); return nil }, nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := build(func(b *Builder) {
				b.Func.NewShared(64, 16)
				test.f(b)
			})
			Finish(f)
			if err := Verify(f); err != nil {
				t.Fatal(err)
			}
			if n := count(f, OpBarrier); n != test.want {
				t.Errorf("%d barriers, not %d\n%s", n, test.want, f)
			}
			f.Body.Walk(func(op *Op) {
				if parts(op) && strings.Contains(op.Regions[0].Ops[0].String(), "barrier") {
					t.Errorf("a barrier where threads part\n%s", f)
				}
			})
		})
	}
}

// isSet is a condition that is not known.
func (b *Builder) isSet() *Value {
	return b.Pure(OpCmp, uint8(tile.NE), I1, 0, b.Pure(OpParam, 0, I32, 1), b.I32(0))
}

// TestVerify: what is wrong is found, and named.
func TestVerify(t *testing.T) {
	for want, spoil := range map[string]func(f *Func){
		"a block ends in return":         func(f *Func) { f.Body.Ops = f.Body.Ops[:len(f.Body.Ops)-1] },
		"is not known here":              func(f *Func) { f.Body.Ops = f.Body.Ops[1:] },
		"is not there for f32":           func(f *Func) { f.Body.Ops[1].Results[0].Type = F32 },
		"is none of the parameters":      func(f *Func) { f.Params = nil },
		"has 1 operands, not 2":          func(f *Func) { f.Body.Ops[1].Args = f.Body.Ops[1].Args[:1] },
		"names no buffer":                func(f *Func) { f.Body.Ops[2].Mem.Buffer = 3 },
		"is not defined where it says":   func(f *Func) { f.Body.Ops[1].Results[0].Op = nil },
		"has an address of type i32 in":  func(f *Func) { f.Body.Ops[2].Mem.Space = Global },
		"has other values without a pre": func(f *Func) { f.Body.Ops[2].Mem.Else = true },
	} {
		f := build(func(b *Builder) {
			b.Func.NewShared(16, 4)
			n := b.Pure(OpParam, 0, I32, 1)
			x := b.Pure(OpMul, 0, I32, 0, n, n)
			b.Load(Mem{Space: Shared}, I32, 1, x, nil, nil)
		})
		if err := Verify(f); err != nil {
			t.Fatal(err)
		}
		spoil(f)
		if err := Verify(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestRegroups: in whatever order sums, products and the like are made, they mean the same.
func TestRegroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom([]Code{OpAdd, OpMul, OpAnd, OpOr, OpXor, OpMinS, OpMinU, OpMaxS, OpMaxU}).Draw(t, "code")
		build(func(b *Builder) {
			known := map[*Value]uint64{}
			leaf := func(v *Value) {
				known[v] = uint64(rapid.Uint32().Draw(t, "leaf"))
			}
			leaf(b.Pure(OpNumPrograms, 0, I32, 0))
			leaf(b.Pure(OpNumPrograms, 0, I32, 1))
			leaf(b.Pure(OpThreadID, 0, I32, 0))
			b.For(false, b.I32(0), b.I32(9), b.I32(1), []*Value{b.I32(1)}, func(i *Value, c []*Value) []*Value {
				leaf(i)
				leaf(c[0])
				type pair struct {
					v    *Value
					bits uint64
				}
				var made []pair
				for v, bits := range known {
					made = append(made, pair{v, bits})
				}
				slices.SortFunc(made, func(x, y pair) int { return int(x.v.ID - y.v.ID) })
				for range 3 {
					n := uint64(rapid.Uint32().Draw(t, "constant"))
					made = append(made, pair{b.Const(I32, n), n})
				}
				for range 12 {
					x, y := rapid.SampledFrom(made).Draw(t, "x"), rapid.SampledFrom(made).Draw(t, "y")
					want, _ := compute(code, I32, b.Const(I32, x.bits), b.Const(I32, y.bits))
					got := pair{b.Pure(code, 0, I32, 0, x.v, y.v), want & I32.Mask()}
					if bits := valueOf(got.v, known); bits != got.bits {
						t.Fatalf("%s of %#x and %#x became %#x, want %#x", code, x.bits, y.bits, bits, got.bits)
					}
					made = append(made, got)
				}
				return c
			})
		})
	})
}

// valueOf computes an expression of two operands each from its leaves.
func valueOf(e *Value, known map[*Value]uint64) uint64 {
	if bits, ok := known[e]; ok {
		return bits
	}
	if e.IsConst() {
		return e.Bits
	}
	arg := func(i int) *Value {
		return &Value{Type: e.Op.Args[i].Type, Bits: valueOf(e.Op.Args[i], known)}
	}
	bits, _ := compute(e.Op.Code, e.Type, arg(0), arg(1))
	return bits & e.Type.Mask()
}

// TestRegroupsUniform: what is the same in all threads is combined first, constants last.
func TestRegroupsUniform(t *testing.T) {
	build(func(b *Builder) {
		u, v, x := b.Pure(OpNumPrograms, 0, I32, 0), b.Pure(OpNumPrograms, 0, I32, 1), b.Pure(OpThreadID, 0, I32, 0)
		xor := func(x, y *Value) *Value { return b.Pure(OpXor, 0, I32, 0, x, y) }
		add := func(x, y *Value) *Value { return b.Pure(OpAdd, 0, I32, 0, x, y) }
		if got, want := xor(xor(u, x), v), xor(x, xor(u, v)); got != want {
			t.Errorf("%s is not %s", got.Op, want.Op)
		}
		if got, want := add(u, add(x, b.I32(5))), add(add(u, x), b.I32(5)); got != want {
			t.Errorf("%s is not %s", got.Op, want.Op)
		}
	})
}

// TestBarriersOfNestedLoops: the time does not double with each loop around.
func TestBarriersOfNestedLoops(t *testing.T) {
	var buffer int
	var nest func(b *Builder, depth int)
	nest = func(b *Builder, depth int) {
		if depth == 0 {
			return
		}
		m := Mem{Space: Shared, Buffer: buffer}
		b.Store(m, b.I32(0), nil, b.I32(1))
		b.For(false, b.I32(0), b.I32(4), b.I32(1), nil, func(*Value, []*Value) []*Value {
			nest(b, depth-1)
			return nil
		})
		b.Store(Mem{Space: Global, Origin: depth}, b.Pure(OpParam, 0, I64, 0), nil, b.Load(m, I32, 1, b.I32(0), nil, nil)...)
	}
	f := build(func(b *Builder) {
		buffer = b.Func.NewShared(64, 16)
		nest(b, 64)
	})
	Finish(f)
	barriers := 0
	f.Body.Walk(func(op *Op) {
		if op.Code == OpBarrier {
			barriers++
		}
	})
	if barriers == 0 {
		t.Error("no barrier between what threads store and load")
	}
}
