package diag

import (
	"errors"
	"testing"
)

func TestDetail(t *testing.T) {
	place := Place{File: "k.py", Line: 3, Col: 5, EndCol: 7, Text: "x = yz"}
	called := &Error{Category: Compile, Msg: "no", Place: place, Notes: []Note{{Msg: "a remark"}, {Place: place, Msg: "called here"}}}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"no error":      {nil, ""},
		"another error": {errors.New("broken"), "broken\n"},
		"no place":      {New(Grid, "empty", "it is %s", "empty"), "GridError: it is empty\n"},
		"a place":       {At(Compile, place, "no"), "k.py:3:5: CompileError: no\n    x = yz\n        ^~\n"},
		"notes": {called, "k.py:3:5: CompileError: no\n    x = yz\n        ^~\nnote: a remark\n" +
			"k.py:3:5: note: called here\n    x = yz\n        ^~\n"},
		"several errors": {List{New(Grid, "empty", "one"), New(Grid, "empty", "two")}, "GridError: one\nGridError: two\n"},
	} {
		if got := Detail(test.err); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
