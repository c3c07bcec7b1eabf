package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A loopRange is what range and tl.range give: a loop over it runs on the device.
type loopRange struct {
	start, stop, step Value // integers, each a constant or a Tensor
	attr              tile.ForAttr
}

// A staticRange is what tl.static_range gives: a loop over it is unrolled.
type staticRange struct{ pyval.Range }

// TypeName names a loopRange in messages.
func (*loopRange) TypeName() string { return "range" }

// TypeName names a staticRange in messages.
func (*staticRange) TypeName() string { return "tl.static_range" }

const rangeSig = "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, " +
	"flatten=False, warp_specialize=False, disable_licm=False"

// rangeRows are the functions that make ranges, and what may stand around a loop's condition.
func rangeRows() []*Builtin {
	return []*Builtin{
		{Name: "range", Sig: rangeSig, Fn: langRange},
		{Name: "static_range", Sig: "arg1, arg2=None, step=None", Fn: langStaticRange},
		{Name: "condition", Sig: "arg1, disable_licm=False", Fn: func(_ *gen, c *call) Value { return c.args[0] }},
	}
}

func langRange(g *gen, c *call) Value {
	r := newRange(g, c)
	r.attr = tile.ForAttr{
		NumStages:      g.loopCount(c, 3),
		Unroll:         g.loopCount(c, 4),
		NoMultiBuffer:  c.constBool(g, 5),
		Flatten:        c.constBool(g, 6),
		WarpSpecialize: c.constBool(g, 7),
		NoLICM:         c.constBool(g, 8),
	}
	return r
}

// loopCount gives a small count that may be None.
func (g *gen) loopCount(c *call, i int) int {
	if c.args[i] == Value(pyval.None) {
		return 0
	}
	n := c.constInt(g, i)
	if n < 0 || n > 1<<16 {
		g.fail(c.at[i], "out-of-range", "%s is %d; it must be from 0 to 65536", c.param(i), n)
	}
	return int(n)
}

// newRange makes a range of the first three arguments.
func newRange(g *gen, c *call) *loopRange {
	r := &loopRange{start: int64(0), stop: c.args[0], step: int64(1)}
	if c.args[1] != Value(pyval.None) {
		r.start, r.stop = c.args[0], c.args[1]
	}
	if c.args[2] != Value(pyval.None) {
		r.step = c.args[2]
	}
	for i, v := range []Value{r.start, r.stop, r.step} {
		g.checkBound(v, [...]string{"start", "end", "step"}[i], c.node)
	}
	if r.step == Value(int64(0)) {
		g.fail(c.node, "bad-range", "the step of a range must not be zero")
	}
	return r
}

// checkBound checks one of a range's integers.
func (g *gen) checkBound(v Value, what string, at syntax.Node) {
	if t, ok := v.(Tensor); ok {
		if t.V.Type.IsTile() || !t.Type().isInt() {
			g.fail(at, "bad-range", "the %s of a range must be an integer, not %s", what, t.Type())
		}
		return
	}
	if _, ok := pyval.AsInt(v); !ok {
		g.fail(at, "bad-range", "the %s of a range must be an integer, not %s", what, describe(v))
	}
}

func langStaticRange(g *gen, c *call) Value {
	r := newRange(g, c)
	s := &staticRange{}
	for i, p := range []struct {
		v    Value
		to   *int64
		what string
	}{{r.start, &s.Start, "start"}, {r.stop, &s.Stop, "end"}, {r.step, &s.Step, "step"}} {
		n, ok := pyval.AsInt(p.v)
		if !ok {
			at := c.at[i]
			if i == 1 && !c.set[1] {
				at = c.at[0]
			}
			g.needConstant(at, "the "+p.what+" of tl.static_range")
		}
		*p.to = n
	}
	return s
}

// constantRange gives the elements of a range whose bounds are constants.
func (g *gen) constantRange(r *loopRange, at syntax.Node) []Value {
	var n [3]int64
	for i, v := range []Value{r.start, r.stop, r.step} {
		c, ok := pyval.AsInt(v)
		if !ok {
			g.fail(at, "not-constant", "this range depends on run-time values, so its elements are not known at compile time")
		}
		n[i] = c
	}
	elems, err := pyval.Iter(pyval.Range{Start: n[0], Stop: n[1], Step: n[2]})
	g.check(at, err)
	return elems
}

// bounds gives a range's integers as scalars of one type, which is the counter's, and whether
// the range counts down: its loop then counts up over the mirrored range.
func (g *gen) bounds(r *loopRange, at syntax.Node) (lo, hi, step Tensor, down bool) {
	start, stop, by := r.start, r.stop, r.step
	if n, ok := pyval.AsInt(by); ok && n < 0 {
		start, stop, down = stop, start, true
		neg, err := pyval.Unary(syntax.USub, by)
		g.check(at, err)
		by = neg
	}
	lo, hi, step = g.toTensor(start, at), g.toTensor(stop, at), g.toTensor(by, at)
	d := counterType(counterType(lo.DType, hi.DType), step.DType)
	return g.cast(lo, d, at), g.cast(hi, d, at), g.cast(step, d, at), down
}

// counterType gives the type that counts from one bound to another: the wider, and of two
// equally wide ones the unsigned.
func counterType(a, b dtype.DType) dtype.DType {
	if a.IsSigned() == b.IsSigned() {
		if a.Bits() > b.Bits() {
			return a
		}
		return b
	}
	signed, unsigned := a, b
	if b.IsSigned() {
		signed, unsigned = b, a
	}
	if unsigned.Bits() >= signed.Bits() {
		return unsigned
	}
	return signed
}
