package cudacpp

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// register is the name of the counter of loops over a thread's registers.
const register = "r"

// An index is how a number depends on the counter of a loop: what it is at first, and what each bit of the counter adds.
type index struct {
	first int64
	bits  []int64
	count int
}

// indexOf finds the index that gives f for 0 … n-1.
func indexOf(n int, f func(int) int64) (index, bool) {
	x := index{first: f(0), count: n}
	if n == 1 {
		return x, true
	}
	if n&(n-1) != 0 { // an even step
		step := f(1) - f(0)
		for r := 2; r < n; r++ {
			if f(r)-f(r-1) != step {
				return x, false
			}
		}
		for b := 1; b < n; b <<= 1 {
			x.bits = append(x.bits, step*int64(b))
		}
		return x, true
	}
	for b := 1; b < n; b <<= 1 {
		x.bits = append(x.bits, f(b)-x.first)
	}
	for r := range n {
		sum := x.first
		for b, d := range x.bits {
			if r>>b&1 != 0 {
				sum += d
			}
		}
		if f(r) != sum {
			return x, false
		}
	}
	return x, true
}

// constant reports whether the number is the same for all.
func (x index) constant() bool {
	for _, d := range x.bits {
		if d != 0 {
			return false
		}
	}
	return true
}

// expr writes the number.
func (x index) expr() expr {
	var terms []expr
	n := len(x.bits)
	for lo := 0; lo < n; {
		d := x.bits[lo]
		hi := lo + 1
		for hi < n && x.bits[hi] == d<<(hi-lo) {
			hi++
		}
		if d != 0 {
			terms = append(terms, term(lo, hi, n, d))
		}
		lo = hi
	}
	if len(terms) == 0 {
		return number(int(x.first))
	}
	if x.first > 0 {
		terms = append(terms, number(int(x.first)))
	}
	sum := terms[0]
	for _, t := range terms[1:] {
		sum = binary(sum, "+", t, precAdd, "int")
	}
	if x.first < 0 {
		sum = binary(sum, "-", number(int(-x.first)), precAdd, "int")
	}
	return sum
}

// term writes bits lo … hi-1 of the counter, of n, times d.
func term(lo, hi, n int, d int64) expr {
	e := newExpr(register, precPrimary, "int")
	if lo > 0 {
		e = binary(e, "/", number(1<<lo), precMul, "int")
	}
	if hi < n {
		e = binary(e, "%", number(1<<(hi-lo)), precMul, "int")
	}
	if d == 1 {
		return e
	}
	if e.prec == precMul {
		e = newExpr("("+e.text+")", precPrimary, "int")
	}
	return binary(e, "*", number(int(d)), precMul, "int")
}

// A lanes is the nodes of a group that are printed together, by one statement: in a loop if there are several.
type lanes struct {
	p      *printer
	g      *group
	lo, hi int
}

func (l lanes) count() int   { return l.hi - l.lo }
func (l lanes) first() *node { return l.g.nodes[l.lo] }

// spansOf cuts a group into as few pieces as can be written as loops.
func (p *printer) spansOf(g *group, lo, hi int) []span {
	l := lanes{p, g, lo, hi}
	if hi-lo == 1 || l.regular() {
		return []span{{lo, hi}}
	}
	mid := lo + 1<<(bits.Len(uint(hi-lo-1))-1)
	return append(p.spansOf(g, lo, mid), p.spansOf(g, mid, hi)...)
}

// regular reports whether one statement says what all the nodes do.
func (l lanes) regular() bool {
	n := l.first()
	for i := range n.Args {
		if _, _, ok := l.pattern(func(m *node) *lir.Value { return m.Args[i] }); !ok {
			return false
		}
		if _, ok := l.added(i); !ok {
			return false
		}
	}
	for i := range n.Results {
		if _, _, ok := l.pattern(func(m *node) *lir.Value { return m.Results[i] }); !ok {
			return false
		}
	}
	if n.Mem == nil {
		return true
	}
	_, ok := l.offset()
	return ok
}

// added gives what is added to an operand.
func (l lanes) added(i int) (index, bool) {
	return indexOf(l.count(), func(r int) int64 { return l.g.nodes[l.lo+r].added(i) })
}

// offset gives what accesses add to their addresses.
func (l lanes) offset() (index, bool) {
	return indexOf(l.count(), func(r int) int64 { return l.g.nodes[l.lo+r].Mem.Offset })
}

// pattern tells how a value depends on the node: it is an element of a variable, a constant, or the same for all.
func (l lanes) pattern(of func(*node) *lir.Value) (v *lir.Value, x index, ok bool) {
	v = of(l.first())
	same, constants := true, v.IsConst()
	for _, m := range l.g.nodes[l.lo+1 : l.hi] {
		u := of(m)
		same = same && (u == v || u.IsConst() && v.IsConst() && u.Bits == v.Bits)
		constants = constants && u.IsConst()
	}
	if same {
		return v, index{count: l.count()}, true
	}
	if constants {
		if !v.Type.IsInt() || v.Type == lir.I1 {
			return v, x, false
		}
		x, ok = indexOf(l.count(), func(r int) int64 { return of(l.g.nodes[l.lo+r]).Int() })
		return v, x, ok
	}
	if v.IsConst() {
		return v, x, false
	}
	in := l.p.homes[v.ID].of
	for _, m := range l.g.nodes[l.lo:l.hi] {
		if u := of(m); u.IsConst() || l.p.homes[u.ID].of != in {
			return v, x, false
		}
	}
	x, ok = indexOf(l.count(), func(r int) int64 { return int64(l.p.homes[of(l.g.nodes[l.lo+r]).ID].at) })
	return v, x, ok
}

// value writes a value of the nodes.
func (l lanes) value(of func(*node) *lir.Value) expr {
	v, x, _ := l.pattern(of)
	switch {
	case v.IsConst() && x.constant():
		return literal(v)
	case v.IsConst():
		e := x.expr()
		e.typ = typeNames[lir.I32]
		return e
	}
	if d := l.p.defs[v.ID]; d != nil && d.group != nil && d.group.inline {
		return l.p.inlined[d.group]
	}
	at := l.p.homes[v.ID]
	if x.constant() {
		x.first = int64(at.at)
	}
	return l.p.element(at.of, x)
}

// element writes an element of a variable.
func (p *printer) element(v *variable, x index) expr {
	p.declared(v)
	if v.size == 1 || v.scalar {
		return newExpr(v.name, precPrimary, v.typ)
	}
	return newExpr(v.name+"["+x.expr().text+"]", precPrimary, v.typ)
}

// declared makes sure that a variable has a name.
func (p *printer) declared(v *variable) {
	if v.name == "" {
		v.name = p.names.pick(v.hint)
	}
}

// fits reports whether adding to an operand does not wrap.
func (l lanes) fits(i int) bool {
	for _, n := range l.g.nodes[l.lo:l.hi] {
		full := all(n.Args[i].Type)
		x, ok := sums(l.p.rangeOf(n.Args[i]), limits{n.added(i), n.added(i)})
		if !ok || x.lo < full.lo || x.hi > full.hi {
			return false
		}
	}
	return true
}

// arg writes an operand.
func (l lanes) arg(i int) expr {
	e := l.value(func(n *node) *lir.Value { return n.Args[i] })
	by, _ := l.added(i)
	if by.constant() && by.first == 0 {
		return e
	}
	if !l.fits(i) { // sums wrap
		e = e.unsigned()
	}
	if by.constant() && by.first < 0 {
		return binary(e, "-", integer(-by.first, "int"), precAdd, e.typ)
	}
	return binary(e, "+", by.expr(), precAdd, e.typ)
}

// args writes operands from i on.
func (l lanes) args(i int) []expr {
	var list []expr
	for ; i < len(l.first().Args); i++ {
		list = append(list, l.arg(i))
	}
	return list
}

// run writes where n values that follow each other lie in a variable; ok is false if they do not.
func (l lanes) run(n int, of func(m *node, i int) *lir.Value) (expr, bool) {
	v, x, _ := l.pattern(func(m *node) *lir.Value { return of(m, 0) })
	if v.IsConst() || n == 1 {
		return expr{}, false
	}
	if d := l.p.defs[v.ID]; d != nil && d.group != nil && d.group.inline {
		return expr{}, false
	}
	for r := l.lo; r < l.hi; r++ {
		m := l.g.nodes[r]
		first := l.p.homes[of(m, 0).ID]
		for i := 1; i < n; i++ {
			u := of(m, i)
			if u.IsConst() || l.p.homes[u.ID] != (home{first.of, first.at + i}) {
				return expr{}, false
			}
		}
	}
	at := l.p.homes[v.ID]
	if x.constant() {
		x.first = int64(at.at)
	}
	l.p.declared(at.of)
	if at.of.size == n {
		return newExpr(at.of.name, precPrimary, at.of.typ+"*"), true
	}
	return newExpr("&"+at.of.name+"["+x.expr().text+"]", precUnary, at.of.typ+"*"), true
}

// A naming gives names that nothing else has.
type naming struct{ used map[string]int }

// pick gives a name like the hint.
func (n *naming) pick(hint string) string {
	base := identifier(hint)
	name := base
	for {
		k, taken := n.used[name]
		if !taken {
			n.used[name] = 0
			return name
		}
		n.used[base] = max(k, n.used[base]) + 1
		name = base + "_" + strconv.Itoa(n.used[base])
	}
}

// identifier gives a name that C++ takes: other characters than ASCII's letters, digits and underscores are written as their number.
func identifier(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r == '_' || r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "x%x", r)
	}
	s := strings.ReplaceAll(b.String(), "__", "_")
	if s == "" || s[0] >= '0' && s[0] <= '9' || s[0] == '_' {
		return "v" + s
	}
	return s
}
