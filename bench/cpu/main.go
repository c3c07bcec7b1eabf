// Command cpu times kernels on the CPU for cpu.py, which starts it and runs PyTorch and NumPy between its
// rounds. It reads names from stdin and answers each with the nanoseconds of one launch.
//
//	TEGULA_CPU=native python bench/cpu/cpu.py
package main

import (
	"bufio"
	"context"
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
	scalars      map[string]any
	grid         []int
}

const (
	elems = 1 << 24
	side  = 4096
)

func matmul(n int) work {
	return work{
		file: "examples/matmul", kernel: "matmul", arrays: map[string][]int{"a_ptr": {n, n}, "b_ptr": {n, n}, "c_ptr": {n, n}},
		scalars: map[string]any{
			"M": n, "N": n, "K": n, "stride_am": n, "stride_ak": 1, "stride_bk": n, "stride_bn": 1, "stride_cm": n, "stride_cn": 1,
			"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64, "GROUP_M": 4,
		},
		grid: []int{n / 64 * n / 64},
	}
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
	"matmul_512":  matmul(512),
	"matmul_1024": matmul(1024),
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
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = rand.Float32()*2 - 1
		}
		args = append(args, tegula.Arg(name, data))
	}
	for name, v := range w.scalars {
		args = append(args, tegula.Arg(name, v))
	}
	run := func() error {
		return mod.Kernel(w.kernel).Launch(context.Background(), tegula.CPU(), tegula.Grid(w.grid), args...)
	}
	return run, run()
}
