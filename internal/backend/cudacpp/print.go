package cudacpp

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lower"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Options are what a function is printed with.
type Options struct {
	Entry    string // the kernel's symbol
	Arch     string // as nvcc has it, without sm_
	LineText func(file string, line int) string
}

// Can leaves of what threads can do what this package has a spelling for.
func Can(c lower.Capabilities) lower.Capabilities {
	return lower.Capabilities{
		Redux: c.Redux, F8: c.F8, BF16: c.BF16, BF16Add: c.BF16Add, MinMaxNaN: c.MinMaxNaN, Directed: c.Directed,
		MMA: c.MMA, GroupMMA: c.GroupMMA, Signals: c.Signals, LoadMatrix: c.LoadMatrix, CopyAsync: c.CopyAsync, SharedMax: c.SharedMax, SMRegisters: c.SMRegisters, SMShared: c.SMShared,
	}
}

// printer is the state of printing a function.
type printer struct {
	f         *lir.Func
	o         Options
	defs      []*node    // by a value's ID
	pointee   []lir.Type // by ID: what pointers point to
	uses      []int      // by ID
	users     [][]*node  // by ID
	homes     []home     // by ID
	into      []home     // by ID: of values that are updates in place
	tiles     map[*lir.Value]tileRegister
	argOf     map[int32]*block
	carriedBy map[*block][]*lir.Value // what the end of a block gives values to
	loopOf    map[*lir.Block]*node
	indexed   map[*node]bool // accesses whose address is an index
	inlined   map[*group]expr

	quotients       map[scaledKey]*lir.Value
	shareds, locals []*view
	variables       int
	names           naming
	params          []string // names
	ranges          map[int32]limits
	exact           map[int32]bool            // whether the operation does not wrap
	same            map[*lir.Value]*lir.Value // what equal operations give
	helpers         helpers

	out   strings.Builder
	depth int
	line  tile.Location
}

// A tileRegister is a register of a tile.
type tileRegister struct {
	of *lir.Tile
	at int
}

// Print gives the text.
func Print(f *lir.Func, o Options) (text []byte, err error) {
	p := &printer{
		f: f, o: o, defs: make([]*node, f.NumValues()), tiles: map[*lir.Value]tileRegister{}, argOf: map[int32]*block{}, carriedBy: map[*block][]*lir.Value{}, indexed: map[*node]bool{}, loopOf: map[*lir.Block]*node{},
		inlined: map[*group]expr{}, quotients: map[scaledKey]*lir.Value{}, ranges: map[int32]limits{}, exact: map[int32]bool{}, same: map[*lir.Value]*lir.Value{}, names: naming{map[string]int{}},
	}
	defer func() {
		if r := recover(); r != nil {
			text, err = nil, p.failure(r)
		}
	}()
	body := p.tree(f.Body)
	p.pointee = make([]lir.Type, len(p.defs))
	p.findTiles()
	p.views(body)
	p.gather(body, nil)
	p.retype(body)
	p.absorb(body)
	p.merge(body, nil)
	p.countUses(body)
	p.forget(body)
	p.countUses(body)
	p.homes, p.into = make([]home, len(p.defs)), make([]home, len(p.defs))
	p.findUsers(body)
	p.reserve()
	p.group(body)
	p.plan(body)
	p.depth = 1
	p.block(body)
	return []byte(p.file()), nil
}

// unspelled ends the printing of what has an operation that is not known.
type unspelled struct{ code lir.Code }

// failure gives the error that ended the printing. Any panic but unspelled is a mistake in this package, which must not end the user's program.
func (p *printer) failure(r any) error {
	if u, ok := r.(unspelled); ok {
		return diag.New(diag.Unsupported, "emit", "kernel %s: there is no CUDA C++ for the operation %s", p.f.Name, u.code)
	}
	e := diag.New(diag.Compile, "internal", "kernel %s: internal error while CUDA C++ is printed: %v", p.f.Name, r)
	e.Cause = fmt.Errorf("%v\n%s", r, debug.Stack())
	return e
}

func (p *printer) findTiles() {
	for i := range p.f.Tiles {
		t := &p.f.Tiles[i]
		for j, v := range t.Regs {
			if _, ok := p.tiles[v]; !ok && !v.IsConst() {
				p.tiles[v] = tileRegister{t, j}
			}
		}
	}
}

// hintOf gives the name that a value has in the kernel, or one by what it is.
func (p *printer) hintOf(v *lir.Value) string {
	if t, ok := p.tiles[v]; ok && t.of.Name != "" {
		return t.of.Name
	}
	d := p.defs[v.ID]
	if d == nil {
		return "i"
	}
	if base := p.baseOf(v); base != "" {
		return base
	}
	switch d.Code {
	case lir.OpProgramID:
		return [...]string{"pid", "pid_y", "pid_z"}[d.Imm]
	case lir.OpNumPrograms:
		return [...]string{"programs", "programs_y", "programs_z"}[d.Imm]
	case lir.OpAnd, lir.OpShrU:
		if name := p.ofThread(d); name != "" {
			return name
		}
	}
	if name := kindNames[d.Code]; name != "" {
		return name
	}
	if v.Type == lir.I1 {
		return "is"
	}
	if v.Type == lir.I32 && p.users != nil {
		return p.ofAddress(v)
	}
	return "t"
}

// ofAddress names an index by what it is an index of.
func (p *printer) ofAddress(v *lir.Value) string {
	for _, u := range p.users[v.ID] {
		if u.Mem != nil && u.Args[0] == v && u.Mem.Space != lir.Global && p.view(u).hint != "" {
			return p.view(u).hint + "_index"
		}
	}
	return "t"
}

// kindNames are what results without a name are called.
var kindNames = map[lir.Code]string{
	lir.OpThreadID: "tid", lir.OpLoad: "loaded", lir.OpLoadMatrix: "fragment", lir.OpShuffle: "other", lir.OpBallot: "votes", lir.OpFMax: "largest", lir.OpFMin: "least",
	lir.OpMaxS: "largest", lir.OpMaxU: "largest", lir.OpMinS: "least", lir.OpMinU: "least", lir.OpFAdd: "sum", lir.OpFSub: "difference", lir.OpFMul: "product", lir.OpFDiv: "quotient",
	lir.OpFTrunc: "rounded", lir.OpFExt: "widened", lir.OpPackF16: "packed", lir.OpPack: "packed", lir.OpRcp: "reciprocal", lir.OpAtomicRMW: "old", lir.OpAtomicCAS: "old", lir.OpMMA: "product",
	lir.OpGroupMMA: "product", lir.OpGroupWait: "product",
	lir.OpCmp: "mask", lir.OpFCmp: "mask",
}

// ofThread names the parts of a thread's number.
func (p *printer) ofThread(d *node) string {
	of, c := p.def(d.Args[0]), d.Args[1]
	if of == nil || of.Code != lir.OpThreadID || !c.IsConst() {
		return ""
	}
	size := uint64(p.f.WarpSize)
	switch {
	case d.Code == lir.OpAnd && c.Bits == size-1:
		return "lane"
	case d.Code == lir.OpShrU && uint64(1)<<c.Bits == size:
		return "warp"
	}
	return ""
}

// baseOf gives a name for a pointer, by the parameter that it came from.
func (p *printer) baseOf(v *lir.Value) string {
	d := p.def(v)
	for d != nil && d.Code == codeIndex {
		d = p.def(d.Args[0])
	}
	if d == nil || d.Code != lir.OpParam || !p.f.Params[d.Imm].Pointer {
		return ""
	}
	name := p.f.Params[d.Imm].Name
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_ptr"), "_pointer")
	return name + "_at"
}

// isNamed reports whether the kernel has a name for a value.
func (p *printer) isNamed(v *lir.Value) bool {
	t, ok := p.tiles[v]
	return ok && t.of.Name != ""
}

func (p *printer) findUsers(body *block) {
	p.users = make([][]*node, len(p.defs))
	var visit func(b *block)
	visit = func(b *block) {
		for _, a := range b.args {
			p.argOf[a.ID] = b
		}
		for _, n := range b.nodes {
			for _, a := range n.Args {
				if !a.IsConst() {
					p.users[a.ID] = append(p.users[a.ID], n)
				}
			}
			for _, r := range n.regions {
				visit(r)
			}
		}
	}
	visit(body)
}

// plan decides what is printed in loops, and what where it is used.
func (p *printer) plan(b *block) {
	for _, g := range b.groups {
		g.spans = p.spansOf(g, 0, len(g.nodes))
	}
	for i := len(b.groups) - 1; i >= 0; i-- { // whether a user is printed where it stands is known first
		g := b.groups[i]
		g.inline = p.inlines(b, g)
		for _, r := range g.nodes[0].regions {
			p.plan(r)
		}
	}
}

// inlines reports whether what a group gives is printed where it is used: once, by the same register of another one.
func (p *printer) inlines(b *block, g *group) bool {
	n := g.nodes[0]
	if n.Code == lir.OpParam {
		return true
	}
	if n.effect() != lir.Pure && n.Code != lir.OpShuffle || len(n.regions) > 0 || len(n.Results) != 1 || g.v == nil || len(g.spans) != 1 || p.isNamed(n.Results[0]) || n.Code == lir.OpAsm {
		return false
	}
	if n.Code == codeIndex && len(g.nodes) == 1 && p.onlyAddress(b, n.Results[0]) {
		return true
	}
	for r, m := range g.nodes {
		v := m.Results[0]
		if p.uses[v.ID] != 1 {
			return false
		}
		u := p.users[v.ID][0]
		if u.block != b || u.group == nil || len(u.group.nodes) != len(g.nodes) || u.lane != r || len(u.group.spans) != 1 || u.Code == lir.OpAsm {
			return false
		}
		if u.Code == lir.OpFor && u.Args[0] != v || u.Code == lir.OpWhile {
			return false
		}
		if n.Code == lir.OpShuffle && !p.always(u) {
			return false
		}
	}
	return true
}

// always reports whether a node's operands are printed where all threads compute them, whatever they are.
func (p *printer) always(n *node) bool {
	if n.effect() != lir.Pure || n.Code == lir.OpSelect || len(n.Results) != 1 || n.Results[0].Type == lir.I1 {
		return false
	}
	return !n.group.inline || p.always(p.users[n.Results[0].ID][0])
}

// onlyAddress reports whether a value is only the address of one group of accesses.
func (p *printer) onlyAddress(b *block, v *lir.Value) bool {
	var g *group
	for _, u := range p.users[v.ID] {
		if u.block != b || u.Mem == nil || g != nil && u.group != g || len(u.group.spans) != 1 {
			return false
		}
		g = u.group
		for _, a := range u.Args[1:] {
			if a == v {
				return false
			}
		}
	}
	return true
}

// maxText bounds how long the text of what is printed where it is used may be.
const maxText = 72

// block prints a block.
func (p *printer) block(b *block) {
	for i := 0; i < len(b.groups); {
		run := p.runOf(b.groups[i:])
		p.run(run)
		i += len(run)
	}
}

// runOf gives the groups at the beginning that one loop can print: what an element needs of those before is the same element.
func (p *printer) runOf(groups []*group) []*group {
	first := groups[0]
	size := len(first.nodes)
	if size == 1 || len(first.spans) > 1 {
		return groups[:1]
	}
	in := map[*group]bool{first: true}
	writes, reads := first.effect != 0, first.reads
	n := 1
	for ; n < len(groups); n++ {
		g := groups[n]
		if len(g.nodes) != size || len(g.spans) > 1 || writes && (g.effect != 0 || g.reads) || reads && g.effect != 0 {
			break
		}
		if !p.elementwise(g, in) {
			break
		}
		writes, reads = writes || g.effect != 0, reads || g.reads
		in[g] = true
	}
	return groups[:n]
}

// elementwise reports whether each node of a group needs only what has its own number in other groups.
func (p *printer) elementwise(g *group, in map[*group]bool) bool {
	for r, n := range g.nodes {
		for _, a := range n.Args {
			if d := p.def(a); d != nil && d.group != nil && in[d.group] && d.lane != r {
				return false
			}
		}
	}
	return true
}

// run prints groups together.
func (p *printer) run(run []*group) {
	if len(run) == 1 {
		p.single(run[0])
		return
	}
	in := map[*group]bool{}
	for _, g := range run {
		in[g] = true
	}
	known := map[*group]bool{}
	for _, g := range run {
		if g.v != nil && len(g.nodes[0].Results) == 1 { // also what is printed where it is used, should its text turn out too long
			g.v.scalar = p.within(g, in, known)
		}
	}
	p.loop(run, 0, len(run[0].nodes))
}

// within reports whether what a group gives is only needed in the loop that prints some groups. known has what was found out before.
func (p *printer) within(g *group, in, known map[*group]bool) bool {
	is, ok := known[g]
	if !ok {
		is = p.staysWithin(g, in, known)
		known[g] = is
	}
	return is
}

func (p *printer) staysWithin(g *group, in, known map[*group]bool) bool {
	for _, n := range g.nodes {
		for _, r := range n.Results {
			for _, u := range p.users[r.ID] {
				if u.group == nil || !in[u.group] || u.lane != n.lane || u.group.inline && !p.within(u.group, in, known) {
					return false
				}
			}
		}
	}
	return true
}

// single prints a group alone, in as many pieces as it takes.
func (p *printer) single(g *group) {
	if len(g.nodes) == 1 {
		p.one(lanes{p, g, 0, 1})
		return
	}
	for _, s := range g.spans {
		if s.hi-s.lo == 1 {
			p.one(lanes{p, g, s.lo, s.hi})
			continue
		}
		p.loop([]*group{g}, s.lo, s.hi)
	}
}

// one prints one node.
func (p *printer) one(l lanes) {
	n := l.first()
	if len(n.regions) > 0 {
		p.place(n.Loc)
		p.structured(n)
		return
	}
	if l.g.inline && p.inlineText(l) {
		return
	}
	body := p.captured(func() { p.statement(l) })
	if body == "" {
		return
	}
	p.place(n.Loc)
	p.declare(l.g)
	p.out.WriteString(body)
}

// inlineText keeps the text of a group for where it is used, unless it is too long.
func (p *printer) inlineText(l lanes) bool {
	e := p.pure(l)
	if len(e.text) > maxText && l.first().Code != lir.OpParam {
		l.g.inline = false
		return false
	}
	p.inlined[l.g] = e
	return true
}

// loop prints groups in a loop over some of their nodes.
func (p *printer) loop(run []*group, lo, hi int) {
	p.depth++
	outer := p.line
	body := p.captured(func() {
		for _, g := range run {
			l := lanes{p, g, lo, hi}
			if g.inline && p.inlineText(l) {
				continue
			}
			text := p.captured(func() { p.statement(l) })
			if len(run) > 1 {
				p.place(l.first().Loc)
			}
			p.out.WriteString(text)
		}
	})
	p.depth--
	if body == "" {
		return
	}
	if len(run) == 1 {
		p.line = outer
		p.place(run[0].nodes[lo].Loc)
	}
	for _, g := range run {
		if !g.inline {
			p.declare(g)
		}
	}
	p.write("#pragma unroll")
	p.write("for (int %s = 0; %s < %d; ++%s) {", register, register, hi-lo, register)
	p.out.WriteString(body)
	p.write("}")
}

// captured gives what f prints.
func (p *printer) captured(f func()) string {
	outer := p.out
	p.out = strings.Builder{}
	f()
	text := p.out.String()
	p.out = outer
	return text
}

// declare declares a group's array.
func (p *printer) declare(g *group) {
	v := g.v
	if n := g.nodes[0]; v == nil && len(n.Results) > 0 && addsUp(n.Code) {
		v = p.homes[n.Results[0].ID].of
	}
	if v == nil || v.size == 1 || v.scalar || v.known {
		return
	}
	v.known = true
	if v.zero {
		p.write("%s %s[%d] = {};", v.typ, v.name, v.size)
		return
	}
	p.write("%s %s[%d];", v.typ, v.name, v.size)
}

// write prints a line.
func (p *printer) write(format string, args ...any) {
	for range p.depth {
		p.out.WriteString("    ")
	}
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

// place prints the kernel's line that the next statements are of: the user's, not the library's that is called there.
func (p *printer) place(loc tile.Loc) {
	l := p.f.Locs.User(loc)
	if l.Line == 0 || l.File == p.line.File && l.Line == p.line.Line {
		return
	}
	p.line = l
	text := ""
	if p.o.LineText != nil {
		text = strings.TrimSpace(p.o.LineText(l.File, int(l.Line)))
	}
	text = strings.TrimRight(text, `\`) // it would go on in the next line
	p.write("// %d: %s", l.Line, text)
}

// assign prints a result.
func (p *printer) assign(l lanes, e expr) {
	r := l.first().Results[0]
	v := p.homes[r.ID].of
	if v.typ == "" {
		v.typ = e.typ
		if v.typ == "unsigned" && p.rangeOf(r).positive() {
			v.typ = "int"
		}
	}
	if e.isPointer() && v.typ != e.typ {
		e = e.to("unsigned long long")
	}
	if l.g.v == v && (v.size == 1 || v.scalar) {
		p.declared(v)
		if strings.HasSuffix(v.typ, "*") {
			p.write("%s const %s = %s;", v.typ, v.name, e.text)
		} else {
			p.write("const %s %s = %s;", v.typ, v.name, e.text)
		}
		return
	}
	to := l.result(0)
	if to.text == e.text {
		return
	}
	p.write("%s = %s;", to.text, e.text)
}

// declarator writes a variable's type and name.
func declarator(typ, name string) string {
	return typ + " " + name
}

// result writes where a result goes.
func (l lanes) result(i int) expr {
	v, x, _ := l.pattern(func(n *node) *lir.Value { return n.Results[i] })
	at := l.p.homes[v.ID]
	if x.constant() {
		x.first = int64(at.at)
	}
	return l.p.element(at.of, x)
}
