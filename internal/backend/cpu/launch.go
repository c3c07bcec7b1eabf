package cpu

import (
	"context"
	"io"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An Arg is one argument: a scalar's bits, zero-extended, or an array.
type Arg struct {
	Bits  uint64
	Array *Array
}

// A Launch is what one run of a program takes.
type Launch struct {
	Grid    [3]int32
	Args    []Arg     // one for each kernel parameter, in order
	Reach   []Array   // what the kernel may reach besides, by addresses that it loads
	Stdout  io.Writer // takes what the kernel prints; nil drops it
	Threads int       // 0: GOMAXPROCS
}

// Run runs every program instance of the grid. If some fail, it gives the error of the one that
// comes first (x counts fastest); instances after it may have run or not. When ctx is done, it
// stops between program instances, at the ends of loop iterations and within long operations and gives ctx's cause. It waits where
// all the memory that programs may have at a time is taken.
func (p *Program) Run(ctx context.Context, l Launch) error {
	total, err := programs(l.Grid)
	if err != nil {
		return err
	}
	if err := p.checkArgs(l.Args); err != nil {
		return err
	}
	space, err := newSpace(l.Args, l.Reach)
	if err != nil {
		return err
	}
	r := &runner{program: p, args: l.Args, grid: l.Grid, total: total, shared: launch{space: space, print: l.Stdout}}
	if p.opts.Sanitize {
		r.shared.watch = p.newWatch(&r.shared.space, l.Args)
	}
	r.failed.Store(math.MaxInt64)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	stop := context.AfterFunc(ctx, func() { r.shared.stopped.Store(true) })
	defer stop()
	r.work(ctx, l.Threads)
	runtime.KeepAlive(l.Args)
	runtime.KeepAlive(l.Reach)
	if r.err == errStopped || r.err == nil && r.shared.stopped.Load() && !r.finished() {
		return context.Cause(ctx)
	}
	return r.err
}

// RunOne runs one program instance of the grid on the calling goroutine: for back ends that leave an operation to this one.
func (p *Program) RunOne(ctx context.Context, l Launch, pid [3]int32) error {
	if err := p.checkArgs(l.Args); err != nil {
		return err
	}
	space, err := newSpace(l.Args, l.Reach)
	if err != nil {
		return err
	}
	shared := &launch{space: space, print: l.Stdout}
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { shared.stopped.Store(true) })()
	}
	m := p.machine(shared, l.Grid)
	defer m.release()
	if err := m.prepare(l.Args); err != nil {
		return err
	}
	x, y := int64(l.Grid[0]), int64(l.Grid[1])
	m.locate(int64(pid[0]) + x*(int64(pid[1])+y*int64(pid[2])))
	if err := m.instance(p.kernel.body); err != errStopped {
		return err
	}
	return context.Cause(ctx)
}

// programs gives the number of program instances.
func programs(grid [3]int32) (int64, error) {
	n := uint64(1)
	for axis, g := range grid {
		if g < 1 {
			return 0, diag.New(diag.Grid, "not-positive", "Grid must contain 1 to 3 positive integer dimensions. Axis %d is %d.", axis, g)
		}
		hi, lo := bits.Mul64(n, uint64(g))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, diag.New(diag.Grid, "too-large", "a grid of %d × %d × %d has too many program instances", grid[0], grid[1], grid[2])
		}
		n = lo
	}
	return int64(n), nil
}

func (p *Program) checkArgs(args []Arg) error {
	params := p.module.Funcs[0].Body.Args
	if len(args) != len(params) {
		return diag.New(diag.Argument, "argument-count", "%s takes %d arguments, not %d", p.module.Funcs[0].Name, len(params), len(args))
	}
	for i, a := range args {
		if a.Array != nil && !params[i].Type.IsPtr() {
			return diag.New(diag.Argument, "not-a-pointer", "argument %d is an array, the parameter is %s", i, params[i].Type)
		}
	}
	return nil
}

// A runner deals out the program instances of one launch to workers.
type runner struct {
	program *Program
	args    []Arg
	grid    [3]int32
	total   int64
	batch   int64
	shared  launch

	next   atomic.Int64 // the first instance that nobody has taken
	done   atomic.Int64 // instances that ran to their end
	failed atomic.Int64 // the first instance that failed; those after it are not started
	mu     sync.Mutex
	err    error // of failed
}

func (r *runner) finished() bool { return r.done.Load() == r.total }

// work runs workers, as many as there is memory for, until all instances are done or it is stopped.
func (r *runner) work(ctx context.Context, threads int) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	workers := frames.take(ctx, r.program.frame, int(min(int64(threads), r.total)))
	if workers == 0 {
		r.shared.stopped.Store(true)
		return
	}
	defer frames.give(r.program.frame, workers)
	// Small enough that no worker is left waiting for long, large enough that taking one costs nothing.
	r.batch = min(max(r.total/int64(workers*16), 1), 64)
	if workers == 1 {
		r.worker(r.total)
		return
	}
	if r.program.opts.Sanitize && !r.program.synchronises {
		r.begin()
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { r.worker(r.total) })
	}
	wg.Wait()
}

// oneByOne is how many instances the sanitizer first runs in their order. Where programs race, these mostly do so
// too, and what is reported is then the same every time.
const oneByOne = 16

func (r *runner) begin() {
	n, batch := min(oneByOne, r.total), r.batch
	r.batch = n
	r.worker(n)
	r.batch = batch
	r.next.Store(n)
}

// worker runs batches of instances below end. Batches are taken in order and none is left, so every
// instance before the first that fails does run.
func (r *runner) worker(end int64) {
	m := r.program.machine(&r.shared, r.grid)
	defer m.release()
	if err := m.prepare(r.args); err != nil {
		r.fail(0, err)
		return
	}
	for {
		first := r.next.Add(r.batch) - r.batch
		for i := first; i < min(first+r.batch, end); i++ {
			if i > r.failed.Load() {
				return
			}
			if r.shared.stopped.Load() {
				return
			}
			m.locate(i)
			m.actor.Begin(i)
			if err := m.instance(r.program.kernel.body); err != nil {
				r.fail(i, err)
				break
			}
			r.done.Add(1)
		}
		if first+r.batch >= end {
			return
		}
	}
}

func (r *runner) fail(i int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i < r.failed.Load() {
		r.failed.Store(i)
		r.err = err
	}
}

// machine gives a machine of the program, an earlier launch's if there is one.
func (p *Program) machine(l *launch, grid [3]int32) *machine {
	m, ok := p.machines.Get().(*machine)
	if !ok {
		m = &machine{program: p, memory: make([]uint64, p.frame/8+lineAlign/8)}
	}
	base := unsafe.Pointer(unsafe.SliceData(m.memory))
	m.frame = unsafe.Add(base, -uintptr(base)&(lineAlign-1))
	m.launch, m.grid, m.op = l, grid, nil
	return m
}

// maxKept is the largest frame that is kept for a later launch, which spares clearing it; what is at rest
// is not counted in frames.
const maxKept = 16 << 20

func (m *machine) release() {
	m.launch = nil // a machine at rest keeps no argument alive
	if m.program.frame <= maxKept {
		m.program.machines.Put(m)
	}
}

// prepare puts the arguments into the frame and computes what all program instances share.
func (m *machine) prepare(args []Arg) error {
	m.locate(0)
	arrays := 0
	for i, s := range m.program.params {
		bits := args[i].Bits
		if args[i].Array != nil {
			bits = m.launch.space.arrays[arrays].argument()
			arrays++
		}
		setArg(m, s, m.program.module.Funcs[0].Body.Args[i].Type, bits)
	}
	return m.instance(m.program.kernel.invariant)
}

func setArg(m *machine, s slot, t tile.Type, bits uint64) {
	switch t.ElemBits() {
	case 1:
		*one[uint8](m, s) = uint8(bits & 1)
	case 8:
		*one[uint8](m, s) = uint8(bits)
	case 16:
		*one[uint16](m, s) = uint16(bits)
	case 32:
		*one[uint32](m, s) = uint32(bits)
	default:
		*one[uint64](m, s) = bits
	}
}

// locate sets the program instance, x counting fastest.
func (m *machine) locate(i int64) {
	x, y := int64(m.grid[0]), int64(m.grid[1])
	m.number, m.pid = i, [3]int32{int32(i % x), int32(i / x % y), int32(i / x / y)}
}
