package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// tree combines in the documented order: neighbours in pairs, the results in pairs, and so on.
func tree[T any](x []T, f func(a, b T) T) T {
	for len(x) > 1 {
		var next []T
		for i := 0; i < len(x); i += 2 {
			next = append(next, f(x[i], x[i+1]))
		}
		x = next
	}
	return x[0]
}

// along gives the elements of a shape along an axis, one row for each place outside of it.
func along(shape []int, axis int) [][]int {
	a := axisOf(tileOf(tile.I8, shape...), axis)
	var rows [][]int
	for o := range a.outer {
		for i := range a.inner {
			var row []int
			for j := range a.size {
				row = append(row, (o*a.size+j)*a.inner+i)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func pickAll[T any](x []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = x[k]
	}
	return out
}

func reduceOp(b *tile.Builder, axis int, in []*tile.Value, region *tile.Block) []*tile.Value {
	var types []tile.Type
	for _, v := range in {
		types = append(types, v.Type.DropDim(axis))
	}
	return b.OpWithRegions(tile.OpReduce, tile.AxisAttr{Axis: axis}, in, []*tile.Block{region}, types...).Results
}

func scanOp(b *tile.Builder, axis int, reverse bool, in []*tile.Value, region *tile.Block) []*tile.Value {
	var types []tile.Type
	for _, v := range in {
		types = append(types, v.Type)
	}
	return b.OpWithRegions(tile.OpScan, tile.ScanAttr{Axis: axis, Reverse: reverse}, in, []*tile.Block{region}, types...).Results
}

// Sums of float32 depend on the order, so equality tests that too.
func TestSum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		shape := drawShape(rt)
		axis := rapid.IntRange(0, len(shape)-1).Draw(rt, "axis")
		shape[axis] <<= rapid.IntRange(0, 6).Draw(rt, "longer")
		typ := tileOf(tile.F32, shape...)
		x := make([]float32, typ.NumElems())
		for i := range x {
			x[i] = float32(i%13) * 0.1
		}
		got := make([]float32, typ.DropDim(axis).NumElems())
		scanned, reversed := make([]float32, len(x)), make([]float32, len(x))
		m := kernelOf(t, []tile.Type{typ}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
			return slices.Concat(
				reduceOp(b, axis, in, combine(b, tile.F32, tile.OpFAdd)),
				scanOp(b, axis, false, in, combine(b, tile.F32, tile.OpFAdd)),
				scanOp(b, axis, true, in, combine(b, tile.F32, tile.OpFAdd)))
		})
		run(t, m, arrays(x, got, scanned, reversed)...)
		for r, row := range along(shape, axis) {
			if want := tree(pickAll(x, row), func(a, b float32) float32 { return a + b }); got[r] != want {
				rt.Fatalf("sum of row %d of %v along %d is %v, want %v", r, shape, axis, got[r], want)
			}
			sum := float32(0)
			for _, k := range row {
				if sum += x[k]; scanned[k] != sum {
					rt.Fatalf("sum up to element %d is %v, want %v", k, scanned[k], sum)
				}
			}
			slices.Reverse(row)
			sum = 0
			for _, k := range row {
				if sum += x[k]; reversed[k] != sum {
					rt.Fatalf("sum down to element %d is %v, want %v", k, reversed[k], sum)
				}
			}
		}
	})
}

func TestFolds(t *testing.T) {
	const n = 64
	type fold struct {
		code tile.Code
		e    tile.Elem
	}
	var folds []fold
	for _, e := range []tile.Elem{tile.I8, tile.I16, tile.I32, tile.I64} {
		for _, c := range []tile.Code{tile.OpAdd, tile.OpMul, tile.OpAnd, tile.OpOr, tile.OpXor, tile.OpMaxS, tile.OpMinS, tile.OpMaxU, tile.OpMinU} {
			folds = append(folds, fold{c, e})
		}
	}
	for _, f := range folds {
		width := f.e.Bits()
		x := integers(width, n, 7)
		all, last := packed(width, make([]uint64, 1)), packed(width, make([]uint64, n))
		m := kernelOf(t, []tile.Type{tileOf(f.e, n)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
			return append(reduceOp(b, 0, in, combine(b, f.e, f.code)), scanOp(b, 0, false, in, combine(b, f.e, f.code))...)
		})
		run(t, m, arrays(packed(width, x), all, last)...)
		want := x[0]
		for _, v := range x[1:] {
			want = wrapped(integerOps[f.code](signedBig(want, width), signedBig(v, width), unsignedBig(want), unsignedBig(v), width), width)
		}
		if g := unpacked(all)[0]; g != want {
			t.Errorf("%s of i%d is %#x, want %#x", f.code, width, g, want)
		}
		if g := unpacked(last)[n-1]; g != want {
			t.Errorf("the last of the scan by %s of i%d is %#x, want %#x", f.code, width, g, want)
		}
	}
}

// Composition of affine maps x ↦ ax+b is associative but not commutative.
func affine(b *tile.Builder, a []*tile.Value) []*tile.Value {
	mul := b.Binary(tile.OpMul, a[2], a[0])
	add := b.Binary(tile.OpAdd, b.Binary(tile.OpMul, a[2], a[1]), a[3])
	return []*tile.Value{mul, add}
}

// viaBranch does the same in a region with control flow, which runs element by element.
func viaBranch(b *tile.Builder, a []*tile.Value) []*tile.Value {
	cond := b.CmpI(tile.NE, a[0], b.Const(a[0].Type, 0))
	region := func() *tile.Block {
		return inRegion(b, func([]*tile.Value) []*tile.Value { return affine(b, a) })
	}
	then, els := region(), region()
	return b.OpWithRegions(tile.OpIf, nil, []*tile.Value{cond}, []*tile.Block{then, els}, a[0].Type, a[1].Type).Results
}

func TestOrderOfCombination(t *testing.T) {
	i32 := tile.Scalar(tile.I32)
	for name, f := range map[string]func(*tile.Builder, []*tile.Value) []*tile.Value{"lanes": affine, "elements": viaBranch} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				shape := drawShape(rt)
				axis := rapid.IntRange(0, len(shape)-1).Draw(rt, "axis")
				shape[axis] <<= rapid.IntRange(0, 4).Draw(rt, "longer")
				typ := tileOf(tile.I32, shape...)
				n, rest := typ.NumElems(), typ.DropDim(axis).NumElems()
				a, c := make([]uint32, n), make([]uint32, n)
				for i := range a {
					a[i], c[i] = uint32(2*i+3), uint32(i*i+1)
				}
				ra, rc := make([]uint32, rest), make([]uint32, rest)
				sa, sc := make([]uint32, n), make([]uint32, n)
				reverse := rapid.Bool().Draw(rt, "reverse")
				m := kernelOf(t, []tile.Type{typ, typ}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
					region := func() *tile.Block {
						return inRegion(b, func(a []*tile.Value) []*tile.Value { return f(b, a) }, i32, i32, i32, i32)
					}
					return append(reduceOp(b, axis, in, region()), scanOp(b, axis, reverse, in, region())...)
				})
				run(t, m, arrays(a, c, ra, rc, sa, sc)...)
				for r, row := range along(shape, axis) {
					wa, wc := uint32(1), uint32(0)
					for _, k := range row {
						wa, wc = a[k]*wa, a[k]*wc+c[k]
					}
					if ra[r] != wa || rc[r] != wc {
						rt.Fatalf("row %d of %v along %d is (%d, %d), want (%d, %d)", r, shape, axis, ra[r], rc[r], wa, wc)
					}
					if reverse {
						slices.Reverse(row)
					}
					wa, wc = 1, 0
					for _, k := range row {
						wa, wc = a[k]*wa, a[k]*wc+c[k]
						if sa[k] != wa || sc[k] != wc {
							rt.Fatalf("scan of %v along %d at %d is (%d, %d), want (%d, %d)", shape, axis, k, sa[k], sc[k], wa, wc)
						}
					}
				}
			})
		})
	}
}

// A region may use a scalar from outside, in all lanes.
func TestRegionCaptures(t *testing.T) {
	const n = 1024
	x, got := make([]float32, n), make([]float32, 1)
	for i := range x {
		x[i] = 1
	}
	m := kernelOf(t, []tile.Type{tileOf(tile.F32, n), tile.Scalar(tile.F32)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		f32 := tile.Scalar(tile.F32)
		region := inRegion(b, func(a []*tile.Value) []*tile.Value {
			return []*tile.Value{b.Binary(tile.OpFAdd, b.Binary(tile.OpFAdd, a[0], a[1]), in[1])}
		}, f32, f32)
		return reduceOp(b, 0, in[:1], region)
	})
	run(t, m, arrays(x, []float32{2}, got)...)
	if want := float32(n + 2*(n-1)); got[0] != want {
		t.Fatalf("got %v, want %v", got[0], want)
	}
}

func TestArgMax(t *testing.T) {
	x := []float32{1, 5, 3, 5, -2, 5, 0, 4}
	best, where := make([]float32, 1), make([]int32, 1)
	m := kernelOf(t, []tile.Type{tileOf(tile.F32, 8)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		f32, i32 := tile.Scalar(tile.F32), tile.Scalar(tile.I32)
		region := inRegion(b, func(a []*tile.Value) []*tile.Value {
			tie := b.Binary(tile.OpAnd, b.CmpF(tile.OEQ, a[0], a[2]), b.CmpI(tile.LTS, a[1], a[3]))
			first := b.Binary(tile.OpOr, b.CmpF(tile.OGT, a[0], a[2]), tie)
			return []*tile.Value{b.Select(first, a[0], a[2]), b.Select(first, a[1], a[3])}
		}, f32, i32, f32, i32)
		return reduceOp(b, 0, []*tile.Value{in[0], b.Range(0, 8)}, region)
	})
	run(t, m, arrays(x, best, where)...)
	if best[0] != 5 || where[0] != 1 {
		t.Fatalf("the largest is %v at %d, want 5 at 1", best[0], where[0])
	}
}

// A float16 sum rounds after each addition.
func TestHalfSum(t *testing.T) {
	const n = 512
	x, got := make([]uint16, n), make([]uint16, 1)
	for i := range x {
		x[i] = dtype.F32ToF16(float32(i) * 0.37)
	}
	m := kernelOf(t, []tile.Type{tileOf(tile.F16, n)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		return reduceOp(b, 0, in, combine(b, tile.F16, tile.OpFAdd))
	})
	run(t, m, arrays(x, got)...)
	want := tree(x, func(a, b uint16) uint16 { return dtype.F32ToF16(dtype.F16ToF32(a) + dtype.F16ToF32(b)) })
	if got[0] != want {
		t.Fatalf("got %v, want %v", dtype.F16ToF32(got[0]), dtype.F16ToF32(want))
	}
}

func TestMap(t *testing.T) {
	const n = 1024
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	steps, double := make([]int32, n), make([]int32, n)
	i32 := tile.Scalar(tile.I32)
	m := kernelOf(t, []tile.Type{tileOf(tile.I32, n)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		// How many halvings until nothing is left: a loop of its own for each element.
		halvings := inRegion(b, func(a []*tile.Value) []*tile.Value {
			zero, one := b.Const(i32, 0), b.Const(i32, 1)
			before, after := b.NewBlock(i32, i32), b.NewBlock(i32, i32)
			outer := b.SetBlock(before)
			b.Op(tile.OpCondition, nil, []*tile.Value{b.CmpI(tile.GTS, before.Args[0], zero), before.Args[0], before.Args[1]})
			b.SetBlock(after)
			b.Yield(b.Binary(tile.OpShrU, after.Args[0], one), b.Binary(tile.OpAdd, after.Args[1], one))
			b.SetBlock(outer)
			return b.OpWithRegions(tile.OpWhile, nil, []*tile.Value{a[0], zero}, []*tile.Block{before, after}, i32, i32).Results[1:]
		}, i32)
		twice := inRegion(b, func(a []*tile.Value) []*tile.Value {
			return []*tile.Value{b.Binary(tile.OpAdd, a[0], a[0]), b.Const(i32, 9)}
		}, i32)
		r := b.OpWithRegions(tile.OpMap, nil, in, []*tile.Block{halvings}, in[0].Type).Results
		d := b.OpWithRegions(tile.OpMap, nil, in, []*tile.Block{twice}, in[0].Type, in[0].Type).Results
		return append(r, b.Binary(tile.OpAdd, d[0], d[1]))
	})
	run(t, m, arrays(x, steps, double)...)
	for i := range x {
		want := int32(0)
		for v := i; v > 0; v /= 2 {
			want++
		}
		if steps[i] != want || double[i] != int32(2*i+9) {
			t.Fatalf("of %d: %d halvings, want %d; %d, want %d", i, steps[i], want, double[i], 2*i+9)
		}
	}
}

func TestDot(t *testing.T) {
	cases := []struct {
		in, acc  tile.Elem
		unsigned bool
	}{
		{tile.F32, tile.F32, false}, {tile.F16, tile.F32, false}, {tile.BF16, tile.F32, false},
		{tile.F8E4M3, tile.F32, false}, {tile.F8E5M2, tile.F16, false}, {tile.F16, tile.F16, false},
		{tile.BF16, tile.BF16, false}, {tile.F64, tile.F64, false}, {tile.F32, tile.F64, false},
		{tile.I8, tile.I32, false}, {tile.I8, tile.I32, true}, {tile.I16, tile.I32, false}, {tile.I32, tile.I32, false},
	}
	for _, c := range cases {
		for _, shape := range [][4]int{{1, 16, 32, 8}, {1, 1, 2, 1}, {1, 4, 1, 4}, {4, 8, 16, 4}} {
			t.Run(fmt.Sprintf("%s/%s/%v", c.in, c.acc, shape), func(t *testing.T) {
				checkDot(t, c.in, c.acc, c.unsigned, shape[0], shape[1], shape[2], shape[3])
			})
		}
	}
}

func checkDot(t *testing.T, in, acc tile.Elem, isUnsigned bool, batch, m, k, n int) {
	dims := func(x, y int) []int {
		if batch == 1 {
			return []int{x, y}
		}
		return []int{batch, x, y}
	}
	ta, tb, tc := tileOf(in, dims(m, k)...), tileOf(in, dims(k, n)...), tileOf(acc, dims(m, n)...)
	bits := func(e tile.Elem, n int, seed uint64) []uint64 {
		if e.IsInt() {
			return integers(e.Bits(), n, seed)
		}
		out := make([]uint64, n)
		for i := range out {
			out[i] = e.DType().Encode(float64((i*int(seed*7)+3)%11)/8 - 0.5)
		}
		return out
	}
	a, b, c := bits(in, ta.NumElems(), 3), bits(in, tb.NumElems(), 4), bits(acc, tc.NumElems(), 5)
	out := packed(acc.Bits(), make([]uint64, len(c)))
	mod := kernelOf(t, []tile.Type{ta, tb, tc}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		return []*tile.Value{b.Dot(in[0], in[1], in[2], tile.DotAttr{Unsigned: isUnsigned})}
	})
	run(t, mod, arrays(packed(in.Bits(), a), packed(in.Bits(), b), packed(acc.Bits(), c), out)...)
	for i, got := range unpacked(out) {
		bt, row, col := i/(m*n), i/n%m, i%n
		x := func(p int) uint64 { return a[(bt*m+row)*k+p] }
		y := func(p int) uint64 { return b[(bt*k+p)*n+col] }
		if want := dotElement(in, acc, isUnsigned, c[i], k, x, y); got != want {
			t.Fatalf("element %d is %#x, want %#x", i, got, want)
		}
	}
}

func dotElement(in, acc tile.Elem, isUnsigned bool, c uint64, k int, x, y func(int) uint64) uint64 {
	di, da := in.DType(), acc.DType()
	switch {
	case in.IsInt():
		sum := uint32(c)
		for p := range k {
			u, v := extend(x(p), uint(in.Bits())), extend(y(p), uint(in.Bits()))
			if isUnsigned {
				u, v = int64(x(p)), int64(y(p))
			}
			sum += uint32(u * v)
		}
		return uint64(sum)
	case acc == tile.F64:
		sum := math.Float64frombits(c)
		for p := range k {
			sum += float64(di.Decode(x(p)) * di.Decode(y(p)))
		}
		return math.Float64bits(sum)
	}
	sum := float32(da.Decode(c))
	for p := range k {
		sum += float32(float32(di.Decode(x(p))) * float32(di.Decode(y(p))))
	}
	return da.Encode(float64(sum))
}
