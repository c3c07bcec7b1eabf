package cpu

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/tile"
)

// checkHint plans the checks of what an author says about a value.
func (p *planner) checkHint(op *tile.Op) {
	attr, t := op.Attr.(tile.HintAttr), op.Args[0].Type
	var s shade
	if p.sanitizer.quiet == 0 {
		s = p.shadeOf(op.Args[0])
	}
	for d := range max(1, t.Rank()) {
		if attr.Values[d] <= 1 {
			continue
		}
		h := hintCheck{op: op, kind: attr.Kind, value: attr.Values[d], in: p.in(op.Args[0]), shade: s, unit: 1, axis: axis{1, 1, 1}}
		if t.IsTile() {
			h.axis = axisOf(t, d)
		}
		if t.IsPtr() {
			h.unit = int64(t.Pointee().ElemBytes())
		}
		p.emit(op, h.run)
	}
}

// A hintCheck compares what a hint says about one dimension with the values. Elements that are uninitialised
// are left out.
type hintCheck struct {
	op    *tile.Op
	kind  tile.Hint
	value int64
	in    slot
	shade shade
	axis  axis
	unit  int64 // the distance of neighbours: pointers count in bytes
}

func (h *hintCheck) run(m *machine) error {
	if h.in.n == 1 && (h.kind == tile.HintConstant || h.axis.size == 1 && h.kind == tile.HintContiguous) {
		return nil
	}
	group := int64(h.axis.size)
	if h.kind != tile.HintDivisible {
		group = min(group, h.value)
	}
	for o := range h.axis.outer {
		for in := range h.axis.inner {
			base := o*h.axis.size*h.axis.inner + in
			for j := range int64(h.axis.size) {
				i := base + int(j)*h.axis.inner
				if err := h.element(m, i, j%group == 0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// element checks element i; first says that it begins a group.
func (h *hintCheck) element(m *machine, i int, first bool) error {
	before := i - h.axis.inner
	if m.taintAt(h.shade, i) != 0 || !first && m.taintAt(h.shade, before) != 0 {
		return nil
	}
	x := h.at(m, i)
	switch {
	case h.kind == tile.HintDivisible:
		// What follows its neighbour is part of the group that the neighbour is in.
		if x%h.value != 0 && (first || x != h.at(m, before)+h.unit) {
			return h.finding(m, i, fmt.Sprintf("multiple_of says multiples of %d, but the value is %d", h.value, x))
		}
	case first:
	case h.kind == tile.HintContiguous && x != h.at(m, before)+h.unit:
		return h.finding(m, i, fmt.Sprintf("max_contiguous says groups of %d, but %d follows %d", h.value, x, h.at(m, before)))
	case h.kind == tile.HintConstant && x != h.at(m, before):
		return h.finding(m, i, fmt.Sprintf("max_constancy says groups of %d, but %d follows %d", h.value, x, h.at(m, before)))
	}
	return nil
}

func (h *hintCheck) finding(m *machine, i int, what string) error {
	return m.finding("hint", h.op, "a hint is false: %s,%s", what, element(h.op.Args[0].Type, i))
}

// at gives element i as a signed number, of a pointer its address in memory.
func (h *hintCheck) at(m *machine, i int) int64 {
	t := h.op.Args[0].Type
	x := valueAt(m, h.in, t.ElemBytes(), i)
	if t.IsPtr() {
		return int64(m.launch.space.untag(x))
	}
	shift := 64 - t.ElemBits()
	return int64(x<<shift) >> shift
}
