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
