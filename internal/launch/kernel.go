package launch

import (
	"context"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// A Definition is what a Kernel is made of: a kernel function and what its decorators say.
type Definition struct {
	Fn         *sema.Func
	Params     []Param
	Configs    []Config
	Heuristics []Heuristic
	Debug      bool
	// Doubts say what is not known of the decorators. They matter once something that the
	// decorators may say is missing.
	Doubts []error
	// LineText gives a line of a source file for diagnostics at run time.
	LineText func(file string, line int) string
}

// A Kernel launches a kernel function. It is safe for concurrent use.
type Kernel struct {
	def    Definition
	name   string
	params []Param
	index  map[string]int // of params, by name

	variants atomic.Pointer[map[string]*variant] // never changed, only replaced
	grow     sync.Mutex                          // held to replace variants
}

// New makes a kernel.
func New(d Definition) *Kernel {
	k := &Kernel{def: d, name: d.Fn.Name, params: d.Params, index: make(map[string]int, len(d.Params))}
	for i := range d.Params {
		k.index[d.Params[i].Name] = i
	}
	k.variants.Store(&map[string]*variant{})
	return k
}

// Variants gives the number of variants that were asked for so far.
func (k *Kernel) Variants() int { return len(*k.variants.Load()) }

// Options are the compiler's options that a launch chooses; 0 takes the default.
type Options struct {
	NumWarps, NumStages, NumCTAs int
	Debug                        bool // device_assert is compiled in
	Check                        bool // what goes wrong without a fault is looked for; implies Debug
	Strict                       bool // so is what does no harm; implies Check
}

// The defaults are Triton's.
const (
	defaultWarps  = 4
	defaultStages = 3
	defaultCTAs   = 1
)

// maxWarps bounds num_warps: no target's work-group is larger.
const maxWarps = 64

// A Request is a launch.
type Request struct {
	Stream driver.Stream
	Grid   Grid
	Call   Call
	Options
	Stdout io.Writer    // takes what the kernel prints; may be nil
	Note   func(string) // told what was filled in; may be nil
}

// Launch runs the kernel on the request's stream.
func (k *Kernel) Launch(ctx context.Context, r Request) error {
	p, err := k.Prepare(r)
	if err != nil {
		return err
	}
	return p.Launch(ctx)
}

// A Prepared launch has been checked and compiled. It may be launched any number of times.
type Prepared struct {
	kernel driver.Kernel
	stream driver.Stream
	launch driver.Launch
}

// Grid gives the canonical grid.
func (p *Prepared) Grid() driver.Grid { return p.launch.Grid }

// Launch submits.
func (p *Prepared) Launch(ctx context.Context) error {
	return p.kernel.Launch(ctx, p.stream, &p.launch)
}

// Prepare does all of a launch but the submission.
func (k *Kernel) Prepare(r Request) (*Prepared, error) {
	device, err := openFor(r.Stream)
	if err != nil {
		return nil, err
	}
	note := r.Note
	if note == nil {
		note = func(string) {}
	}
	bound, err := k.bind(r.Call)
	if err != nil {
		return nil, err
	}
	if err := k.fill(bound, note); err != nil {
		return nil, err
	}
	grid, err := k.grid(r.Grid, bound, device)
	if err != nil {
		return nil, err
	}
	o, err := k.options(r.Options)
	if err != nil {
		return nil, err
	}
	v, err := k.variant(bound, o, target.Of(device.Info()), device, r.Stdout)
	if err != nil {
		return nil, err
	}
	p := &Prepared{kernel: v.loaded, stream: r.Stream, launch: driver.Launch{Grid: grid, Stdout: r.Stdout}}
	if p.launch.Args, err = k.pack(v, bound); err != nil {
		return nil, err
	}
	return p, nil
}

// openFor gives the device of a stream.
func openFor(s driver.Stream) (driver.Device, error) {
	if s.Backend == "" {
		return nil, diag.New(diag.Stream, "no-stream", "the launch was given no stream; tegula.CPU() is the processor's")
	}
	device, err := driver.OpenDevice(s.Backend, s.Device)
	if err != nil {
		return nil, err
	}
	return device, s.Check(s.Backend, s.Device)
}

// options completes options from the first configuration and the defaults.
func (k *Kernel) options(o Options) (Options, error) {
	if len(k.def.Configs) > 0 {
		c := &k.def.Configs[0]
		o.NumWarps = firstNonZero(o.NumWarps, c.NumWarps)
		o.NumStages = firstNonZero(o.NumStages, c.NumStages)
		o.NumCTAs = firstNonZero(o.NumCTAs, c.NumCTAs)
	}
	o.NumWarps = firstNonZero(o.NumWarps, defaultWarps)
	o.NumStages = firstNonZero(o.NumStages, defaultStages)
	o.NumCTAs = firstNonZero(o.NumCTAs, defaultCTAs)
	o.check(os.Getenv(chooseCheck))
	o.Debug = o.Debug || k.def.Debug
	for _, n := range []struct {
		code, name string
		value      int
	}{{"num-warps", "num_warps", o.NumWarps}, {"num-stages", "num_stages", o.NumStages}, {"num-ctas", "num_ctas", o.NumCTAs}} {
		if n.value < 1 {
			return o, diag.New(diag.Argument, n.code, "%s is less than 1", n.name)
		}
	}
	if o.NumWarps > maxWarps || o.NumWarps&(o.NumWarps-1) != 0 {
		return o, diag.New(diag.Argument, "num-warps", "num_warps is %d; it must be a power of two from 1 to %d", o.NumWarps, maxWarps)
	}
	return o, nil
}

// chooseCheck is the environment variable that has every launch checked. It is read at each launch.
const chooseCheck = "TEGULA_CHECK"

// check completes the options that say what is looked for.
func (o *Options) check(env string) {
	o.Strict = o.Strict || env == "strict"
	o.Check = o.Check || o.Strict || env != "" && env != "0"
	o.Debug = o.Debug || o.Check
}

func firstNonZero(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

// Func gives the kernel function, which may be a constant of another kernel.
func (k *Kernel) Func() *sema.Func { return k.def.Fn }
