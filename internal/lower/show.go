package lower

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Layouts gives a kernel's tile IR with what becomes of each tile beside it: how it is held in registers, that it is kept in local memory, that it
// is computed when it is asked for.
func Layouts(m *tile.Module, o Options) (text string, err error) {
	l := newLowerer(legal(m), o)
	defer l.caught(&err)
	l.notes = map[*tile.Value]string{}
	l.kernel()
	p := tile.Printer{Note: func(v *tile.Value) string {
		if note, ok := l.notes[v]; ok {
			return note
		}
		if v.Type.IsTile() {
			return "computed for each who asks"
		}
		return ""
	}}
	return p.String(l.m), nil
}

// note says, if that is asked for, what became of a tile.
func (l *lowerer) note(v *tile.Value, h held) {
	if l.notes == nil || !v.Type.IsTile() {
		return
	}
	switch {
	case h.regs != nil:
		l.notes[v] = "held: " + l.describe(v.Type, h.in)
	case h.local != 0:
		l.notes[v] = "in local memory: " + l.describe(v.Type, h.in)
	case h.shared != 0:
		l.notes[v] = "in shared memory"
	case h.init != nil:
		l.notes[v] = "what it began as, and a scalar"
	}
}

func (l *lowerer) describe(t tile.Type, w *view) string {
	lay, err := layout.New(t.LogElems(), [layout.NumIns][]uint64{wide(w.regs), wide(w.lane), wide(w.warp), nil})
	if err != nil { // a view of a part
		return "a part of each"
	}
	text := lay.Describe(t.Shape())
	if w.base != 0 {
		text = strings.TrimSpace(text + " from the end")
	}
	return text
}
