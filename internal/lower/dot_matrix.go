package lower

import (
	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// multiplyMatrices multiplies by matrix instructions: step by step along k, and for each step all fragments of the sum. The words of
// an operand are had when the first instruction needs them.
func (l *lowerer) multiplyMatrices(op *tile.Op, p *product, sums []*lir.Value) []*lir.Value {
	info := p.mma.Info()
	a, b := l.operand(op, 0, p), l.operand(op, 1, p)
	perA, perB, perC := info.Words()
	steps := p.k / info.K
	rows, columns := len(a.words)/(perA*steps*p.batch), len(b.words)/(perB*steps*p.batch)
	out := append([]*lir.Value(nil), sums...)
	for step := range steps {
		for batch := range p.batch {
			for row := range rows {
				x := l.fragment(a, ((batch*rows+row)*steps+step)*perA, perA)
				for i := range columns {
					column := i
					if row%2 == 1 { // there and back, so that the words of B last used are used again
						column = columns - 1 - i
					}
					y := l.fragment(b, ((batch*columns+column)*steps+step)*perB, perB)
					at := ((batch*rows+row)*columns + column) * perC
					copy(out[at:at+perC], l.b.MMA(p.mma, x, y, out[at:at+perC]))
				}
			}
		}
	}
	return out
}

// An operand gives the words of A or B. They are numbered as the layout's registers, by words.
type operand struct {
	words    []*lir.Value
	perWord  int          // elements
	elements []*lir.Value // by register: what has been loaded, where words are not loaded as a whole
	from     []int        // by register: the access that brings it
	load     func(access int)
}

// fragment gives n words.
func (l *lowerer) fragment(o *operand, first, n int) []*lir.Value {
	for i := first; i < first+n; i++ {
		for r := i * o.perWord; o.words[i] == nil; r++ {
			if r == (i+1)*o.perWord {
				o.words[i] = l.packed(o.elements[i*o.perWord : r])
				break
			}
			if o.elements[r] == nil {
				o.load(o.from[r])
			}
		}
	}
	return o.words[first : first+n]
}

// operand makes an operand's words available: from registers of the own thread, if they are there, else through shared memory.
func (l *lowerer) operand(op *tile.Op, i int, p *product) *operand {
	to := *p.operand(i)
	v := op.Args[i]
	unsigned := op.Attr.(tile.DotAttr).Unsigned
	bring := func(vals []*lir.Value) []*lir.Value {
		out := make([]*lir.Value, len(vals))
		for r, x := range vals {
			out[r] = l.brought(x, v.Type.Elem(), p.elems[i], unsigned)
		}
		return out
	}
	w := l.ofLayout(&to)
	perWord := max(1, 32/p.elems[i].Bits())
	o := &operand{perWord: perWord, words: make([]*lir.Value, to.Size(layout.Register)/perWord)}
	if l.isNear(v, w) {
		vals := bring(l.eval(v, w))
		for r := range o.words {
			o.words[r] = l.packed(vals[r*perWord : (r+1)*perWord])
		}
		return o
	}
	if c := l.ahead[argument{op, i}]; c != nil {
		l.loadsOf(o, c.s)
		return o
	}
	l.loadsOf(o, l.stage(v, p.elems[i], to, bring))
	return o
}

// isNear reports whether each thread has the elements of a view, or computes them as easily as in any other view.
func (l *lowerer) isNear(v *tile.Value, w *view) bool {
	h := l.vals[v.ID]
	if h.regs == nil {
		return v.Op != nil && (v.Op.Code == tile.OpConst || v.Op.Code == tile.OpSplat)
	}
	return isNear(h.in, w)
}

// isNear reports whether each thread has the elements of w in the registers of h.
func isNear(h, w *view) bool {
	s, ok := locate(h, w)
	if !ok || s.base != (place{}) {
		return false
	}
	for _, p := range s.regs {
		if p.lane != 0 || p.warp != 0 {
			return false
		}
	}
	for i, p := range s.lane {
		if p != (place{lane: 1 << i}) {
			return false
		}
	}
	for i, p := range s.warp {
		if p != (place{warp: 1 << i}) {
			return false
		}
	}
	return true
}

// packed puts elements into a word, the first lowest; what has 32 bits or more is one.
func (l *lowerer) packed(elements []*lir.Value) *lir.Value {
	x := elements[0]
	switch {
	case x.Type == lir.F64:
		return x
	case x.Type.Bits() == 32:
		return l.cast(x, lir.I32)
	case x.Type.Bits() == 16 && len(elements) == 2:
		return l.packedHalves(x, elements[1])
	}
	var word *lir.Value
	for i, e := range elements {
		part := l.shl(l.b.Pure(lir.OpExtU, 0, lir.I32, 0, e), i*x.Type.Bits())
		if word == nil {
			word = part
			continue
		}
		word = l.b.Pure(lir.OpOr, 0, lir.I32, 0, word, part)
	}
	return word
}

// packedHalves puts two elements of 16 bits into a word; two that were just rounded are rounded together.
func (l *lowerer) packedHalves(lo, hi *lir.Value) *lir.Value {
	x, y := roundedFrom(lo), roundedFrom(hi)
	if x == nil || y == nil {
		return l.b.Pure(lir.OpPack, 0, lir.I32, 0, lo, hi)
	}
	mod := uint8(0)
	if lo.Type == lir.BF16 {
		mod = 1
	}
	return l.b.Pure(lir.OpPackF16, mod, lir.I32, 0, x, y)
}

// roundedFrom gives the f32 that was rounded to nearest to give a value; nil if that is not how it came about.
func roundedFrom(x *lir.Value) *lir.Value {
	if op := x.Op; op != nil && op.Code == lir.OpFTrunc && op.Mod == uint8(lir.Nearest) && op.Args[0].Type == lir.F32 {
		return op.Args[0]
	}
	return nil
}
