package native

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

func vectorAddProgram(t *testing.T) *Program {
	t.Helper()
	needNative(t)
	p, err := Compile(parse(t, vectorAdd), options())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Arrays may be the same, as every element is read before it is written, but not overlap otherwise.
func TestOverlap(t *testing.T) {
	p := vectorAddProgram(t)
	data := floats(4096, 1).data
	at := func(off int) Arg { return Arg{Base: pointerTo(data[off:]), Bytes: 4 * 1024} }
	l := Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{at(0), at(4096), at(0), {Bits: 1000}}}
	if err := p.Run(context.Background(), l); err != nil {
		t.Errorf("in place: %v", err)
	}
	l.Args[2] = at(4)
	want := make([]byte, 4000)
	for i := range 1000 { // all is loaded before anything is stored
		x, y := f32At(data, 4*i), f32At(data, 4096+4*i)
		binary.LittleEndian.PutUint32(want[4*i:], math.Float32bits(x+y))
	}
	if err := p.Run(context.Background(), l); err != nil {
		t.Fatalf("one element further: %v", err)
	}
	if got := data[4:4004]; !bytes.Equal(got, want) {
		t.Errorf("one element further: % x, want % x", got[:16], want[:16])
	}
}

// TestOverlapRefused: a refusal of the code for overlapping arrays is ErrOverlap, with its cause; whatever else fails there is passed on.
func TestOverlapRefused(t *testing.T) {
	data := floats(4096, 1).data
	at := func(off int) Arg { return Arg{Base: pointerTo(data[off:]), Bytes: 4 * 1024} }
	l := Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{at(0), at(4096), at(4), {Bits: 1000}}}
	for _, c := range []struct {
		err     error
		overlap bool
	}{
		{diag.New(diag.Unsupported, "native", "tiles of more than 1 byte together"), true},
		{diag.New(diag.Driver, "internal", "internal error"), false},
		{diag.New(diag.Driver, "native-memory", "no memory"), false},
	} {
		p := vectorAddProgram(t)
		p.inPlace = func() (*Program, error) { return nil, c.err }
		err := p.Run(context.Background(), l)
		if errors.Is(err, ErrOverlap) != c.overlap || !errors.Is(err, c.err) {
			t.Errorf("%v: got %v", c.err, err)
		}
	}
}

func f32At(b []byte, at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[at:])) }

func TestLaunchIsChecked(t *testing.T) {
	p := vectorAddProgram(t)
	args := make([]Arg, 4)
	if err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: args[:3]}); !errors.Is(err, diag.Argument) {
		t.Errorf("three arguments: %v", err)
	}
	if err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 0, 1}, Args: args}); !errors.Is(err, diag.Grid) {
		t.Errorf("no programs: %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	if err := p.Run(ctx, Launch{Grid: [3]int32{1 << 30, 1 << 20, 1}, Args: args}); !errors.Is(err, why) {
		t.Errorf("cancelled: %v", err)
	}
}

// Every program of a grid of three axes runs once.
func TestGrid(t *testing.T) {
	equal(t, parse(t, `
func @k(%out: ptr<i32>) -> () {
  %x = program_id {axis = 0} : i32
  %y = program_id {axis = 1} : i32
  %z = program_id {axis = 2} : i32
  %nx = num_programs {axis = 0} : i32
  %ny = num_programs {axis = 1} : i32
  %a = mul %z, %ny : i32
  %b = add %a, %y : i32
  %c = mul %b, %nx : i32
  %d = add %c, %x : i32
  %p = addptr %out, %d : ptr<i32>
  %e = const 100 : i32
  %f = mul %z, %e : i32
  %g = add %f, %y : i32
  %h = mul %g, %e : i32
  %i = add %h, %x : i32
  store %p, %i
  return
}
`), [3]int32{5, 3, 7}, input{data: make([]byte, 4*5*3*7)})
}

// What has no code and cannot be left to the executor is refused at its line: here, tiles that take too much memory.
func TestRefusal(t *testing.T) {
	needNative(t)
	var b strings.Builder
	b.WriteString("func @k(%p: ptr<f64>) -> () {\n  %i = range {start = 0, end = 1048576} : 1048576xi32\n")
	b.WriteString("  %q = splat %p : 1048576xptr<f64>\n  %a = addptr %q, %i : 1048576xptr<f64>\n  %v0 = load %a : 1048576xf64\n")
	for n := range 12 {
		fmt.Fprintf(&b, "  %%w%d = scan %%v%d {axis = 0} : 1048576xf64 (%%x%d: f64, %%y%d: f64) {\n    %%s%d = fadd %%x%d, %%y%d : f64\n    yield %%s%d\n  }\n", n, n, n, n, n, n, n, n)
		fmt.Fprintf(&b, "  %%v%d = fadd %%v%d, %%w%d : 1048576xf64\n", n+1, n, n)
	}
	b.WriteString("  store %a, %v12\n  return\n}\n")
	_, err := Compile(parse(t, b.String()), options())
	if !errors.Is(err, diag.Unsupported) || !strings.Contains(err.Error(), "MiB together") {
		t.Errorf("%v", err)
	}
}
