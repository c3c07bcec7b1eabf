package bridge

import (
	"bytes"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cpu"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/driver/cudamlir"
	"github.com/tegula-lang/tegula/driver/xpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/target"
)

// A call is a launch as C collected it.
type call struct {
	kernel *Kernel
	grid   []int
	stream driver.Stream
	target string // of a warmup; "" for that of the stream's device
	call   *launch.Call
	stdout bytes.Buffer
}

// readCall reads a launch: the kernel, the options, the grid, the stream, the arguments by position and by
// name. The call it gives has to be ended.
func readCall(r *reader) (*call, error) {
	c := &call{kernel: kernelOf(r.u64())}
	if c.kernel == nil {
		return nil, diag.New(diag.Argument, "no-kernel", "the kernel is no longer there")
	}
	if c.kernel.err != nil {
		return nil, c.kernel.err
	}
	warps, stages, ctas := int(int32(r.u32())), int(int32(r.u32())), int(int32(r.u32()))
	lanes, registers := int(int32(r.u32())), int(int32(r.u32()))
	debug, unfused, triton, check := r.bool(), r.bool(), r.bool(), r.u8()
	for range r.count(8) {
		c.grid = append(c.grid, int(r.i64()))
	}
	c.stream = driver.Stream{Backend: backendOf(r.u32()), Device: int(r.u32()), Handle: uintptr(r.u64())}
	c.target = r.str()
	if r.err != nil {
		return nil, r.err
	}
	if triton {
		if err := c.byTriton(); err != nil {
			return nil, err
		}
	}
	if c.stream.Backend == xpu.Backend && c.target == "" {
		if err := c.ofQueue(); err != nil {
			return nil, err
		}
	}
	c.call = c.kernel.launch.Begin()
	l := c.call
	l.Options = launch.Options{NumWarps: warps, NumStages: stages, NumCTAs: ctas, ThreadsPerWarp: lanes, MaxRegisters: registers, Debug: debug, Unfused: unfused, Check: check >= 1, Strict: check >= 2}
	l.Stdout = &c.stdout
	if err := c.arguments(r); err != nil {
		return c, err
	}
	if err := l.Bind(); err != nil {
		return c, err
	}
	l.SetGrid(c.grid)
	return c, r.err
}

// byTriton has Triton's compiler make the code, for the device or the target that was to get ours.
func (c *call) byTriton() error {
	if arch, ok := strings.CutPrefix(c.target, cuda.Backend+":"); ok {
		c.target = cudamlir.Backend + ":" + arch
		return nil
	}
	if c.target == "" && c.stream.Backend == cuda.Backend {
		c.stream.Backend = cudamlir.Backend
		return nil
	}
	if strings.HasPrefix(c.target, cudamlir.Backend) {
		return nil
	}
	return diag.New(diag.Argument, "not-cuda", "backend_name=\"%s\" is for arrays on NVIDIA GPUs and targets such as cuda:90a; the arrays of the launch are on %s", cudamlir.Backend, c.stream.Backend)
}

// ofQueue asks the queue for its device: frameworks count devices in their own way.
func (c *call) ofQueue() error {
	s, err := xpu.Queue(c.stream.Handle)
	if err == nil {
		c.stream = s
	}
	return err
}

func (c *call) arguments(r *reader) error {
	d := &decoder{reader: *r, kernel: c.kernel, stream: c.stream}
	defer func() { *r = d.reader }()
	for range d.count(1) {
		if err := d.argument(c.call.Next(), 0); err != nil {
			return err
		}
	}
	for range d.count(5) {
		if err := d.argument(c.call.Named(d.str()), 0); err != nil {
			return err
		}
	}
	return d.err
}

func (c *call) end() {
	if c != nil && c.call != nil {
		c.call.End()
	}
}

// resolve finds the variant of a launch and describes it for C.
func resolve(r *reader, w *writer) error {
	c, err := readCall(r)
	defer c.end()
	if err != nil {
		return err
	}
	if c.target != "" {
		return c.compileFor(w)
	}
	f, err := c.call.Flatten(c.stream)
	if err != nil {
		return err
	}
	v := &compiled{kernel: c.kernel, flat: f, stream: c.stream}
	v.keep()
	w.u64(v.id)
	w.str(f.Kernel().Metadata().Name)
	w.str(f.Target().String())
	w.u64(uint64(f.Kernel().Function()))
	for _, n := range f.Limits() {
		w.u32(n)
	}
	args := f.Args()
	w.u32(uint32(len(args)))
	for _, a := range args {
		w.u32(uint32(a.Param))
		w.u32(uint32(len(a.Path)))
		for _, i := range a.Path {
			w.u32(uint32(i))
		}
		w.u8(uint8(a.As))
		size := uint8(a.DType.Bytes())
		if a.As == launch.AsPointer {
			size = 8
		}
		w.u8(size)
		w.u8(numberOf(a.DType))
		w.bool(a.Written)
	}
	v.globals(w)
	v.entry(w)
	w.str(c.stdout.String())
	return nil
}

// compileFor compiles for a target what a launch would launch.
func (c *call) compileFor(w *writer) error {
	t, err := target.Parse(c.target)
	if err != nil {
		return err
	}
	u, err := c.call.CompileFor(t)
	if err != nil {
		return err
	}
	v := &compiled{kernel: c.kernel, unit: u, target: t}
	v.keep()
	w.u64(v.id)
	w.str(c.kernel.name)
	w.str(t.String())
	w.str(c.stdout.String())
	return nil
}

// globals writes what C compares before each launch: names by the kernel whose function looks them up, and
// attributes of modules.
func (c *compiled) globals(w *writer) {
	list := c.flat.Globals()
	var envs []*env
	w.u32(uint32(len(list)))
	for _, g := range list {
		e := g.Env.(*env)
		w.u64(e.kernel.id)
		w.str(g.Name)
		known := false
		for _, o := range envs {
			known = known || o == e
		}
		if !known {
			envs = append(envs, e)
		}
	}
	c.envs = envs
	var reads []attrRead
	for _, e := range envs {
		reads = append(reads, e.attrReads()...)
	}
	w.u32(uint32(len(reads)))
	for _, r := range reads {
		w.u64(r.object.env.kernel.id)
		w.u64(r.object.ref)
		w.str(r.name)
	}
}

// How C submits.
const (
	submitGo     uint8 = iota // by Submit
	submitDirect              // by calling the code, for launches that one thread does fast; else by Submit
	submitCUDA                // by the driver's library
	submitXPU                 // by the library for SYCL devices
)

// A cudaKernel is a kernel that the NVIDIA driver's library submits.
type cudaKernel interface {
	Direct() cuda.Direct
	Failure(number int) *diag.Error
}

// entry writes how C may run the code itself.
func (c *compiled) entry(w *writer) {
	if k, ok := c.flat.Kernel().(cudaKernel); ok {
		w.u8(submitCUDA)
		w.cuda(k.Direct())
		return
	}
	if k, ok := c.flat.Kernel().(interface{ Direct() xpu.Direct }); ok {
		w.u8(submitXPU)
		w.xpu(k.Direct())
		return
	}
	d, ok := c.flat.Kernel().(cpu.Direct)
	if !ok || d.ABI().NeedsGo {
		w.u8(submitGo)
		return
	}
	a := d.ABI()
	w.u8(submitDirect)
	w.u64(uint64(a.Entry))
	w.u32(uint32(a.FrameBytes))
	w.u32(uint32(a.FrameAlign))
	w.u32(uint32(a.ArgOffset))
	w.bool(a.Waits)
	w.i64(a.Small)
	w.u32(uint32(len(a.Overlaps)))
	for _, o := range a.Overlaps {
		w.u32(uint32(o.A))
		w.u32(uint32(o.B))
		w.bool(o.Same)
	}
}

// cuda writes how the driver's library submits a kernel.
func (w *writer) cuda(d cuda.Direct) {
	for _, n := range []uintptr{d.Launch, d.GetCurrent, d.SetCurrent, d.Synchronize, d.Context, d.Function, d.Attrs} {
		w.u64(uint64(n))
	}
	w.u32(uint32(d.NumAttrs))
	for i := range d.Block {
		w.u32(d.Block[i])
		w.u32(d.Cluster[i])
	}
	w.u32(d.Shared)
	w.u32(uint32(d.Bytes))
	w.u32(uint32(len(d.Args)))
	for _, a := range d.Args {
		w.u32(uint32(a[0]))
		w.u32(uint32(a[1]))
	}
}

// xpu writes how the library for SYCL devices submits a kernel.
func (w *writer) xpu(d xpu.Direct) {
	w.u64(uint64(d.Launch))
	w.u64(uint64(d.Kernel))
	w.u32(d.Local)
	w.u32(uint32(len(d.Args)))
	for _, a := range d.Args {
		w.u32(a[0])
		w.u32(a[1])
	}
}

// cost gives what a program took the last time, in fuel, 0 if that is not known or does not matter.
func (c *compiled) cost() int64 {
	if d, ok := c.flat.Kernel().(cpu.Direct); ok {
		return d.Cost()
	}
	return 0
}

// compiledKernels are those that Python holds.
var compiledKernels struct {
	sync.RWMutex
	byID map[uint64]*compiled
	last uint64
}

func (c *compiled) keep() {
	compiledKernels.Lock()
	defer compiledKernels.Unlock()
	if compiledKernels.byID == nil {
		compiledKernels.byID = map[uint64]*compiled{}
	}
	compiledKernels.last++
	c.id = compiledKernels.last
	compiledKernels.byID[c.id] = c
}

func compiledOf(id uint64) (*compiled, error) {
	compiledKernels.RLock()
	defer compiledKernels.RUnlock()
	if c := compiledKernels.byID[id]; c != nil {
		return c, nil
	}
	return nil, diag.New(diag.Argument, "no-kernel", "the compiled kernel is no longer there")
}

func dropCompiled(id uint64) {
	compiledKernels.Lock()
	defer compiledKernels.Unlock()
	delete(compiledKernels.byID, id)
}
