package cpu

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu/shadow"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// chunk is how many elements are worked on at a time where operands need to be converted
// or repeated first, and how many lanes a region of a reduction works on.
const chunk = 256

// A machine runs program instances, one after another. Each worker has its own.
type machine struct {
	program  *Program
	memory   []uint64       // the frames
	frame    unsafe.Pointer // the running function's frame, in memory
	lanes    int            // elements of the slots whose n is perLane
	scratch  [4][chunk]uint64
	operands [4]uint64 // of one element of a library function
	text     []byte    // what is about to be printed

	pid, grid [3]int32
	number    int64        // of the program instance
	actor     shadow.Actor // the program instance, as the sanitizer knows it
	op        *tile.Op     // running now, for reports of bugs
	launch    *launch
	backEdges uint32
}

// A launch is what all workers of one Run share.
type launch struct {
	space   space
	stopped atomic.Bool // the context is done

	out   sync.Mutex // serialises what is printed
	print io.Writer
	watch *watch // nil without a sanitizer
}

// A step is a planned operation.
type step struct {
	op  *tile.Op
	run func(*machine) error
}

func (m *machine) run(steps []step) error {
	for i := range steps {
		m.op = steps[i].op
		if err := steps[i].run(m); err != nil {
			return err
		}
	}
	return nil
}

// instance runs the kernel's body for one program instance. A panic is a bug of this
// package; it becomes an error that names the operation.
func (m *machine) instance(steps []step) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = m.internalError(r)
		}
	}()
	return m.run(steps)
}

func (m *machine) internalError(r any) error {
	if m.op == nil {
		return diag.New(diag.Driver, "internal", "internal error of the checked executor: %v", r)
	}
	e := m.program.errorAt(diag.Driver, "internal", m.op, fmt.Sprintf("internal error of the checked executor in %s: %v", m.op.Code, r))
	e.Notes = append(e.Notes, diag.Note{Msg: firstFrames()})
	return e
}

// firstFrames gives the Go functions that led to a panic, innermost first.
func firstFrames() string {
	pc := make([]uintptr, 8)
	frames := runtime.CallersFrames(pc[:runtime.Callers(5, pc)])
	s := "in"
	for {
		f, more := frames.Next()
		s += fmt.Sprintf(" %s:%d", f.Function, f.Line)
		if !more {
			return s
		}
	}
}

// yieldEvery is how many loop iterations a machine makes before it lets other goroutines
// run, which a kernel that waits for another program instance needs.
const yieldEvery = 1024

// alive gives an error if the launch is stopped. Loops of a kernel ask once per iteration, operations
// that take long on large tiles once in a while.
func (m *machine) alive() error {
	if m.launch.stopped.Load() {
		return errStopped
	}
	return nil
}

// backEdge is called once per loop iteration.
func (m *machine) backEdge() error {
	if err := m.alive(); err != nil {
		return err
	}
	if m.backEdges++; m.backEdges%yieldEvery == 0 {
		runtime.Gosched()
	}
	return nil
}

// perLane as a slot's n says that there are as many elements as the machine has lanes.
const perLane = -1

// A slot is where a value lies: n elements from byte off of the frame. A tile whose
// elements are all equal may be held as one element; its slot then has n = 1.
type slot struct {
	off int
	n   int
}

func (m *machine) count(n int) int {
	if n == perLane {
		return m.lanes
	}
	return n
}

func (m *machine) at(off int) unsafe.Pointer { return unsafe.Add(m.frame, off) }

// view gives a slot's elements.
func view[T any](m *machine, s slot) []T {
	return unsafe.Slice((*T)(m.at(s.off)), m.count(s.n))
}

// one gives a slot's first element.
func one[T any](m *machine, s slot) *T { return (*T)(m.at(s.off)) }
