package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A masked copy by atomics that read or write only.
func TestAtomicLoadAndStore(t *testing.T) {
	for _, width := range []int{8, 16, 32, 64} {
		text := fmt.Sprintf(`
func @k(%%x: ptr<i%[1]d>, %%y: ptr<i%[1]d>) -> () {
  %%i = range {start = 0, end = 8} : 8xi32
  %%four = const 4 : 8xi32
  %%first = cmpi %%i, %%four {ltu} : 8xi1
  %%one = const 1 : 8xi32
  %%odd = and %%i, %%one : 8xi32
  %%even = cmpi %%odd, %%one {ne} : 8xi1
  %%xs = splat %%x : 8xptr<i%[1]d>
  %%xi = addptr %%xs, %%i : 8xptr<i%[1]d>
  %%ys = splat %%y : 8xptr<i%[1]d>
  %%yi = addptr %%ys, %%i : 8xptr<i%[1]d>
  %%v = atomic_load %%xi, %%first {sem = acquire} : 8xi%[1]d
  atomic_store %%yi, %%v, %%even {sem = release}
  return
}`, width)
		x := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
		in, out := packed(width, x), packed(width, []uint64{9, 9, 9, 9, 9, 9, 9, 9})
		run(t, parse(t, text), arrays(in, out)...)
		if got := unpacked(out); !slices.Equal(got, []uint64{1, 9, 3, 9, 0, 9, 0, 9}) || !slices.Equal(unpacked(in), x) {
			t.Errorf("i%d: %v", width, got)
		}
	}
}

// waiting waits for flag to be want, for at most some nanoseconds if that is not 0; out tells.
func waiting(want, ns int) string {
	limit := ""
	if ns > 0 {
		limit = ", %ns"
	}
	return fmt.Sprintf(`
func @k(%%flag: ptr<i32>, %%out: ptr<i8>) -> () {
  %%want = const %d : i32
  %%ns = const %d : i64
  %%pid = program_id {axis = 0} : i32
  %%last = const 1 : i32
  %%second = cmpi %%pid, %%last {eq} : i1
  if %%second {
    %%seven = const 7 : i32
    atomic_store %%flag, %%seven {sem = release}
    yield
  } else {
    %%met = atomic_poll %%flag, %%want%s {sem = acquire} : i1
    %%byte = extu %%met : i8
    store %%out, %%byte
    yield
  }
  return
}`, want, ns, limit)
}

// One program waits for what another one writes.
func TestPollSeesOtherPrograms(t *testing.T) {
	flag, out := make([]int32, 1), []uint8{9}
	p := compile(t, parse(t, waiting(7, 0)))
	if err := p.Run(context.Background(), Launch{Grid: [3]int32{2, 1, 1}, Args: arrays(flag, out), Threads: 2}); err != nil {
		t.Fatal(err)
	}
	if out[0] != 1 || flag[0] != 7 {
		t.Errorf("out %d, flag %d", out[0], flag[0])
	}
}

func TestPollTimesOut(t *testing.T) {
	flag, out := make([]int32, 1), []uint8{9}
	run(t, parse(t, waiting(8, 1000)), arrays(flag, out)...)
	if out[0] != 0 {
		t.Errorf("out %d", out[0])
	}
}

// A launch that waits for ever can be stopped.
func TestPollStops(t *testing.T) {
	p := compile(t, parse(t, waiting(8, 0)))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	err := p.Run(ctx, Launch{Grid: [3]int32{1, 1, 1}, Args: arrays(make([]int32, 1), make([]uint8, 1))})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// The checks of memory see accesses of atomics, and of descriptors whose shape is larger than
// the array.
func TestBadAccessesOfNewOperations(t *testing.T) {
	for _, ops := range []string{
		`%q = addptr %p, %four : ptr<i32>
		 %r = atomic_load %q {sem = acquire} : i32`,
		`%q = addptr %p, %four : ptr<i32>
		 atomic_store %q, %four {sem = release}`,
		`%q = addptr %p, %four : ptr<i32>
		 %r = atomic_poll %q, %four {sem = acquire} : i1`,
		`%d = make_desc %p, %eight, %one : desc<8xi32>
		 %r = desc_load %d, %zero : 8xi32
		 desc_store %d, %r, %zero`,
	} {
		text := `func @k(%p: ptr<i32>) -> () {
  %zero = const 0 : i32
  %four = const 4 : i32
  %eight = const 8 : i32
  %one = const 1 : i64
  ` + ops + `
  return
}`
		p := compile(t, parse(t, text))
		err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: arrays(make([]int32, 4))})
		if !errors.Is(err, diag.Check) || !strings.Contains(err.Error(), "a0") {
			t.Errorf("%s\n%v", ops, err)
		}
	}
}

// A module with operations that the executor has no steps for is not changed by compiling it.
func TestCompileKeepsTheModule(t *testing.T) {
	m := parse(t, `func @k(%p: ptr<i8>) -> () {
  %n = const 16 : i32
  %one = const 1 : i64
  %d = make_desc %p, %n, %one : desc<16xi8>
  %zero = const 0 : i32
  %r = desc_load %d, %zero : 16xi8
  desc_store %d, %r, %zero
  return
}`)
	before := m.String()
	compile(t, m)
	if after := m.String(); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	var codes []tile.Code
	m.Funcs[0].Body.Walk(func(op *tile.Op) { codes = append(codes, op.Code) })
	if !slices.Contains(codes, tile.OpDescLoad) {
		t.Error("the descriptor is gone")
	}
}
