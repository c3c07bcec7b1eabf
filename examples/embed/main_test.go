package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := `0.5 * x + 1 = [1 1.5 2 2.5] … 500000.5
the largest of each row: [5 -0.5 8] at [1 2 0]
refused: out-of-bounds at line 11
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
