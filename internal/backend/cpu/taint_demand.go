package cpu

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A demand is an operand whose elements have to be values that something gave.
type demand struct {
	operand int
	what    string // the operand's part in the operation
	address bool
}

// demands lists what operations do with operands that anybody can see. Everything else only
// makes further values.
var demands = map[tile.Code][]demand{
	tile.OpLoad:        {{1, "the mask of this load", false}, {0, "the address of this load", true}},
	tile.OpStore:       {{2, "the mask of this store", false}, {0, "the address of this store", true}, {1, "the value stored", false}},
	tile.OpAtomicRMW:   {{2, "the mask of this atomic", false}, {0, "the address of this atomic", true}, {1, "the operand of this atomic", false}},
	tile.OpAtomicCAS:   {{0, "the address of this atomic", true}, {1, "the value compared", false}, {2, "the value stored", false}},
	tile.OpAtomicLoad:  {{1, "the mask of this load", false}, {0, "the address of this load", true}},
	tile.OpAtomicStore: {{2, "the mask of this store", false}, {0, "the address of this store", true}, {1, "the value stored", false}},
	tile.OpAtomicPoll:  {{0, "the address that is polled", true}, {1, "the value waited for", false}},
	tile.OpIf:          {{0, "the condition of a branch", false}},
	tile.OpFor:         {{0, "the begin of a loop", false}, {1, "the end of a loop", false}, {2, "the step of a loop", false}},
	tile.OpCondition:   {{0, "the condition of a while loop", false}},
	tile.OpAssert:      {{1, "the mask of an assertion", false}, {0, "the condition of an assertion", false}},
	tile.OpAssume:      {{0, "an assumption", false}},
}

// masks says which operand switches elements of an operation off.
var masks = map[tile.Code]int{
	tile.OpLoad: 1, tile.OpStore: 2, tile.OpAtomicRMW: 2, tile.OpAtomicLoad: 1, tile.OpAtomicStore: 2, tile.OpAssert: 1,
}

// demand plans the checks of an operation's operands.
func (p *planner) demand(op *tile.Op) {
	list := demands[op.Code]
	if op.Code == tile.OpPrint {
		for i := range op.Args {
			list = append(list, demand{i, "a value printed", false})
		}
	}
	for _, d := range list {
		if d.operand < len(op.Args) && p.shadeOf(op.Args[d.operand]).n > 0 {
			p.emitDemand(op, d)
		}
	}
}

func (p *planner) emitDemand(op *tile.Op, d demand) {
	v := op.Args[d.operand]
	s := p.shadeOf(v)
	var mask slot
	if i, ok := masks[op.Code]; ok && i != d.operand && i < len(op.Args) {
		mask = p.in(op.Args[i])
	}
	least := fromLoad
	if d.address {
		least = 1
	}
	n := v.Type.NumElems()
	p.emit(op, func(m *machine) error {
		if !m.shaded(s) {
			return nil
		}
		for i := range n {
			t := m.taintAt(s, i)
			if t >= least && (mask.n == 0 || valueAt(m, mask, 1, i) != 0) {
				return p.tainted(m, op, d, t, i)
			}
		}
		return nil
	})
}

// tainted makes the finding that element i of a demanded operand has a taint.
func (p *planner) tainted(m *machine, op *tile.Op, d demand, t taint, i int) error {
	v := op.Args[d.operand]
	if t < fromLoad {
		e := m.finding("offset-overflow", op, "the offset of this %s%s wrapped around %d bits,%s",
			accessName[op.Code], p.intoArray(m, op, i), m.program.wraps.at(int(t)).Result().Type.ElemBits(), element(v.Type, i))
		m.note(e, m.program.wraps.at(int(t)), "this result is too large for its type; widen an operand first, as x.to(tl.int64) does")
		return e
	}
	e := m.finding("uninitialised", op, "%s is uninitialised%s,%s", d.what, p.ofElement(m, op, i), element(v.Type, i))
	m.note(e, m.program.loads.at(int(t&^fromLoad)), "it comes from this load, whose mask is off there and which has no other=")
	return e
}

// finding is check for findings that get notes.
func (m *machine) finding(code string, op *tile.Op, format string, args ...any) *diag.Error {
	return m.program.errorAt(diag.Check, code, op, fmt.Sprintf(format, args...)+" in "+m.where())
}

func (m *machine) note(e *diag.Error, op *tile.Op, text string) {
	e.Notes = append([]diag.Note{{Place: m.program.place(op.Loc), Msg: text}}, e.Notes...)
}

// address gives where element i of an access goes to.
func (p *planner) address(m *machine, op *tile.Op, i int) (a *array, off int64, ok bool) {
	at := p.in(op.Args[0])
	addr := valueAt(m, at, 8, i)
	if a = m.launch.space.owner(addr); a == nil {
		return nil, 0, false
	}
	return a, int64(a.offset(addr)), true
}

// intoArray names the array that the address of element i of an access is made of.
func (p *planner) intoArray(m *machine, op *tile.Op, i int) string {
	if a, _, ok := p.address(m, op, i); ok {
		return " into " + a.Name
	}
	return ""
}

// ofElement names the element of an array that an operation on memory touches.
func (p *planner) ofElement(m *machine, op *tile.Op, i int) string {
	if accessName[op.Code] == "" {
		return ""
	}
	a, off, ok := p.address(m, op, i)
	if !ok {
		return ""
	}
	size := op.Args[0].Type.Pointee().ElemBytes()
	if !a.holds(uint64(off), uint64(size)) {
		return " (" + a.Name + ")"
	}
	return fmt.Sprintf(" (%s of %s)", a.index(off, size), a.Name)
}
