package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// A span is the positions of an operation: start is its own, end that of the moment when
// its regions are done. Without regions they are equal.
type span struct{ start, end int }

// Liveness says until when each value of a function is needed. Values that share memory
// (an operation that only renames its operand, a loop's carried argument and its result)
// are represented by one of them, their root.
type liveness struct {
	span map[*tile.Op]span
	root []int32 // by value ID
	last []int   // by root: the last position where it is used
	dies [][]int32

	pos   int
	depth []int   // by root: how many repeating regions its definition is in
	loops []*loop // the repeating regions around the current position
}

type loop struct{ outer []int32 } // roots used inside, defined outside

func analyse(f *tile.Func) *liveness {
	l := &liveness{
		span:  make(map[*tile.Op]span),
		root:  make([]int32, f.NumValues()),
		last:  make([]int, f.NumValues()),
		depth: make([]int, f.NumValues()),
	}
	for i := range l.root {
		l.root[i] = int32(i)
	}
	l.define(f.Body.Args, 0)
	l.block(f.Body)
	l.dies = make([][]int32, l.pos)
	for id := range l.root {
		if l.root[id] == int32(id) {
			l.dies[l.last[id]] = append(l.dies[l.last[id]], int32(id))
		}
	}
	return l
}

// isRename reports whether an operation's result is its operand's memory seen in another way.
func isRename(op *tile.Op) bool {
	switch op.Code {
	case tile.OpHint, tile.OpReshape, tile.OpExpandDims, tile.OpBitcast:
		return true
	}
	return false
}

// repeats reports whether an operation may run its regions more than once.
func repeats(op *tile.Op) bool { return op.Code != tile.OpIf }

func (l *liveness) block(b *tile.Block) {
	for _, op := range b.Ops {
		l.op(op)
	}
}

func (l *liveness) op(op *tile.Op) {
	start := l.pos
	for _, v := range op.Args {
		l.use(v)
	}
	l.define(op.Results, start)
	l.pos++
	if isRename(op) {
		l.root[op.Results[0].ID] = l.root[op.Args[0].ID]
	}
	if len(op.Regions) > 0 {
		l.regions(op)
		l.pos++
	}
	end := l.pos - 1
	l.span[op] = span{start, end}
	for _, v := range op.Args { // operations with regions read operands while these run
		l.touch(l.root[v.ID], end)
	}
	for _, v := range op.Results {
		l.touch(l.root[v.ID], end)
	}
}

func (l *liveness) regions(op *tile.Op) {
	l.shareCarried(op)
	if !repeats(op) {
		for _, r := range op.Regions {
			l.block(r)
		}
		return
	}
	lp := &loop{}
	l.loops = append(l.loops, lp)
	for _, r := range op.Regions {
		l.define(r.Args, l.pos)
		l.block(r)
	}
	l.loops = l.loops[:len(l.loops)-1]
	for _, r := range lp.outer { // the next turn needs them again
		l.touch(r, l.pos)
	}
	for _, r := range op.Regions { // and the arguments, which the end of a turn sets
		for _, v := range r.Args {
			l.touch(l.root[v.ID], l.pos)
		}
	}
}

// shareCarried lets a loop's carried arguments and its results share memory.
func (l *liveness) shareCarried(op *tile.Op) {
	var args []*tile.Value
	switch op.Code {
	case tile.OpFor:
		args = op.Regions[0].Args[1:]
	case tile.OpWhile:
		args = op.Regions[1].Args
	}
	for i, v := range args {
		l.root[v.ID] = l.root[op.Results[i].ID]
	}
}

// define notes where values are defined; those that share an earlier value's memory have
// their place already.
func (l *liveness) define(vals []*tile.Value, pos int) {
	for _, v := range vals {
		if l.root[v.ID] == v.ID {
			l.depth[v.ID] = len(l.loops)
			l.last[v.ID] = pos
		}
	}
}

func (l *liveness) use(v *tile.Value) {
	r := l.root[v.ID]
	l.touch(r, l.pos)
	if d := l.depth[r]; d < len(l.loops) {
		l.loops[d].outer = append(l.loops[d].outer, r)
	}
}

func (l *liveness) touch(root int32, pos int) { l.last[root] = max(l.last[root], pos) }

// diesAt reports whether v's memory is used for the last time by op.
func (l *liveness) diesAt(v *tile.Value, op *tile.Op) bool {
	return l.last[l.root[v.ID]] == l.span[op].start && l.span[op].start == l.span[op].end
}
