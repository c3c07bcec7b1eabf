package bridge

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/driver/cudamlir"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/target"
)

// A compiled is a kernel that Python holds: a variant that can be launched, or what was compiled for
// a target that need not be there.
type compiled struct {
	id     uint64
	kernel *Kernel
	flat   *launch.Flat
	stream driver.Stream
	target target.Target
	envs   []*env
	each   atomic.Uint64 // how long a program took the last time, in nanoseconds, as a float64; 0 if it is not known

	mu   sync.Mutex // held to use unit
	unit *compiler.Unit
}

// withUnit does something with the unit, which is not safe for concurrent use.
func (c *compiled) withUnit(do func(*compiler.Unit) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unit == nil {
		u, err := c.flat.Unit()
		if err != nil {
			return err
		}
		c.unit = u
	}
	return do(c.unit)
}

// stageCubin is the machine code for an NVIDIA GPU, where the driver or Triton made it.
const stageCubin = "cubin"

// hasCubin tells whether there is that code.
func (c *compiled) hasCubin() bool {
	if c.flat != nil {
		return c.stream.Backend == cuda.Backend || c.stream.Backend == cudamlir.Backend
	}
	return c.target.Backend == cudamlir.Backend
}

// cubin makes it.
func (c *compiled) cubin() (image []byte, err error) {
	if c.flat != nil {
		b, err := c.flat.Binary()
		if err != nil {
			return nil, err
		}
		return b.Image, nil
	}
	err = c.withUnit(func(u *compiler.Unit) error {
		b, err := u.Build()
		if err == nil {
			image = b.Image
		}
		return err
	})
	return image, err
}

func (c *compiled) stages() (list []string, err error) {
	err = c.withUnit(func(u *compiler.Unit) error {
		list = u.Stages()
		return nil
	})
	if c.hasCubin() {
		list = append(list, stageCubin)
	}
	return list, err
}

func (c *compiled) emit(stage string) (text []byte, err error) {
	if stage == stageCubin && c.hasCubin() {
		return c.cubin()
	}
	err = c.withUnit(func(u *compiler.Unit) error {
		text, err = u.Emit(stage)
		return err
	})
	return text, err
}

// metadata gives the metadata as JSON.
func (c *compiled) metadata() ([]byte, error) {
	if c.flat != nil {
		return c.flat.Kernel().Metadata().Encode()
	}
	return c.emit("metadata")
}

// checkGlobals reports a GlobalChanged.
func (c *compiled) checkGlobals() error {
	if c.flat == nil {
		return nil
	}
	if err := c.flat.CheckGlobals(); err != nil {
		return err
	}
	for _, e := range c.envs {
		if err := e.checkReads(); err != nil {
			return err
		}
	}
	return nil
}

// A Slot is a packed argument as C lays it out.
type Slot struct {
	Bits  uint64
	Bytes uint64 // of what a pointer points to, if that is memory of this process
	Front uint64 // of the same memory in front of that
}

// A launch that takes longer than long is asked about every pollEvery: a signal may want to stop it.
const (
	long      = 10 * time.Millisecond
	pollEvery = 50 * time.Millisecond
)

// run launches. The thread that Python called on can only see signals while it does not run the kernel itself, so
// what may take long runs on another.
func (c *compiled) run(s driver.Stream, l *driver.Launch) error {
	programs := float64(l.Grid[0]) * float64(l.Grid[1]) * float64(l.Grid[2])
	start := time.Now()
	var err error
	if each := math.Float64frombits(c.each.Load()); each > 0 && each*programs < float64(long) {
		err = c.flat.Launch(context.Background(), s, l)
	} else {
		err = c.runWatched(s, l)
	}
	c.each.Store(math.Float64bits(max(1, float64(time.Since(start))) / programs))
	return err
}

func (c *compiled) runWatched(s driver.Stream, l *driver.Launch) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- c.flat.Launch(ctx, s, l) }()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-poll.C:
			if _, err := host.Ask(askPoll, nil); err != nil {
				cancel(err)
				<-done
				return err
			}
		}
	}
}

// submit launches a variant. What the kernel prints goes to out.
func (c *compiled) submit(grid driver.Grid, stream uintptr, slots []Slot, out io.Writer) error {
	if c.flat == nil {
		return errNotLoaded
	}
	s := c.stream
	if stream != 0 {
		s.Handle = stream
	}
	args, _ := argPool.Get().(*[]driver.Arg)
	if args == nil {
		args = new([]driver.Arg)
	}
	list := (*args)[:0]
	for _, a := range slots {
		arg := driver.Arg{Bits: a.Bits}
		if a.Bytes != 0 && c.stream.Backend == "cpu" {
			arg.Host, arg.Front = memoryAt(a.Bits-a.Front, a.Front+a.Bytes), int64(a.Front)
		}
		list = append(list, arg)
	}
	err := c.run(s, &driver.Launch{Grid: grid, Args: list, Stdout: out})
	clear(list)
	*args = list[:0]
	argPool.Put(args)
	return err
}

var argPool sync.Pool // of *[]driver.Arg

var errNotLoaded = errors.New("the kernel was compiled for a target, not for a device, and cannot be launched")

// memoryAt gives memory of Python's.
func memoryAt(address, bytes uint64) []byte {
	if bytes == 0 || address == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), bytes)
}
