package mlir

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

func (p *parser) readAddPtr(name string) []*tile.Value {
	args := p.operands()
	p.attrs()
	p.expect(":")
	t := p.typeList()
	if p.wrongCount(name, args, 2) {
		return nil
	}
	return p.make(tile.OpAddPtr, nil, args, t[0])
}

// policy reads the wishes of an access: as an attribute, or as words.
func (p *parser) policy() (c tile.Cache, e tile.Evict, volatile bool) {
	words := map[string]string{}
	for p.peek() != ':' && p.peek() != '{' && p.err == nil {
		key := p.word()
		p.expect("=")
		words[key] = p.word()
	}
	a := p.attrs()
	text := a["cachePolicy"]
	find := func(long, short string) string {
		if w := words[short]; w != "" {
			return w
		}
		_, after, _ := strings.Cut(text, long+" = ")
		word, _, _ := strings.Cut(after, ",")
		return strings.Trim(word, "> ")
	}
	for cache, name := range cacheModifiers {
		if name == find("cache_modifier", "cacheModifier") {
			c = cache
		}
	}
	for evict, name := range evictions {
		if name == find("eviction_policy", "evictionPolicy") {
			e = evict
		}
	}
	return c, e, a["isVolatile"] == "true"
}

func (p *parser) readLoad(string) []*tile.Value {
	args := p.operands()
	cache, evict, volatile := p.policy()
	p.expect(":")
	t := p.typeList()
	return p.make(tile.OpLoad, tile.LoadAttr{Cache: cache, Evict: evict, Volatile: volatile}, args, t[0].Pointee())
}

func (p *parser) readStore(string) []*tile.Value {
	args := p.operands()
	cache, evict, _ := p.policy()
	p.expect(":")
	p.typeList()
	return p.make(tile.OpStore, tile.StoreAttr{Cache: cache, Evict: evict}, args)
}

// readAtomic reads atomics: kind, order, scope, operands.
func (p *parser) readAtomic(name string) []*tile.Value {
	var a tile.AtomicAttr
	if name == "tt.atomic_rmw" {
		a.Kind = keyword(p, atomics)
		p.expect(",")
	}
	a.Sem = keyword(p, orderings)
	p.expect(",")
	a.Scope = keyword(p, scopes)
	p.expect(",")
	args := p.operands()
	if name == "tt.atomic_poll" && p.accept("timeout") {
		args = append(args, p.operand())
	}
	p.attrs()
	if name == "tt.atomic_store" {
		p.expect(":")
		p.typeList()
		return p.make(tile.OpAtomicStore, a, args)
	}
	to := p.signature()
	if p.err != nil {
		return nil
	}
	code := map[string]tile.Code{
		"tt.atomic_rmw": tile.OpAtomicRMW, "tt.atomic_cas": tile.OpAtomicCAS, "tt.atomic_load": tile.OpAtomicLoad, "tt.atomic_poll": tile.OpAtomicPoll,
	}[name]
	return p.make(code, a, args, to[0])
}

func (p *parser) readMakeDesc(string) []*tile.Value {
	args := []*tile.Value{p.operand()}
	p.expect(",")
	args = append(args, p.bracketed("[", "]")...)
	p.expect(",")
	args = append(args, p.bracketed("[", "]")...)
	padding, _ := leadingInt(p.attrs()["padding"])
	p.expect(":")
	if p.accept("<") { // the pointee's type, short
		p.typ()
		p.expect(">")
	} else {
		p.typ()
	}
	p.expect(",")
	var t tile.Type
	if p.accept("<") {
		t = p.descriptor()
	} else {
		t = p.typ()
	}
	if padding == 2 {
		t = tile.DescOf(t.Block(), tile.DescKind{NaN: true})
	}
	return p.make(tile.OpMakeDesc, nil, args, t)
}

func (p *parser) readDescLoad(string) []*tile.Value {
	args := append([]*tile.Value{p.operand()}, p.bracketed("[", "]")...)
	p.policy()
	to := p.signature()
	if p.err != nil {
		return nil
	}
	return p.make(tile.OpDescLoad, nil, args, to[0])
}

func (p *parser) readDescStore(string) []*tile.Value {
	desc, at, block := p.descParts()
	return p.make(tile.OpDescStore, nil, append([]*tile.Value{desc, block}, at...))
}

// descParts reads "%d[%i, %j], %x : T, T".
func (p *parser) descParts() (desc *tile.Value, at []*tile.Value, block *tile.Value) {
	desc = p.operand()
	at = p.bracketed("[", "]")
	p.expect(",")
	block = p.operand()
	p.attrs()
	p.expect(":")
	p.typeList()
	return desc, at, block
}

func (p *parser) readDescReduce(string) []*tile.Value {
	kind := p.word()
	p.expect(",")
	p.unsigned = false
	desc, at, block := p.descParts()
	a := tile.DescReduceAttr{Kind: map[string]tile.Atomic{
		"add": tile.AtomicAdd, "and": tile.AtomicAnd, "or": tile.AtomicOr, "xor": tile.AtomicXor, "max": tile.AtomicMaxS, "min": tile.AtomicMinS,
	}[kind]}
	switch {
	case p.unsigned && kind == "max":
		a.Kind = tile.AtomicMaxU
	case p.unsigned && kind == "min":
		a.Kind = tile.AtomicMinU
	case block.Type.IsFloat():
		a.Kind = map[string]tile.Atomic{"add": tile.AtomicFAdd, "max": tile.AtomicFMax, "min": tile.AtomicFMin}[kind]
	}
	return p.make(tile.OpDescReduce, a, append([]*tile.Value{desc, block}, at...))
}

func (p *parser) readDescGather(string) []*tile.Value {
	args := append([]*tile.Value{p.operand()}, p.bracketed("[", "]")...)
	p.attrs()
	to := p.signature()
	if p.err != nil {
		return nil
	}
	return p.make(tile.OpDescGather, nil, args, to[0])
}

func (p *parser) readDescScatter(string) []*tile.Value {
	desc, at, block := p.descParts()
	return p.make(tile.OpDescScatter, nil, append([]*tile.Value{desc, block}, at...))
}
