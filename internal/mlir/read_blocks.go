package mlir

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/mlir/cfg"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A label is a block of a function that has several: where it stands, and the blocks that its text names.
type label struct {
	at   int // of its header; of the function's first operation for the first block, which has none
	end  int // of its text
	succ []string
	node *cfg.Node
	read bool
}

// blocks are a function's blocks while it is read; exit is where its returns lead.
type blocks struct {
	labels  map[string]*label
	exit    *cfg.Node
	current *label // whose operations are being read
	depth   int    // of the function's own operations
}

// entryLabel is the name of the first block, which no jump can have.
const entryLabel = ""

// scanBlocks looks for the blocks of the function whose body begins here. It gives nil if there is only one.
func (p *parser) scanBlocks() *blocks {
	b := &blocks{labels: map[string]*label{}}
	name, current, depth := entryLabel, &label{at: p.at}, 0
	s := scanner{name: p.name, src: p.src, at: p.at}
	add := func() {
		current.end = s.at
		b.labels[name] = current
	}
	for s.err == nil {
		switch c := s.peek(); {
		case c == 0, c == '}' && depth == 0:
			add()
			if len(b.labels) == 1 {
				return nil
			}
			return b
		case c == '"':
			s.text()
			continue
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '^' && depth == 0:
			at := s.at
			s.at++
			if s.at >= len(s.src) || !isWord(s.src[s.at]) {
				continue
			}
			word := s.word()
			if !s.header() {
				current.succ = append(current.succ, word)
				continue
			}
			end := s.at
			s.at = at
			add()
			if b.labels[word] != nil {
				p.fail(at, diag.Syntax, "mlir-syntax", "there are two blocks ^%s", word)
				return nil
			}
			name, current, s.at = word, &label{at: at}, end
			continue
		}
		s.at++
	}
	return nil // a string does not end, which reading says
}

// header reports whether what follows a block's name makes it the block's header, not a jump to it, and then moves behind it.
func (s *scanner) header() bool {
	t := *s
	if t.peek() == '(' {
		t.at++
		t.balanced(")")
		t.accept(")")
	}
	if t.err != nil || !t.accept(":") {
		return false
	}
	s.at = t.at
	return true
}

// several reads the blocks of a function into one block. Blocks are read before those that they lead to, whatever their order in the text, so that
// values are known before their uses; those that nothing leads to are not read.
func (p *parser) several(f *tile.Func, b *blocks) {
	b.exit, b.depth = &cfg.Node{}, p.depth+1
	for _, t := range f.Results {
		b.exit.Args = append(b.exit.Args, f.NewValue(t))
	}
	for _, l := range b.labels {
		l.node = &cfg.Node{}
	}
	entry := b.labels[entryLabel]
	entry.node.Args = f.Body.Args
	end := entry.end
	p.blocks = b
	p.depth++
	for _, name := range p.order(b) {
		p.block(b.labels[name])
	}
	for _, l := range b.labels {
		end = max(end, l.end)
	}
	p.depth--
	p.blocks = nil
	if p.err != nil {
		return
	}
	p.at = end
	p.expect("}")
	p.connect(f, entry, b)
}

// connect makes the function's body of its blocks.
func (p *parser) connect(f *tile.Func, entry *label, b *blocks) {
	if err := cfg.Check(entry.node); err != nil {
		p.fail(entry.at, diag.Syntax, "mlir-invalid", "the control flow of %s: %s", f.Name, err)
		return
	}
	if err := cfg.Structure(f, entry.node, b.exit); err != nil {
		p.fail(entry.at, diag.Unsupported, "mlir", "the control flow of %s: %s", f.Name, err)
	}
}

// order gives the names of the blocks that the first one reaches, in reverse postorder.
func (p *parser) order(b *blocks) []string {
	var post []string
	type frame struct {
		name string
		next int
	}
	seen := map[string]bool{entryLabel: true}
	stack := []frame{{name: entryLabel}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		l := b.labels[top.name]
		if top.next == len(l.succ) {
			post = append(post, top.name)
			stack = stack[:len(stack)-1]
			continue
		}
		to := l.succ[top.next]
		top.next++
		if b.labels[to] == nil {
			p.fail(l.at, diag.Syntax, "mlir-syntax", "there is no block ^%s", to)
			return nil
		}
		if !seen[to] {
			seen[to] = true
			stack = append(stack, frame{name: to})
		}
	}
	slices.Reverse(post)
	return post
}

// block reads a block: its arguments, its operations up to a jump, with which it has to end.
func (p *parser) block(l *label) {
	if p.err != nil {
		return
	}
	p.at = l.at
	if p.peek() == '^' {
		p.arguments(&l.node.Block)
		l.node.Args, l.node.Block.Args = l.node.Block.Args, nil
	}
	p.blocks.current = l
	outer := p.b.SetBlock(&l.node.Block)
	for p.err == nil && !l.read {
		if p.space(); p.at >= l.end {
			p.syntax("the block does not end in a jump")
		}
		l.node.Loc = p.operation()
	}
	p.b.SetBlock(outer)
	if p.space(); p.err == nil && p.at != l.end {
		p.syntax("expected the end of the block after its jump, not %s", p.describe())
	}
}

// ends notes that the block that is being read ends here. It reports whether jumps may stand here at all.
func (p *parser) ends(name string) bool {
	if p.blocks == nil || p.depth != p.blocks.depth {
		p.syntax("%s stands where a region has one block only", name)
		return false
	}
	p.blocks.current.read = true
	return true
}

// target reads ^bb1 or ^bb1(%a, %b : T, T).
func (p *parser) target() cfg.Edge {
	p.expect("^")
	p.space()
	at := p.at
	name := p.word()
	var args []*tile.Value
	if p.accept("(") {
		args = p.operands()
		if p.accept(":") {
			p.typeList()
		}
		p.expect(")")
	}
	to := p.blocks.labels[name]
	if to == nil {
		p.fail(at, diag.Syntax, "mlir-syntax", "there is no block ^%s", name)
		return cfg.Edge{To: p.blocks.exit}
	}
	return cfg.Edge{To: to.node, Args: args}
}

func (p *parser) readBranch(name string) []*tile.Value {
	if p.ends(name) {
		n := p.blocks.current.node
		n.Succ = []cfg.Edge{p.target()}
		p.attrs()
	}
	return nil
}

func (p *parser) readCondBranch(name string) []*tile.Value {
	if !p.ends(name) {
		return nil
	}
	cond := p.operand()
	if p.accept("weights") { // how often either way is taken
		p.expect("(")
		p.balanced(")")
		p.expect(")")
	}
	p.expect(",")
	then := p.target()
	p.expect(",")
	p.branch(p.blocks.current.node, cond, then, p.target())
	p.attrs()
	return nil
}

// branch ends a node by a choice.
func (p *parser) branch(n *cfg.Node, cond *tile.Value, then, otherwise cfg.Edge) {
	if then.To == otherwise.To { // a block between, so that there is one jump from a block to another
		otherwise = cfg.Edge{To: &cfg.Node{Succ: []cfg.Edge{otherwise}}}
	}
	n.Cond, n.Succ = cond, []cfg.Edge{then, otherwise}
}

// readSwitch reads cf.switch, as a chain of comparisons.
func (p *parser) readSwitch(name string) []*tile.Value {
	if !p.ends(name) {
		return nil
	}
	flag := p.operand()
	p.expect(":")
	p.typ()
	p.expect(",")
	p.expect("[")
	p.expect("default")
	p.expect(":")
	rest := p.target()
	n := p.blocks.current.node
	for p.err == nil && p.accept(",") {
		bits, ok := literalBits(flag.Type, p.number())
		if !ok {
			p.syntax("expected a number of type %s", flag.Type)
		}
		p.expect(":")
		is := p.make(tile.OpConst, tile.ConstAttr{Bits: bits}, nil, flag.Type)
		cond := p.make(tile.OpCmpI, tile.CmpIAttr{Pred: tile.EQ}, []*tile.Value{flag, is[0]}, tile.Scalar(tile.I1))
		next := &cfg.Node{}
		p.branch(n, cond[0], p.target(), cfg.Edge{To: next})
		n = next
	}
	n.Succ = []cfg.Edge{rest}
	p.expect("]")
	p.attrs()
	return nil
}

// readReturn reads the end of a function: one that has several blocks may have several.
func (p *parser) readReturn(string) []*tile.Value {
	args := p.listed()
	if p.blocks == nil || p.depth != p.blocks.depth {
		return p.make(tile.OpReturn, nil, args)
	}
	if want := p.blocks.exit.Args; len(args) != len(want) {
		p.syntax("the function has %d results, not %d", len(want), len(args))
	}
	p.finish(args)
	return nil
}

// readUnreachable reads the end of a block that never comes to its end: any results will do.
func (p *parser) readUnreachable(name string) []*tile.Value {
	p.attrs()
	if p.blocks == nil || p.depth != p.blocks.depth {
		p.syntax("%s stands where a region has one block only", name)
		return nil
	}
	var args []*tile.Value
	for _, v := range p.blocks.exit.Args {
		args = append(args, p.make(tile.OpConst, tile.ConstAttr{}, nil, v.Type)...)
	}
	p.finish(args)
	return nil
}

// finish ends the block that is being read by a jump out of the function.
func (p *parser) finish(results []*tile.Value) {
	p.blocks.current.read = true
	p.blocks.current.node.Succ = []cfg.Edge{{To: p.blocks.exit, Args: results}}
}
