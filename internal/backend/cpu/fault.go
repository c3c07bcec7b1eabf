package cpu

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// errStopped ends a program instance whose launch was cancelled.
var errStopped = errors.New("stopped")

// place gives a location as diagnostics show it.
func (p *Program) place(l tile.Loc) diag.Place {
	return p.module.Locs.At(l).Place(p.opts.LineText)
}

// maxInline bounds the inlined calls that a message lists.
const maxInline = 32

// errorAt makes an error at an operation, with the calls that it was inlined through.
func (p *Program) errorAt(c *diag.Category, code string, op *tile.Op, msg string) *diag.Error {
	e := &diag.Error{Category: c, Code: code, Msg: msg, Place: p.place(op.Loc)}
	parent := p.module.Locs.At(op.Loc).Parent
	for n := 0; parent != 0 && n < maxInline; n++ {
		e.Notes = append(e.Notes, diag.Note{Place: p.place(parent), Msg: "called from here"})
		parent = p.module.Locs.At(parent).Parent
	}
	more := int64(0)
	for ; parent != 0; parent = p.module.Locs.At(parent).Parent {
		more++
	}
	if more > 0 {
		e.Notes[maxInline-1].Msg += ", and this through " + plural(more, "more call")
	}
	return e
}

// check makes a finding about the running program instance.
func (m *machine) check(code string, op *tile.Op, format string, args ...any) error {
	return m.program.errorAt(diag.Check, code, op, fmt.Sprintf(format, args...)+" in "+m.where())
}

func (m *machine) where() string {
	return fmt.Sprintf("program (%d, %d, %d)", m.pid[0], m.pid[1], m.pid[2])
}

// element names an element of a tile by its coordinates; nothing for a scalar.
func element(t tile.Type, i int) string {
	if t.IsScalar() {
		return ""
	}
	return " at element " + coordinates(t, i) + " of the tile"
}

func coordinates(t tile.Type, i int) string {
	at := make([]string, t.Rank())
	for k := t.Rank() - 1; k >= 0; k-- {
		at[k] = fmt.Sprint(i & (t.Dim(k) - 1))
		i >>= t.LogDim(k)
	}
	return "(" + strings.Join(at, ", ") + ")"
}

// badAccess explains why an access to size bytes at addr is refused.
func (m *machine) badAccess(op *tile.Op, addr uint64, size, i int) error {
	what, t := accessName[op.Code], op.Args[0].Type
	a := m.launch.space.owner(addr)
	if addr>>tagShift == farTag {
		return m.check("out-of-bounds", op, "%s out of bounds: the pointer was moved more than 128 TiB away from its array,%s", what, element(t, i))
	}
	if a == nil {
		return m.check("out-of-bounds", op, "%s through a pointer that is not into any array argument, nor into an array that the launch names as reachable (address %#x)%s",
			what, addr, element(t, i))
	}
	off := int64(a.offset(addr))
	if !a.holds(uint64(off), uint64(size)) {
		return m.check("out-of-bounds", op, "%s out of bounds: %s of %s, which has %s,%s",
			what, a.index(off, size), a.Name, a.extent(size), element(t, i))
	}
	return m.check("misaligned", op, "misaligned %s: byte %d of %s, address %#x is no multiple of %d,%s",
		what, off-a.Front, a.Name, m.launch.space.untag(addr), size, element(t, i))
}

var accessName = map[tile.Code]string{
	tile.OpLoad:        "load",
	tile.OpStore:       "store",
	tile.OpAtomicRMW:   "atomic",
	tile.OpAtomicCAS:   "atomic",
	tile.OpAtomicLoad:  "atomic load",
	tile.OpAtomicStore: "atomic store",
	tile.OpAtomicPoll:  "atomic poll",
}

// index names what lies off bytes from an array's first byte by its number among elements of a size, as the kernel counts them.
func (a *array) index(off int64, size int) string {
	off -= a.Front
	i, rest := off/int64(size), off%int64(size)
	if rest == 0 {
		return fmt.Sprintf("element %d", i)
	}
	return fmt.Sprintf("byte %d", off)
}

// extent gives an array's size, in elements where the access's elements are the array's.
func (a *array) extent(size int) string {
	unit, what := int64(1), "byte"
	if a.ElemBytes == size {
		unit, what = int64(size), "element"
	}
	if a.Front > 0 {
		return fmt.Sprintf("%s, %d of them in front of its address", plural(a.Bytes/unit, what), a.Front/unit)
	}
	return plural(a.Bytes/unit, what)
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
