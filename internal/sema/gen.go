package sema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// limits keep every compilation finite.
type limits struct {
	steps   int // expressions and statements evaluated, or as much work on large tuples
	values  int // values made
	parts   int // of a tuple, those of its parts included
	depth   int // expressions in each other, through calls too
	calls   int // calls of kernel functions in each other
	regions int // blocks in each other
	nesting int // blocks in each other up to which an early return nests what follows
}

// defaultLimits are far above what a kernel needs. Only tests change them.
var defaultLimits = limits{steps: 1 << 22, values: 1 << 18, parts: 1 << 16, depth: 20_000, calls: 100, regions: tile.MaxNesting - 6, nesting: 32}

// A gen compiles one kernel.
type gen struct {
	b    *tile.Builder
	opts Options

	frame   *frame // the function whose body is evaluated
	limit   limits
	steps   int              // used
	depth   int              // open
	regions int              // open
	sizes   map[tupleKey]int // of large tuples

	globals []GlobalUse
	known   map[globalKey]Binding // what is in globals
	dotted  *syntax.Attribute     // whose left side is evaluated
	funcs   []*Func               // whose bodies were evaluated, each once

	assigned   map[syntax.Node][]string   // what assignedIn found
	signatures map[syntax.Node]*signature // of the functions that were called
}

type globalKey struct {
	env  Env
	name string
}

// A bail carries a failure up to Compile.
type bail struct{ err *diag.Error }

// fail reports that the kernel is wrong at a place. It does not return.
func (g *gen) fail(at syntax.Node, code, format string, args ...any) {
	panic(bail{g.errorAt(diag.Compile, at, code, format, args...)})
}

// failWith is fail with remarks about other places.
func (g *gen) failWith(at syntax.Node, notes []diag.Note, code, format string, args ...any) {
	e := g.errorAt(diag.Compile, at, code, format, args...)
	e.Notes = append(notes, e.Notes...)
	panic(bail{e})
}

// unsupported reports something that the language has, or could have, and this compiler has
// not; the message names it. It does not return.
func (g *gen) unsupported(at syntax.Node, format string, args ...any) {
	panic(bail{g.errorAt(diag.Unsupported, at, "not-supported", format, args...)})
}

// check fails with what a constant operation or a host function gave, if it is an error.
func (g *gen) check(at syntax.Node, err error) {
	if err == nil {
		return
	}
	var known *diag.Error
	if errors.As(err, &known) {
		g.failKnown(at, known)
	}
	var exc *pyval.Error
	if errors.As(err, &exc) {
		g.fail(at, "constant-error", "%s", exc.Error())
	}
	e := g.errorAt(diag.Compile, at, "constant-error", "%s", err.Error())
	e.Cause = err
	panic(bail{e})
}

// failKnown fails with an error of another room. Its place, if it has one, and its remarks follow.
func (g *gen) failKnown(at syntax.Node, known *diag.Error) {
	e := g.errorAt(known.Category, at, known.Code, "%s", known.Msg)
	e.Cause = known
	var notes []diag.Note
	if !known.Place.IsZero() {
		notes = append(notes, diag.Note{Place: known.Place, Msg: "it comes from here"})
	}
	e.Notes = slices.Concat(notes, known.Notes, e.Notes)
	panic(bail{e})
}

// errorAt makes an error at a place of the current function. An error inside the language's
// own library is the caller's, so it is placed at the call; the calls that led to the place
// follow as notes, innermost first.
func (g *gen) errorAt(c *diag.Category, at syntax.Node, code, format string, args ...any) *diag.Error {
	f := g.frame
	for f.fn.Library && f.caller != nil {
		at, f = f.callAt, f.caller
	}
	e := diag.At(c, f.fn.File.Place(at.Range()), format, args...).WithCode(code)
	for ; f.caller != nil; f = f.caller {
		e.Notes = append(e.Notes, diag.Note{
			Place: f.caller.fn.File.Place(f.callAt.Range()),
			Msg:   "in " + f.fn.Name + ", called from here",
		})
	}
	return e
}

// note makes a remark about a place of the current function.
func (g *gen) note(at syntax.Node, format string, args ...any) diag.Note {
	return diag.Note{Place: g.frame.fn.File.Place(at.Range()), Msg: fmt.Sprintf(format, args...)}
}

// step counts an evaluation. at is where the limits are reported.
func (g *gen) step(at syntax.Node) { g.spend(1, at) }

func (g *gen) spend(steps int, at syntax.Node) {
	g.steps += steps
	if g.steps > g.limit.steps || g.b.Func.NumValues() > g.limit.values {
		g.fail(at, "too-large", "the kernel is too large once its loops and calls are unrolled: more than %d operations", g.limit.values)
	}
}

// at makes a node the location of the operations that follow.
func (g *gen) at(n syntax.Node) {
	f := g.frame
	span := n.Range()
	if span == f.locSpan && f.loc != 0 {
		g.b.Loc = f.loc
		return
	}
	line, col := f.fn.File.Position(span.Pos)
	f.locSpan = span
	f.loc = g.b.Module.Locs.Add(tile.Location{
		File:   f.fn.File.Name,
		Line:   int32(line),
		Col:    int32(col),
		EndCol: int32(endCol(f.fn.File, span, line)),
		Parent: f.callLoc,
	})
	g.b.Loc = f.loc
}

// inRegion builds a block with f. What f assigns stays assigned: the caller decides.
func (g *gen) inRegion(at syntax.Node, blk *tile.Block, f func()) {
	if g.regions++; g.regions > g.limit.regions {
		g.fail(at, "too-nested", "control flow is nested more than %d deep", g.limit.regions)
	}
	old := g.b.SetBlock(blk)
	f()
	g.b.SetBlock(old)
	g.regions--
}

// region builds a block whose arguments are Tensors of the given types; body's results are
// yielded. Assignments in body are undone.
func (g *gen) region(at syntax.Node, args []Type, body func(args []Value) []Tensor) *tile.Block {
	blk := &tile.Block{}
	vals := make([]Value, len(args))
	for i, t := range args {
		vals[i] = Tensor{blk.AddArg(g.b.Func, t.Tile, ""), t.DType}
	}
	g.inRegion(at, blk, func() {
		mark := g.frame.mark()
		results := body(vals)
		g.frame.end(mark)
		g.at(at)
		g.b.Yield(handles(results)...)
	})
	if _, err := tile.NotElementwise(blk); err != nil {
		dropUnused(blk)
	}
	if op, err := tile.NotElementwise(blk); err != nil {
		g.unsupportedOp(op, at, err.Error())
	}
	return blk
}

// dropUnused removes what only computes and whose results nothing in the block uses: libraries make tiles in functions
// for elements to ask for their type, x + tl.zeros((1, ), tl.int1).
func dropUnused(blk *tile.Block) {
	used := make(map[*tile.Value]bool)
	use := func(op *tile.Op) {
		for _, v := range op.Args {
			used[v] = true
		}
	}
	kept := make([]*tile.Op, 0, len(blk.Ops))
	for _, op := range slices.Backward(blk.Ops) {
		if op.Effect() == tile.Pure && !slices.ContainsFunc(op.Results, func(v *tile.Value) bool { return used[v] }) {
			continue
		}
		use(op)
		for _, r := range op.Regions {
			r.Walk(use)
		}
		kept = append(kept, op)
	}
	slices.Reverse(kept)
	blk.Ops = kept
}

// unsupportedOp is unsupported at an operation that was made for a call.
func (g *gen) unsupportedOp(op *tile.Op, call syntax.Node, msg string) {
	e := g.errorAt(diag.Unsupported, call, "not-supported", "%s", msg)
	e.Notes = append([]diag.Note{{Place: e.Place, Msg: "called from here"}}, e.Notes...)
	e.Place = g.place(op.Loc)
	panic(bail{e})
}

// handles gives the tensors' values.
func handles(ts []Tensor) []*tile.Value {
	out := make([]*tile.Value, len(ts))
	for i, t := range ts {
		out[i] = t.V
	}
	return out
}

// endCol gives the column after a span, or after its first line.
func endCol(f *syntax.File, s syntax.Span, line int) int {
	if last, end := f.Position(s.End); last == line {
		return end
	}
	return len(f.Line(line)) + 1
}
