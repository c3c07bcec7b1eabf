package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu/code"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An Arg is one argument: a scalar's bits, zero-extended, or an array's memory.
type Arg struct {
	Bits  uint64
	Base  unsafe.Pointer // nil for scalars
	Bytes int64          // from Base on
	Front int64          // in front of Base, where an array is walked backwards

	Name      string // of an array, for messages
	ElemBytes int
}

// A Launch is what one run of a program takes.
type Launch struct {
	Grid    [3]int32
	Args    []Arg
	Threads int       // 0: GOMAXPROCS
	Stdout  io.Writer // takes what the kernel prints; nil drops it
}

// ErrOverlap says that arrays overlap, and that the code which loads where the kernel says so is refused, mostly because the tiles that it has
// to keep need too much memory; nothing has run. Run wraps it together with the refusal.
var ErrOverlap = diag.New(diag.Unsupported, "native-overlap", "arrays overlap, and native code does not have the kernel for that")

// Run runs every program instance of the grid. When ctx is done, it stops soon and gives ctx's cause. If programs fail, the
// error is that of the one that comes first (axis 0 counts fastest); those after it may have run or not.
func (p *Program) Run(ctx context.Context, l Launch) error {
	if len(l.Args) != p.params {
		return diag.New(diag.Argument, "argument-count", "%s takes %d arguments, not %d", p.name, p.params, len(l.Args))
	}
	total, err := programs(l.Grid)
	if err != nil {
		return err
	}
	for i := range p.apart {
		o := &p.apart[i]
		if collide(&l.Args[o.A], &l.Args[o.B], o.Same) {
			return p.overlapping(ctx, l)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	workers := p.workers(&l, total)
	if workers > 1 {
		r := &runner{}
		return r.run(ctx, p, l, total, workers)
	}
	r := alone.Get().(*runner)
	err = r.run(ctx, p, l, total, 1)
	r.launch, r.ctx, r.cancelled, r.err = Launch{}, nil, nil, nil // keep nothing alive
	alone.Put(r)
	return err
}

// overlapping runs code that loads where the kernel says so.
func (p *Program) overlapping(ctx context.Context, l Launch) error {
	q, err := p.inPlace()
	switch {
	case errors.Is(err, diag.Unsupported):
		return fmt.Errorf("%w: %w", ErrOverlap, err)
	case err != nil:
		return err
	}
	return q.Run(ctx, l)
}

// alone holds runners of launches that nobody helped with.
var alone = sync.Pool{New: func() any { return new(runner) }}

// workers says how many work on a launch.
func (p *Program) workers(l *Launch, total int64) int64 {
	threads := l.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if each := p.each.Load(); each > 0 && !p.waits && total < smallLaunch/each {
		return 1
	}
	return min(int64(threads), total)
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

func collide(a, b *Arg, same bool) bool {
	if a.Base == nil || b.Base == nil || same && a.Base == b.Base {
		return false
	}
	x, y := uintptr(a.Base), uintptr(b.Base)
	return x-uintptr(a.Front) < y+uintptr(b.Bytes) && y-uintptr(b.Front) < x+uintptr(a.Bytes)
}

// A runner deals out program instances to the caller and helpers.
type runner struct {
	program   *Program
	launch    Launch
	ctx       context.Context
	cancelled <-chan struct{}
	total     int64
	batch     int64   // how many are taken at a time, or at the end
	shares    *shares // not nil: each worker has a share of neighbours, of which it takes so many at a time
	crew      crew

	next   atomic.Int64 // the first instance that nobody has taken
	done   atomic.Int64
	failed atomic.Int64 // the first instance that failed; those after it are not started

	printing sync.Mutex
	mu       sync.Mutex
	err      error // of failed
}

// fuel is how much a call of the code does before it returns, some 100 µs: a garbage collection may have to wait for that,
// and what it costs to return and go on, some 200 ns, is nothing to it.
const fuel = 300_000

// smallLaunch is how much work is done before others could be of help.
const smallLaunch = 30_000

func (r *runner) run(ctx context.Context, p *Program, l Launch, total, workers int64) error {
	r.program, r.launch, r.ctx, r.cancelled, r.total = p, l, ctx, ctx.Done(), total
	r.next.Store(0)
	r.done.Store(0)
	r.failed.Store(math.MaxInt64)
	r.batch, r.shares = total, nil
	if workers > 1 {
		// Small enough that no worker is left waiting for long, large enough that taking one costs nothing.
		r.batch = min(max(total/(workers*16), 1), 1<<16)
		if p.shelves { // neighbours have much in common
			r.shares = shared(total, workers)
		}
		helpers.call(r, int(workers)-1, !p.waits)
	}
	r.work()
	if workers > 1 {
		r.crew.wait()
	}
	runtime.KeepAlive(l.Args)
	switch {
	case r.err != nil:
		return r.err
	case r.done.Load() != total:
		return context.Cause(ctx)
	}
	return nil
}

// stopped reports whether the launch is cancelled.
func (r *runner) stopped() bool {
	select {
	case <-r.cancelled:
		return true
	default:
		return false
	}
}

// work runs batches of instances until none is left that comes before the first that fails.
func (r *runner) work() {
	f := r.program.frameOf(&r.launch)
	defer r.program.frames.Put(f)
	h := headerOf(f.base)
	mine := r.shares.mine()
	h.kept = 0
	for !r.stopped() {
		first, n := r.take(mine)
		if n == 0 {
			return
		}
		ran, err := r.instances(f, first, n)
		r.done.Add(ran)
		h.kept = 1
		if err != nil {
			r.fail(first+ran, err)
			h.kept = 0 // what was being brought to a panel may not be there
		}
		if ran < n && (err == nil || r.shares == nil) {
			return
		}
	}
}

// take takes instances that nobody has taken, and none that comes after one that failed.
func (r *runner) take(mine int) (first, n int64) {
	last := min(r.total, r.failed.Load())
	if r.shares != nil {
		return r.shares.take(mine, r.batch, last)
	}
	first = r.next.Add(r.batch) - r.batch
	return first, max(0, min(r.batch, last-first))
}

// instances runs n program instances from first on and gives how many did run. It returns early when one fails, or the launch is cancelled.
func (r *runner) instances(f *frame, first, n int64) (ran int64, err error) {
	p, h := r.program, headerOf(f.base)
	x, y := int64(r.launch.Grid[0]), int64(r.launch.Grid[1])
	h.pid = [3]int32{int32(first % x), int32(first / x % y), int32(first / x / y)}
	h.grid, h.count, h.resume = r.launch.Grid, n, 0
	for used := int64(0); ; used += fuel - h.fuel {
		h.fuel = fuel
		s, err := p.code.Call(f.base)
		switch {
		case err != nil:
			return n - h.count, p.fault(err, h, r.launch.Args)
		case s == finished:
			p.each.Store(max((used+fuel-h.fuel)/n, 1))
			return n, nil
		case s >= firstService:
			if err := r.serve(p.services[s-firstService], f); err != nil {
				return n - h.count, err
			}
		case p.waits: // perhaps for a program that waits for this thread
			runtime.Gosched()
		}
		if r.stopped() {
			return n - h.count, nil
		}
	}
}

// serve does a service. What one operation prints stays together.
func (r *runner) serve(s *service, f *frame) error {
	if s.op == tile.OpPrint {
		r.printing.Lock()
		defer r.printing.Unlock()
	}
	return s.run(r.ctx, &r.launch, f.base, r.launch.Stdout)
}

// fail keeps the error of the first instance that fails.
func (r *runner) fail(i int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i < r.failed.Load() {
		r.failed.Store(i)
		r.err = err
	}
}

// fault makes an error of a fault in a program instance, whose ids are in the header.
func (p *Program) fault(err error, h *header, args []Arg) error {
	e := diag.New(diag.Driver, "memory-fault", "%s, program (%d, %d, %d): %v", p.name, h.pid[0], h.pid[1], h.pid[2], err)
	var f *code.Fault
	if errors.As(err, &f) && !f.Low && f.Addr != 0 {
		if where := nearest(f.Addr, p.names, args); where != "" {
			e.Notes = append(e.Notes, diag.Note{Msg: where})
		}
	}
	e.Notes = append(e.Notes, diag.Note{Msg: "machine code does not check what it accesses, and may have overwritten other memory of the process before this; the sanitizer (--check, TEGULA_CHECK=1, tegula.Check() in Go, tegula.check() in Python) names the line and the pointer"})
	return e
}

// nearest says which array an address is closest to.
func nearest(addr uintptr, names []string, args []Arg) string {
	best, which, beyond := uint64(math.MaxUint64), -1, false
	for i, a := range args {
		if a.Base == nil {
			continue
		}
		first, end := uintptr(a.Base)-uintptr(a.Front), uintptr(a.Base)+uintptr(a.Bytes)
		switch {
		case addr < first && uint64(first-addr) < best:
			best, which, beyond = uint64(first-addr), i, false
		case addr >= end && uint64(addr-end) < best:
			best, which, beyond = uint64(addr-end), i, true
		}
	}
	switch {
	case which < 0:
		return ""
	case beyond:
		return fmt.Sprintf("the nearest array is %s: the address is %d bytes after its end", names[which], best)
	}
	return fmt.Sprintf("the nearest array is %s: the address is %d bytes before its beginning", names[which], best)
}

// A frame is a worker's memory.
type frame struct {
	memory []uint64
	base   unsafe.Pointer
}

func (p *Program) frameOf(l *Launch) *frame {
	f, ok := p.frames.Get().(*frame)
	if !ok {
		f = &frame{memory: make([]uint64, p.frame/8+frameAlign/8)}
		base := unsafe.Pointer(unsafe.SliceData(f.memory))
		f.base = unsafe.Add(base, -uintptr(base)&(frameAlign-1))
	}
	for i, a := range l.Args {
		bits := a.Bits
		if a.Base != nil {
			bits = uint64(uintptr(a.Base))
		}
		*(*uint64)(unsafe.Add(f.base, argOff+8*i)) = bits
	}
	return f
}
