package native

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

// What several programs print stays together, operation by operation, and names its program.
func TestPrintsOfManyPrograms(t *testing.T) {
	p := compileText(t, `
func @k(%n: i32) -> () {
  %pid = program_id {axis = 0} : i32
  %i = range {start = 0, end = 4} : 4xi32
  %s = splat %pid : 4xi32
  %v = add %s, %i : 4xi32
  print %v {prefix = "v", signed = 0x1}
  return
}
`)
	var out bytes.Buffer
	l := Launch{Grid: [3]int32{50, 1, 1}, Args: []Arg{{Bits: 1}}, Threads: 4, Stdout: &out}
	if err := p.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 200 {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	for i, line := range lines {
		if program, _, _ := strings.Cut(lines[i-i%4], " idx"); !strings.HasPrefix(line, program+" idx") {
			t.Errorf("line %d is %q, among those of %q", i, line, program)
		}
	}
	if !strings.Contains(out.String(), "pid (49, 0, 0) idx (3) v: 52\n") {
		t.Error(out.String())
	}
}

// An error of an operation that the executor does names the operation's place.
func TestErrorOfAService(t *testing.T) {
	p := compileText(t, `
func @k(%out: ptr<i32>, %step: i32) -> () {
  %zero = const 0 : i32
  %ten = const 10 : i32
  %sum = for %zero, %ten, %step, %zero : i32 (%i: i32, %s: i32) {
    %t = add %s, %i : i32
    yield %t
  }
  store %out, %sum
  return
}
`)
	out := make([]byte, 4)
	l := Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{{Base: pointerTo(out), Bytes: 4}, {Bits: 3}}}
	if err := p.Run(context.Background(), l); err != nil || out[0] != 18 {
		t.Errorf("%v, %d", err, out[0])
	}
	l.Args[1].Bits = 0
	if err := p.Run(context.Background(), l); !errors.Is(err, diag.Check) || !strings.Contains(err.Error(), "must be positive") {
		t.Error(err)
	}
}

// A launch that waits in an operation of the executor can be cancelled.
func TestCancelWithinAService(t *testing.T) {
	p := compileText(t, `
func @k(%flag: ptr<i32>) -> () {
  %one = const 1 : i32
  %met = atomic_poll %flag, %one {sem = acquire} : i1
  return
}
`)
	flag := make([]byte, 4)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		err := p.Run(ctx, Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{{Base: pointerTo(flag), Bytes: 4, ElemBytes: 4}}})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	cancel()
	wg.Wait()
}

// What leaving an operation to the executor costs: a function of 1,024 elements, natively, by a service, and one of 16.
func BenchmarkService(b *testing.B) {
	needNative(b)
	for _, c := range []struct {
		name, call string
		n          int
	}{{"code", "extern tan", 1024}, {"service", "extern tgamma", 1024}, {"service of 16", "extern tgamma", 16}} {
		b.Run(c.name, func(b *testing.B) {
			p, err := Compile(parse(b, functionKernel(c.call, "f32", 1, c.n)), options())
			if err != nil {
				b.Fatal(err)
			}
			l := Launch{Grid: [3]int32{1, 1, 1}, Args: nativeArgs([]input{floats(c.n, 1), floats(c.n, 2)})}
			for b.Loop() {
				if err := p.Run(context.Background(), l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An assertion that does not hold is an error, at its line; lanes that its mask takes out do not count.
func TestAssertions(t *testing.T) {
	p := compileText(t, `
func @k(%x: ptr<i32>, %limit: i32, %n: i32) -> () {
  %i = range {start = 0, end = 64} : 64xi32
  %b = splat %x : 64xptr<i32>
  %p = addptr %b, %i : 64xptr<i32>
  %v = load %p : 64xi32
  %l = splat %limit : 64xi32
  %ok = cmpi %v, %l {lts} : 64xi1
  %s = splat %n : 64xi32
  %m = cmpi %i, %s {lts} : 64xi1
  assert %ok, %m {msg = "too large"}
  %zero = const 0 : i32
  %some = cmpi %n, %zero {gts} : i1
  assert %some {msg = "nothing to do"}
  return
}
`)
	values := make([]byte, 256)
	for i := range 64 {
		values[4*i] = byte(i)
	}
	for _, test := range []struct {
		limit, n uint64
		want     string
	}{{64, 64, ""}, {63, 64, "too large"}, {63, 63, ""}, {1, 2, "too large"}, {1, 1, ""}, {64, 0, "nothing to do"}} {
		err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{{Base: pointerTo(values), Bytes: 256}, {Bits: test.limit}, {Bits: test.n}}})
		if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, diag.Check) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("limit %d, %d elements: %v, want %q", test.limit, test.n, err, test.want)
		}
	}
}

// A listing begins with what the code takes for granted, and what it leaves to the executor and why.
func TestListingSaysWhatIsLeft(t *testing.T) {
	needNative(t)
	opts := options()
	opts.Listing = true
	p, err := Compile(parse(t, `
func @k(%x: ptr<f64>, %y: ptr<f64>) -> () {
  %i = range {start = 0, end = 16} : 16xi32
  %a = splat %x : 16xptr<f64>
  %p = addptr %a, %i : 16xptr<f64>
  %v = load %p : 16xf64
  %j = extern %v {name = "j0"} : 16xf64
  %b = splat %y : 16xptr<f64>
  %q = addptr %b, %i : 16xptr<f64>
  store %q, %v
  store %q, %j
  return
}
`), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"instructions of " + string(p.Features()), "the checked executor does j0 of f64"} {
		if !strings.Contains(p.Listing(), want) {
			t.Errorf("the listing does not say %q:\n%s", want, p.Listing()[:400])
		}
	}
}
