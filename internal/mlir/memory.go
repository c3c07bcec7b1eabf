package mlir

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/tile"
)

// cachePolicy gives the attribute of an access, none if it has no wishes.
func cachePolicy(c tile.Cache, e tile.Evict) []string {
	if c == tile.CacheDefault && e == tile.EvictNormal {
		return nil
	}
	return []string{fmt.Sprintf("cachePolicy = #tt.cache_policy<cache_modifier = %s, eviction_policy = %s>", cacheModifiers[c], evictions[e])}
}

// accessWords gives the wishes of an access as Triton had them before they were an attribute.
func accessWords(c tile.Cache, e tile.Evict) (words string) {
	if c != tile.CacheDefault {
		words += " cacheModifier = " + cacheModifiers[c]
	}
	if e != tile.EvictNormal {
		words += " evictionPolicy = " + evictions[e]
	}
	return words
}

// wishes gives what stands behind the operands of an access: words and attributes.
func (p *printer) wishes(c tile.Cache, e tile.Evict) (words string, attributes []string) {
	if p.Old {
		return accessWords(c, e), nil
	}
	return "", cachePolicy(c, e)
}

func (p *printer) load(op *tile.Op) error {
	l := op.Attr.(tile.LoadAttr)
	words, own := p.wishes(l.Cache, l.Evict)
	if l.Volatile {
		own = append(own, "isVolatile = true")
	}
	p.put(op, "%stt.load %s%s%s : %s", p.results(op), p.list(op.Args), words, p.attributes(op, own...), typeText(op.Args[0].Type))
	return nil
}

func (p *printer) store(op *tile.Op) error {
	s := op.Attr.(tile.StoreAttr)
	words, own := p.wishes(s.Cache, s.Evict)
	p.put(op, "tt.store %s%s%s : %s", p.list(op.Args), words, p.attributes(op, own...), typeText(op.Args[0].Type))
	return nil
}

func (p *printer) atomicRMW(op *tile.Op) error {
	a := op.Attr.(tile.AtomicAttr)
	kind, ok := atomics[a.Kind]
	if !ok {
		return p.floatExtremum(op, a)
	}
	p.put(op, "%stt.atomic_rmw %s, %s, %s, %s : (%s) -> %s", p.results(op), kind, orderings[a.Sem], scopes[a.Scope], p.list(op.Args),
		commas(typesOf(op.Args)), typeText(op.Result().Type))
	return nil
}

// floatExtremum prints an atomic minimum or maximum of floats. Floats from +0 on are ordered as their bits are as
// signed integers, the others the other way round as unsigned ones; so one of two atomics happens.
func (p *printer) floatExtremum(op *tile.Op, a tile.AtomicAttr) error {
	pointer, value := op.Args[0], op.Args[1]
	t := value.Type
	bits := t.WithElem(map[int]tile.Elem{32: tile.I32, 64: tile.I64}[t.ElemBits()])
	if bits.Elem() == tile.NoElem {
		return p.refused(op, "atomic extremum of "+t.Elem().String())
	}
	pointers, truths := tile.PtrTo(bits), t.WithElem(tile.I1)
	number, address, zero, up, ones, down := p.temp(), p.temp(), p.temp(), p.temp(), p.temp(), p.temp()
	p.put(op, "%s = tt.bitcast %s : %s -> %s", number, p.name(value), typeText(t), typeText(bits))
	p.put(op, "%s = tt.bitcast %s : %s -> %s", address, p.name(pointer), typeText(pointer.Type), typeText(pointers))
	p.put(op, "%s = arith.constant %s", zero, p.literal(bits, 0))
	p.put(op, "%s = arith.cmpi sge, %s, %s : %s", up, number, zero, typeText(bits))
	p.put(op, "%s = arith.constant %s", ones, p.literal(truths, 1))
	p.put(op, "%s = arith.xori %s, %s : %s", down, up, ones, typeText(truths))
	masks := []string{up, down}
	if len(op.Args) > 2 {
		for i := range masks {
			both := p.temp()
			p.put(op, "%s = arith.andi %s, %s : %s", both, masks[i], p.name(op.Args[2]), typeText(truths))
			masks[i] = both
		}
	}
	kinds := []string{"max", "umin"}
	if a.Kind == tile.AtomicFMin {
		kinds = []string{"min", "umax"}
	}
	var old [2]string
	for i := range kinds {
		old[i] = p.temp()
		p.put(op, "%s = tt.atomic_rmw %s, %s, %s, %s, %s, %s : (%s, %s, %s) -> %s", old[i], kinds[i], orderings[a.Sem], scopes[a.Scope],
			address, number, masks[i], typeText(pointers), typeText(bits), typeText(truths), typeText(bits))
	}
	chosen, types := p.temp(), typeText(bits)
	if bits.IsTile() {
		types = typeText(truths) + ", " + types
	}
	p.put(op, "%s = arith.select %s, %s, %s : %s", chosen, up, old[0], old[1], types)
	p.put(op, "%stt.bitcast %s : %s -> %s", p.results(op), chosen, typeText(bits), typeText(t))
	return nil
}

func (p *printer) atomicCAS(op *tile.Op) error {
	a := op.Attr.(tile.AtomicAttr)
	p.put(op, "%stt.atomic_cas %s, %s, %s : (%s) -> %s", p.results(op), orderings[a.Sem], scopes[a.Scope], p.list(op.Args),
		commas(typesOf(op.Args)), typeText(op.Result().Type))
	return nil
}

func (p *printer) atomicLoad(op *tile.Op) error {
	a := op.Attr.(tile.AtomicAttr)
	p.put(op, "%stt.atomic_load %s, %s, %s : (%s) -> %s", p.results(op), orderings[a.Sem], scopes[a.Scope], p.list(op.Args),
		commas(typesOf(op.Args)), typeText(op.Result().Type))
	return nil
}

func (p *printer) atomicStore(op *tile.Op) error {
	a := op.Attr.(tile.AtomicAttr)
	p.put(op, "tt.atomic_store %s, %s, %s : %s", orderings[a.Sem], scopes[a.Scope], p.list(op.Args), typeText(op.Args[0].Type))
	return nil
}

func (p *printer) atomicPoll(op *tile.Op) error {
	a := op.Attr.(tile.AtomicAttr)
	timeout := ""
	if len(op.Args) > 2 {
		timeout = " timeout " + p.name(op.Args[2])
	}
	p.put(op, "%stt.atomic_poll %s, %s, %s%s : %s -> %s", p.results(op), orderings[a.Sem], scopes[a.Scope], p.list(op.Args[:2]), timeout,
		commas(typesOf(op.Args[:2])), typeText(op.Result().Type))
	return nil
}

func (p *printer) makeDesc(op *tile.Op) error {
	t := op.Result().Type
	n := (len(op.Args) - 1) / 2
	var own []string
	if t.DescKind().NaN {
		own = append(own, "padding = 2 : i32")
	}
	p.put(op, "%stt.make_tensor_descriptor %s, [%s], [%s]%s : <%s>, %s", p.results(op), p.name(op.Args[0]), p.list(op.Args[1:1+n]), p.list(op.Args[1+n:]),
		p.attributes(op, own...), elemNames[t.Elem()], blockText(t))
	return nil
}

func (p *printer) descLoad(op *tile.Op) error {
	d := op.Args[0]
	p.put(op, "%stt.descriptor_load %s[%s] : %s -> %s", p.results(op), p.name(d), p.list(op.Args[1:]), typeText(d.Type), typeText(op.Result().Type))
	return nil
}

func (p *printer) descStore(op *tile.Op) error {
	d, block := op.Args[0], op.Args[1]
	p.put(op, "tt.descriptor_store %s[%s], %s : %s, %s", p.name(d), p.list(op.Args[2:]), p.name(block), typeText(d.Type), typeText(block.Type))
	return nil
}

func (p *printer) descReduce(op *tile.Op) error {
	d, block := op.Args[0], op.Args[1]
	p.put(op, "tt.descriptor_reduce %s, %s[%s], %s : %s, %s", reductions[op.Attr.(tile.DescReduceAttr).Kind], p.name(d), p.list(op.Args[2:]),
		p.name(block), typeText(d.Type), typeText(block.Type))
	return nil
}

func (p *printer) descGather(op *tile.Op) error {
	d := op.Args[0]
	if isWideGather(op) {
		return p.refused(op, "gather of elements of 64 bits by a descriptor that is a parameter")
	}
	p.put(op, "%stt.descriptor_gather %s[%s] : (%s) -> %s", p.results(op), p.name(d), p.list(op.Args[1:]), commas(typesOf(op.Args)), typeText(op.Result().Type))
	return nil
}

func (p *printer) descScatter(op *tile.Op) error {
	if isWideGather(op) {
		return p.refused(op, "scatter of elements of 64 bits by a descriptor that is a parameter")
	}
	d, block, rows, column := op.Args[0], op.Args[1], op.Args[2], op.Args[3]
	p.put(op, "tt.descriptor_scatter %s[%s, %s], %s : %s", p.name(d), p.name(rows), p.name(column), p.name(block),
		commas([]tile.Type{d.Type, rows.Type, column.Type, block.Type}))
	return nil
}
