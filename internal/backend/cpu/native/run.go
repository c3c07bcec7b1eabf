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
	Bytes int64

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

// ErrOverlap says that arrays overlap in a way that the code was not made for; nothing has run.
var ErrOverlap = diag.New(diag.Unsupported, "native-overlap", "arrays overlap in a way that native code is not made for")

// Run runs every program instance of the grid. When ctx is done, it stops soon.
func (p *Program) Run(ctx context.Context, l Launch) error {
	if len(l.Args) != p.params {
		return diag.New(diag.Argument, "argument-count", "%s takes %d arguments, not %d", p.name, p.params, len(l.Args))
	}
	total := uint64(1)
	for axis, n := range l.Grid {
		if n < 1 {
			return diag.New(diag.Grid, "not-positive", "Grid must contain 1 to 3 positive integer dimensions. Axis %d is %d.", axis, n)
		}
		hi, lo := bits.Mul64(total, uint64(n))
		if hi != 0 || lo > math.MaxInt64 {
			return diag.New(diag.Grid, "too-large", "a grid of %d × %d × %d has too many program instances", l.Grid[0], l.Grid[1], l.Grid[2])
		}
		total = lo
	}
	for _, o := range p.apart {
		if collide(&l.Args[o.A], &l.Args[o.B], o.Same) {
			return ErrOverlap
		}
	}
	r := &runner{program: p, launch: &l, total: int64(total), ctx: ctx}
	r.run(ctx)
	runtime.KeepAlive(l.Args)
	if r.err != nil {
		return r.err
	}
	if ctx.Err() != nil && r.done.Load() != r.total {
		return context.Cause(ctx)
	}
	return nil
}

func collide(a, b *Arg, same bool) bool {
	if a.Base == nil || b.Base == nil || same && a.Base == b.Base {
		return false
	}
	x, y := uintptr(a.Base), uintptr(b.Base)
	return x < y+uintptr(b.Bytes) && y < x+uintptr(a.Bytes)
}

// A runner deals out program instances to workers.
type runner struct {
	program *Program
	launch  *Launch
	total   int64
	next    atomic.Int64
	batch   int64 // how many are taken at a time
	done    atomic.Int64
	stopped atomic.Bool // the context is done, or a program has failed

	ctx      context.Context
	printing sync.Mutex

	mu  sync.Mutex
	err error
}

// fuel is how much a call of the code does before it returns, some 100 µs: a garbage collection may have to wait for that,
// and what it costs to return and go on, some 200 ns, is nothing to it.
const fuel = 300_000

func (r *runner) run(ctx context.Context) {
	threads := r.launch.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { r.stopped.Store(true) })
		defer stop()
	}
	workers := int(min(int64(threads), r.total))
	r.batch = min(max(r.total/int64(workers*16), 1), 1<<16)
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(r.work)
	}
	r.work()
	wg.Wait()
}

// work runs batches of instances until all are taken.
func (r *runner) work() {
	f := r.program.frameOf(r.launch)
	defer r.program.frames.Put(f)
	for !r.stopped.Load() {
		first := r.next.Add(r.batch) - r.batch
		if first >= r.total {
			return
		}
		n := min(r.batch, r.total-first)
		if err := r.instances(f, first, n); err != nil {
			r.fail(err)
			return
		}
		r.done.Add(n)
	}
}

// instances runs n program instances from first on. It returns early when the launch is stopped.
func (r *runner) instances(f *frame, first, n int64) error {
	h := headerOf(f.base)
	x, y := int64(r.launch.Grid[0]), int64(r.launch.Grid[1])
	h.pid = [3]int32{int32(first % x), int32(first / x % y), int32(first / x / y)}
	h.grid, h.count, h.resume = r.launch.Grid, n, 0
	for {
		h.fuel = fuel
		s, err := r.program.code.Call(f.base)
		switch {
		case err != nil:
			return r.program.fault(err, h, r.launch.Args)
		case s == finished:
			return nil
		case s >= firstService:
			if err := r.serve(r.program.services[s-firstService], f); err != nil {
				return err
			}
		case r.stopped.Load():
			return errStopped
		}
	}
}

// serve does a service. What one operation prints stays together.
func (r *runner) serve(s *service, f *frame) error {
	if s.op == tile.OpPrint {
		r.printing.Lock()
		defer r.printing.Unlock()
	}
	return s.run(r.ctx, r.launch, f.base, r.launch.Stdout)
}

// errStopped ends the programs of a launch that is stopped.
var errStopped = errors.New("stopped")

// fail keeps the first error, and stops the launch.
func (r *runner) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && err != errStopped {
		r.err = err
	}
	r.stopped.Store(true)
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
	e.Notes = append(e.Notes, diag.Note{Msg: "machine code does not check what it accesses; with --check, or TEGULA_CPU=checked, the line and the pointer are named"})
	return e
}

// nearest says which array an address is closest to.
func nearest(addr uintptr, names []string, args []Arg) string {
	best, which, beyond := uint64(math.MaxUint64), -1, false
	for i, a := range args {
		if a.Base == nil {
			continue
		}
		first, end := uintptr(a.Base), uintptr(a.Base)+uintptr(a.Bytes)
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
