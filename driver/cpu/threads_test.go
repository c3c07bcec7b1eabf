package cpu

import (
	"errors"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

func TestThreads(t *testing.T) {
	for v, want := range map[string]int{"": 0, "1": 1, "16": 16, "1024": 1024} {
		if n, err := parseThreads(v); n != want || err != nil {
			t.Errorf("%q: %d, %v", v, n, err)
		}
	}
	for _, v := range []string{"0", "-1", "two", "1025", "1.5", "99999999999999999999"} {
		if _, err := parseThreads(v); !errors.Is(err, diag.Argument) {
			t.Errorf("%q: %v", v, err)
		}
	}
}
