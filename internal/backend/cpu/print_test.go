package cpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
)

func printed(t *testing.T, src string, grid [3]int32, args ...Arg) string {
	t.Helper()
	var out bytes.Buffer
	p := compile(t, parse(t, src))
	if err := p.Run(context.Background(), Launch{Grid: grid, Args: args, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPrint(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"no values", `print {prefix = "here"}`, "pid (0, 0, 0) here\n"},
		{"scalar", `%x = const -5 : i32
print %x {prefix = "x", signed = 0x1}`, "pid (0, 0, 0) idx () x: -5\n"},
		{"unsigned", `%x = const -5 : i8
print %x {prefix = "x: "}`, "pid (0, 0, 0) idx () x: 251\n"},
		{"bool", `%x = const true : i1
print %x {prefix = "b ", signed = 0x1}`, "pid (0, 0, 0) idx () b: 1\n"},
		{"float", `%x = const 1.5 : f16
print %x {prefix = "f"}`, "pid (0, 0, 0) idx () f: 1.500000\n"},
		{"hexadecimal", `%x = const 10 : i16
%y = const 0.1875 : f32
print %x, %y {prefix = "h", hex}`, "pid (0, 0, 0) idx () h: (operand 0) 0x000a\npid (0, 0, 0) idx () h: (operand 1) 0x1.8p-3\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := printed(t, "func @k() -> () {\n"+tt.body+"\nreturn\n}", [3]int32{1, 1, 1}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPrintCoordinates(t *testing.T) {
	got := strings.Split(printed(t, `
func @k() -> () {
  %r = range {start = 0, end = 32} : 32xi32
  %m = reshape %r : 16x2xi32
  print %m {prefix = "m", signed = 0x1}
  return
}`, [3]int32{1, 1, 1}), "\n")
	if got[1] != "pid (0, 0, 0) idx ( 0, 1) m: 1" || got[31] != "pid (0, 0, 0) idx (15, 1) m: 31" {
		t.Errorf("lines are %q and %q", got[1], got[31])
	}
}

// Each program instance prints its lines once and whole.
func TestPrintFromAll(t *testing.T) {
	out := printed(t, `
func @k() -> () {
  %r = range {start = 0, end = 2} : 2xi32
  print %r {prefix = "r"}
  return
}`, [3]int32{3, 2, 2})
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	slices.Sort(lines)
	if len(slices.Compact(lines)) != 24 || lines[23] != "pid (2, 1, 1) idx (1) r: 1" {
		t.Errorf("lines are %q", lines)
	}
}

const printsLarge = `
func @k() -> () {
  %r = range {start = 0, end = 16384} : 16384xi32
  %m = reshape %r : 128x128xi32
  print %m {prefix = "r"}
  return
}`

type writes [][]byte

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, bytes.Clone(b))
	return len(b), nil
}

// TestPrintLarge prints tiles in pieces that nobody else's lines go between.
func TestPrintLarge(t *testing.T) {
	const programs, elements = 4, 1 << 14
	var w writes
	p := compile(t, parse(t, printsLarge))
	if err := p.Run(context.Background(), Launch{Grid: [3]int32{programs, 1, 1}, Stdout: &w, Threads: programs}); err != nil {
		t.Fatal(err)
	}
	for _, b := range w {
		if len(b) > flushAt+100 {
			t.Errorf("%d bytes in one piece", len(b))
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(bytes.Join(w, nil)), "\n"), "\n")
	if len(lines) != programs*elements {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		first := lines[i/elements*elements]
		e := i % elements
		if want := first[:len("pid (0")] + fmt.Sprintf(", 0, 0) idx (%3d, %3d) r: %d", e/128, e%128, e); line != want {
			t.Fatalf("line %d is %q, want %q", i, line, want)
		}
	}
}

// A canceller cancels what it is written by, and waits longer each time for that to be seen.
type canceller struct {
	cancel context.CancelCauseFunc
	writes int
}

func (c *canceller) Write(b []byte) (int, error) {
	c.writes++
	c.cancel(errBroken)
	time.Sleep(time.Millisecond << (2 * c.writes))
	return len(b), nil
}

// TestCancelPrint stops the printing of a large tile.
func TestCancelPrint(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &canceller{cancel: cancel}
	err := compile(t, parse(t, printsLarge)).Run(ctx, Launch{Grid: [3]int32{1, 1, 1}, Stdout: c})
	if !errors.Is(err, errBroken) || c.writes > 7 { // there would be ten
		t.Errorf("the error is %v after %d writes", err, c.writes)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("no space left")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestPrintFails(t *testing.T) {
	p := compile(t, parse(t, "func @k() -> () {\n  print {prefix = \"x\"}\n  return\n}"))
	err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Stdout: brokenWriter{}})
	if !errors.Is(err, errBroken) {
		t.Errorf("error is %v, want the writer's", err)
	}
}

func TestAssert(t *testing.T) {
	p := compile(t, parse(t, `
func @k(%x: ptr<i32>) -> () {
  %r = range {start = 0, end = 8} : 8xi32
  %s = reshape %r : 2x4xi32
  %xp = splat %x : 2x4xptr<i32>
  %xq = addptr %xp, %s : 2x4xptr<i32>
  %v = load %xq : 2x4xi32
  %zero = const 0 : 2x4xi32
  %ok = cmpi %v, %zero {ges} : 2x4xi1
  %five = const 5 : 2x4xi32
  %mask = cmpi %s, %five {ne} : 2x4xi1
  assert %ok, %mask {msg = "x is not negative"}
  return
}`))
	x := []int32{0, 1, 2, 3, 4, -5, 6, 7}
	if err := launchOn(p, 1, arrayOf("x", x)); err != nil {
		t.Fatal(err)
	}
	x[6] = -1
	d := wantCheck(t, launchOn(p, 1, arrayOf("x", x)), "device-assert")
	if want := "assertion failed: x is not negative, at element (1, 2) of the tile in program (0, 0, 0)"; d.Msg != want {
		t.Errorf("message is %q, want %q", d.Msg, want)
	}
}

func TestAssume(t *testing.T) {
	p := compile(t, parse(t, `
func @k(%n: i32) -> () {
  %zero = const 0 : i32
  %ok = cmpi %n, %zero {gts} : i1
  assume %ok
  return
}`))
	if err := launchOn(p, 1, Arg{Bits: 1}); err != nil {
		t.Fatal(err)
	}
	err := launchOn(p, 1, Arg{})
	wantCheck(t, err, "assumption")
	if !errors.Is(err, diag.Check) {
		t.Error(err)
	}
}
