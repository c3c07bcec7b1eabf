package cpu

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

func TestVectorAdd(t *testing.T) {
	const n = 5000
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n+8)
	for i := range x {
		x[i], y[i] = float32(i), float32(i)*0.5
	}
	p := compile(t, vectorAdd(1024))
	if err := launchOn(p, 5, arrayOf("x", x), arrayOf("y", y), arrayOf("z", z), Arg{Bits: n}); err != nil {
		t.Fatal(err)
	}
	for i, v := range z {
		want := float32(0)
		if i < n {
			want = x[i] + y[i]
		}
		if v != want {
			t.Fatalf("z[%d] = %v, want %v", i, v, want)
		}
	}
}

// countPrograms adds 1 to the element of each program instance.
const countPrograms = `
func @k(%x: ptr<i32>, %size: ptr<i32>) -> () {
  %px = program_id {axis = 0} : i32
  %py = program_id {axis = 1} : i32
  %pz = program_id {axis = 2} : i32
  %nx = num_programs {axis = 0} : i32
  %ny = num_programs {axis = 1} : i32
  %nz = num_programs {axis = 2} : i32
  %a = mul %pz, %ny : i32
  %b = add %a, %py : i32
  %c = mul %b, %nx : i32
  %i = add %c, %px : i32
  %p = addptr %x, %i : ptr<i32>
  %one = const 1 : i32
  %old = atomic_rmw %p, %one {add} : i32
  %total = mul %nx, %ny : i32
  %all = mul %total, %nz : i32
  %before = atomic_rmw %size, %all {xchg} : i32
  return
}`

func TestEveryProgramRunsOnce(t *testing.T) {
	p := compile(t, parse(t, countPrograms))
	for _, grid := range [][3]int32{{7, 1, 1}, {7, 3, 1}, {7, 3, 2}, {1, 1, 500}, {2000, 1, 1}} {
		for _, threads := range []int{0, 1, 3, 64} {
			n := grid[0] * grid[1] * grid[2]
			x, size := make([]int32, n), make([]int32, 1)
			err := p.Run(context.Background(), Launch{Grid: grid, Args: arrays(x, size), Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(x, func(v int32) bool { return v != 1 }); i >= 0 || size[0] != n {
				t.Errorf("grid %v, %d threads: program %d ran %d times; %d programs", grid, threads, i, x[max(i, 0)], size[0])
			}
		}
	}
}

func TestBadLaunches(t *testing.T) {
	p := compile(t, vectorAdd(16))
	x := make([]float32, 16)
	good := []Arg{arrayOf("x", x), arrayOf("y", x), arrayOf("z", x), {Bits: 16}}
	tests := []struct {
		name string
		l    Launch
		want *diag.Category
		code string
	}{
		{"zero", Launch{Grid: [3]int32{1, 0, 1}, Args: good}, diag.Grid, "not-positive"},
		{"negative", Launch{Grid: [3]int32{-1, 1, 1}, Args: good}, diag.Grid, "not-positive"},
		{"too large", Launch{Grid: [3]int32{math.MaxInt32, math.MaxInt32, math.MaxInt32}, Args: good}, diag.Grid, "too-large"},
		{"too few arguments", Launch{Grid: [3]int32{1, 1, 1}, Args: good[:3]}, diag.Argument, "argument-count"},
		{"an array for a scalar", Launch{Grid: [3]int32{1, 1, 1}, Args: slices.Repeat(good[:1], 4)}, diag.Argument, "not-a-pointer"},
		{"no memory", Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{{Array: &Array{Bytes: 8}}, good[1], good[2], good[3]}}, diag.Argument, "array-memory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := p.Run(context.Background(), tt.l)
			var d *diag.Error
			if !errors.As(err, &d) || !errors.Is(err, tt.want) || d.Code != tt.code {
				t.Errorf("error is %v, want %v %s", err, tt.want, tt.code)
			}
		})
	}
}

const infinite = `
func @k(%x: ptr<i32>) -> () {
  while {
    %true = const true : i1
    condition %true
  } do {
    %v = load %x {volatile} : i32
    yield
  }
  return
}`

func TestCancelEndlessLoop(t *testing.T) {
	p := compile(t, parse(t, infinite))
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx, Launch{Grid: [3]int32{100, 1, 1}, Args: arrays([]int32{1})}) }()
	select {
	case err := <-done:
		if err != cause {
			t.Errorf("error is %v, want the context's cause", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the loop was not stopped")
	}
}

// Short programs end by themselves; those that have not begun do not begin.
func TestCancelBetweenPrograms(t *testing.T) {
	p := compile(t, parse(t, "func @k() -> () {\n  return\n}"))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := p.Run(ctx, Launch{Grid: [3]int32{1, 1 << 15, 1 << 30}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want the deadline's", err)
	}
}

// TestStoppedOperations checks that operations that take long on large tiles see that the launch is stopped.
func TestStoppedOperations(t *testing.T) {
	for _, text := range []string{
		`%y = dot %x, %x, %x {ieee} : 64x64xf32`,
		`%y = reduce %x {axis = 0} : 64xf32 (%a: f32, %b: f32) { %c = fadd %a, %b : f32 %d = fmul %c, %c : f32 yield %d }`,
		`%y = scan %x {axis = 0} : 64x64xf32 (%a: f32, %b: f32) { %c = fadd %a, %b : f32 %d = fmul %c, %c : f32 yield %d }`,
		`%y = map %x : 64x64xf32 (%a: f32) { %c = fadd %a, %a : f32 yield %c }`,
		`print %x {prefix = "x"}`,
	} {
		p := compile(t, parse(t, "func @k() -> () { %x = const 1.5 : 64x64xf32 "+text+" return }"))
		l := &launch{print: io.Discard}
		m := p.machine(l, [3]int32{1, 1, 1})
		run := func() error { return errors.Join(m.instance(p.kernel.invariant), m.instance(p.kernel.body)) }
		if err := run(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		l.stopped.Store(true)
		if err := run(); !errors.Is(err, errStopped) {
			t.Errorf("%s ends as if nothing had happened: %v", text, err)
		}
	}
}

func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, size := make([]int32, 4), make([]int32, 1)
	err := compile(t, parse(t, countPrograms)).Run(ctx, Launch{Grid: [3]int32{4, 1, 1}, Args: arrays(x, size)})
	if !errors.Is(err, context.Canceled) || x[0] != 0 {
		t.Errorf("error is %v, program 0 ran %d times", err, x[0])
	}
}

// Programs 150, 151, … fail; whatever the threads, the error is the first one's.
func TestFirstErrorWins(t *testing.T) {
	p := compile(t, parse(t, `
func @k(%x: ptr<i32>) -> () {
  %pid = program_id {axis = 0} : i32
  %p = addptr %x, %pid : ptr<i32>
  store %p, %pid
  return
}`))
	for range 20 {
		x := make([]int32, 150)
		err := p.Run(context.Background(), Launch{Grid: [3]int32{5000, 1, 1}, Args: []Arg{arrayOf("x", x)}, Threads: 8})
		d := wantCheck(t, err, "out-of-bounds")
		if !strings.Contains(d.Msg, "program (150, 0, 0)") {
			t.Fatalf("message is %q", d.Msg)
		}
		for i, v := range x { // all before it ran
			if int(v) != i {
				t.Fatalf("program %d did not run", i)
			}
		}
	}
}

func TestConcurrentRuns(t *testing.T) {
	p := compile(t, vectorAdd(64))
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			const n = 1000
			x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], y[i] = float32(i), float32(k)
			}
			if err := launchOn(p, 16, arrayOf("x", x), arrayOf("y", y), arrayOf("z", z), Arg{Bits: n}); err != nil {
				t.Error(err)
			}
			for i := range z {
				if z[i] != x[i]+y[i] {
					t.Errorf("launch %d: z[%d] = %v", k, i, z[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

// A bug in a step must not take the process down.
func TestPanicBecomesAnError(t *testing.T) {
	m := vectorAdd(16)
	p := compile(t, m)
	last := &p.kernel.body[len(p.kernel.body)-1]
	last.run = func(*machine) error { var s []int; s[3] = 1; return nil }
	x := make([]float32, 16)
	err := launchOn(p, 4, arrayOf("x", x), arrayOf("y", x), arrayOf("z", x), Arg{Bits: 16})
	var d *diag.Error
	if !errors.As(err, &d) || d.Code != "internal" || !strings.Contains(d.Msg, "store: runtime error: index out of range") || d.Place.Line != 3 {
		t.Fatalf("error is %v", err)
	}
	if note := d.Notes[0].Msg; !strings.Contains(note, "TestPanicBecomesAnError") {
		t.Errorf("the note is %q", note)
	}
}

// Threads take turns on one processor, so one that waits for another must give way.
func TestProgramsMayWaitForEarlierOnes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := compile(t, parse(t, `
func @k(%turn: ptr<i32>) -> () {
  %pid = program_id {axis = 0} : i32
  %zero = const 0 : i32
  while {
    %now = atomic_rmw %turn, %zero {add} : i32
    %wait = cmpi %now, %pid {ne} : i1
    condition %wait
  } do {
    yield
  }
  %one = const 1 : i32
  %old = atomic_rmw %turn, %one {add} : i32
  return
}`))
	turn := make([]int32, 1)
	err := p.Run(context.Background(), Launch{Grid: [3]int32{300, 1, 1}, Args: arrays(turn), Threads: 4})
	if err != nil || turn[0] != 300 {
		t.Fatalf("error %v, turn %d", err, turn[0])
	}
}

func TestScalarArguments(t *testing.T) {
	out := make([]uint64, 5)
	m := parse(t, `
func @k(%out: ptr<i64>, %a: i1, %b: i8, %c: i16, %d: f32, %e: i64) -> () {
  %r = range {start = 0, end = 4} : 4xi32
  %a1 = extu %a : i64
  %b1 = extu %b : i64
  %c1 = extu %c : i64
  %d0 = bitcast %d : i32
  %d1 = extu %d0 : i64
  store %out, %a1
  %one = const 1 : i32
  %p1 = addptr %out, %one : ptr<i64>
  store %p1, %b1
  %p2 = addptr %p1, %one : ptr<i64>
  store %p2, %c1
  %p3 = addptr %p2, %one : ptr<i64>
  store %p3, %d1
  %p4 = addptr %p3, %one : ptr<i64>
  store %p4, %e
  return
}`)
	args := []Arg{arrayOf("out", out), {Bits: 1}, {Bits: 200}, {Bits: 60000}, {Bits: uint64(math.Float32bits(1.5))}, {Bits: 1 << 63}}
	run(t, m, args...)
	if want := []uint64{1, 200, 60000, uint64(math.Float32bits(1.5)), 1 << 63}; !slices.Equal(out, want) {
		t.Errorf("arguments arrive as %v, want %v", out, want)
	}
}

func TestNoKernel(t *testing.T) {
	if _, err := Compile(&tile.Module{}, Options{}); !errors.Is(err, diag.Compile) {
		t.Errorf("error is %v, want a CompileError", err)
	}
}

// Program instances allocate nothing, whatever operations they run.
func TestNoAllocationPerProgram(t *testing.T) {
	p := compile(t, parse(t, `
func @k(%x: ptr<f16>, %n: ptr<i32>) -> () {
  %pid = program_id {axis = 0} : i32
  %zero = const 0 : i32
  %one = const 1 : i32
  %two = const 2 : i32
  %r = range {start = 0, end = 64} : 64xi32
  %xp = splat %x : 64xptr<f16>
  %xq = addptr %xp, %r : 64xptr<f16>
  %v = load %xq : 64xf16
  %w = fmul %v, %v : 64xf16
  %m = reshape %w : 8x8xf16
  %t = trans %m {order = [1, 0]} : 8x8xf16
  %acc = const 0.0 : 8x8xf32
  %d = dot %m, %t, %acc {tf32} : 8x8xf32
  %s = reduce %d {axis = 1} : 8xf32 (%a: f32, %b: f32) {
    %c = fadd %a, %b : f32
    yield %c
  }
  %q, %i = reduce %w, %r {axis = 0} : f16, i32 (%a0: f16, %a1: i32, %b0: f16, %b1: i32) {
    %gt = cmpf %a0, %b0 {ogt} : i1
    %f = select %gt, %a0, %b0 : f16
    %g = select %gt, %a1, %b1 : i32
    yield %f, %g
  }
  %cum = scan %w {axis = 0} : 64xf16 (%a2: f16, %b2: f16) {
    %c2 = fadd %a2, %b2 : f16
    yield %c2
  }
  %ga = gather %cum, %r {axis = 0} : 64xf16
  %wide = fext %ga : 64xf32
  %tanh = extern %wide {name = "tanh"} : 64xf32
  %e = ftrunc %tanh : 64xf16
  %mapped = map %r : 64xi32 (%k: i32) {
    %odd = and %k, %one : i32
    %c3 = cmpi %odd, %zero {ne} : i1
    %h = if %c3 : i32 {
      yield %k
    } else {
      yield %one
    }
    yield %h
  }
  %loop = for %zero, %two, %one, %e : 64xf16 (%j: i32, %l: 64xf16) {
    %l2 = fadd %l, %e : 64xf16
    yield %l2
  }
  %np = splat %n : 64xptr<i32>
  %old = atomic_rmw %np, %mapped {add} : 64xi32
  return
}`))
	x, n := make([]uint16, 64), make([]int32, 1)
	allocs := func(programs int32) float64 {
		l := Launch{Grid: [3]int32{programs, 1, 1}, Args: arrays(x, n), Threads: 1}
		return testing.AllocsPerRun(5, func() {
			if err := p.Run(context.Background(), l); err != nil {
				t.Fatal(err)
			}
		})
	}
	// A launch may find no machine at rest and make one.
	if few, many := allocs(1), allocs(200); many-few > 50 {
		t.Errorf("199 more program instances make %v more allocations", many-few)
	}
}
