package cudacpp

import "github.com/tegula-lang/tegula/internal/lir"

// sums finds the products of matrices that are added up one after another, and has them added up in one array: that of the tile that they make.
func (p *printer) sums(b *block) {
	for _, n := range b.nodes {
		if n.Code != lir.OpMMA {
			continue
		}
		t, ok := p.tiles[n.Results[0]]
		if !ok || p.into[n.Results[0].ID].of != nil {
			continue
		}
		p.sumsOf(b, t.of)
	}
}

// sumsOf does so for a tile whose registers are all sums that end in this block.
func (p *printer) sumsOf(b *block, t *lir.Tile) {
	chains := make([][]*lir.Value, len(t.Regs))
	zero := true
	for i, v := range t.Regs {
		if at, ok := p.tiles[v]; !ok || at.of != t || at.at != i || v.Type != t.Regs[0].Type {
			return
		}
		chain, init := p.sumChain(b, v)
		if len(chain) == 0 {
			return
		}
		zero = zero && init.IsConstBits(0)
		chains[i] = chain
	}
	v := p.newVariable(p.hintOf(t.Regs[0]), len(t.Regs))
	v.changes, v.zero, v.typ = true, zero, typeNames[t.Regs[0].Type]
	for i, chain := range chains {
		for _, x := range chain {
			p.into[x.ID] = home{v, i}
		}
	}
}

// sumChain gives the sums that lead to v, each needed for the next only, and what is added to first.
func (p *printer) sumChain(b *block, v *lir.Value) (chain []*lir.Value, init *lir.Value) {
	for {
		d := p.def(v)
		if d == nil || d.Code != lir.OpMMA || d.block != b || p.into[v.ID].of != nil || len(chain) > 0 && p.uses[v.ID] != 1 {
			return chain, v
		}
		chain = append(chain, v)
		v = operands(d, v)[0]
	}
}
