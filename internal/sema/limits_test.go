package sema

import (
	"errors"
	"fmt"
	"strings"
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
		if took := time.Since(start); took > 2*time.Minute { // each takes less than a second of a processor
			t.Errorf("%s is refused after %v", kernel, took)
		}
	}
}

// TestManyLoopVariables: a variable that a loop carries costs the same however many others there are.
func TestManyLoopVariables(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	const few, factor = 1000, 30
	ratio := 0.0
	for range 6 { // other work on the machine, and caches, slow one side down: three times
		if ratio = loopTime(t, factor*few).Seconds() / loopTime(t, few).Seconds(); ratio <= 10*factor {
			t.Logf("%d times the variables take %.0f times the time", factor, ratio)
			return
		}
	}
	t.Errorf("%d times the variables take %.0f times the time", factor, ratio)
}

// loopTime gives the shortest of some times that it takes to compile a loop that carries n variables.
func loopTime(t *testing.T, n int) time.Duration {
	var before, body strings.Builder
	for i := range n {
		fmt.Fprintf(&before, "    v%d = n\n", i)
		fmt.Fprintf(&body, "        v%d = v%d + 1\n", i, i)
	}
	f := loadSource(t, "k.py", []byte("import triton\n@triton.jit\ndef k(n):\n"+before.String()+"    for i in range(n):\n"+body.String()))
	best := time.Hour
	for range 3 {
		start := time.Now()
		if _, err := Compile(f.spec(t, "k", "n=i32")); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	return best
}
