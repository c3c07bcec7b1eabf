package cudacpp

import "github.com/tegula-lang/tegula/internal/lir"

// A sumKey tells sums apart.
type sumKey struct {
	typ  lir.Type
	x, y int32
}

// gather moves the constants of sums outwards, so that what registers of a tile have in common is one value: x + (y + 512) becomes (x + y) + 512.
// known are the sums that are made already.
func (p *printer) gather(b *block, known []map[sumKey]*lir.Value) {
	here := map[sumKey]*lir.Value{}
	known = append(known, here)
	for i := 0; i < len(b.nodes); i++ {
		n := b.nodes[i]
		if n.Code == lir.OpAdd && p.elemOf(n.Args[0]) == lir.None && p.elemOf(n.Args[1]) == lir.None {
			if made := p.outwards(n, known); made != nil {
				b.nodes = append(b.nodes[:i], append([]*node{made}, b.nodes[i:]...)...)
				made.block = b
				i++
			}
			here[keyOf(n.Args[0], n.Args[1])] = n.Results[0]
		}
		for _, r := range n.regions {
			p.gather(r, known)
		}
	}
}

func keyOf(x, y *lir.Value) sumKey {
	if x.IsConst() || y.IsConst() {
		return sumKey{}
	}
	return sumKey{x.Type, min(x.ID, y.ID), max(x.ID, y.ID)}
}

// outwards makes a sum one of a value and a constant. It gives the node that has to be in front of it, if there is none with that value yet.
func (p *printer) outwards(n *node, known []map[sumKey]*lir.Value) *node {
	x, c := p.offset(n.Args[0])
	y, d := p.offset(n.Args[1])
	if c+d == 0 || x.IsConst() || y.IsConst() {
		return nil
	}
	sum := constant(x.Type, c+d)
	for i := len(known) - 1; i >= 0; i-- {
		if v := known[i][keyOf(x, y)]; v != nil {
			n.Args = []*lir.Value{v, sum}
			return nil
		}
	}
	made := &node{Op: lir.Op{Code: lir.OpAdd, Loc: n.Loc, Args: []*lir.Value{x, y}}}
	v := p.fresh(made, x.Type)
	known[len(known)-1][keyOf(x, y)] = v
	n.Args = []*lir.Value{v, sum}
	return made
}

// offset takes a constant off a sum.
func (p *printer) offset(v *lir.Value) (*lir.Value, int64) {
	d := p.def(v)
	if d == nil || d.Code != lir.OpAdd || !v.Type.IsInt() {
		return v, 0
	}
	for i, a := range d.Args {
		if a.IsConst() {
			base, c := p.offset(d.Args[1-i])
			return base, constant(v.Type, c+a.Int()).Int()
		}
	}
	return v, 0
}

// absorb gives operations the constants that their operands add to something: the registers of a tile differ by them. Accesses add them to their
// addresses.
func (p *printer) absorb(b *block) {
	for _, n := range b.nodes {
		for _, r := range n.regions {
			p.absorb(r)
		}
		if !takesOffsets(n) {
			continue
		}
		for i, a := range n.Args {
			if i > 0 && n.Mem != nil { // values may have to lie in an array
				break
			}
			base, c := p.offset(a)
			if c == 0 || base.IsConst() {
				continue
			}
			n.Args[i] = base
			if i == 0 && n.Mem != nil && n.Mem.Space != lir.Global {
				n.Mem.Offset += c
				continue
			}
			if n.plus == nil {
				n.plus = make([]int64, len(n.Args))
			}
			n.plus[i] = c
		}
	}
}

// takesOffsets: a sum itself is what is taken apart, what loops carry has to be values, and what matrices are made of to lie in arrays.
func takesOffsets(n *node) bool {
	switch n.Code {
	case lir.OpMMA, lir.OpGroupWait, lir.OpAdd, lir.OpFor, lir.OpWhile, lir.OpYield, lir.OpCondition, lir.OpAsm:
		return false
	}
	return true
}

// added gives what is added to an operand.
func (n *node) added(i int) int64 {
	if n.plus == nil {
		return 0
	}
	return n.plus[i]
}
