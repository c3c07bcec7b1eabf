package cudacpp

import "github.com/tegula-lang/tegula/internal/lir"

// sums finds the products of matrices that are added up one after another, and has them added up in one array: that of the tile that they make.
func (p *printer) sums(b *block) {
	for _, n := range b.nodes {
		if !addsUp(n.Code) || len(n.Results) == 0 {
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
		zero = zero && init != nil && init.IsConstBits(0)
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

// addsUp reports whether an operation's results are sums of products that may take the place of what is added to.
func addsUp(c lir.Code) bool { return c == lir.OpMMA || c == lir.OpGroupMMA || c == lir.OpGroupWait }

// sumChain gives the sums that lead to v, each needed for the next only, and what is added to first, nil if that is nothing.
func (p *printer) sumChain(b *block, v *lir.Value) (chain []*lir.Value, init *lir.Value) {
	for {
		d := p.def(v)
		if d == nil || !addsUp(d.Code) || d.block != b || p.into[v.ID].of != nil || len(chain) > 0 && p.uses[v.ID] != 1 {
			return chain, v
		}
		chain = append(chain, v)
		before := operands(d, v)
		if len(before) == 0 {
			return chain, nil
		}
		v = before[0]
	}
}
