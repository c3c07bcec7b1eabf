package main

import (
	"strings"
	"testing"
)

// TestExamples runs every kernel and checks its results against NumPy's, as go run ./examples does.
func TestExamples(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if !strings.Contains(out.String(), e.name) {
			t.Errorf("no line about %s", e.name)
		}
	}
}

// TestToleranceRejects shows that the comparison can fail: a wrong seed, a wrong slope.
func TestToleranceRejects(t *testing.T) {
	for _, e := range examples {
		switch e.name {
		case "dropout":
			e.scalars = map[string]any{"n": 10000, "p": 0.25, "seed": 124}
		case "matmul":
			e.constants = map[string]any{"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 2}
		default:
			continue
		}
		if err := e.run(&strings.Builder{}); err == nil {
			t.Errorf("%s: accepted wrong results", e.name)
		}
	}
}
