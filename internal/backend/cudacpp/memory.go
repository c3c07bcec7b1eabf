package cudacpp

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// address writes the pointer that an access goes through, to elements of a type.
func (l lanes) address(i int, elem string) expr {
	n, p := l.first(), l.p
	at, _ := l.offset()
	a := l.arg(i)
	if n.Mem.Space == lir.Global {
		return l.global(a, at, elem)
	}
	v := p.declaredView(n.Mem)
	base := newExpr(v.name, precPrimary, typeNames[v.elem]+"*")
	if !p.indexed[n] {
		base = base.to("char*")
	}
	if !(n.Args[i].IsConst() && n.Args[i].Bits == 0 && !l.varies(i)) {
		base = advanced(base, a)
	}
	return plus(base, at).to(elem + "*")
}

// varies reports whether an operand is another one for other nodes.
func (l lanes) varies(i int) bool {
	_, x, _ := l.pattern(func(n *node) *lir.Value { return n.Args[i] })
	return !x.constant()
}

// global is an address in global memory: a pointer, or a number. If elem is empty the type of what is there does not matter.
func (l lanes) global(a expr, bytes index, elem string) expr {
	if !a.isPointer() {
		a = a.to("char*")
	}
	size := int64(sizes[strings.TrimSuffix(a.typ, "*")])
	at, even := bytes.over(size)
	if !even {
		a, at = a.to("char*"), bytes
	}
	if elem == "" {
		return plus(a, at)
	}
	return plus(a, at).to(elem + "*")
}

// sizes are those of types, in bytes.
var sizes = map[string]int{
	"char": 1, "unsigned char": 1, "unsigned short": 2, "__half": 2, "__nv_bfloat16": 2, "int": 4, "unsigned": 4, "float": 4,
	"long long": 8, "unsigned long long": 8, "double": 8,
}

// over divides by a size.
func (x index) over(size int64) (index, bool) {
	even := x.first%size == 0
	out := index{first: x.first / size, count: x.count}
	for _, d := range x.bits {
		even = even && d%size == 0
		out.bits = append(out.bits, d/size)
	}
	return out, even
}

// plus adds an index to a pointer.
func plus(base expr, at index) expr {
	if at.constant() {
		if at.first == 0 {
			return base
		}
		if at.first < 0 {
			return binary(base, "-", integer(-at.first, "long long"), precAdd, base.typ)
		}
		return binary(base, "+", integer(at.first, "long long"), precAdd, base.typ)
	}
	return binary(base, "+", at.expr(), precAdd, base.typ)
}

// declaredView gives the array that an access is to, with a name.
func (p *printer) declaredView(m *lir.Mem) *view {
	v := p.viewOf(m)
	v.used = true
	switch {
	case v.name != "":
	case m.Space == lir.Local && v.hint == "":
		v.name = p.names.pick(fmt.Sprintf("tile%d_local", m.Buffer))
	case m.Space == lir.Local:
		v.name = p.names.pick(v.hint + "_local")
	case v.hint == "":
		v.name = p.names.pick(fmt.Sprintf("shared%d", m.Buffer))
	default:
		v.name = p.names.pick(v.hint + "_shared")
	}
	return v
}

// dereferenced writes the element that a pointer points to.
func dereferenced(at expr) expr {
	typ := strings.TrimSuffix(at.typ, "*")
	if at.prec == precAdd {
		if base, i, ok := strings.Cut(at.text, " + "); ok && isName(base) {
			return newExpr(base+"["+i+"]", precPrimary, typ)
		}
	}
	return newExpr("*"+at.in(precUnary), precUnary, typ)
}

func isName(s string) bool {
	for i := range len(s) {
		if !isNamePart(s[i]) {
			return false
		}
	}
	return s != ""
}

var loadCaches = map[tile.Cache]string{tile.CacheCA: ".ca", tile.CacheCG: ".cg", tile.CacheCS: ".cs", tile.CacheCV: ".cv"}

var storeCaches = map[tile.Cache]string{tile.CacheWB: ".wb", tile.CacheCG: ".cg", tile.CacheCS: ".cs", tile.CacheWT: ".wt"}

var evictions = map[tile.Evict]string{tile.EvictFirst: ".L1::evict_first", tile.EvictLast: ".L1::evict_last"}

// words gives what PTX says of an access that C++ cannot say.
func words(m *lir.Mem, caches map[tile.Cache]string) string {
	switch {
	case m.Volatile:
		return ".volatile." + m.Space.String()
	case m.Space != lir.Global:
		return ""
	case m.ReadOnly:
		return "." + m.Space.String() + caches[m.Cache] + ".nc" + evictions[m.Evict]
	}
	how := caches[m.Cache]
	if m.Cache == tile.CacheDefault {
		how = evictions[m.Evict]
	}
	if how == "" {
		return ""
	}
	return "." + m.Space.String() + how
}

// load: one element is an expression, and several are read into an array.
func (p *printer) load(l lanes) {
	n := l.first()
	m, count := n.Mem, len(n.Results)
	typ := typeNames[n.Results[0].Type]
	at := l.address(0, typ)
	how := words(m, loadCaches)
	name := p.helpers.load(how, count)
	var pred expr
	if m.Pred {
		pred = l.arg(1)
	}
	var others []expr
	if m.Else {
		others = l.args(2)
	}
	if count == 1 {
		e := dereferenced(at)
		if how != "" {
			e = call(typ, name, at)
		}
		e.typ = typ
		if m.Pred {
			other := zero(n.Results[0].Type)
			if m.Else {
				other = others[0].integer()
			}
			e = newExpr(pred.in(precOrElse)+" ? "+e.in(precOrElse)+" : "+other.in(precChoice), precChoice, typ)
		}
		p.assign(l, e)
		return
	}
	p.homes[n.Results[0].ID].of.typ = typ
	to, ok := l.run(count, func(m *node, i int) *lir.Value { return m.Results[i] })
	if !ok {
		panic(unspelled{n.Code})
	}
	if !m.Pred {
		p.write("%s<%d>(%s, %s);", name, count, to.text, at.text)
		return
	}
	other := zero(n.Results[0].Type)
	if m.Else {
		if v, same := uniform(others); same {
			other = v.integer()
		} else {
			p.elseValues(l, typ, others, name, to, at, pred)
			return
		}
	}
	if other.typ != typ {
		other = other.to(typ)
	}
	p.helpers.masked(name, "T other", "other")
	p.write("%s<%d>(%s, %s, %s, %s);", name, count, to.text, at.text, pred.text, other.argument())
}

// elseValues prints a load that gives several other values where it does not happen.
func (p *printer) elseValues(l lanes, typ string, others []expr, name string, to, at, pred expr) {
	texts := make([]string, len(others))
	for i, o := range others {
		texts[i] = o.integer().text
	}
	p.helpers.masked(name, "const T* others", "others[i]")
	other := p.names.pick("others")
	p.write("const %s %s[%d] = {%s};", typ, other, len(others), strings.Join(texts, ", "))
	p.write("%s<%d>(%s, %s, %s, %s);", name, len(others), to.text, at.text, pred.text, other)
}

func uniform(list []expr) (expr, bool) {
	for _, e := range list[1:] {
		if e.text != list[0].text {
			return expr{}, false
		}
	}
	return list[0], true
}

func zero(t lir.Type) expr { return literal(&lir.Value{Type: t}) }

// store: one element is assigned, and several are written from an array.
func (p *printer) store(l lanes) {
	n := l.first()
	first := 1
	var pred expr
	if n.Mem.Pred {
		first, pred = 2, l.arg(1)
	}
	count := len(n.Args) - first
	t := n.Args[first].Type
	typ := typeNames[t]
	at := l.address(0, typ)
	how := words(n.Mem, storeCaches)
	guard := ""
	if n.Mem.Pred {
		guard = "if (" + pred.text + ") "
	}
	if count == 1 {
		v := l.arg(first).integer()
		if how == "" {
			p.write("%s%s = %s;", guard, dereferenced(at).text, v.text)
			return
		}
		p.write("%s%s(%s, %s);", guard, p.helpers.store(how, 1), at.text, v.argument())
		return
	}
	name := p.helpers.store(how, count)
	if from, ok := l.run(count, func(m *node, i int) *lir.Value { return m.Args[first+i] }); ok && (from.typ == typ+"*" || from.typ == unsignedNames[typ]+"*") {
		p.write("%s%s<%d>(%s, %s);", guard, name, count, at.text, from.to(typ+"*").text)
		return
	}
	values := p.names.pick("values")
	texts := make([]string, count)
	for i := range texts {
		v := l.arg(first + i).integer()
		if v.typ != typ && v.typ != "" {
			v = v.to(typ)
		}
		texts[i] = v.text
	}
	p.write("const %s %s[%d] = {%s};", typ, values, count, strings.Join(texts, ", "))
	p.write("%s%s<%d>(%s, %s);", guard, name, count, at.text, values)
}

var orders = [...]string{tile.AcqRel: ".acq_rel", tile.Acquire: ".acquire", tile.Release: ".release", tile.Relaxed: ".relaxed"}

// rmws are how atomics are spelled: the name and the letter of the type.
var rmws = [...][2]string{
	tile.AtomicAdd: {"add", "u"}, tile.AtomicFAdd: {"add", "f"}, tile.AtomicAnd: {"and", "b"}, tile.AtomicOr: {"or", "b"},
	tile.AtomicXor: {"xor", "b"}, tile.AtomicMaxS: {"max", "s"}, tile.AtomicMaxU: {"max", "u"},
	tile.AtomicMinS: {"min", "s"}, tile.AtomicMinU: {"min", "u"}, tile.AtomicXchg: {"exch", "b"},
	tile.AtomicFMax: {"max", "f"}, tile.AtomicFMin: {"min", "f"},
}

func (p *printer) atomic(l lanes) {
	n := l.first()
	m, first := n.Mem, 1
	guard := ""
	var pred expr
	if m.Pred {
		first, pred = 2, l.arg(1)
		guard = "if (" + pred.text + ") "
	}
	t := n.Args[first].Type
	name, letter := "cas", "b"
	if n.Code == lir.OpAtomicRMW {
		name, letter = rmws[m.Kind][0], rmws[m.Kind][1]
	}
	typ := fmt.Sprintf("%s%d", letter, t.Bits())
	if letter == "f" && t.Bits() == 16 {
		name, typ = name+".noftz", ptxFloat(t)
	}
	order := orders[m.Sem] + p.scope(m.Scope)
	if m.Space == lir.Shared {
		order = ".relaxed" + p.scope(tile.ScopeCTA)
	}
	f := p.helpers.atomic(name, order, p.space(m.Space), typ, typeNames[t], len(n.Args)-first)
	args := []expr{l.address(0, typeNames[t])}
	for i := first; i < len(n.Args); i++ {
		v := l.arg(i).integer()
		if letter == "s" {
			v = v.signed()
		}
		args = append(args, v)
	}
	e := call(typeNames[t], f, args...)
	if len(n.Results) == 0 {
		p.write("%s%s;", guard, e.text)
		return
	}
	if m.Pred {
		e = newExpr(pred.in(precOrElse)+" ? "+e.text+" : "+zero(t).in(precChoice), precChoice, e.typ)
	}
	p.assign(l, e)
}

func (p *printer) fence(l lanes) {
	p.write("%s();", p.helpers.fence(p.scope(tile.MemScope(l.first().Mod))))
}
