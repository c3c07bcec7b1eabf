package cudacpp

import "github.com/tegula-lang/tegula/internal/lir"

// carriedQuotient divides what a loop carries, if it begins as a multiple and goes up by multiples: the loop carries the quotient too.
func (p *printer) carriedQuotient(v *lir.Value, k int) *lir.Value {
	n := p.loopOf[v.Block]
	if n == nil || v.Index == 0 {
		return nil
	}
	body := n.regions[0]
	end := body.terminator()
	next := p.def(end.Args[v.Index-1])
	if next == nil || next.block != body || next.Code != lir.OpAdd {
		return nil
	}
	by := next.Args[1]
	if next.Args[0] != v {
		if by != v {
			return nil
		}
		by = next.Args[0]
	}
	init := p.scaled(n.Args[v.Index+2], k)
	if init == nil {
		return nil
	}
	step := p.scaled(by, k)
	if step == nil {
		return nil
	}
	arg := p.fresh(nil, v.Type)
	arg.Block, arg.Index = v.Block, int32(len(body.args))
	body.args = append(body.args, arg)
	sum := &node{Op: lir.Op{Code: lir.OpAdd, Loc: next.Loc, Args: []*lir.Value{arg, step}}, block: body}
	total := p.fresh(sum, v.Type)
	body.nodes = append(body.nodes[:len(body.nodes)-1], sum, end)
	end.Args = append(end.Args, total)
	n.Args = append(n.Args, init)
	result := p.fresh(n, v.Type)
	result.Index = int32(len(n.Results) - 1)
	if t, ok := p.tiles[v]; ok {
		p.tiles[arg] = t
	}
	return arg
}

// forget takes away what loops carry and nobody needs but to carry it on.
func (p *printer) forget(b *block) {
	for _, n := range b.nodes {
		for _, r := range n.regions {
			p.forget(r)
		}
		if n.Code != lir.OpFor {
			continue
		}
		body := n.regions[0]
		end := body.terminator()
		for j := len(n.Results) - 1; j >= 0; j-- {
			if !p.idle(body, body.args[j+1], end.Args[j]) || p.uses[n.Results[j].ID] > 0 {
				continue
			}
			n.Args = remove(n.Args, j+3)
			n.Results = remove(n.Results, j)
			body.args = remove(body.args, j+1)
			end.Args = remove(end.Args, j)
		}
	}
}

// idle reports whether the only use of what a loop carries is what it carries on.
func (p *printer) idle(body *block, arg, next *lir.Value) bool {
	d := p.def(next)
	if d == nil || d.block != body || d.effect() != lir.Pure || len(d.regions) > 0 || p.uses[arg.ID] != 1 || p.uses[next.ID] != 1 {
		return false
	}
	for _, a := range d.Args {
		if a == arg {
			return true
		}
	}
	return false
}

func remove(list []*lir.Value, i int) []*lir.Value {
	return append(list[:i:i], list[i+1:]...)
}
