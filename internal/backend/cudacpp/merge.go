package cudacpp

import "github.com/tegula-lang/tegula/internal/lir"

// An opKey tells pure operations apart.
type opKey struct {
	code lir.Code
	mod  uint8
	imm  int64
	typ  lir.Type
	args [3]argKey
}

type argKey struct {
	id   int32
	bits uint64
	typ  lir.Type
	plus int64
}

// merge makes one of pure operations that are equal; what was equal before addresses were rewritten is one already.
func (p *printer) merge(b *block, known []map[opKey]*lir.Value) {
	here := map[opKey]*lir.Value{}
	known = append(known, here)
	for _, n := range b.nodes {
		for i, a := range n.Args {
			if other := p.same[a]; other != nil {
				n.Args[i] = other
			}
		}
		for _, r := range n.regions {
			p.merge(r, known)
		}
		if n.effect() != lir.Pure || len(n.regions) > 0 || len(n.Results) != 1 || len(n.Args) > 3 || n.Text != nil {
			continue
		}
		k := keyFor(n)
		found := false
		for i := len(known) - 1; i >= 0 && !found; i-- {
			if v := known[i][k]; v != nil {
				p.same[n.Results[0]] = v
				found = true
			}
		}
		if !found {
			here[k] = n.Results[0]
		}
	}
}

func keyFor(n *node) opKey {
	k := opKey{code: n.Code, mod: n.Mod, imm: n.Imm, typ: n.Results[0].Type}
	for i, a := range n.Args {
		if a.IsConst() {
			k.args[i] = argKey{-2, a.Bits, a.Type, n.added(i)}
		} else {
			k.args[i] = argKey{a.ID, 0, a.Type, n.added(i)}
		}
	}
	return k
}
