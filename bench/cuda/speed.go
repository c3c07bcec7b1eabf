package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
)

// An array is an array argument.
type array struct {
	name  string
	dtype tegula.DType
	shape []int
	out   bool
}

// A workload is a kernel with its arguments. What it moves or computes gives its speed.
type workload struct {
	row, file, kernel string
	arrays            []array
	scalars           map[string]any
	grid              []int
	bytes, flops      float64
	warps, stages     []int            // to try
	configs           []map[string]any // of constants, to try
	also              []attempt        // further ones
}

// An attempt is a way to launch a workload.
type attempt struct {
	config        map[string]any
	warps, stages int
}

// attempts are all that are tried.
func (w *workload) attempts() []attempt {
	var list []attempt
	for _, config := range w.configs {
		for _, warps := range w.warps {
			for _, n := range w.depths() {
				list = append(list, attempt{config, warps, n})
			}
		}
	}
	return append(list, w.also...)
}

// checked are those whose results are looked at: of every kind of tiles.
func (w *workload) checked() []attempt {
	var list []attempt
	for _, config := range w.configs {
		list = append(list, attempt{config, w.warps[0], w.depths()[0]})
	}
	return append(list, w.also...)
}

// depths are the stages to try.
func (w *workload) depths() []int {
	if w.stages == nil {
		return []int{3}
	}
	return w.stages
}

const big = 1 << 28

func vectorAdd(n int) workload {
	w := workload{
		row: "vector add, 2^28 f32", file: "vector_add", kernel: "vector_add", bytes: 12 * float64(n), scalars: map[string]any{"n": n},
		arrays: []array{{"x_ptr", tegula.FP32, []int{n}, false}, {"y_ptr", tegula.FP32, []int{n}, false}, {"out_ptr", tegula.FP32, []int{n}, true}},
		warps:  []int{4, 8},
	}
	for _, block := range []int{1024, 2048, 4096} {
		w.configs = append(w.configs, map[string]any{"BLOCK": block})
	}
	return w
}

func dropout(n int) workload {
	w := workload{
		row: "dropout, 2^28 f32", file: "dropout", kernel: "dropout", bytes: 8 * float64(n), scalars: map[string]any{"n": n, "p": 0.5, "seed": 123},
		arrays: []array{{"x_ptr", tegula.FP32, []int{n}, false}, {"out_ptr", tegula.FP32, []int{n}, true}},
		warps:  []int{4, 8},
	}
	for _, block := range []int{1024, 2048, 4096} {
		w.configs = append(w.configs, map[string]any{"BLOCK": block})
	}
	return w
}

func softmax(rows, cols int) workload {
	block := 1
	for block < cols {
		block *= 2
	}
	return workload{
		row: fmt.Sprintf("softmax, rows of %d f32", cols), file: "softmax", kernel: "softmax", bytes: 8 * float64(rows) * float64(cols),
		scalars: map[string]any{"x_stride": cols, "out_stride": cols, "n_cols": cols}, grid: []int{rows},
		arrays: []array{{"x_ptr", tegula.FP32, []int{rows, cols}, false}, {"out_ptr", tegula.FP32, []int{rows, cols}, true}},
		warps:  []int{2, 4, 8, 16}, configs: []map[string]any{{"BLOCK": block}},
	}
}

func layerNorm(rows, cols int) workload {
	w := workload{
		row: fmt.Sprintf("layer norm, rows of %d fp16", cols), file: "layer_norm", kernel: "layer_norm", bytes: 4 * float64(rows) * float64(cols),
		scalars: map[string]any{"stride": cols, "n_cols": cols, "eps": 1e-5}, grid: []int{rows},
		arrays: []array{
			{"x_ptr", tegula.FP16, []int{rows, cols}, false}, {"weight_ptr", tegula.FP16, []int{cols}, false}, {"bias_ptr", tegula.FP16, []int{cols}, false},
			{"out_ptr", tegula.FP16, []int{rows, cols}, true}, {"mean_ptr", tegula.FP32, []int{rows}, true}, {"rstd_ptr", tegula.FP32, []int{rows}, true},
		},
		warps: []int{4, 8, 16},
	}
	for _, block := range []int{1024, 2048, 4096, 8192} {
		w.configs = append(w.configs, map[string]any{"BLOCK": block})
	}
	return w
}

// small are kernels of the bench's own.
const small = "../bench/cuda/kernels"

func addOf(n int, d tegula.DType) workload {
	w := workload{
		row: fmt.Sprintf("vector add, 2^28-1 %s", d), file: small, kernel: "add", bytes: 3 * float64(d.Bytes()) * float64(n), scalars: map[string]any{"n": n},
		arrays: []array{{"x", d, []int{n}, false}, {"y", d, []int{n}, false}, {"out", d, []int{n}, true}}, warps: []int{4, 8},
	}
	for _, block := range []int{1024, 2048, 4096} {
		w.configs = append(w.configs, map[string]any{"BLOCK": block})
	}
	return w
}

func convert(n int, from, to tegula.DType) workload {
	w := workload{
		row: fmt.Sprintf("%s to %s, 2^28", from, to), file: small, kernel: "convert", bytes: float64(from.Bytes()+to.Bytes()) * float64(n),
		scalars: map[string]any{"n": n}, arrays: []array{{"x", from, []int{n}, false}, {"out", to, []int{n}, true}}, warps: []int{4, 8},
	}
	for _, block := range []int{2048, 4096} {
		w.configs = append(w.configs, map[string]any{"BLOCK": block})
	}
	return w
}

func transpose(n int, d tegula.DType) workload {
	w := workload{
		row: fmt.Sprintf("transpose %d %s", n, d), file: small, kernel: "transpose", bytes: 2 * float64(d.Bytes()) * float64(n) * float64(n),
		scalars: map[string]any{"m": n, "n": n}, arrays: []array{{"x", d, []int{n, n}, false}, {"out", d, []int{n, n}, true}}, warps: []int{4, 8},
	}
	for _, b := range []int{64, 128} {
		w.configs = append(w.configs, map[string]any{"BM": b, "BN": b})
	}
	return w
}

func gelu(rows, cols int) workload {
	w := workload{
		row: fmt.Sprintf("gelu(x + b), rows of %d fp16", cols), file: small, kernel: "gelu", bytes: 4 * float64(rows) * float64(cols),
		scalars: map[string]any{"n_cols": cols}, warps: []int{4, 8},
		arrays: []array{{"x", tegula.FP16, []int{rows, cols}, false}, {"bias", tegula.FP16, []int{cols}, false}, {"out", tegula.FP16, []int{rows, cols}, true}},
	}
	for _, block := range []int{1024, 2048, 4096} {
		w.configs = append(w.configs, map[string]any{"BLOCK": block})
	}
	return w
}

func matmul(n int, d tegula.DType, row string) workload {
	w := workload{
		row: row, file: "matmul", kernel: "matmul", flops: 2 * math.Pow(float64(n), 3),
		scalars: map[string]any{"M": n, "N": n, "K": n, "stride_am": n, "stride_ak": 1, "stride_bk": n, "stride_bn": 1, "stride_cm": n, "stride_cn": 1, "GROUP_M": 8},
		arrays:  []array{{"a_ptr", d, []int{n, n}, false}, {"b_ptr", d, []int{n, n}, false}, {"c_ptr", d, []int{n, n}, true}},
		warps:   []int{4, 8}, stages: []int{3, 4},
	}
	for _, c := range [][3]int{{128, 128, 32}, {256, 128, 32}, {64, 128, 64}, {128, 128, 64}, {128, 256, 64}} {
		w.configs = append(w.configs, map[string]any{"BLOCK_M": c[0], "BLOCK_N": c[1], "BLOCK_K": c[2]})
	}
	return w
}

func attention(z, heads, ctx, dim int, causal bool) workload {
	kind, part := "full", 1.0
	if causal {
		kind, part = "causal", 0.5
	}
	n := []int{z * heads, ctx, dim}
	w := workload{
		row:  fmt.Sprintf("attention Z%d H%d N%d D%d, %s", z, heads, ctx, dim, kind),
		file: "attention", kernel: "attention", flops: 4 * float64(z*heads) * float64(ctx) * float64(ctx) * float64(dim) * part,
		scalars: map[string]any{"scale": 1 / math.Sqrt(float64(dim)), "n_ctx": ctx, "HEAD_DIM": dim, "CAUSAL": causal},
		arrays: []array{
			{"q_ptr", tegula.FP16, n, false}, {"k_ptr", tegula.FP16, n, false}, {"v_ptr", tegula.FP16, n, false},
			{"out_ptr", tegula.FP16, n, true}, {"lse_ptr", tegula.FP32, n[:2], true},
		},
		warps: []int{4, 8}, stages: []int{2, 3},
	}
	for _, c := range [][2]int{{128, 64}, {64, 64}} {
		w.configs = append(w.configs, map[string]any{"BLOCK_M": c[0], "BLOCK_N": c[1]})
	}
	for _, c := range [][4]int{{128, 128, 8, 2}, {128, 128, 8, 3}, {256, 64, 16, 3}, {256, 64, 16, 4}} {
		w.also = append(w.also, attempt{map[string]any{"BLOCK_M": c[0], "BLOCK_N": c[1]}, c[2], c[3]})
	}
	return w
}

// workloads are the rows; each has a small one of the same kernel, which is compared with the CPU's result.
var workloads = []struct{ large, small workload }{
	{vectorAdd(big), vectorAdd(5000)},
	{dropout(big), dropout(5000)},
	{softmax(big/1024, 1024), softmax(7, 1024)},
	{softmax(big/4096, 4096), softmax(7, 4096)},
	{softmax(big/12672, 12672), softmax(7, 12672)},
	{softmax(big/12671, 12671), softmax(7, 12671)},
	{layerNorm(16384, 8192), layerNorm(5, 8192)},
	{addOf(big-1, tegula.FP16), addOf(5001, tegula.FP16)},
	{convert(big, tegula.FP32, tegula.BF16), convert(4096, tegula.FP32, tegula.BF16)},
	{transpose(16384, tegula.FP16), transpose(128, tegula.FP16)},
	{gelu(16384, 8192), gelu(3, 8192)},
	{matmul(8192, tegula.FP16, "matmul fp16 8192"), matmul(256, tegula.FP16, "")},
	{matmul(8192, tegula.BF16, "matmul bf16 8192"), matmul(256, tegula.BF16, "")},
	{matmul(4096, tegula.FP16, "matmul fp16 4096"), matmul(256, tegula.FP16, "")},
	{matmul(1024, tegula.FP16, "matmul fp16 1024"), matmul(256, tegula.FP16, "")},
	{matmul(8192, tegula.FP32, "matmul f32 (tf32) 8192"), matmul(256, tegula.FP32, "")},
	{attention(4, 16, 8192, 64, false), attention(1, 2, 256, 64, false)},
	{attention(4, 16, 8192, 64, true), attention(1, 2, 256, 64, true)},
	{attention(4, 16, 8192, 128, false), attention(1, 2, 256, 128, false)},
	{attention(4, 16, 8192, 128, true), attention(1, 2, 256, 128, true)},
}

// speeds measures how fast kernels run.
func speeds(d *cuda.Device) {
	for _, w := range workloads {
		if !wanted(w.large.row) {
			continue
		}
		if err := w.small.check(d.Stream()); err != nil {
			fail(w.large.row, "tegula", err)
			continue
		}
		best, detail, err := w.large.best(d)
		if err != nil {
			fail(w.large.row, "tegula", err)
			continue
		}
		value, unit := w.large.bytes/best*1e-9, "GB/s"
		if w.large.flops > 0 {
			value, unit = w.large.flops/best*1e-12, "TFLOP/s"
		}
		report(w.large.row, "tegula", value, unit, detail)
	}
}

// random fills memory with numbers between -1 and 1; what is larger than a piece repeats it.
func random(d tegula.DType, n int) []byte {
	const piece = 1 << 20
	r := rand.New(rand.NewPCG(1, uint64(n)))
	size := d.Bytes()
	out := make([]byte, n*size)
	for i := range min(n, piece) {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], d.Encode(2*r.Float64()-1))
		copy(out[i*size:], word[:size])
	}
	for at := piece * size; at < len(out); at *= 2 {
		copy(out[at:], out[:at])
	}
	return out
}

// A placed is a workload whose arrays are on a device, or in this process.
type placed struct {
	*workload
	kernel *tegula.Kernel
	arrays []any // of driver.Buffer or tegula.Array
}

// place puts the arrays somewhere.
func (w *workload) place(put func(a array, data []byte) (any, error)) (*placed, error) {
	p := &placed{workload: w, kernel: load(examples + w.file + ".py").Kernel(w.kernel)}
	for _, a := range w.arrays {
		n := 1
		for _, dim := range a.shape {
			n *= dim
		}
		data := make([]byte, n*a.dtype.Bytes())
		if !a.out {
			data = random(a.dtype, n)
		}
		v, err := put(a, data)
		if err != nil {
			return p, err
		}
		p.arrays = append(p.arrays, v)
	}
	return p, nil
}

// prepare makes a launch in a configuration.
func (p *placed) prepare(s tegula.Stream, config map[string]any, options ...any) (*tegula.Prepared, error) {
	args := slices.Clone(options)
	for i, a := range p.workload.arrays {
		args = append(args, tegula.Arg(a.name, p.arrays[i]))
	}
	constants := map[string]any{}
	for _, m := range []map[string]any{p.scalars, config} {
		for name, v := range m {
			args = append(args, tegula.Arg(name, v))
			constants[name] = v
		}
	}
	return p.kernel.Prepare(s, tegula.Grid(p.gridOf(constants)), args...)
}

// gridOf gives the grid in a configuration.
func (w *workload) gridOf(c map[string]any) []int {
	of := func(name string) int { n, _ := c[name].(int); return n }
	switch {
	case w.grid != nil:
		return w.grid
	case w.kernel == "matmul":
		return []int{tegula.Cdiv(of("M"), of("BLOCK_M")) * tegula.Cdiv(of("N"), of("BLOCK_N"))}
	case w.kernel == "transpose":
		return []int{tegula.Cdiv(of("m"), of("BM")), tegula.Cdiv(of("n"), of("BN"))}
	case w.kernel == "gelu":
		return []int{tegula.Cdiv(of("n_cols"), of("BLOCK")), w.arrays[0].shape[0]}
	case w.kernel == "attention":
		return []int{tegula.Cdiv(of("n_ctx"), of("BLOCK_M")), w.arrays[0].shape[0]}
	}
	return []int{tegula.Cdiv(of("n"), of("BLOCK"))}
}

// onDevice places arrays on the GPU.
func (w *workload) onDevice(s tegula.Stream) (*placed, func(), error) {
	var buffers []*tegula.Buffer
	free := func() {
		for _, b := range buffers {
			_ = b.Free()
		}
	}
	p, err := w.place(func(a array, data []byte) (any, error) {
		b, err := tegula.NewBuffer(s, a.dtype, a.shape...)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, b)
		return b, b.CopyFrom(context.Background(), s, data)
	})
	return p, free, err
}

// check compares the results of a small workload on the GPU and on the CPU.
func (w *workload) check(s tegula.Stream) error {
	there, free, err := w.onDevice(s)
	defer free()
	if err != nil {
		return err
	}
	here, err := w.place(func(a array, data []byte) (any, error) {
		return &tegula.Array{DType: a.dtype, Shape: a.shape, Data: data}, nil
	})
	if err != nil {
		return err
	}
	ctx := context.Background()
	for _, c := range w.checked() {
		for _, run := range []struct {
			p *placed
			s tegula.Stream
		}{{there, s}, {here, tegula.CPU()}} {
			l, err := run.p.prepare(run.s, c.config, tegula.NumWarps(c.warps), tegula.NumStages(c.stages))
			if err != nil {
				return err
			}
			if err := l.Launch(ctx); err != nil {
				return err
			}
		}
		for i, a := range w.arrays {
			if !a.out {
				continue
			}
			want := here.arrays[i].(*tegula.Array)
			got := &tegula.Array{DType: a.dtype, Shape: a.shape, Data: make([]byte, len(want.Data))}
			if err := there.arrays[i].(*tegula.Buffer).CopyTo(ctx, s, got.Data); err != nil {
				return err
			}
			if err := near(got.Float64s(), want.Float64s()); err != nil {
				return fmt.Errorf("%s of %s with %v: %w", a.name, w.kernel, c.config, err)
			}
		}
	}
	return nil
}

// near reports an error if numbers are further apart than different orders of a sum in few digits explain.
func near(got, want []float64) error {
	var diff, size float64
	for i := range got {
		if got[i] != got[i] || math.IsInf(got[i], 0) {
			return fmt.Errorf("element %d is %g, on the CPU %g", i, got[i], want[i])
		}
		diff += (got[i] - want[i]) * (got[i] - want[i])
		size += want[i] * want[i]
	}
	if relative := math.Sqrt(diff / max(size, 1e-300)); relative > 5e-3 {
		return fmt.Errorf("the results differ from the CPU's by %.2g of their size", relative)
	}
	return nil
}

// best gives the least time of a launch in seconds over all configurations, and in which it was.
func (w *workload) best(d *cuda.Device) (seconds float64, detail string, err error) {
	p, free, err := w.onDevice(d.Stream())
	defer free()
	if err != nil {
		return 0, "", err
	}
	seconds = math.Inf(1)
	var last error
	for _, a := range w.attempts() {
		t, err := p.time(d, a)
		if err != nil {
			last = err
			continue
		}
		if t < seconds {
			seconds, detail = t, fmt.Sprintf("%v, %d warps, %d stages", a.config, a.warps, a.stages)
		}
	}
	if math.IsInf(seconds, 1) {
		return 0, "", last
	}
	if last != nil {
		detail += fmt.Sprintf("; some configurations fail: %s", last)
	}
	return seconds, detail, nil
}

// time gives the median time of a launch in seconds, by events.
func (p *placed) time(d *cuda.Device, a attempt) (float64, error) {
	ctx, s := context.Background(), d.Stream()
	l, err := p.prepare(s, a.config, tegula.NumWarps(a.warps), tegula.NumStages(a.stages))
	if err != nil {
		return 0, err
	}
	const warm, runs = 3, 15
	events := make([]*cuda.Event, runs+1)
	for i := range events {
		if events[i], err = d.NewEvent(); err != nil {
			return 0, err
		}
		defer events[i].Close()
	}
	for i := range warm + runs {
		if i >= warm {
			if err := events[i-warm].Record(s); err != nil {
				return 0, err
			}
		}
		if err := l.Launch(ctx); err != nil {
			return 0, err
		}
	}
	if err := events[runs].Record(s); err != nil {
		return 0, err
	}
	if err := d.Wait(ctx, s); err != nil {
		return 0, err
	}
	times := make([]float64, runs)
	for i := range times {
		took, err := events[i+1].Since(events[i])
		if err != nil {
			return 0, err
		}
		times[i] = took.Seconds()
	}
	slices.Sort(times)
	return times[runs/2], nil
}
