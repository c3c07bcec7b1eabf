package native

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
)

// spin adds 1 to a scalar n times.
const spin = `
func @spin(%out: ptr<i64>, %n: i64) -> () {
  %zero = const 0 : i64
  %one = const 1 : i64
  %sum = for %zero, %n, %one, %zero : i64 (%i: i64, %s: i64) {
    %t = add %s, %i : i64
    %u = xor %t, %one : i64
    yield %u
  }
  store %out, %sum
  return
}
`

func compileText(t *testing.T, text string) *Program {
	t.Helper()
	needNative(t)
	p, err := Compile(parse(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func spinFor(n int64) Launch {
	out := make([]byte, 8)
	return Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{{Base: pointerTo(out), Bytes: 8}, {Bits: uint64(n)}}}
}

// A program that would run for hours ends when its launch is cancelled.
func TestCancelWithinAProgram(t *testing.T) {
	p := compileText(t, spin)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
	start := time.Now()
	if err := p.Run(ctx, spinFor(math.MaxInt64)); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v to stop", took)
	}
}

// Garbage collections go on while a program runs for long.
func TestCollectionWithinAProgram(t *testing.T) {
	p := compileText(t, spin)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var over atomic.Bool
	go func() {
		_ = p.Run(ctx, spinFor(math.MaxInt64))
		over.Store(true)
	}()
	start := time.Now()
	for range 5 {
		runtime.GC()
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("five collections took %v", took)
	}
	if over.Load() {
		t.Error("the program ended on its own")
	}
}

// What a paused program has computed so far is kept.
func TestPausesKeepValues(t *testing.T) {
	in := []input{{data: make([]byte, 8)}, {bits: 3_000_000}}
	runNative(t, compileText(t, spin), [3]int32{1, 1, 1}, in)
	want := uint64(0)
	for i := range uint64(3_000_000) {
		want = (want + i) ^ 1
	}
	if got := binary.LittleEndian.Uint64(in[0].data); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestFaultIsAnError(t *testing.T) {
	p := compileText(t, vectorAdd)
	data := make([]byte, 4096)
	args := []Arg{{Base: pointerTo(data), Bytes: 4096}, {Bits: 0}, {Base: pointerTo(data), Bytes: 4096}, {Bits: 1024}}
	for _, addr := range []uint64{0, 64, 1 << 45, 1 << 60} {
		args[1].Bits = addr
		err := p.Run(context.Background(), Launch{Grid: [3]int32{9, 2, 1}, Args: args})
		if !errors.Is(err, diag.Driver) || !strings.Contains(err.Error(), "vector_add") {
			t.Errorf("%#x: %v", addr, err)
		}
	}
	args[1] = args[0]
	if err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: args}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func BenchmarkSpin(b *testing.B) {
	needNative(b)
	p, err := Compile(parse(b, spin), Options{})
	if err != nil {
		b.Fatal(err)
	}
	l := spinFor(int64(b.N))
	if err := p.Run(b.Context(), l); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkLaunch(b *testing.B) {
	needNative(b)
	p, err := Compile(parse(b, vectorAdd), Options{})
	if err != nil {
		b.Fatal(err)
	}
	in := []input{floats(1024, 1), floats(1024, 2), floats(1024, 3), {bits: 1024}}
	for _, n := range []int32{1, 64} {
		b.Run(map[int32]string{1: "one", 64: "many"}[n], func(b *testing.B) {
			l := Launch{Grid: [3]int32{n, 1, 1}, Args: nativeArgs(in)}
			for b.Loop() {
				if err := p.Run(b.Context(), l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
