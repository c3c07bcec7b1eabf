package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cuda"
)

// A compilation is a kernel with the types of its arguments.
type compilation struct {
	row, file, kernel, signature string
	warps                        int
}

// compilationRows are the kernels whose compilation is timed; compare.py has the same.
var compilationRows = []compilation{
	{"compile vector_add", examples + "vector_add.py", "vector_add", "*fp32:16, *fp32:16, *fp32:16, i32:16, BLOCK=1024", 4},
	{"compile softmax", examples + "softmax.py", "softmax", "*fp32:16, *fp32:16, i32:16, i32:16, i32:16, BLOCK=4096", 4},
	{"compile dropout", examples + "dropout.py", "dropout", "*fp32:16, *fp32:16, i32:16, fp32, i32, BLOCK=1024", 4},
	{"compile layer_norm", examples + "layer_norm.py", "layer_norm", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16, i32:16, fp32, BLOCK=1024", 4},
	{"compile matmul", examples + "matmul.py", "matmul", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:1, i32:16, i32:1, i32:16, i32:1, BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, GROUP_M=8", 8},
	{"compile attention", examples + "attention.py", "attention", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, fp32, i32:16, HEAD_DIM=64, BLOCK_M=128, BLOCK_N=64, CAUSAL=True", 8},
	{"compile a block of 4096", smallKernels, "block", "*fp32:16, *fp32:16, *fp32:16, i32:16, BLOCK=4096", 4},
	{"compile a block of 16384", smallKernels, "block", "*fp32:16, *fp32:16, *fp32:16, i32:16, BLOCK=16384", 4},
	{"compile a block of 65536", smallKernels, "block", "*fp32:16, *fp32:16, *fp32:16, i32:16, BLOCK=65536", 4},
}

// compilations measures how long it takes from a kernel's text to its code, and to its code on the device.
func compilations(d *cuda.Device) {
	for _, c := range compilationRows {
		if !wanted(c.row) {
			continue
		}
		var front, total []float64
		var last error
		for range 5 {
			f, t, err := c.time(d)
			if err != nil {
				last = err
				break
			}
			front, total = append(front, f), append(total, t)
		}
		if last != nil {
			fail(c.row, "tegula", last)
			continue
		}
		// The first compilation of a process is what a user waits for; the least is what the work takes.
		report(c.row, "tegula", slices.Min(total), "ms", fmt.Sprintf("of it to PTX %.2f ms; the first of the process took %.1f and %.2f ms", slices.Min(front), total[0], front[0]))
		report(c.row+", to PTX", "tegula", slices.Min(front), "ms", "")
	}
}

// time compiles anew and gives the milliseconds to PTX, and to loaded code.
func (c *compilation) time(d *cuda.Device) (front, total float64, err error) {
	start := time.Now()
	k, err := load(c.file).Kernel(c.kernel).Compile(tegula.CompileOptions{Target: "cuda:" + d.Info().Arch, Signature: c.signature, NumWarps: c.warps})
	if err != nil {
		return 0, 0, err
	}
	ptx, err := k.Emit("ptx")
	if err != nil {
		return 0, 0, err
	}
	front = milliseconds(start)
	m, err := k.Metadata()
	if err != nil {
		return 0, 0, err
	}
	loading := time.Now() // Metadata compiles once more, which is not counted
	dev := d.Driver()
	b, err := dev.(driver.Finisher).Finish(&driver.Binary{Metadata: m, Image: ptx})
	if err != nil {
		return 0, 0, err
	}
	loaded, err := dev.Load(b)
	if err != nil {
		return 0, 0, err
	}
	total = front + milliseconds(loading)
	return front, total, loaded.Close()
}

func milliseconds(start time.Time) float64 {
	return float64(time.Since(start)) / float64(time.Millisecond)
}
