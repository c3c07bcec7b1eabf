package cpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// TestManyInlinedCalls: a message lists some of the calls that a line was inlined through, and says how many more
// there are.
func TestManyInlinedCalls(t *testing.T) {
	for _, c := range []struct {
		calls int
		last  string
	}{
		{3, "called from here"},
		{maxInline, "called from here"},
		{maxInline + 1, "called from here, and this through 1 more call"},
		{maxInline + 40, "called from here, and this through 40 more calls"},
	} {
		m := parse(t, "func @k(%x: ptr<i32>) -> () {\n  %v = load %x : i32\n  store %x, %v\n  return\n}\n")
		loc := tile.Loc(0)
		for i := range c.calls + 1 {
			loc = m.Locs.Add(tile.Location{File: "k.py", Line: int32(c.calls + 1 - i), Col: 1, EndCol: 2, Parent: loc})
		}
		for _, op := range m.Funcs[0].Body.Ops {
			op.Loc = loc
		}
		err := launchOn(compile(t, m), 1, arrayOf("x", []int32{}))
		e := wantCheck(t, err, "out-of-bounds")
		var notes []string
		for _, n := range e.Notes {
			notes = append(notes, n.Msg)
		}
		if want := min(c.calls, maxInline); len(notes) != want || notes[want-1] != c.last || strings.Contains(fmt.Sprint(notes[:want-1]), "more") {
			t.Errorf("after %d calls the notes are %q", c.calls, notes)
		}
	}
}
