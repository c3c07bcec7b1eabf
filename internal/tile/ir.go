package tile

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A Module is the functions of one compiled kernel; the kernel itself comes first.
type Module struct {
	Funcs []*Func
	Locs  Locs
}

// Func finds a function by name, or nil.
func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// A Loc is an index into a module's Locs; 0 is unknown.
type Loc int32

// A Location is a place in a source file; Line and Col count from 1 (Col in bytes), EndCol
// is exclusive. Parent, if not 0, is the call that the place was inlined through.
type Location struct {
	File              string
	Line, Col, EndCol int32
	Parent            Loc
}

// Locs is a table of distinct locations. The zero Locs is empty and ready.
type Locs struct {
	list  []Location
	index map[Location]Loc
}

// Add gives the Loc of l.
func (t *Locs) Add(l Location) Loc {
	if l == (Location{}) {
		return 0
	}
	if loc, ok := t.index[l]; ok {
		return loc
	}
	if t.index == nil {
		t.index = make(map[Location]Loc)
	}
	t.list = append(t.list, l)
	loc := Loc(len(t.list))
	t.index[l] = loc
	return loc
}

// At gives a location; the zero Location for 0 and for what is not in the table.
func (t *Locs) At(l Loc) Location {
	if l <= 0 || int(l) > len(t.list) {
		return Location{}
	}
	return t.list[l-1]
}

// Outer gives the place of l that is the kernel's own: of what was inlined, the outermost call.
func (t *Locs) Outer(l Loc) Location {
	at := t.At(l)
	for at.Parent != 0 {
		at = t.At(at.Parent)
	}
	return at
}

// User gives the place of l that is the user's: of what was inlined from the language's library, the call.
func (t *Locs) User(l Loc) Location {
	at := t.At(l)
	for at.Parent != 0 && strings.HasPrefix(at.File, "tegula/") {
		at = t.At(at.Parent)
	}
	return at
}

// Place gives a location as diagnostics show it. lineText gives a line of a source file; it may be nil.
func (l Location) Place(lineText func(file string, line int) string) diag.Place {
	p := diag.Place{File: l.File, Line: int(l.Line), Col: int(l.Col), EndCol: int(l.EndCol)}
	if lineText != nil && l.Line > 0 {
		p.Text = lineText(l.File, int(l.Line))
	}
	return p
}

// Len gives the number of locations; valid Locs are 1 to Len.
func (t *Locs) Len() int { return len(t.list) }

// A Func is a function: the kernel, or one that it calls without inlining.
type Func struct {
	Name    string
	Params  []Param
	Results []Type
	Body    *Block // its Args are the parameters; it ends in OpReturn
	Loc     Loc

	numValues int32
}

// A Param holds what is known of a parameter besides its type (Body.Args[i].Type).
type Param struct {
	Name string
	// Divisibility is a power of two (0 and 1 say nothing): an integer argument is a multiple
	// of it; a pointer argument's address is a multiple of it, in bytes.
	Divisibility int64
	// Unsigned is set for parameters whose declared type is an unsigned integer (or points to
	// one). It is for people and for launchers; no operation depends on it.
	Unsigned bool
	// ReadOnly is set for pointers to what does not change while the kernel runs. The kernel does not write
	// through them, and a target may keep what it has read.
	ReadOnly bool
}

// NumValues gives an upper bound of the value IDs in f: all are below it.
func (f *Func) NumValues() int { return int(f.numValues) }

// NewValue makes a value with a fresh ID; Builder and passes use it.
func (f *Func) NewValue(t Type) *Value {
	v := &Value{Type: t, ID: f.numValues}
	f.numValues++
	return v
}

// A Value is the result of an operation or an argument of a block.
type Value struct {
	Type Type
	ID   int32
	// Index is the position among Op's results, or among Block's arguments.
	Index int32
	Op    *Op    // the operation that defines it; nil for a block argument
	Block *Block // the block it is an argument of; nil for a result
	Name  string // the source name, for people; may be empty
}

// A Block is a straight list of operations that ends in a terminator. It is the whole body
// of a function or of a region.
type Block struct {
	Args []*Value
	Ops  []*Op
}

// AddArg appends an argument.
func (b *Block) AddArg(f *Func, t Type, name string) *Value {
	v := f.NewValue(t)
	v.Block, v.Index, v.Name = b, int32(len(b.Args)), name
	b.Args = append(b.Args, v)
	return v
}

// Terminator gives the last operation, or nil.
func (b *Block) Terminator() *Op {
	if len(b.Ops) == 0 {
		return nil
	}
	return b.Ops[len(b.Ops)-1]
}

// An Op is an operation.
type Op struct {
	Code    Code
	Args    []*Value
	Results []*Value
	Attr    Attr     // nil where the operation has none
	Regions []*Block // for the operations that have regions
	Loc     Loc
}

// Result gives the only result.
func (o *Op) Result() *Value { return o.Results[0] }

// Walk calls f for each operation of b and of the regions in it, outer ones first.
func (b *Block) Walk(f func(*Op)) {
	for _, op := range b.Ops {
		f(op)
		for _, r := range op.Regions {
			r.Walk(f)
		}
	}
}

// Renumber gives the values of f new IDs, dense and in order of definition. Side tables
// made before do not fit afterwards.
func (f *Func) Renumber() {
	f.numValues = 0
	f.renumber(f.Body)
}

func (f *Func) renumber(b *Block) {
	for _, v := range b.Args {
		v.ID = f.numValues
		f.numValues++
	}
	for _, op := range b.Ops {
		for _, v := range op.Results {
			v.ID = f.numValues
			f.numValues++
		}
		for _, r := range op.Regions {
			f.renumber(r)
		}
	}
}
