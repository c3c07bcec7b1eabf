package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// noteWraps taints the elements of an addition, subtraction, multiplication or shift of signed integers whose result
// does not fit.
func (p *planner) noteWraps(op *tile.Op, d shade) {
	origin := taint(p.program.wraps.add(op))
	switch op.Result().Type.ElemBits() {
	case 8:
		emitWraps[int8](p, op, d, origin)
	case 16:
		emitWraps[int16](p, op, d, origin)
	default:
		emitWraps[int32](p, op, d, origin)
	}
}

func emitWraps[S int8 | int16 | int32](p *planner, op *tile.Op, d shade, origin taint) {
	wraps := wrapTest[S](op.Code)
	x, y := p.in(op.Args[0]), p.in(op.Args[1])
	p.emit(op, func(m *machine) error {
		a, b := view[S](m, x), view[S](m, y)
		n := max(len(a), len(b))
		for i := wraps(a, b, 0, n); i < n; i = wraps(a, b, i+1, n) {
			out := m.shadow(d)
			if n > 1 {
				out = out[i : i+1]
			}
			for j := range out {
				out[j] = max(out[j], origin)
			}
		}
		return nil
	})
}

// wrapTest gives a function that finds the first element from i on that wraps, n if none does.
func wrapTest[S int8 | int16 | int32](c tile.Code) func(a, b []S, i, n int) int {
	switch c {
	case tile.OpAdd:
		return findWrap(func(x, y S) bool { s := x + y; return (x^s)&(y^s) < 0 })
	case tile.OpSub:
		return findWrap(func(x, y S) bool { s := x - y; return (x^y)&(x^s) < 0 })
	case tile.OpMul:
		return findWrap(func(x, y S) bool { p := int64(x) * int64(y); return int64(S(p)) != p })
	}
	return findWrap(func(x, y S) bool {
		if x == 0 {
			return false
		}
		if y < 0 || y >= 32 {
			return true
		}
		shifted := int64(x) << uint(y)
		return int64(S(shifted)) != shifted
	})
}

func findWrap[S int8 | int16 | int32](wraps func(x, y S) bool) func(a, b []S, i, n int) int {
	return func(a, b []S, i, n int) int {
		switch {
		case len(a) == n && len(b) == n:
			for ; i < n; i++ {
				if wraps(a[i], b[i]) {
					return i
				}
			}
		case len(b) == 1:
			for y := b[0]; i < n; i++ {
				if wraps(a[i], y) {
					return i
				}
			}
		default:
			for x := a[0]; i < n; i++ {
				if wraps(x, b[i]) {
					return i
				}
			}
		}
		return n
	}
}
