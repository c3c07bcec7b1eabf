package cpu

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/shadow"
	"github.com/tegula-lang/tegula/internal/tile"
)

// The sanitizer looks for what a kernel may do without a fault and yet must not rely on: it uses values that no
// memory gave it, its programs race, its offsets wrap around, its hints are false. It is a set of further steps
// that planning adds before and after the steps of an operation, if the program is compiled with Options.Sanitize; without it
// there are none.
//
// Values are looked at through taints (taint.go): a tag per element that says where it got it from. Memory is looked at through
// shadow.Memory (race.go).

// A sanitizer is what planning the sanitizer's steps of one function needs.
type sanitizer struct {
	*taints
	shades []shade  // by value ID: where the taints of a value lie
	held   []extent // by root: the memory that they lie in
	quiet  int      // regions of reductions and the like around, whose insides have no taints
	uses   []int    // by value ID
}

// newSanitizer gives nil if none is asked for.
func (c *compiler) newSanitizer(f *tile.Func, l *liveness) *sanitizer {
	if !c.program.opts.Sanitize {
		return nil
	}
	return &sanitizer{
		taints: findTaints(f, l, f == c.program.module.Funcs[0]),
		shades: make([]shade, f.NumValues()),
		held:   make([]extent, f.NumValues()),
		uses:   countUses(f),
	}
}

// sanitizeBefore plans what is to be done before an operation, while its operands are as they were.
func (p *planner) sanitizeBefore(op *tile.Op) {
	if p.sanitizer == nil {
		return
	}
	if p.sanitizer.quiet == 0 {
		p.demand(op)
		p.flow(op)
	}
	switch op.Code {
	case tile.OpHint:
		p.checkHint(op)
	case tile.OpLoad, tile.OpStore, tile.OpAtomicRMW, tile.OpAtomicCAS, tile.OpAtomicLoad, tile.OpAtomicStore, tile.OpAtomicPoll:
		p.watch(op)
	}
}

// sanitizeEnd plans what is to be done before the end of a region.
func (p *planner) sanitizeEnd(end *tile.Op) {
	if p.sanitizer != nil && p.sanitizer.quiet == 0 {
		p.demand(end)
	}
}

// sanitizeAfter plans what is to be done after an operation.
func (p *planner) sanitizeAfter(op *tile.Op) {
	if p.sanitizer == nil {
		return
	}
	switch op.Code {
	case tile.OpStore:
		p.checkStored(op)
	case tile.OpLoad:
		p.acquireByLoad(op)
	case tile.OpCall:
		if p.sanitizer.quiet == 0 {
			p.flowFromCall(op)
		}
	}
}

// hush keeps taints out of a region until what it returns is called.
func (p *planner) hush() (end func()) {
	s := p.sanitizer
	if s == nil {
		return func() {}
	}
	s.quiet++
	return func() { s.quiet-- }
}

// sanitizing is what the sanitizer needs to know of a whole program.
type sanitizing struct {
	accesses, loads, wraps sites
	writes                 *writeSet
	leastAccess            int // bytes of the smallest element that is accessed
	synchronises           bool
}

// survey looks at the module that the program was compiled from.
func (p *Program) survey() {
	if !p.opts.Sanitize {
		return
	}
	p.writes, p.synchronises = findWrites(p.module), synchronises(p.module)
	p.leastAccess = wordAlign
	for _, f := range p.module.Funcs {
		f.Body.Walk(func(op *tile.Op) {
			if accessName[op.Code] != "" {
				p.leastAccess = min(p.leastAccess, op.Args[0].Type.Pointee().ElemBytes())
			}
		})
	}
}

// sites are places in the code that the sanitizer's tags name: these have 15 bits for it. Where there are more, the
// last ones share a number.
type sites []*tile.Op

const maxSite = shadow.MaxSite

// add gives the number of a further site, from 1.
func (s *sites) add(op *tile.Op) int {
	if len(*s) < maxSite {
		*s = append(*s, op)
	}
	return len(*s)
}

func (s sites) at(number int) *tile.Op { return s[number-1] }
