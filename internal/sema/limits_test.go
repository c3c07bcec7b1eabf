package sema

import (
	"errors"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
)

// TestLimits holds the limits as they are to what they are for: what goes on without end, or doubles with
// every line, is refused in less time than anybody notices.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second")
	}
	f := loadSource(t, "limits.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def endless(n):
    for i in tl.static_range(1000000000):
        pass

@triton.jit
def doubling(n):
    x = (n, "b")
    for i in tl.static_range(40):
        if n > i:
            x = (x, x)
        else:
            x = (x, x)

@triton.jit
def copying(n):
    x = (("a", "b") * 10000, n)
    for i in tl.static_range(1000000):
        y = x
        for j in range(n):
            y = (x[0], y[1] + 1)
`))
	for _, kernel := range []string{"endless", "doubling", "copying"} {
		start := time.Now()
		_, err := Compile(f.spec(t, kernel, "n=i32"))
		var e *diag.Error
		if !errors.As(err, &e) || e.Code != "too-large" {
			t.Errorf("%s: %v, want too-large", kernel, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s is refused after %v", kernel, took)
		}
	}
}
