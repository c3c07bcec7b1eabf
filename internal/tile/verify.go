package tile

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// MaxNesting is how deep regions may lie in each other.
const MaxNesting = 256

// A VerifyError says how a module breaks the rules of this package. Only a mistake in the
// compiler (or in IR text that someone wrote) leads to one.
type VerifyError struct {
	Func string   // the function's name
	Op   string   // the operation's text, without its regions; "" if it is not about one
	Loc  Location // the operation's place; zero if unknown
	Msg  string

	op *Op
}

// Error gives one line.
func (e *VerifyError) Error() string {
	s := "invalid tile IR: "
	if e.Loc.Line > 0 {
		s += fmt.Sprintf("%s:%d:%d: ", e.Loc.File, e.Loc.Line, e.Loc.Col)
	}
	if e.Func != "" {
		s += "@" + quoteName(e.Func) + ": "
	}
	s += e.Msg
	if e.Op != "" {
		s += ": " + e.Op
	}
	return s
}

// Verify checks that m is well formed and gives the first error found, a *VerifyError, or
// nil. It takes time linear in m's size and accepts modules broken in any way.
func Verify(m *Module) error {
	if m == nil || len(m.Funcs) == 0 {
		return &VerifyError{Msg: "the module has no function"}
	}
	if err := checkLocs(&m.Locs); err != nil {
		return &VerifyError{Msg: err.Error()}
	}
	funcs := make(map[string]*Func, len(m.Funcs))
	for i, f := range m.Funcs {
		if f == nil {
			return &VerifyError{Msg: fmt.Sprintf("function %d is nil", i)}
		}
		if f.Name == "" {
			return &VerifyError{Msg: fmt.Sprintf("function %d has no name", i)}
		}
		if funcs[f.Name] != nil {
			return &VerifyError{Func: f.Name, Msg: "two functions have this name"}
		}
		funcs[f.Name] = f
	}
	var calls []call
	for _, f := range m.Funcs {
		c := checker{module: m, fn: f, funcs: funcs, blocks: make(map[*Block]bool), bare: make(map[*Op]bool)}
		if err := c.function(); err != nil {
			return err
		}
		calls = append(calls, c.calls...)
	}
	return checkRecursion(m, calls)
}

// checkLocs checks that the parents of locations come before them, so that they end. Locs
// itself sees to it that locations are distinct.
func checkLocs(t *Locs) error {
	for i, l := range t.list {
		switch {
		case l.Parent < 0 || int(l.Parent) > i:
			return fmt.Errorf("location %d: its parent %d does not come before it", i+1, l.Parent)
		case l.Line < 0 || l.Col < 0 || l.EndCol < 0:
			return fmt.Errorf("location %d is negative", i+1)
		}
	}
	return nil
}

// A checker verifies one function.
type checker struct {
	module *Module
	fn     *Func
	funcs  map[string]*Func
	defs   []definition    // by value ID
	blocks map[*Block]bool // those seen: a block has one place
	bare   map[*Op]bool    // those seen without results: so has an operation
	depth  int
	calls  []call

	onElements bool // in the region of a reduction, scan or map
}

// A definition is what is known of a value ID.
type definition struct {
	value *Value // nil: not defined yet
	live  bool   // whether its block encloses the present place
}

// fail makes the error about op, which may be nil.
func (c *checker) fail(op *Op, err error) *VerifyError {
	e := &VerifyError{Func: c.fn.Name, Msg: err.Error(), op: op}
	if op == nil {
		e.Loc = c.module.Locs.At(c.fn.Loc)
		return e
	}
	e.Loc = c.module.Locs.At(op.Loc)
	e.Op = opText(c.fn, op)
	return e
}

func (c *checker) function() error {
	if err := c.signature(); err != nil {
		return c.fail(nil, err)
	}
	c.defs = make([]definition, c.fn.NumValues())
	if err := c.block(c.fn.Body, OpReturn, nil); err != nil {
		return err
	}
	ret := c.fn.Body.Terminator()
	if err := sameTypes("the function returns", ret.Args, c.fn.Results); err != nil {
		return c.fail(ret, err)
	}
	return nil
}

// signature checks all of a function but its body.
func (c *checker) signature() error {
	f := c.fn
	if f.Body == nil {
		return errors.New("the function has no body")
	}
	if f.numValues < 0 {
		return errors.New("the number of values is negative")
	}
	if err := c.loc(f.Loc); err != nil {
		return err
	}
	for i, t := range f.Results {
		if err := wellFormed(t); err != nil {
			return fmt.Errorf("result %d of the function: %w", i, err)
		}
	}
	if len(f.Params) != len(f.Body.Args) {
		return fmt.Errorf("the function has %d parameters, its body %d arguments", len(f.Params), len(f.Body.Args))
	}
	for i, p := range f.Params {
		if d := p.Divisibility; d < 0 || d&(d-1) != 0 {
			return fmt.Errorf("parameter %d: divisibility %d is no power of two", i, d)
		}
		if v := f.Body.Args[i]; p.ReadOnly && v != nil && !v.Type.IsPtr() {
			return fmt.Errorf("parameter %d is %s; only what a pointer points to is read-only", i, v.Type)
		}
	}
	return nil
}

func (c *checker) loc(l Loc) error {
	if l < 0 || int(l) > c.module.Locs.Len() {
		return fmt.Errorf("location %d is not in the table", l)
	}
	return nil
}

// block checks a block that must end in the given terminator; owner is the operation that
// it is a region of. The values that the block defines are dead afterwards.
func (c *checker) block(b *Block, end Code, owner *Op) error {
	switch {
	case c.blocks[b]:
		return c.fail(owner, errors.New("a block is in two places"))
	case c.depth > MaxNesting:
		return c.fail(owner, fmt.Errorf("regions lie more than %d deep", MaxNesting))
	}
	c.blocks[b] = true
	for i, v := range b.Args {
		if err := c.argument(v, b, i); err != nil {
			return c.fail(owner, fmt.Errorf("argument %d of the block: %w", i, err))
		}
	}
	for i, op := range b.Ops {
		if op == nil {
			return c.fail(owner, fmt.Errorf("operation %d of the block is nil", i))
		}
		if err := c.op(op); err != nil {
			return err
		}
		last := i == len(b.Ops)-1
		if op.Code.IsTerminator() && (!last || op.Code != end) {
			return c.fail(op, fmt.Errorf("%s here; the block ends in one %s", op.Code, end))
		}
	}
	if t := b.Terminator(); t == nil || t.Code != end {
		return c.fail(owner, fmt.Errorf("the block does not end in %s", end))
	}
	c.leave(b)
	return nil
}

// argument checks argument i of b and enters it.
func (c *checker) argument(v *Value, b *Block, i int) error {
	if err := c.define(v, nil, b, i); err != nil {
		return err
	}
	return wellFormed(v.Type)
}

// leave ends the scope of what b defines.
func (c *checker) leave(b *Block) {
	for _, v := range b.Args {
		c.defs[v.ID].live = false
	}
	for _, op := range b.Ops {
		for _, v := range op.Results {
			c.defs[v.ID].live = false
		}
	}
}

// define checks a new value, result i of op or argument i of b, and enters it.
func (c *checker) define(v *Value, op *Op, b *Block, i int) error {
	if v == nil {
		return errors.New("the value is nil")
	}
	if v.Op != op || v.Block != b || int(v.Index) != i {
		return errors.New("the value does not point back to its place")
	}
	if v.ID < 0 || int(v.ID) >= len(c.defs) {
		return fmt.Errorf("value ID %d is not below the function's %d", v.ID, len(c.defs))
	}
	d := &c.defs[v.ID]
	if d.value != nil {
		return fmt.Errorf("value ID %d is taken", v.ID)
	}
	*d = definition{v, true}
	return nil
}

// use checks that an operand is defined here.
func (c *checker) use(v *Value) error {
	if v == nil {
		return errors.New("the value is nil")
	}
	if v.ID < 0 || int(v.ID) >= len(c.defs) || c.defs[v.ID].value != v {
		return errors.New("the value is used before its definition, or is not of this function")
	}
	if !c.defs[v.ID].live {
		return errors.New("the value is defined in a region that does not enclose this use")
	}
	return nil
}

// attrTypes holds each operation's attribute type.
var attrTypes = func() (types [numOps]reflect.Type) {
	for c, row := range opTable {
		types[c] = reflect.TypeOf(row.attr)
	}
	return types
}()

// op checks an operation and its regions.
func (c *checker) op(op *Op) error {
	if op.Code == BadOp || op.Code >= numOps {
		return c.fail(op, fmt.Errorf("there is no operation %d", op.Code))
	}
	if err := c.form(op); err != nil {
		return c.fail(op, err)
	}
	if len(op.Results) == 0 {
		if c.bare[op] {
			return c.fail(op, errors.New("the operation is in two places"))
		}
		c.bare[op] = true
	}
	if err := rules[op.Code](op); err != nil {
		return c.fail(op, err)
	}
	if p := c.fn.ReadOnly(op); p != nil {
		return c.fail(op, fmt.Errorf("%s writes through the parameter %s, which is read-only", op.Code, quoteName(p.Name)))
	}
	if op.Code == OpCall {
		if err := c.call(op); err != nil {
			return c.fail(op, err)
		}
	}
	if c.onElements {
		if err := elementwise(op); err != nil {
			return c.fail(op, err)
		}
	}
	if err := c.regions(op); err != nil {
		return err
	}
	for i, v := range op.Results {
		if err := c.define(v, op, nil, i); err != nil {
			return c.fail(op, fmt.Errorf("result %d: %w", i, err))
		}
	}
	return nil
}

// form checks what the operation table says: counts, the attribute's type; and that
// operands are defined and nothing is nil. The rules rely on it.
func (c *checker) form(op *Op) error {
	row := &opTable[op.Code]
	if err := c.loc(op.Loc); err != nil {
		return err
	}
	if n := len(op.Args); n < row.minArgs || row.maxArgs != many && n > row.maxArgs {
		return fmt.Errorf("%s has %s operands, not %d", op.Code, row.argCount(), n)
	}
	for i, v := range op.Args {
		if err := c.use(v); err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
	}
	if n := len(op.Results); row.results != many && n != row.results {
		return fmt.Errorf("%s has %d results, not %d", op.Code, row.results, n)
	}
	for i, v := range op.Results {
		if v == nil {
			return fmt.Errorf("result %d is nil", i)
		}
		if err := wellFormed(v.Type); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	if err := descriptorsFit(op); err != nil {
		return err
	}
	if t := reflect.TypeOf(op.Attr); t != attrTypes[op.Code] {
		return fmt.Errorf("%s has the attribute %v, not %v", op.Code, attrTypes[op.Code], t)
	}
	if n := len(op.Regions); n != row.regions {
		return fmt.Errorf("%s has %d regions, not %d", op.Code, row.regions, n)
	}
	for i, r := range op.Regions {
		if r == nil {
			return fmt.Errorf("region %d is nil", i)
		}
		for j, v := range r.Args {
			if v == nil {
				return fmt.Errorf("argument %d of region %d is nil", j, i)
			}
		}
	}
	return nil
}

// argCount says how many operands an operation has.
func (row *info) argCount() string {
	switch {
	case row.maxArgs == many:
		return fmt.Sprintf("at least %d", row.minArgs)
	case row.minArgs == row.maxArgs:
		return strconv.Itoa(row.minArgs)
	}
	return fmt.Sprintf("%d to %d", row.minArgs, row.maxArgs)
}

// wellFormed checks that t is a type: each part in range, no size beyond the limits.
func wellFormed(t Type) error {
	switch {
	case t.elem == NoElem || t.elem >= numElems:
		return errors.New("no type")
	case t.ptr > MaxPtrDepth:
		return fmt.Errorf("a pointer of depth %d; the most is %d", t.ptr, MaxPtrDepth)
	case t.rank > MaxRank:
		return fmt.Errorf("rank %d; the most is %d", t.rank, MaxRank)
	case t.IsDesc():
		if err := wellFormedDesc(t); err != nil {
			return err
		}
	}
	sum := 0
	for i, l := range t.log {
		if i >= int(t.rank) && l != 0 {
			return errors.New("a type with a size beyond its rank")
		}
		sum += int(l)
	}
	if sum > MaxLogElems {
		return fmt.Errorf("a tile of 2^%d elements; the most is 2^%d", sum, MaxLogElems)
	}
	return nil
}

// sameTypes checks that values have the wanted types; what says what they are.
func sameTypes(what string, vals []*Value, want []Type) error {
	if len(vals) != len(want) {
		return fmt.Errorf("%s %d values, not %d", what, len(want), len(vals))
	}
	for i, v := range vals {
		if v.Type != want[i] {
			return fmt.Errorf("%s %s at %d, not %s", what, want[i], i, v.Type)
		}
	}
	return nil
}
