package lir

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// mostAlive gives the largest number of values that are there at once between the operations of a block without regions.
func mostAlive(b *Block) int {
	alive := map[*Value]bool{}
	most := 0
	for _, op := range slices.Backward(b.Ops) {
		for _, r := range op.Results {
			delete(alive, r)
		}
		for _, a := range op.Args {
			if !a.IsConst() {
				alive[a] = true
			}
		}
		most = max(most, len(alive))
	}
	return most
}

// TestSchedulesElementByElement: a chain of operations on many elements, made one operation after another, needs no more values than there are elements.
func TestSchedulesElementByElement(t *testing.T) {
	const n = 16
	f := build(func(b *Builder) {
		p := b.Pure(OpParam, 0, I64, 0)
		var xs []*Value
		for i := range int64(n / 4) {
			xs = append(xs, b.Load(Mem{Space: Global, Offset: 16 * i}, F32, 4, p, nil, nil)...)
		}
		squares, cubes, sums := make([]*Value, n), make([]*Value, n), make([]*Value, n)
		for i, x := range xs {
			squares[i] = b.Pure(OpFMul, 0, F32, 0, x, x)
		}
		for i, x := range xs {
			cubes[i] = b.Pure(OpFMul, 0, F32, 0, squares[i], x)
		}
		for i := range xs {
			sums[i] = b.Pure(OpFAdd, 0, F32, 0, squares[i], cubes[i])
		}
		for i := range int64(n / 4) {
			b.Store(Mem{Space: Global, Offset: 16 * i}, p, nil, sums[4*i:4*i+4]...)
		}
	})
	before := mostAlive(f.Body)
	schedule(f)
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	if after := mostAlive(f.Body); after > n+2 || before <= n+2 {
		t.Errorf("%d values at once, %d before; an address, the elements and one more are wanted\n%s", after, before, f)
	}
}

// TestScheduleKeeps: whatever the program, all operations are there afterwards, in a valid order, and those with effects in the order they had.
func TestScheduleKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := build(func(b *Builder) {
			p := b.Pure(OpParam, 0, I64, 0)
			vals := []*Value{b.Pure(OpParam, 0, I32, 1), b.Pure(OpThreadID, 0, I32, 0)}
			pick := func() *Value { return rapid.SampledFrom(vals).Draw(t, "value") }
			var some func(depth int)
			some = func(depth int) {
				inner := len(vals)
				for range rapid.IntRange(1, 12).Draw(t, "operations") {
					switch rapid.IntRange(0, 5).Draw(t, "kind") {
					case 0:
						b.Store(Mem{Space: Global}, p, nil, pick())
					case 1:
						vals = append(vals, b.Load(Mem{Space: Global}, I32, 1, p, nil, nil)...)
					case 2:
						if depth < 3 {
							vals = append(vals, b.For(false, b.I32(0), pick(), b.I32(1), []*Value{pick()}, func(i *Value, c []*Value) []*Value {
								outer := len(vals)
								vals = append(vals, i, c[0])
								some(depth + 1)
								last := vals[len(vals)-1]
								vals = vals[:outer]
								return []*Value{last}
							})...)
						}
					default:
						code := rapid.SampledFrom([]Code{OpAdd, OpMul, OpXor, OpMaxS}).Draw(t, "code")
						vals = append(vals, b.Pure(code, 0, I32, 0, pick(), pick()))
					}
				}
				if depth > 0 && len(vals) == inner {
					vals = append(vals, pick())
				}
			}
			some(0)
			b.Store(Mem{Space: Global}, p, nil, vals[len(vals)-1])
		})
		removeDead(f)
		all, anchors := listed(f)
		schedule(f)
		if err := Verify(f); err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		allAfter, anchorsAfter := listed(f)
		if len(all) != len(allAfter) || !slices.Equal(anchors, anchorsAfter) {
			t.Fatalf("operations were lost or changed places\n%s", f)
		}
		for op := range all {
			if !allAfter[op] {
				t.Fatalf("%s was lost", op)
			}
		}
	})
}

// listed gives all operations, and those that may not change places in their order.
func listed(f *Func) (all map[*Op]bool, anchors []*Op) {
	all = map[*Op]bool{}
	f.Body.Walk(func(op *Op) {
		all[op] = true
		if !floats(op) {
			anchors = append(anchors, op)
		}
	})
	return all, anchors
}
