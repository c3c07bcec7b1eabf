package cpu

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/tile"
)

// at gives the coordinates of element i of a shape in row-major order.
func at(shape []int, i int) []int {
	c := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		c[k] = i % shape[k]
		i /= shape[k]
	}
	return c
}

func indexOf(shape, c []int) int {
	i := 0
	for k, n := range shape {
		i = i*n + c[k]
	}
	return i
}

func drawShape(t *rapid.T) []int {
	logs := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 4).Draw(t, "shape")
	shape := make([]int, len(logs))
	for i, l := range logs {
		shape[i] = 1 << l
	}
	return shape
}

// A shapeOp is an operation with what each element of the result is: that of the operand at
// the coordinates it gives.
type shapeOp struct {
	build func(b *tile.Builder, x *tile.Value) *tile.Value
	from  func(c []int) []int
}

var shapeOps = map[string]func(t *rapid.T, shape []int) shapeOp{
	"trans": func(t *rapid.T, shape []int) shapeOp {
		dims := make([]int, len(shape))
		for i := range dims {
			dims[i] = i
		}
		order := rapid.Permutation(dims).Draw(t, "order")
		return shapeOp{
			func(b *tile.Builder, x *tile.Value) *tile.Value { return b.Trans(x, order) },
			func(c []int) []int {
				from := make([]int, len(c))
				for i, o := range order {
					from[o] = c[i]
				}
				return from
			},
		}
	},
	"expand": func(t *rapid.T, shape []int) shapeOp {
		axis := rapid.IntRange(0, len(shape)).Draw(t, "axis")
		return shapeOp{
			func(b *tile.Builder, x *tile.Value) *tile.Value { return b.ExpandDims(x, axis) },
			func(c []int) []int { return slices.Delete(slices.Clone(c), axis, axis+1) },
		}
	},
	"broadcast": func(t *rapid.T, shape []int) shapeOp {
		axis := rapid.IntRange(0, len(shape)).Draw(t, "axis")
		return shapeOp{
			func(b *tile.Builder, x *tile.Value) *tile.Value {
				x = b.ExpandDims(x, axis)
				return b.Broadcast(x, x.Type.WithDim(axis, 2))
			},
			func(c []int) []int { return slices.Delete(slices.Clone(c), axis, axis+1) },
		}
	},
}

func TestShapeOperations(t *testing.T) {
	for name, op := range shapeOps {
		for _, e := range []tile.Elem{tile.I8, tile.I16, tile.I32, tile.I64} {
			t.Run(name+"/"+e.String(), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) { checkShape(t, rt, e, op) })
			})
		}
	}
}

func checkShape(t *testing.T, rt *rapid.T, e tile.Elem, draw func(*rapid.T, []int) shapeOp) {
	shape := drawShape(rt)
	op := draw(rt, shape)
	typ := tileOf(e, shape...)
	var to tile.Type
	m := kernelOf(t, []tile.Type{typ}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		v := op.build(b, in[0])
		to = v.Type
		return []*tile.Value{v}
	})
	x := make([]uint64, typ.NumElems())
	for i := range x {
		x[i] = uint64(i) & (1<<e.Bits() - 1)
	}
	out := packed(e.Bits(), make([]uint64, to.NumElems()))
	run(t, m, arrays(packed(e.Bits(), x), out)...)
	for i, got := range unpacked(out) {
		c := at(to.Shape(), i)
		if want := x[indexOf(shape, op.from(c))]; got != want {
			rt.Fatalf("%v: element %v is %d, want %d", shape, c, got, want)
		}
	}
}

func TestCatJoinSplit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		shape := drawShape(rt)
		axis := rapid.IntRange(0, len(shape)-1).Draw(rt, "axis")
		typ := tileOf(tile.I32, shape...)
		n := typ.NumElems()
		x, y := make([]int32, n), make([]int32, n)
		for i := range x {
			x[i], y[i] = int32(i), int32(1000+i)
		}
		cat, join := make([]int32, 2*n), make([]int32, 2*n)
		left, right := make([]int32, n), make([]int32, n)
		m := kernelOf(t, []tile.Type{typ, typ}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
			j := b.Join(in[0], in[1])
			l, r := b.Split(j)
			return []*tile.Value{b.Cat(in[0], in[1], axis), j, l, r}
		})
		run(t, m, arrays(x, y, cat, join, left, right)...)
		double := slices.Clone(shape)
		double[axis] *= 2
		for i, got := range cat {
			c := at(double, i)
			from := x
			if c[axis] >= shape[axis] {
				from = y
				c[axis] -= shape[axis]
			}
			if want := from[indexOf(shape, c)]; got != want {
				rt.Fatalf("cat along %d of %v: element %d is %d, want %d", axis, shape, i, got, want)
			}
		}
		for i, got := range join {
			if want := [2]int32{x[i/2], y[i/2]}[i%2]; got != want {
				rt.Fatalf("join: element %d is %d, want %d", i, got, want)
			}
		}
		if !slices.Equal(left, x) || !slices.Equal(right, y) {
			rt.Fatalf("split of a join gives %v and %v", left, right)
		}
	})
}

// Tiles that are the same everywhere stay one element through every change of shape.
func TestUniformShapes(t *testing.T) {
	out := make([]int32, 128)
	m := kernelOf(t, []tile.Type{tile.Scalar(tile.I32)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		x := b.Splat(in[0], tileOf(tile.I32, 4, 1, 2))
		x = b.Trans(b.Broadcast(x, tileOf(tile.I32, 4, 8, 2)), []int{2, 0, 1})
		l, r := b.Split(b.Trans(x, []int{1, 2, 0}))
		return []*tile.Value{b.Join(b.Cat(l, r, 0), b.Cat(r, l, 0))}
	})
	p := compile(t, m)
	if err := launchOn(p, 1, arrays([]int32{7}, out)...); err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if v != 7 {
			t.Fatalf("element %d is %d, want 7", i, v)
		}
	}
}

func TestGather(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		shape := drawShape(rt)
		axis := rapid.IntRange(0, len(shape)-1).Draw(rt, "axis")
		to := slices.Clone(shape)
		to[axis] = 1 << rapid.IntRange(0, 3).Draw(rt, "size")
		e := rapid.SampledFrom([]tile.Elem{tile.I8, tile.I16, tile.I32, tile.I64}).Draw(rt, "index")
		of := rapid.SampledFrom([]tile.Elem{tile.I8, tile.I16, tile.I32, tile.I64}).Draw(rt, "element")
		x := make([]uint64, tileOf(of, shape...).NumElems())
		for i := range x {
			x[i] = uint64(i * 7 % 256)
		}
		index := make([]uint64, tileOf(e, to...).NumElems())
		for i := range index {
			index[i] = rapid.Uint64Range(0, uint64(shape[axis]-1)).Draw(rt, "i")
		}
		out := packed(of.Bits(), make([]uint64, len(index)))
		m := kernelOf(t, []tile.Type{tileOf(of, shape...), tileOf(e, to...)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
			return []*tile.Value{b.Gather(in[0], in[1], axis)}
		})
		run(t, m, arrays(packed(of.Bits(), x), packed(e.Bits(), index), out)...)
		for i, got := range unpacked(out) {
			c := at(to, i)
			c[axis] = int(index[i])
			if want := x[indexOf(shape, c)]; got != want {
				rt.Fatalf("element %d is %v, want %v", i, got, want)
			}
		}
	})
}

func TestGatherOutOfRange(t *testing.T) {
	for _, bad := range []int32{-1, 4, 1 << 30} {
		m := kernelOf(t, []tile.Type{tileOf(tile.F32, 4), tileOf(tile.I32, 8)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
			return []*tile.Value{b.Gather(in[0], in[1], 0)}
		})
		index := []int32{0, 1, 2, 3, 0, bad, 2, 3}
		err := launchOn(compile(t, m), 1, arrays(make([]float32, 4), index, make([]float32, 8))...)
		wantCheck(t, err, "index-out-of-range")
	}
}

func TestHistogram(t *testing.T) {
	x := []int32{0, 1, 1, 3, 3, 3, -1, 4, 2, 1 << 30, 3, 0, 0, 0, 1, 2}
	mask := make([]uint8, 16)
	for i := range mask[:8] {
		mask[i] = 1
	}
	got, masked := make([]int32, 4), make([]int32, 4)
	m := kernelOf(t, []tile.Type{tileOf(tile.I32, 16), tileOf(tile.I1, 16)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		return []*tile.Value{
			b.Op(tile.OpHistogram, nil, in[:1], tileOf(tile.I32, 4)).Result(),
			b.Op(tile.OpHistogram, nil, in, tileOf(tile.I32, 4)).Result(),
		}
	})
	run(t, m, arrays(x, mask, got, masked)...)
	if want := []int32{4, 3, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("histogram is %v, want %v", got, want)
	}
	if want := []int32{1, 2, 0, 3}; !slices.Equal(masked, want) {
		t.Errorf("masked histogram is %v, want %v", masked, want)
	}
}
