package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/tegula-lang/tegula"
)

// runCmd is tegula run.
type runCmd struct {
	fileAndKernel
	Args      []string `arg:"" optional:"" name:"NAME=VALUE" sep:"none" help:"An argument: a Python literal, @FILE.npy, zeros(DTYPE, DIM…), full(V, DTYPE, DIM…), arange(DTYPE, N), rand(DTYPE, DIM…, seed=0), randn(…)."`
	Grid      string   `required:"" placeholder:"EXPR[,EXPR[,EXPR]]" help:"How many program instances there are along each axis: Python expressions over the arguments, with cdiv and next_power_of_2, or a lambda of the dict of them."`
	Target    string   `default:"cpu" placeholder:"cpu|cuda[:N]|xpu[:N]" help:"The device to run on (default cpu). Arrays are copied there and back."`
	Reach     []string `sep:"none" placeholder:"NAME=VALUE" help:"An array that is no argument, for the VALUEs after it: addresses(NAME, …) is an array of the addresses of such arrays. May be repeated."`
	Out       []string `sep:"none" placeholder:"NAME=FILE.npy" help:"Write an array argument to a file after the launch. May be repeated."`
	NumWarps  *int     `placeholder:"N" help:"Warps of a program instance."`
	NumStages *int     `placeholder:"N" help:"Stages of software pipelines."`
	NumCTAs   *int     `name:"num-ctas" placeholder:"N" help:"CTAs of a program instance, its cluster; NVIDIA GPUs have them from compute capability 9.0 on."`
	Lanes     *int     `name:"threads-per-warp" placeholder:"N" help:"Threads of a warp: the size of the sub-groups on xpu, 16 or 32."`
	Check     bool     `help:"Look for uninitialised values, races, offsets that wrap around and false hints, too, and compile the kernel's assertions in (assert, tl.device_assert)."`
	Debug     bool     `help:"Compile the kernel's assertions in (assert, tl.device_assert), on any target. --check does so too."`
	Repeat    int      `default:"1" placeholder:"N" help:"Launch N times and report how long it takes. A launch finds the arrays as the one before left them."`
}

// Help is the long text of tegula help run.
func (*runCmd) Help() string {
	return `A VALUE is a Python expression. It may use the names of the file (tl.float16, a kernel function for a constant), those of
the arguments before it, and

  @FILE.npy                     the array in a file, in C order whatever the file's; @FILE.npy:DTYPE takes its bytes for another type
  zeros(DTYPE, DIM…)            an array of zeros
  full(V, DTYPE, DIM…)          an array of V
  arange(DTYPE, N)              0, 1, … N-1
  rand(DTYPE, DIM…, seed=0)     uniform in [0, 1): element 4i+k is result k of tl.rand4x(seed, i)
  randn(DTYPE, DIM…, seed=0)    normal: element 4i+k is result k of tl.randn4x(seed, i)

DTYPE is one of ` + typeNames() + `,
or such a name as float32, tl.float32. Constants that are left out come from the first autotune configuration, the heuristics
and the defaults of the kernel; a note says so. Arrays that the kernel changed and that --out does not write are shown on stdout.

  tegula run add.py x='randn(fp32, 1000)' y=@y.npy out='zeros(fp32, 1000)' n=1000 BLOCK=128 --grid 'cdiv(n, BLOCK)' --out out=sum.npy`
}

// An output is an array to write after the launch.
type output struct {
	array *tegula.Array
	name  string
	path  string
}

// Run runs the kernel.
func (r *runCmd) Run(ctx context.Context, c *console) (err error) {
	if r.Repeat < 1 {
		return usage("--repeat is %d; it must be 1 or more", r.Repeat)
	}
	stream, err := openTarget(r.Target)
	if err != nil {
		return err
	}
	mod, kernel, err := r.open(targetOf(stream))
	if err != nil {
		return err
	}
	if len(r.Reach) > 0 && stream.Backend != tegula.CPU().Backend {
		return usage("--reach: only kernels on the CPU reach arrays by the addresses that a table of this process holds")
	}
	var arena tegula.Arena // what runs past an array is to be an error of the launch
	defer func() {
		if e := arena.Free(); err == nil {
			err = e
		}
	}()
	args, err := parseArguments(mod, &arena, r.Reach, r.Args, func(s string) { c.note("note: %s", s) })
	if err != nil {
		return err
	}
	outputs, err := r.outputs(args)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	there, err := onDevice(ctx, stream, args)
	if err != nil {
		return err
	}
	defer func() {
		if e := there.free(); err == nil { // what went wrong first says more
			err = e
		}
	}()
	start := time.Now()
	prepared, err := kernel.Prepare(stream, tegula.GridExpr(r.Grid), r.options(args, there, c)...)
	if err != nil {
		return err
	}
	compiled := time.Since(start)
	names, arrays := args.arrays()
	before := snap(arrays)
	times, err := launch(ctx, prepared, there, r.Repeat)
	if err != nil {
		return err
	}
	if err := there.fetch(ctx); err != nil {
		return err
	}
	r.reportTimes(c, kernel, prepared, compiled, times)
	if err := write(c, outputs); err != nil {
		return err
	}
	return show(c, names, arrays, before, outputs)
}

// interruptible gives a context that the first interrupt ends. Before, and from the second one on, interrupts end the
// process, as they do by themselves.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// options gives the arguments and options of the launch.
func (r *runCmd) options(args *arguments, there *buffers, c *console) []any {
	list := append(args.launchArgs(there), tegula.Stdout(c.out), tegula.Notes(func(s string) { c.note("note: %s", s) }))
	if r.NumWarps != nil {
		list = append(list, tegula.NumWarps(*r.NumWarps))
	}
	if r.NumStages != nil {
		list = append(list, tegula.NumStages(*r.NumStages))
	}
	if r.NumCTAs != nil {
		list = append(list, tegula.NumCTAs(*r.NumCTAs))
	}
	if r.Lanes != nil {
		list = append(list, tegula.ThreadsPerWarp(*r.Lanes))
	}
	if r.Debug {
		list = append(list, tegula.Debug())
	}
	if r.Check {
		list = append(list, tegula.Check())
	}
	return list
}

// outputs reads the --out flags.
func (r *runCmd) outputs(args *arguments) ([]output, error) {
	var list []output
	for _, text := range r.Out {
		name, path, err := cutArgument(text, "NAME=FILE.npy")
		if err != nil {
			return nil, err
		}
		array, ok := args.values[name].(*tegula.Array)
		if !ok {
			names, _ := args.arrays()
			return nil, usage("--out %s: %s is no array argument; those are %v", text, name, names)
		}
		if path == "" {
			return nil, usage("--out %s: the file is missing", text)
		}
		if err := checkWritable(path); err != nil {
			return nil, fmt.Errorf("tegula: --out %s: %w", name, err)
		}
		if i := slices.IndexFunc(list, func(o output) bool { return filepath.Clean(o.path) == filepath.Clean(path) }); i >= 0 {
			return nil, usage("--out %s: %s is to be written to the same file", text, list[i].name)
		}
		list = append(list, output{array, name, path})
	}
	return list, nil
}

// checkWritable reports whether a file can be written, without changing it: that it cannot had
// better be known before the kernel runs.
func checkWritable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(path))
}

// launch runs the kernel n times and gives how long each run took.
func launch(ctx context.Context, p *tegula.Prepared, there *buffers, n int) ([]time.Duration, error) {
	times := make([]time.Duration, 0, min(n, 1<<16))
	for range n {
		start := time.Now()
		if err := p.Launch(ctx); err != nil {
			return nil, err
		}
		if err := there.wait(ctx); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

func (r *runCmd) reportTimes(c *console, k *tegula.Kernel, p *tegula.Prepared, compiled time.Duration, times []time.Duration) {
	g := p.Grid()
	c.note("%s on %s, grid %d × %d × %d: compiled in %s, ran in %s",
		k.Name(), r.Target, g[0], g[1], g[2], milliseconds(compiled), milliseconds(times[0]))
	if len(times) == 1 {
		return
	}
	slices.Sort(times)
	at := func(percent int) string { return milliseconds(times[(len(times)-1)*percent/100]) }
	c.note("%d launches: median %s, least %s, 90%% within %s, most %s", len(times), at(50), at(0), at(90), at(100))
}

// milliseconds gives a duration with three significant digits, from a second on in seconds.
func milliseconds(d time.Duration) string {
	if d >= time.Second {
		return threeDigits(d.Seconds()) + " s"
	}
	return threeDigits(d.Seconds()*1000) + " ms"
}

// write writes the files of --out.
func write(c *console, outputs []output) error {
	for _, o := range outputs {
		if err := o.array.WriteNPY(o.path); err != nil {
			return fmt.Errorf("tegula: --out %s: %w", o.name, err)
		}
		c.note("%s: wrote %s to %s", o.name, typeAndShape(o.array), o.path)
	}
	return nil
}

// show prints the arrays that the kernel changed and that went to no file.
func show(c *console, names []string, arrays []*tegula.Array, before snapshot, outputs []output) error {
	shown := len(outputs)
	for i, a := range arrays {
		if before.changed(i, a) && !slices.ContainsFunc(outputs, func(o output) bool { return o.array == a }) {
			if _, err := fmt.Fprintf(c.out, "%s  %s\n", names[i], summary(a)); err != nil {
				return fmt.Errorf("tegula: %w", err)
			}
			shown++
		}
	}
	if shown == 0 {
		c.note("no array was changed")
	}
	return nil
}
