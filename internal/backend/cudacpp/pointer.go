package cudacpp

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// retype finds the values that are pointers to elements, and gives accesses indices of elements in place of bytes where that is possible.
func (p *printer) retype(b *block) {
	for _, n := range slices.Clone(b.nodes) { // it grows
		switch n.Code {
		case lir.OpParam:
			if at := p.f.Params[n.Imm]; at.Pointer {
				p.pointee[n.Results[0].ID] = pointeeOf(at)
			}
		case lir.OpAdd:
			p.index(n)
		case lir.OpSelect:
			if t := p.elemOf(n.Args[1]); t != lir.None && t == p.elemOf(n.Args[2]) {
				p.setElem(n.Results[0], t)
			}
		case lir.OpLoad, lir.OpStore, lir.OpAtomicRMW, lir.OpAtomicCAS, lir.OpLoadMatrix, lir.OpCopyAsync,
			lir.OpSignalInit, lir.OpSignalEnd, lir.OpSignalGive, lir.OpSignalWait:
			p.relocate(n)
		}
		for _, r := range n.regions {
			p.retype(r)
		}
	}
}

func pointeeOf(at lir.Param) lir.Type {
	if at.Elem == lir.None || at.Elem == lir.I1 {
		return lir.I8
	}
	return at.Elem
}

// elemOf gives what a value points to; None if it is no pointer.
func (p *printer) elemOf(v *lir.Value) lir.Type {
	if v.IsConst() {
		return lir.None
	}
	return p.pointee[v.ID]
}

func (p *printer) setElem(v *lir.Value, t lir.Type) { p.pointee[v.ID] = t }

// index makes an index of a pointer plus bytes.
func (p *printer) index(n *node) {
	if n.Results[0].Type != lir.I64 {
		return
	}
	base, off := n.Args[0], n.Args[1]
	if p.elemOf(base) == lir.None {
		base, off = off, base
	}
	t := p.elemOf(base)
	if t == lir.None || p.elemOf(off) != lir.None {
		return
	}
	i := p.scaled(off, logBytes(t))
	if i == nil {
		return
	}
	if d := p.def(i); d != nil && d.Code == lir.OpExtS && d.Args[0].Type == lir.I32 {
		i = d.Args[0] // pointer arithmetic extends
	}
	n.Code, n.Args = codeIndex, []*lir.Value{base, i}
	p.setElem(n.Results[0], t)
}

func logBytes(t lir.Type) int { return bits.Len(uint(t.Bytes())) - 1 }

func (p *printer) def(v *lir.Value) *node {
	if v.IsConst() {
		return nil
	}
	return p.defs[v.ID]
}

// relocate gives an access of shared or local memory an index in place of bytes, of elements of the type that the buffer is taken to have.
func (p *printer) relocate(n *node) {
	if n.Mem.Space == lir.Global {
		return
	}
	t := p.view(n).elem
	k := logBytes(t)
	if n.Mem.Offset&(1<<k-1) != 0 {
		return
	}
	if i := p.scaled(n.Args[0], k); i != nil {
		n.Args[0] = i
		n.Mem.Offset >>= k
		p.indexed[n] = true
	}
}

// scaled gives a value divided by 2^k, if it is made so that this is certain to leave no rest.
func (p *printer) scaled(v *lir.Value, k int) *lir.Value {
	if k == 0 {
		return v
	}
	if v.IsConst() {
		if v.Int()&(1<<k-1) != 0 {
			return nil
		}
		return constant(v.Type, v.Int()>>k)
	}
	key := scaledKey{v.ID, k}
	if s, ok := p.quotients[key]; ok {
		return s
	}
	s := p.divide(v, k)
	p.quotients[key] = s
	return s
}

type scaledKey struct {
	id int32
	k  int
}

func (p *printer) divide(v *lir.Value, k int) *lir.Value {
	d := p.defs[v.ID]
	if d == nil {
		return p.carriedQuotient(v, k)
	}
	switch d.Code {
	case lir.OpShl:
		c := d.Args[1]
		if !c.IsConst() || c.Int() < int64(k) {
			return nil
		}
		if c.Int() == int64(k) {
			return d.Args[0]
		}
		return p.derived(d, v.Type, d.Args[0], constant(lir.I32, c.Int()-int64(k)))
	case lir.OpMul:
		c := d.Args[1]
		if !c.IsConst() || c.Int()&(1<<k-1) != 0 {
			return nil
		}
		if c.Int()>>k == 1 {
			return d.Args[0]
		}
		return p.derived(d, v.Type, d.Args[0], constant(v.Type, c.Int()>>k))
	case lir.OpAdd, lir.OpSub, lir.OpXor, lir.OpOr:
		return p.both(d, v.Type, d.Args, k)
	case lir.OpAnd:
		if v.Type == lir.I32 {
			return p.both(d, v.Type, d.Args, k)
		}
	case lir.OpSelect:
		x, y := p.scaled(d.Args[1], k), p.scaled(d.Args[2], k)
		if x == nil || y == nil {
			return nil
		}
		return p.derived(d, v.Type, d.Args[0], x, y)
	}
	return nil
}

func (p *printer) both(d *node, t lir.Type, args []*lir.Value, k int) *lir.Value {
	x, y := p.scaled(args[0], k), p.scaled(args[1], k)
	if x == nil || y == nil {
		return nil
	}
	return p.derived(d, t, x, y)
}

// derived makes an operation like d behind it.
func (p *printer) derived(d *node, t lir.Type, args ...*lir.Value) *lir.Value {
	n := &node{Op: lir.Op{Code: d.Code, Mod: d.Mod, Loc: d.Loc, Args: args}}
	v := p.fresh(n, t)
	n.after(d)
	return v
}

// A view is a buffer of shared or local memory, as an array of elements.
type view struct {
	name string
	hint string
	elem lir.Type
	used bool
}

// view gives how a buffer is seen: as its first load or store sees it.
func (p *printer) view(n *node) *view { return p.viewOf(n.Mem) }

func (p *printer) viewOf(m *lir.Mem) *view {
	if m.Space == lir.Local {
		return p.locals[m.Buffer]
	}
	return p.shareds[m.Buffer]
}

// views decides how buffers are seen.
func (p *printer) views(body *block) {
	p.shareds, p.locals = make([]*view, len(p.f.Shared)), make([]*view, len(p.f.Local))
	for i := range p.shareds {
		p.shareds[i] = &view{}
	}
	for i := range p.locals {
		p.locals[i] = &view{}
	}
	body.walk(func(n *node) {
		if n.Mem == nil || n.Mem.Space == lir.Global {
			return
		}
		if v := p.view(n); v.elem == lir.None {
			v.elem = p.accessed(n)
		}
		if v := p.view(n); v.hint == "" {
			v.hint = p.contents(n)
		}
	})
	for _, list := range [][]*view{p.shareds, p.locals} {
		for _, v := range list {
			if v.elem == lir.None {
				v.elem = lir.I16 // only matrices are read there
			}
		}
	}
}

// contents gives a name for what is written: the kernel's, or that of the parameter that it is copied from.
func (p *printer) contents(n *node) string {
	switch n.Code {
	case lir.OpStore:
		if v := n.Args[len(n.Args)-1]; !v.IsConst() && p.hintOf(v) != "t" {
			return p.hintOf(v)
		}
	case lir.OpCopyAsync:
		return p.source(n)
	}
	if isSignal(n.Code) {
		return "signals"
	}
	return ""
}

// source gives a name for what a copy reads.
func (p *printer) source(n *node) string {
	if n.From.Origin == 0 {
		return ""
	}
	name := p.f.Params[n.From.Origin-1].Name
	return strings.TrimSuffix(strings.TrimSuffix(name, "_ptr"), "_pointer")
}

// accessed gives the type of what an access moves; None where that is bits.
func (p *printer) accessed(n *node) lir.Type {
	switch n.Code {
	case lir.OpLoad:
		return n.Results[0].Type
	case lir.OpStore, lir.OpAtomicRMW, lir.OpAtomicCAS:
		return n.Args[len(n.Args)-1].Type
	case lir.OpCopyAsync:
		if at := n.From.Origin; at != 0 {
			return pointeeOf(p.f.Params[at-1])
		}
	}
	if isSignal(n.Code) {
		return lir.I64
	}
	return lir.None
}
