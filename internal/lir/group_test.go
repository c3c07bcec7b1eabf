package lir

import (
	"slices"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/layout"
)

// groupProduct is a kernel that adds a product to sums of constants; change changes it before it is verified.
func groupProduct(g GroupMMA, warps int, inRegisters bool, then func(b *Builder, sums []*Value)) *Func {
	f := NewFunc("multiply", warps, 32)
	f.Params = []Param{{Name: "p", Type: I64, Pointer: true, Align: 16}}
	b := NewBuilder(f)
	from := &Mem{Space: Shared, Buffer: f.NewShared(1<<14, 1024)}
	mem := Mem{Space: Shared, Buffer: f.NewShared(1<<14, 1024)}
	var a []*Value
	if inRegisters {
		from = nil
		for range g.WordsOfA() {
			a = append(a, b.I32(0))
		}
	} else {
		a = []*Value{b.I32(0)}
	}
	sums := make([]*Value, g.Sums())
	for i := range sums {
		sums[i] = b.Const(g.Kind.Info().Sum, 0)
	}
	then(b, b.GroupMMA(g, mem, b.I32(0), from, a, sums))
	b.Return()
	return f
}

var (
	rowsOfA = GroupTile{Rows: 64, Columns: 64, Swizzle: 128, AlongK: true}
	rowsOfB = GroupTile{Rows: 64, Columns: 32, Swizzle: 64}
	product = GroupMMA{Kind: MMAF16, M: 64, N: 32, K: 64, A: rowsOfA, B: rowsOfB, RowStep: 64}
)

func waitAndStore(b *Builder, sums []*Value) {
	b.Store(Mem{Space: Global, Origin: 1}, b.Pure(OpParam, 0, I64, 0), nil, b.GroupWait(0, sums)[0])
}

func TestGroupMMA(t *testing.T) {
	f := groupProduct(product, 4, false, waitAndStore)
	Finish(f)
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	text := f.String()
	for _, want := range []string{"group_mma.f32 f16 64x32x64 from 0 by 64 a 64x64 along swizzled 128 b 64x32 across swizzled 64 shared 1 [0], 0, 0.0", "group_wait.f32 0 "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestWrongGroups(t *testing.T) {
	with := func(change func(g *GroupMMA)) GroupMMA {
		g := product
		change(&g)
		return g
	}
	for _, c := range []struct {
		what  string
		g     GroupMMA
		warps int
		then  func(b *Builder, sums []*Value)
	}{
		{"wants groups of 4 warps", product, 2, waitAndStore},
		{"multiplies", with(func(g *GroupMMA) { g.M = 32 }), 4, waitAndStore},
		{"multiplies", with(func(g *GroupMMA) { g.K = 8 }), 4, waitAndStore},
		{"is no matrix instruction", with(func(g *GroupMMA) { g.Kind = MMAF64 }), 4, waitAndStore},
		{"next to each other along k", with(func(g *GroupMMA) { g.Kind = MMATF32 }), 4, waitAndStore},
		{"has a tile", with(func(g *GroupMMA) { g.N = 64 }), 4, waitAndStore},
		{"has rows of 16 bytes", with(func(g *GroupMMA) { g.B.Swizzle = 16 }), 4, waitAndStore},
		{"which nobody has waited for", product, 4, func(b *Builder, sums []*Value) {
			b.Store(Mem{Space: Global, Origin: 1}, b.Pure(OpParam, 0, I64, 0), nil, sums[0])
		}},
		{"which nobody has waited for", product, 4, func(b *Builder, sums []*Value) {
			out := b.For(false, b.I32(0), b.I32(2), b.I32(1), sums[:1], func(_ *Value, in []*Value) []*Value { return in })
			b.Store(Mem{Space: Global, Origin: 1}, b.Pure(OpParam, 0, I64, 0), nil, out[0])
		}},
	} {
		if err := Verify(groupProduct(c.g, c.warps, false, c.then)); err == nil || !strings.Contains(err.Error(), c.what) {
			t.Errorf("want %q, got %v", c.what, err)
		}
	}
}

// TestGroupTileAt compares with the order of elements that the tile is said to have.
func TestGroupTileAt(t *testing.T) {
	for _, c := range []GroupTile{
		{64, 64, 128, true}, {128, 128, 128, true}, {32, 32, 64, true}, {64, 256, 128, false}, {16, 16, 32, false}, {32, 64, 128, false},
	} {
		order := layout.Swizzled(c.Rows, c.Columns, 16, c.Swizzle)
		outer, k := c.Columns, c.Rows
		if c.AlongK {
			outer, k = k, outer
		}
		step := 8 // along the columns, whole rows
		if !c.AlongK {
			step = c.Swizzle / 2
		}
		for i := 0; i < outer; i += step {
			for j := 0; j < k; j += 16 {
				row, column := j, i
				if c.AlongK {
					row, column = i, j
				}
				if got, want := c.At(i, j, 2), 2*int(order.Apply(uint64(row*c.Columns+column))); got != want {
					t.Errorf("%v: (%d,%d) is at %d, not %d", c, i, j, got, want)
				}
			}
		}
	}
}

// TestGroupsKeepTheirBuffers: what a matrix instruction reads stays where it is until it is waited for, and is not written before a barrier.
func TestGroupsKeepTheirBuffers(t *testing.T) {
	f := groupProduct(product, 4, false, func(b *Builder, sums []*Value) {
		other := Mem{Space: Shared, Buffer: b.Func.NewShared(1024, 16)}
		b.Store(other, b.I32(0), nil, b.I32(1))
		waitAndStore(b, sums)
		late := Mem{Space: Shared, Buffer: b.Func.NewShared(1024, 16)}
		b.Store(late, b.I32(0), nil, b.I32(2))
	})
	Finish(f)
	overlap := func(i, j int) bool {
		x, y := f.Shared[i], f.Shared[j]
		return x.Offset < y.Offset+y.Size && y.Offset < x.Offset+x.Size
	}
	if overlap(0, 2) || overlap(1, 2) {
		t.Errorf("a buffer takes the place of one that is still read\n%v", f)
	}
	if !overlap(0, 3) && !overlap(1, 3) {
		t.Errorf("a buffer has a place of its own that could have had another's\n%v", f)
	}
	barrier := false
	for _, op := range f.Body.Ops {
		switch {
		case op.Code == OpBarrier:
			barrier = true
		case op.Code == OpStore && op.Mem.Space == Shared && op.Mem.Buffer == 3 && !barrier:
			t.Errorf("no barrier between reading and writing\n%v", f)
		}
	}
}

// TestGroupsReadIntoTheNextIteration: what the last instruction of a loop's body reads is still read at the next iteration's begin.
func TestGroupsReadIntoTheNextIteration(t *testing.T) {
	f := NewFunc("multiply", 4, 32)
	b := NewBuilder(f)
	early := Mem{Space: Shared, Buffer: f.NewShared(1<<13, 1024)}
	from := Mem{Space: Shared, Buffer: f.NewShared(1<<13, 1024)}
	mem := Mem{Space: Shared, Buffer: f.NewShared(1<<13, 1024)}
	sums := make([]*Value, product.Sums())
	for i := range sums {
		sums[i] = b.Const(F32, 0)
	}
	b.GroupWait(0, b.For(false, b.I32(0), b.I32(3), b.I32(1), sums, func(_ *Value, sums []*Value) []*Value {
		b.Store(early, b.I32(0), nil, b.I32(1))
		sums = b.GroupWait(0, sums)
		b.Store(from, b.I32(0), nil, b.I32(1))
		b.Store(mem, b.I32(0), nil, b.I32(1))
		b.Emit(&Op{Code: OpProxyFence})
		return b.GroupMMA(product, mem, b.I32(0), &from, []*Value{b.I32(0)}, sums)
	}))
	b.Return()
	Finish(f)
	for _, i := range []int{from.Buffer, mem.Buffer} {
		if x, y := f.Shared[i], f.Shared[early.Buffer]; x.Offset < y.Offset+y.Size && y.Offset < x.Offset+x.Size {
			t.Errorf("buffer %d has the place of one that is written before the wait\n%v", i, f)
		}
	}
}

// TestGroupsKeepTheirWords: before a loop makes a word anew that an instruction of the iteration before may still read, that is waited for, and no other.
func TestGroupsKeepTheirWords(t *testing.T) {
	for _, carried := range []bool{false, true} {
		f := NewFunc("multiply", 4, 32)
		f.Params = []Param{{Name: "p", Type: I64, Pointer: true, Align: 16}}
		b := NewBuilder(f)
		mem := Mem{Space: Shared, Buffer: f.NewShared(1<<14, 1024)}
		global := Mem{Space: Global, Origin: 1}
		ptr := b.Pure(OpParam, 0, I64, 0)
		g := product
		g.K = 16
		inits := make([]*Value, g.WordsOfA()+g.Sums())
		for i := range inits {
			inits[i] = b.Const(I32, 0)
			if i >= g.WordsOfA() {
				inits[i] = b.Const(F32, 0)
			}
		}
		load := func() []*Value { return b.Load(global, I32, 4, ptr, nil, nil) }
		out := b.For(false, b.I32(0), b.I32(3), b.I32(1), inits, func(_ *Value, in []*Value) []*Value {
			words, sums := in[:g.WordsOfA()], in[g.WordsOfA():]
			if !carried {
				words = load()
			}
			sums = b.GroupMMA(g, mem, b.I32(0), nil, words, sums)
			sums = b.GroupMMA(g, mem, b.I32(0), nil, load(), sums)
			return append(load(), sums...)
		})
		b.GroupWait(0, out[g.WordsOfA():])
		b.Return()
		if err := Verify(f); err == nil || !strings.Contains(err.Error(), "may still read") {
			t.Errorf("no wait is missed: %v", err)
		}
		Finish(f)
		if err := Verify(f); err != nil {
			t.Error(err)
		}
		var got []Code
		var left []int64
		f.Body.Walk(func(op *Op) {
			if op.Code == OpFor {
				for _, o := range op.Regions[0].Ops {
					switch o.Code {
					case OpGroupWait:
						left = append(left, o.Imm)
						got = append(got, o.Code)
					case OpGroupMMA, OpLoad:
						got = append(got, o.Code)
					}
				}
			}
		})
		want := []Code{OpGroupWait, OpLoad, OpGroupMMA, OpGroupWait, OpLoad, OpGroupMMA, OpLoad}
		if carried {
			want = []Code{OpGroupMMA, OpGroupWait, OpLoad, OpGroupMMA, OpLoad, OpGroupWait}
		}
		if !slices.Equal(got, want) || !slices.Equal(left, []int64{1, 1}) {
			t.Errorf("%v that leave %v, want %v\n%v", got, left, want, f)
		}
	}
}
