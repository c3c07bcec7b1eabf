package lower

import (
	"fmt"
	"os"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
)

// flushes counts the exp2 that give 0 for subnormal results, and the others.
func flushes(f *lir.Func) (flushed, kept int) {
	f.Body.Walk(func(op *lir.Op) {
		switch {
		case op.Code != lir.OpExp2:
		case op.Mod == 1:
			flushed++
		default:
			kept++
		}
	})
	return flushed, kept
}

// TestFlush: exp2 gives 0 for subnormal results where these are terms of sums, and nowhere where that could be seen.
func TestFlush(t *testing.T) {
	const kernel = `
func @k(%%x: ptr<f32>, %%out: ptr<f32>) -> () {
  %%r = range {start = 0, end = 32} : 32xi32
  %%p = splat %%x : 32xptr<f32>
  %%q = addptr %%p, %%r : 32xptr<f32>
  %%y = load %%q : 32xf32
  %%zero = const 0 : 32xf32
  %%one = const 1 : 32xf32
  %%cond = cmpf %%y, %%one {olt} : 32xi1
  %%e = exp2 %%y : 32xf32
%s
  %%sum = reduce %%t {axis = 0} : f32 (%%a: f32, %%b: f32) {
    %%c = fadd %%a, %%b : f32
    yield %%c
  }
  store %%out, %%sum
  return
}
`
	for _, c := range []struct {
		name, text string
		flushed    bool
	}{
		{"added", "  %t = fadd %e, %one : 32xf32", true},
		{"subtracted", "  %t = fsub %y, %e : 32xf32", true},
		{"negated", "  %t = fneg %e : 32xf32", true},
		{"multiplied", "  %t = fmul %e, %y : 32xf32", true},
		{"addend", "  %t = fma %y, %y, %e : 32xf32", true},
		{"factor", "  %t = fma %e, %y, %one : 32xf32", true},
		{"dividend", "  %t = fdiv %e, %y : 32xf32", true},
		{"divisor", "  %t = fdiv %y, %e : 32xf32", false},
		{"dividend and divisor", "  %t = fdiv %e, %e : 32xf32", false},
		{"chosen", "  %t = select %cond, %e, %zero : 32xf32", true},
		{"compared", "  %d = cmpf %e, %zero {ogt} : 32xi1\n  %t = select %d, %one, %zero : 32xf32", false},
		{"compared and chosen", "  %d = cmpf %e, %zero {ogt} : 32xi1\n  %t = select %d, %e, %zero : 32xf32", false},
		{"logarithm", "  %t = log2 %e : 32xf32", false},
		{"root", "  %t = sqrt %e : 32xf32", false},
		{"greater", "  %t = fmax %e, %zero : 32xf32", false},
		{"less", "  %t = fmin %e, %one : 32xf32", false},
		{"bits", "  %i = bitcast %e : 32xi32\n  %t = stof %i : 32xf32", false},
		{"wider", "  %w = fext %e : 32xf64\n  %t = ftrunc %w : 32xf32", false},
		{"through a sum", "  %s = fadd %e, %y : 32xf32\n  %t = log2 %s : 32xf32", false},
	} {
		f := lowered(t, fmt.Sprintf(kernel, c.text), Options{Warps: 1, WarpSize: 32, Can: matrixTarget})
		if flushed, kept := flushes(f); flushed+kept != 1 || (flushed == 1) != c.flushed {
			t.Errorf("%s: %d flushed, %d kept", c.name, flushed, kept)
		}
	}
}

// TestFlushOfAttention: weights are flushed, and by what sums shrink is not.
func TestFlushOfAttention(t *testing.T) {
	text, err := os.ReadFile("testdata/attention64.tile")
	if err != nil {
		t.Fatal(err)
	}
	f := lowered(t, string(text), Options{Warps: 4, WarpSize: 32, Stages: 3, Can: groupTarget})
	if flushed, kept := flushes(f); flushed < 2*64*32/128 || kept == 0 {
		t.Errorf("%d flushed, %d kept", flushed, kept)
	}
}
