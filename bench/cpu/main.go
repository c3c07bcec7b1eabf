// Command cpu times kernels on the CPU for cpu.py, which starts it and runs PyTorch and NumPy between its
// rounds. It reads names from stdin and answers each with the nanoseconds of one launch.
//
//	TEGULA_CPU=native python bench/cpu/cpu.py
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/tegula-lang/tegula"
)

// A work is a kernel with its arguments.
type work struct {
	file, kernel string
	arrays       map[string][]int
	types        map[string]tegula.DType // of arrays that are not of f32
	scalars      map[string]any
	grid         []int
}

const (
	elems = 1 << 24
	side  = 4096
)

// matmul is a product of matrices of n×n elements, in blocks of rows × cols.
func matmul(n, rows, cols int, in, out tegula.DType) work {
	return work{
		file: "examples/matmul", kernel: "matmul", arrays: map[string][]int{"a_ptr": {n, n}, "b_ptr": {n, n}, "c_ptr": {n, n}},
		types: map[string]tegula.DType{"a_ptr": in, "b_ptr": in, "c_ptr": out},
		scalars: map[string]any{
			"M": n, "N": n, "K": n, "stride_am": n, "stride_ak": 1, "stride_bk": n, "stride_bn": 1, "stride_cm": n, "stride_cn": 1,
			"BLOCK_M": rows, "BLOCK_N": cols, "BLOCK_K": 64, "GROUP_M": 8,
		},
		grid: []int{n / rows * n / cols},
	}
}

// attention is that of heads with ctx keys of dim elements each.
func attention(heads, ctx, dim int, t tegula.DType) work {
	shape := []int{heads, ctx, dim}
	return work{
		file: "examples/attention", kernel: "attention",
		arrays: map[string][]int{"q_ptr": shape, "k_ptr": shape, "v_ptr": shape, "out_ptr": shape, "lse_ptr": {heads, ctx}},
		types:  map[string]tegula.DType{"q_ptr": t, "k_ptr": t, "v_ptr": t, "out_ptr": t},
		scalars: map[string]any{
			"scale": 0.125, "n_ctx": ctx, "HEAD_DIM": dim, "BLOCK_M": 256, "BLOCK_N": 256, "CAUSAL": false,
		},
		grid: []int{ctx / 256, heads},
	}
}

// intMatmul is matmul of bytes.
func intMatmul(n, rows, cols int) work {
	w := matmul(n, rows, cols, tegula.I8, tegula.I32)
	w.file, w.kernel = "bench/cpu/kernels", "matmul_int8"
	delete(w.scalars, "GROUP_M")
	return w
}

var works = map[string]work{
	"vector_add": {
		file: "examples/vector_add", kernel: "vector_add", arrays: map[string][]int{"x_ptr": {elems}, "y_ptr": {elems}, "out_ptr": {elems}},
		scalars: map[string]any{"n": elems, "BLOCK": 4096}, grid: []int{elems / 4096},
	},
	"dropout": {
		file: "examples/dropout", kernel: "dropout", arrays: map[string][]int{"x_ptr": {elems}, "out_ptr": {elems}},
		scalars: map[string]any{"n": elems, "p": 0.5, "seed": 7, "BLOCK": 1024}, grid: []int{elems / 1024},
	},
	"softmax": {
		file: "examples/softmax", kernel: "softmax", arrays: map[string][]int{"x_ptr": {side, side}, "out_ptr": {side, side}},
		scalars: map[string]any{"x_stride": side, "out_stride": side, "n_cols": side, "BLOCK": side}, grid: []int{side},
	},
	"layer_norm": {
		file: "examples/layer_norm", kernel: "layer_norm",
		arrays: map[string][]int{
			"x_ptr": {side, side}, "weight_ptr": {side}, "bias_ptr": {side}, "out_ptr": {side, side}, "mean_ptr": {side}, "rstd_ptr": {side},
		},
		scalars: map[string]any{"stride": side, "n_cols": side, "eps": 1e-5, "BLOCK": 1024}, grid: []int{side},
	},
	"gelu": {
		file: "bench/cpu/kernels", kernel: "gelu",
		arrays:  map[string][]int{"x_ptr": {side, side}, "w_ptr": {side}, "b_ptr": {side}, "out_ptr": {side, side}},
		scalars: map[string]any{"stride": side, "n_cols": side, "BLOCK": 1024}, grid: []int{side},
	},
	"matmul_512":     matmul(512, 128, 128, tegula.FP32, tegula.FP32),
	"matmul_1024":    matmul(1024, 128, 256, tegula.FP32, tegula.FP32),
	"matmul_2048":    matmul(2048, 128, 256, tegula.FP32, tegula.FP32),
	"matmul_bf16":    matmul(2048, 256, 256, tegula.BF16, tegula.BF16),
	"matmul_int8":    intMatmul(2048, 512, 512),
	"attention":      attention(8, 2048, 64, tegula.FP32),
	"attention_bf16": attention(8, 2048, 64, tegula.BF16),
}

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, tegula.Detail(err))
		os.Exit(1)
	}
}

func serve() error {
	ready := map[string]func() error{}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		name := in.Text()
		if ready[name] == nil {
			run, err := works[name].prepare()
			if err != nil {
				return err
			}
			ready[name] = run
		}
		start := time.Now()
		if err := ready[name](); err != nil {
			return err
		}
		fmt.Println(time.Since(start).Nanoseconds())
	}
	return nil
}

// prepare gives a launch of the work, compiled and run once.
func (w work) prepare() (func() error, error) {
	path := w.file + ".py"
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	mod, err := tegula.Load(path, source)
	if err != nil {
		return nil, err
	}
	var args []any
	for name, shape := range w.arrays {
		t, ok := w.types[name]
		if !ok {
			t = tegula.FP32
		}
		a, err := random(t, shape)
		if err != nil {
			return nil, err
		}
		args = append(args, tegula.Arg(name, a))
	}
	for name, v := range w.scalars {
		args = append(args, tegula.Arg(name, v))
	}
	run := func() error {
		return mod.Kernel(w.kernel).Launch(context.Background(), tegula.CPU(), tegula.Grid(w.grid), args...)
	}
	return run, run()
}

// random makes an array of numbers between -1 and 1, or of any integers.
func random(t tegula.DType, shape []int) (*tegula.Array, error) {
	a, err := tegula.NewArray(t, shape...)
	if err != nil {
		return nil, err
	}
	size := t.Bytes()
	for i := 0; i < len(a.Data); i += size {
		bits := rand.Uint64()
		if t.IsFloat() {
			bits = t.Encode(rand.Float64()*2 - 1)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		copy(a.Data[i:i+size], word[:])
	}
	return a, nil
}
