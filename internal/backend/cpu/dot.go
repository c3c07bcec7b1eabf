package cpu

import (
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
)

// dot plans OpDot. Operands are brought to the type that it accumulates in: i32, f64 for a result
// in f64, else f32, whatever precision the attribute allows. Every product is rounded, then
// added, in the order of k, starting with the accumulator; a result narrower than f32 is
// rounded at the end.
func (p *planner) dot(op *tile.Op) error {
	switch op.Result().Type.Elem() {
	case tile.I32:
		isSigned := !op.Attr.(tile.DotAttr).Unsigned
		emitDot(p, op,
			func(e tile.Elem, s slot) source[int32] { return sourceI32(e, s, isSigned) },
			func(_ tile.Elem, s slot) sink[int32] { return storing[int32](s) })
	case tile.F64:
		emitDot(p, op, sourceF64,
			func(_ tile.Elem, s slot) sink[float64] { return storing[float64](s) })
	default:
		emitDot(p, op, sourceF32, sinkF32)
	}
	return nil
}

// sourceI32 gives integers as int32s; wider ones lose their upper bits, which the sum would too.
func sourceI32(e tile.Elem, s slot, isSigned bool) source[int32] {
	src := source[int32]{slot: s, size: e.Bytes()}
	switch {
	case e == tile.I8 && isSigned:
		src.load = loading(func(x int8) int32 { return int32(x) })
	case e == tile.I8:
		src.load = loading(func(x uint8) int32 { return int32(x) })
	case e == tile.I16 && isSigned:
		src.load = loading(func(x int16) int32 { return int32(x) })
	case e == tile.I16:
		src.load = loading(func(x uint16) int32 { return int32(x) })
	case e == tile.I64:
		src.load = loading(func(x int64) int32 { return int32(x) })
	}
	return src
}

// arithmetic is what a dot accumulates in.
type arithmetic interface{ int32 | float32 | float64 }

func emitDot[T arithmetic](p *planner, op *tile.Op, from func(tile.Elem, slot) source[T], to func(tile.Elem, slot) sink[T]) {
	size := int(unsafe.Sizeof(*new(T)))
	var in [3]slot
	for i, v := range op.Args {
		src := from(v.Type.Elem(), p.in(v))
		in[i] = src.slot
		if n := v.Type.NumElems(); i == 2 || !src.whole(n) {
			in[i] = p.temp(size, n)
			p.emit(op, unary(storing[T](in[i]), src, copyLoop[T]))
		}
	}
	mm := matmulOf(op)
	p.emit(op, func(m *machine) error {
		return multiply(m, mm, view[T](m, in[0]), view[T](m, in[1]), view[T](m, in[2]))
	})
	d := to(op.Result().Type.Elem(), p.out(op.Result(), in[2].n))
	p.emit(op, unary(d, stored[T](in[2]), copyLoop[T]))
}

// A matmul is the sizes of a dot: batches of [m,k] · [k,n].
type matmul struct{ batch, m, k, n int }

func matmulOf(op *tile.Op) matmul {
	a, b := op.Args[0].Type, op.Args[1].Type
	r := a.Rank()
	s := matmul{batch: 1, m: a.Dim(r - 2), k: a.Dim(r - 1), n: b.Dim(r - 1)}
	if r == 3 {
		s.batch = a.Dim(0)
	}
	return s
}

// multiply adds a·b to c. Four rows of b are added to two rows of c at a time: b stays in the
// cache, and each of its elements that is loaded is used twice.
func multiply[T arithmetic](m *machine, s matmul, a, b, c []T) error {
	for range s.batch {
		i := 0
		for ; i+2 <= s.m; i += 2 {
			if err := m.alive(); err != nil {
				return err
			}
			twoRows(s, a[i*s.k:(i+2)*s.k], b, c[i*s.n:(i+2)*s.n])
		}
		if i < s.m {
			oneRow(s, a[i*s.k:(i+1)*s.k], b, c[i*s.n:(i+1)*s.n], 0)
		}
		a, b, c = a[s.m*s.k:], b[s.k*s.n:], c[s.m*s.n:]
	}
	return nil
}

// The conversions T(x*y) keep the compiler from fusing a multiplication and an addition.

func twoRows[T arithmetic](s matmul, a, b, c []T) {
	k := 0
	for ; k+4 <= s.k; k += 4 {
		u, v := a[k:k+4:k+4], a[s.k+k:s.k+k+4:s.k+k+4]
		u0, u1, u2, u3 := u[0], u[1], u[2], u[3]
		v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
		x, y := c[:s.n], c[s.n:2*s.n]
		b0 := b[k*s.n:][:len(x)]
		b1 := b[(k+1)*s.n:][:len(x)]
		b2 := b[(k+2)*s.n:][:len(x)]
		b3 := b[(k+3)*s.n:][:len(x)]
		y = y[:len(x)]
		for j := range x {
			p, q, r, t := b0[j], b1[j], b2[j], b3[j]
			x[j] = x[j] + T(u0*p) + T(u1*q) + T(u2*r) + T(u3*t)
			y[j] = y[j] + T(v0*p) + T(v1*q) + T(v2*r) + T(v3*t)
		}
	}
	if k < s.k {
		oneRow(s, a[:s.k], b, c[:s.n], k)
		oneRow(s, a[s.k:], b, c[s.n:], k)
	}
}

// oneRow adds one row of a times the rows of b from k on.
func oneRow[T arithmetic](s matmul, a, b, c []T, k int) {
	for ; k < s.k; k++ {
		x, row := a[k], b[k*s.n:][:len(c)]
		for j := range c {
			c[j] += T(x * row[j])
		}
	}
}
