package cpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

// sums runs a kernel that stores one i32 and gives it.
func sums(t *testing.T, src string, args ...Arg) int32 {
	t.Helper()
	out := make([]int32, 1)
	run(t, parse(t, src), append([]Arg{arrayOf("out", out)}, args...)...)
	return out[0]
}

func TestLoopBounds(t *testing.T) {
	const loop = `
func @k(%out: ptr<i32>, %lower: TYPE, %upper: TYPE, %step: TYPE) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  %n = for %lower, %upper, %step, %zero {FLAGS} : i32 (%i: TYPE, %acc: i32) {
    %next = add %acc, %one : i32
    yield %next
  }
  store %out, %n
  return
}`
	tests := []struct {
		name, typ, flags   string
		lower, upper, step int64
		want               int32
	}{
		{"counts", "i32", "", 0, 10, 1, 10},
		{"by steps", "i32", "", 1, 10, 4, 3},
		{"no turn", "i32", "", 5, 5, 1, 0},
		{"no turn downwards", "i32", "", 5, -5, 1, 0},
		{"negative", "i32", "", -3, 3, 2, 3},
		{"signed top", "i8", "", 100, 127, 20, 2},
		{"unsigned top", "i8", "unsigned", 100, 250, 60, 3},
		{"unsigned above the sign bit", "i64", "unsigned", 5, -1 << 62, 1 << 62, 3},
		{"a negative lower is large", "i16", "unsigned", -1, 5, 1, 0},
		{"to the last number", "i64", "", 1<<63 - 4, 1<<63 - 1, 2, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := strings.NewReplacer("TYPE", tt.typ, "{FLAGS} ", map[bool]string{true: "{" + tt.flags + "} "}[tt.flags != ""]).Replace(loop)
			if got := sums(t, src, Arg{Bits: uint64(tt.lower)}, Arg{Bits: uint64(tt.upper)}, Arg{Bits: uint64(tt.step)}); got != tt.want {
				t.Errorf("%d turns, want %d", got, tt.want)
			}
		})
	}
}

func TestLoopStep(t *testing.T) {
	p := compile(t, parse(t, `
func @k(%step: i32) -> () {
  %zero = const 0 : i32
  %ten = const 10 : i32
  for %zero, %ten, %step (%i: i32) {
    yield
  }
  return
}`))
	for _, step := range []uint64{0, 1<<32 - 1} {
		wantCheck(t, launchOn(p, 1, Arg{Bits: step}), "loop-step")
	}
}

// Carried values that change places need a copy on the way.
func TestLoopSwaps(t *testing.T) {
	got := sums(t, `
func @k(%out: ptr<i32>) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  %two = const 2 : i32
  %three = const 3 : i32
  %a, %b, %c = for %zero, %two, %one, %one, %two, %three : i32, i32, i32 (%i: i32, %x: i32, %y: i32, %z: i32) {
    yield %y, %z, %x
  }
  %ten = const 10 : i32
  %h = mul %a, %ten : i32
  %hb = add %h, %b : i32
  %g = mul %hb, %ten : i32
  %r = add %g, %c : i32
  store %out, %r
  return
}`)
	if got != 312 {
		t.Errorf("two turns of (1 2 3) give %d, want 312", got)
	}
}

func TestWhilePassesOtherValues(t *testing.T) {
	// Collatz steps of 27; the condition passes on the count alone.
	got := sums(t, `
func @k(%out: ptr<i32>) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  %three = const 3 : i32
  %start = const 27 : i32
  %n, %last = while %start, %zero : i32, i32 (%x: i32, %k: i32) {
    %more = cmpi %x, %one {ne} : i1
    condition %more, %k, %x
  } do (%k1: i32, %x1: i32) {
    %low = and %x1, %one : i32
    %odd = cmpi %low, %zero {ne} : i1
    %next = if %odd : i32 {
      %t = mul %x1, %three : i32
      %u = add %t, %one : i32
      yield %u
    } else {
      %h = shrs %x1, %one : i32
      yield %h
    }
    %k2 = add %k1, %one : i32
    yield %next, %k2
  }
  store %out, %n
  return
}`)
	if got != 111 {
		t.Errorf("%d steps, want 111", got)
	}
}

func TestCalls(t *testing.T) {
	got := sums(t, `
func @k(%out: ptr<i32>) -> () {
  %five = const 5 : i32
  %a, %s = call %five {callee = "both"} : 4xi32, i32
  %b, %u = call %s {callee = "both"} : 4xi32, i32
  %sum = add %a, %b : 4xi32
  %r = reduce %sum {axis = 0} : i32 (%x: i32, %y: i32) {
    %z = add %x, %y : i32
    yield %z
  }
  %q = add %r, %u : i32
  store %out, %q
  return
}
func @both(%x: i32) -> (4xi32, i32) {
  %t = splat %x : 4xi32
  %y = call %x {callee = "inc"} : i32
  %z = call %y {callee = "inc"} : i32
  return %t, %z
}
func @inc(%x: i32) -> (i32) {
  %one = const 1 : i32
  %y = add %x, %one : i32
  return %y
}`)
	if want := int32(4*5 + 4*7 + 9); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestUnsupported(t *testing.T) {
	for name, src := range map[string]string{
		"inline_asm": `
func @k(%x: i32) -> () {
  %y = inline_asm %x {asm = "nop", constraints = "=r,r", pure, pack = 1} : i32
  return
}`,
	} {
		_, err := Compile(parse(t, src), Options{})
		if !errors.Is(err, diag.Unsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("error is %v, want Unsupported that names %s", err, name)
		}
	}
}

func TestTooMuchMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("func @k(%x: ptr<i64>) -> () {\n  %r = range {start = 0, end = 1048576} : 1048576xi32\n  %p = splat %x : 1048576xptr<i64>\n  %q = addptr %p, %r : 1048576xptr<i64>\n")
	const tiles = 140 // of 8 MiB each
	for i := range tiles {
		b.WriteString(strings.ReplaceAll("  %vN = load %q {volatile} : 1048576xi64\n", "N", string(rune('A'+i/26))+string(rune('a'+i%26))))
	}
	for i := range tiles {
		b.WriteString(strings.ReplaceAll("  store %q, %vN\n", "N", string(rune('A'+i/26))+string(rune('a'+i%26))))
	}
	b.WriteString("  return\n}\n")
	_, err := Compile(parse(t, b.String()), Options{})
	if !errors.Is(err, diag.OutOfResources) {
		t.Errorf("error is %v, want OutOfResources", err)
	}
}
