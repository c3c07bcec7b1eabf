package cudacpp

import "github.com/tegula-lang/tegula/internal/lir"

// newVariable makes a variable of so many elements.
func (p *printer) newVariable(hint string, size int) *variable {
	p.variables++
	return &variable{hint: hint, size: size, number: p.variables}
}

// structure gives the arguments and the results of control flow their homes, and divides the regions into groups.
func (p *printer) structure(n *node) {
	switch n.Code {
	case lir.OpFor:
		body := n.regions[0]
		i := p.newVariable(p.hintOf(body.args[0]), 1)
		i.changes = true
		p.homes[body.args[0].ID] = home{i, 0}
		p.carry(n, body.args[1:], n.Args[3:])
		p.settle(n.Results, body.args[1:])
		p.carriedBy[body] = body.args[1:]
		p.update(body, body.args[1:])
	case lir.OpWhile:
		before, after := n.regions[0], n.regions[1]
		p.carry(n, before.args, n.Args)
		p.carry(n, after.args, nil)
		p.settle(n.Results, after.args)
		p.markUnused(after.args, n.Results)
		p.carriedBy[before], p.carriedBy[after] = after.args, before.args
	case lir.OpIf:
		for _, r := range n.regions {
			p.group(r)
		}
		p.results(n)
		p.markUnused(n.Results, nil)
		p.carriedBy[n.regions[0]], p.carriedBy[n.regions[1]] = n.Results, n.Results
		return
	}
	for _, r := range n.regions {
		p.group(r)
	}
}

// settle gives values the homes of others.
func (p *printer) settle(vals, at []*lir.Value) {
	for i, v := range vals {
		p.homes[v.ID] = p.homes[at[i].ID]
	}
}

// carry makes variables for what control flow carries: one for the registers of a tile. If what a loop begins with is nowhere else needed and lies in
// an array of its own, that is carried on.
func (p *printer) carry(n *node, vals, inits []*lir.Value) {
	for i := 0; i < len(vals); {
		size := p.tileSize(vals[i:])
		if size == 1 && inits != nil {
			size = p.runSize(vals[i:], inits[i:])
		}
		var v *variable
		if inits != nil {
			v = p.takeOver(n, inits[i:i+size])
		}
		if v == nil {
			v = p.newVariable(p.hintOf(vals[i]), size)
		}
		v.changes = true
		for j := range size {
			p.homes[vals[i+j].ID] = home{v, j}
		}
		i += size
	}
}

// markUnused marks the variables of values of which nobody needs any; others have the same homes.
func (p *printer) markUnused(vals, others []*lir.Value) {
	for _, v := range vals {
		p.homes[v.ID].of.unused = true
	}
	for _, list := range [][]*lir.Value{vals, others} {
		for _, v := range list {
			if p.uses[v.ID] > 0 {
				p.homes[v.ID].of.unused = false
			}
		}
	}
}

// results makes variables for what a branch gives: one for what both arms have in one array.
func (p *printer) results(n *node) {
	then, els := n.regions[0].terminator().Args, n.regions[1].terminator().Args
	for i := 0; i < len(n.Results); {
		size := max(p.tileSize(n.Results[i:]), min(p.adjacent(then[i:]), p.adjacent(els[i:])))
		hint := p.hintOf(n.Results[i])
		if hint == "t" && !then[i].IsConst() {
			hint = p.hintOf(then[i])
		}
		v := p.newVariable(hint, size)
		v.changes = true
		for j := range size {
			p.homes[n.Results[i+j].ID] = home{v, j}
		}
		i += size
	}
}

// adjacent gives how many values that come first lie one after another in an array.
func (p *printer) adjacent(vals []*lir.Value) int {
	if vals[0].IsConst() {
		return 1
	}
	first, n := p.homes[vals[0].ID], 1
	for n < len(vals) && !vals[n].IsConst() && p.homes[vals[n].ID] == (home{first.of, first.at + n}) {
		n++
	}
	return n
}

// tileSize gives how many of the values that come first are the registers of one tile.
func (p *printer) tileSize(vals []*lir.Value) int {
	first, ok := p.tiles[vals[0]]
	if !ok || first.at != 0 {
		return 1
	}
	n := 1
	for n < len(vals) && vals[n].Type == vals[0].Type {
		if at, ok := p.tiles[vals[n]]; !ok || at.of != first.of || at.at != n {
			break
		}
		n++
	}
	return n
}

// runSize gives how many of the values that come first begin as all elements of one array, or as the same number: what is added up for each register.
func (p *printer) runSize(vals, inits []*lir.Value) int {
	n := 1
	if c := inits[0]; c.IsConst() {
		for c.Type.IsFloat() && n < len(inits) && inits[n] == c {
			n++
		}
		return n
	}
	v := p.homes[inits[0].ID].of
	if v == nil || p.homes[inits[0].ID].at != 0 {
		return 1
	}
	for n < len(inits) && !inits[n].IsConst() && p.homes[inits[n].ID] == (home{v, n}) {
		n++
	}
	if n != v.size {
		return 1
	}
	return n
}

// takeOver gives the variable that holds the values and nothing else, if the loop may go on with it.
func (p *printer) takeOver(n *node, inits []*lir.Value) *variable {
	if inits[0].IsConst() {
		return nil
	}
	v := p.homes[inits[0].ID].of
	d := p.defs[inits[0].ID]
	if d != nil && d.group != nil {
		d.group.sort(p)
		p.settleHomes(d.group)
	}
	if v == nil || v.size != len(inits) || !v.changes && len(inits) == 1 {
		return nil
	}
	for j, x := range inits {
		if x.IsConst() || p.homes[x.ID] != (home{v, j}) || p.uses[x.ID] != 1 || p.blockOf(x) != n.block {
			return nil
		}
	}
	if d != nil && d.group != nil {
		d.group.closed = true
	}
	return v
}

// blockOf gives the block that a value is known in.
func (p *printer) blockOf(v *lir.Value) *block {
	if d := p.defs[v.ID]; d != nil {
		return d.block
	}
	return p.argOf[v.ID]
}

// update finds the operations on what a loop carries that can be done in place: what they make is carried on in the place of the only operand that is not
// needed any more.
func (p *printer) update(body *block, args []*lir.Value) {
	end := body.terminator()
	for i, y := range end.Args {
		at := p.homes[args[i].ID]
		if chain := p.chain(body, y, args[i], 0); chain != nil {
			for _, v := range chain {
				p.into[v.ID] = at
			}
		}
	}
}

// maxChain bounds how many operations update a variable one after another.
const maxChain = 64

// chain gives the values, each the only use of the next, that lead from y back to the argument; nil if there are none.
func (p *printer) chain(body *block, y, arg *lir.Value, depth int) []*lir.Value {
	d := p.def(y)
	if d == nil || depth > maxChain || d.block != body || p.uses[y.ID] != 1 {
		return nil
	}
	if len(d.regions) > 0 {
		return nil
	}
	for _, a := range operands(d, y) {
		if a.IsConst() || p.uses[a.ID] != 1 {
			continue
		}
		if a == arg {
			return []*lir.Value{y}
		}
		if rest := p.chain(body, a, arg, depth+1); rest != nil {
			return append(rest, y)
		}
	}
	return nil
}

// operands gives those that a result may replace.
func operands(d *node, result *lir.Value) []*lir.Value {
	switch d.Code {
	case lir.OpMMA:
		a, b, _ := lir.MMA(d.Mod).Info().Words()
		return d.Args[a+b+int(result.Index) : a+b+int(result.Index)+1]
	case lir.OpGroupMMA:
		_, sum := d.Split()
		if len(sum) == 0 {
			return nil
		}
		return sum[result.Index : result.Index+1]
	case lir.OpGroupWait:
		return d.Args[result.Index : result.Index+1]
	case lir.OpFMA:
		return d.Args[2:]
	case lir.OpAdd, lir.OpFAdd, lir.OpFMul, lir.OpMul, lir.OpMinS, lir.OpMinU, lir.OpMaxS, lir.OpMaxU, lir.OpFMin, lir.OpFMax, lir.OpOr, lir.OpAnd, lir.OpXor:
		return d.Args
	case lir.OpSub, lir.OpFSub:
		return d.Args[:1]
	case lir.OpSelect:
		return d.Args[1:]
	}
	return nil
}
