package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"
	"time"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	_ "github.com/tegula-lang/tegula/driver/cuda"
	_ "github.com/tegula-lang/tegula/driver/xpu"
)

//go:embed *.py data/*.npy
var files embed.FS

// An example is one launch of the kernel of the same name. Arrays come from data/NAME.PARAMETER.npy.
type example struct {
	name      string
	inputs    []string
	outputs   []string
	scalars   map[string]any
	constants map[string]any
	grid      tegula.GridExpr
	tolerance tolerance
}

// A tolerance is how far each element may be off: by abs, and by rel of what it should be.
type tolerance struct{ abs, rel float64 }

var examples = []example{
	{
		name: "vector_add", inputs: []string{"x_ptr", "y_ptr"}, outputs: []string{"out_ptr"},
		scalars: map[string]any{"n": 10000}, constants: map[string]any{"BLOCK": 1024},
		grid: "cdiv(n, BLOCK)",
	},
	{
		name: "softmax", inputs: []string{"x_ptr"}, outputs: []string{"out_ptr"},
		scalars:   map[string]any{"x_stride": 301, "out_stride": 301, "n_cols": 301},
		constants: map[string]any{"BLOCK": 512},
		grid:      "x_ptr.shape[0]", tolerance: tolerance{abs: 1e-10, rel: 1e-6},
	},
	{
		name: "layer_norm", inputs: []string{"x_ptr", "weight_ptr", "bias_ptr"},
		outputs:   []string{"out_ptr", "mean_ptr", "rstd_ptr"},
		scalars:   map[string]any{"stride": 1500, "n_cols": 1500, "eps": 1e-5},
		constants: map[string]any{"BLOCK": 1024},
		grid:      "x_ptr.shape[0]", tolerance: tolerance{abs: 1e-6, rel: 1e-3},
	},
	{
		name: "dropout", inputs: []string{"x_ptr"}, outputs: []string{"out_ptr"},
		scalars: map[string]any{"n": 10000, "p": 0.25, "seed": 123}, constants: map[string]any{"BLOCK": 1024},
		grid: "cdiv(n, BLOCK)", tolerance: tolerance{rel: 1e-6},
	},
	{
		name: "matmul", inputs: []string{"a_ptr", "b_ptr"}, outputs: []string{"c_ptr"},
		scalars: map[string]any{
			"M": 150, "N": 130, "K": 100, "stride_am": 100, "stride_ak": 1, "stride_bk": 130, "stride_bn": 1,
			"stride_cm": 130, "stride_cn": 1,
		},
		constants: map[string]any{"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 2, "ACTIVATION": "leaky_relu"},
		grid:      "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)", tolerance: tolerance{abs: 1e-6, rel: 1e-3},
	},
	{
		name: "attention", inputs: []string{"q_ptr", "k_ptr", "v_ptr"}, outputs: []string{"out_ptr", "lse_ptr"},
		scalars:   map[string]any{"scale": 1 / math.Sqrt(32), "n_ctx": 100},
		constants: map[string]any{"HEAD_DIM": 32, "BLOCK_M": 32, "BLOCK_N": 32, "CAUSAL": true},
		grid:      "cdiv(n_ctx, BLOCK_M), q_ptr.shape[0]", tolerance: tolerance{abs: 1e-6, rel: 1e-5},
	},
}

func main() {
	target := flag.String("target", "cpu", "the device to run on: cpu, cuda, cuda:1, xpu")
	flag.Parse()
	if err := runOn(os.Stdout, *target); err != nil {
		fmt.Fprint(os.Stderr, tegula.Detail(err))
		os.Exit(1)
	}
}

func run(w io.Writer) error { return runOn(w, "cpu") }

// runOn runs the examples on a device.
func runOn(w io.Writer, target string) error {
	device, err := driver.Open(target)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kernel\tprograms\tcompile\trun\tlargest error\t")
	for _, e := range examples {
		if err := e.runOn(t, device); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return t.Flush()
}

// run runs on the CPU.
func (e *example) run(w io.Writer) error {
	device, err := driver.Open("cpu")
	if err != nil {
		return err
	}
	return e.runOn(w, device)
}

// runOn compiles and launches the kernel, compares its outputs and writes a line about it.
func (e *example) runOn(w io.Writer, d driver.Device) (err error) {
	mod, err := tegula.LoadFS(files, e.name+".py")
	if err != nil {
		return err
	}
	args, outputs, err := e.args()
	if err != nil {
		return err
	}
	ctx, stream := context.Background(), d.Stream()
	there := buffers{stream: stream, of: map[*tegula.Array]*tegula.Buffer{}}
	defer func() {
		if e := there.free(); err == nil { // what went wrong first says more
			err = e
		}
	}()
	if err := there.move(ctx, args); err != nil {
		return err
	}
	start := time.Now()
	launch, err := mod.Kernel(e.name).Prepare(stream, e.grid, there.named(args)...)
	if err != nil {
		return err
	}
	compiled := time.Now()
	if err := errors.Join(launch.Launch(ctx), d.Wait(ctx, stream)); err != nil {
		return err
	}
	done := time.Now()
	if err := there.fetch(ctx); err != nil {
		return err
	}

	worst := 0.0
	for param, got := range outputs {
		want, err := e.array(param)
		if err != nil {
			return err
		}
		diff, err := e.toleranceOn(d).compare(got, want)
		if err != nil {
			return fmt.Errorf("%s: %w", param, err)
		}
		worst = max(worst, diff)
	}
	fmt.Fprintf(w, "%s\t%v\t%.1f ms\t%.1f ms\t%.1e\t\n", e.name, launch.Grid(), millis(compiled.Sub(start)),
		millis(done.Sub(compiled)), worst)
	return nil
}

// toleranceOn gives the tolerance: exponentials are approximate on GPUs, and the factors of dot products are rounded to 11 bits there (TF32)
// unless a kernel says otherwise.
func (e *example) toleranceOn(d driver.Device) tolerance {
	t := e.tolerance
	if d.Info().Backend != "cpu" && t != (tolerance{}) {
		t.rel = max(t.rel, 1e-5)
		if e.name == "attention" {
			t = tolerance{abs: 2e-3, rel: 2e-3}
		}
	}
	return t
}

// An argument is one of a launch.
type argument struct {
	name  string
	value any
}

// args gives the launch's arguments, and the outputs among them, which start as zeros.
func (e *example) args() (args []argument, outputs map[string]*tegula.Array, err error) {
	for _, param := range e.inputs {
		a, err := e.array(param)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, argument{param, a})
	}
	outputs = make(map[string]*tegula.Array)
	for _, param := range e.outputs {
		like, err := e.array(param)
		if err != nil {
			return nil, nil, err
		}
		out, err := tegula.NewArray(like.DType, like.Shape...)
		if err != nil {
			return nil, nil, err
		}
		outputs[param] = out
		args = append(args, argument{param, out})
	}
	for name, v := range e.scalars {
		args = append(args, argument{name, v})
	}
	for name, v := range e.constants {
		args = append(args, argument{name, constant{v}})
	}
	return args, outputs, nil
}

// A constant is the value of a constexpr.
type constant struct{ value any }

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// array reads the array that data/ has for a parameter.
func (e *example) array(param string) (*tegula.Array, error) {
	f, err := files.Open("data/" + e.name + "." + param + ".npy")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return tegula.DecodeNPY(f, 0)
}

// compare gives the largest difference of an element, and fails for one that is further off than it may be.
func (t tolerance) compare(got, want *tegula.Array) (float64, error) {
	g, w := got.Float64s(), want.Float64s()
	if len(g) != len(w) {
		return 0, fmt.Errorf("%d elements, want %d", len(g), len(w))
	}
	worst := 0.0
	for i := range w {
		diff := math.Abs(g[i] - w[i])
		if allowed := t.abs + t.rel*math.Abs(w[i]); !(diff <= allowed) { // NaN is not
			return diff, fmt.Errorf("element %d is %v, want %v: it is off by %.2g, more than %.2g", i, g[i], w[i], diff, allowed)
		}
		worst = max(worst, diff)
	}
	return worst, nil
}
