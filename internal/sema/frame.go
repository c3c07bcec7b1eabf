package sema

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A frame is one evaluation of a function's body.
type frame struct {
	fn      *Func
	caller  *frame      // nil for the kernel
	callAt  syntax.Node // the call, in the caller's file
	callLoc tile.Loc    // the call's location

	vars  map[string]local
	level int // of the innermost mark
	log   []change

	loop     syntax.Node     // the innermost loop that runs on the device, or nil
	pending  map[string]bool // names annotated tl.constexpr and not assigned yet
	defaults bool            // parameters' defaults are evaluated: any global may be read

	locSpan syntax.Span // what loc is the location of
	loc     tile.Loc
}

// A local is what a local name is bound to.
type local struct {
	val   Value       // nil if the name may not be used
	at    syntax.Node // what bound it
	gone  *absence    // why it may not be used
	soft  bool        // a number given for an ordinary parameter: it may become a run-time value
	fixed bool        // declared tl.constexpr
	level int         // the mark below which it was bound
}

// A change is an assignment since a mark: the first one of a name keeps what the name was.
type change struct {
	name string
	was  local
	had  bool // the name was bound (perhaps to an absence) at the mark
	now  local
}

// set binds a name.
func (f *frame) set(name string, v Value, at syntax.Node) {
	f.bind(name, local{val: v, at: at})
}

// remove makes a name unusable.
func (f *frame) remove(name string, why *absence) {
	f.bind(name, local{at: why.at, gone: why})
}

func (f *frame) bind(name string, l local) {
	was, had := f.vars[name]
	if f.level > 0 && (!had || was.level < f.level) {
		f.log = append(f.log, change{name: name, was: was, had: had})
	}
	l.level = f.level
	f.vars[name] = l
}

// mark begins a stretch of assignments that end takes back.
func (f *frame) mark() int {
	f.level++
	return len(f.log)
}

// end takes back the assignments since a mark and gives them, in order of the names' first
// assignment.
func (f *frame) end(mark int) []change {
	changes := append([]change(nil), f.log[mark:]...)
	f.log = f.log[:mark]
	f.level--
	for i := range changes {
		c := &changes[i]
		c.now = f.vars[c.name]
		if c.had {
			f.vars[c.name] = c.was
		} else {
			delete(f.vars, c.name)
		}
	}
	return changes
}

// redo makes assignments that end took back.
func (f *frame) redo(changes []change) {
	for _, c := range changes {
		f.bind(c.name, c.now)
	}
}

// An absence says why a name that is bound somewhere may not be used here.
type absence struct {
	kind absenceKind
	at   syntax.Node // what bound or removed it
	also syntax.Node // for differs: the other place
	was  string      // for differs: what the name means at at
	now  string      // and at also
}

type absenceKind uint8

const (
	inLoop   absenceKind = iota // bound in a loop's body
	inBranch                    // bound in one branch of an if
	counter                     // a loop's target
	deleted                     // del
	differs                     // of two types after an if
)

// useGone fails for the use of a name that may not be used.
func (g *gen) useGone(n *syntax.Name, why *absence) {
	note := func(format string, args ...any) []diag.Note { return []diag.Note{g.note(why.at, format, args...)} }
	switch why.kind {
	case inLoop:
		g.failWith(n, note("%s is bound here", n.Id), "unbound-after-loop",
			"'%s' is not defined after the loop that binds it, which may run no times; bind it before the loop", n.Id)
	case counter:
		g.failWith(n, note("the loop is here"), "unbound-after-loop",
			"the loop variable '%s' is not defined after its loop; bind another name to what is needed of it", n.Id)
	case inBranch:
		g.failWith(n, note("%s is bound here", n.Id), "unbound-after-branch",
			"'%s' is bound on one side of an if whose condition is known only at run time; bind it on both sides or before", n.Id)
	case deleted:
		g.failWith(n, note("%s is deleted here", n.Id), "undefined-name", "name '%s' is not defined", n.Id)
	case differs:
		notes := []diag.Note{g.note(why.at, "here it is %s", why.was), g.note(why.also, "here it is %s", why.now)}
		g.failWith(n, notes, "branch-type-mismatch",
			"'%s' is %s or %s, depending on a condition known only at run time; it must have one type", n.Id, why.was, why.now)
	}
}
