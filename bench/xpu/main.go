// Command xpu times what a launch on a SYCL device costs, beside the same kernel submitted by hand. compare.py starts it and writes the table.
//
//	bench/xpu/build.sh SYCL_ROOT && python3 bench/xpu/compare.py OUT
//
// Without a flag it prints a line of JSON for each figure; with -first it launches one kernel and ends.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	_ "github.com/tegula-lang/tegula/driver/xpu"
)

// signatures are what the examples are compiled for.
var signatures = []struct{ name, sig string }{
	{"vector_add", "x_ptr=*fp32:16, y_ptr=*fp32:16, out_ptr=*fp32:16, n=i32, BLOCK=1024"},
	{"softmax", "x_ptr=*fp32:16, out_ptr=*fp32:16, x_stride=i32, out_stride=i32, n_cols=i32, BLOCK=1024"},
	{"layer_norm", "x_ptr=*fp16:16, weight_ptr=*fp16:16, bias_ptr=*fp16:16, out_ptr=*fp16:16, mean_ptr=*fp32:16, " +
		"rstd_ptr=*fp32:16, stride=i32, n_cols=i32, eps=fp32, BLOCK=1024"},
	{"dropout", "x_ptr=*fp32:16, out_ptr=*fp32:16, n=i32, p=fp32, seed=i32, BLOCK=1024"},
	{"matmul", "a_ptr=*fp16:16, b_ptr=*fp16:16, c_ptr=*fp16:16, M=i32, N=i32, K=i32, stride_am=i32:16, stride_ak=i32:1, " +
		"stride_bk=i32:16, stride_bn=i32:1, stride_cm=i32:16, stride_cn=i32:1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, " +
		"GROUP_M=8, ACTIVATION='leaky_relu'"},
	{"attention", "q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16, out_ptr=*fp16:16, lse_ptr=*fp32:16, scale=fp32, n_ctx=i32, " +
		"HEAD_DIM=64, BLOCK_M=64, BLOCK_N=32, CAUSAL=True"},
}

func main() {
	first := flag.Bool("first", false, "launch one kernel and end")
	device := flag.Bool("device", false, "say what the device is and end")
	rounds := flag.Int("rounds", 40, "of launches, in turns")
	flag.Parse()
	work := func() error { return run(*first, *rounds) }
	if *device {
		work = about
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, tegula.Detail(err))
		os.Exit(1)
	}
}

func run(first bool, rounds int) error {
	a, err := newAddition()
	if err != nil {
		return err
	}
	if first {
		return a.once()
	}
	if err := compilations(); err != nil {
		return err
	}
	return a.steady(rounds)
}

// about prints the device's name and version.
func about() error {
	d, err := driver.Open("xpu")
	if err == nil {
		fmt.Printf("%s, %s", d.Info().Name, d.Info().Version)
	}
	return err
}

// report prints a figure.
func report(row, side string, value float64, unit string) {
	text, err := json.Marshal(map[string]any{"row": row, "side": side, "value": value, "unit": unit})
	if err != nil {
		panic(err) // it has nothing that JSON lacks
	}
	fmt.Println(string(text))
}

// compilations times the way from a file's text to SPIR-V.
func compilations() error {
	for _, s := range signatures {
		src, err := os.ReadFile(filepath.Join("examples", s.name+".py"))
		if err != nil {
			return err
		}
		least := time.Duration(math.MaxInt64)
		for range 60 {
			start := time.Now()
			mod, err := tegula.Load(s.name+".py", src)
			if err != nil {
				return err
			}
			c, err := mod.Kernel(s.name).Compile(tegula.CompileOptions{Target: "xpu", Signature: s.sig})
			if err != nil {
				return err
			}
			code, err := c.Emit("spirv")
			if err != nil {
				return err
			}
			least = min(least, time.Since(start))
			if err := os.WriteFile(filepath.Join("build/xpu", s.name+".spv"), code, 0o644); err != nil {
				return err
			}
		}
		report("compile "+s.name+" to SPIR-V", "tegula", float64(least)/1e6, "ms")
	}
	return nil
}

// An addition is the vector addition of 1024 elements, with its arrays.
type addition struct {
	device driver.Device
	kernel *tegula.Kernel
	bufs   [3]*tegula.Buffer
}

const elements = 1024

func newAddition() (*addition, error) {
	d, err := driver.Open("xpu")
	if err != nil {
		return nil, err
	}
	mod, err := tegula.LoadFile("examples/vector_add.py")
	if err != nil {
		return nil, err
	}
	a := &addition{device: d, kernel: mod.Kernel("vector_add")}
	ones := bytes.Repeat(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1)), elements)
	for i := range a.bufs {
		if a.bufs[i], err = tegula.NewBuffer(d.Stream(), tegula.FP32, elements); err != nil {
			return nil, err
		}
		if err := a.bufs[i].CopyFrom(context.Background(), d.Stream(), ones); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *addition) args() []any {
	return []any{a.bufs[0], a.bufs[1], a.bufs[2], elements, tegula.Const("BLOCK", elements)}
}

// once launches and looks at the result.
func (a *addition) once() error {
	ctx, s := context.Background(), a.device.Stream()
	if err := a.kernel.Launch(ctx, s, tegula.Grid{1}, a.args()...); err != nil {
		return err
	}
	out := make([]byte, 4*elements)
	if err := a.bufs[2].CopyTo(ctx, s, out); err != nil {
		return err
	}
	if got := math.Float32frombits(binary.LittleEndian.Uint32(out)); got != 2 {
		return fmt.Errorf("1 + 1 is %v", got)
	}
	return nil
}

// steady launches in turns with what is written by hand, on one queue: the least of all rounds counts.
func (a *addition) steady(rounds int) error {
	ctx, s := context.Background(), a.device.Stream()
	prepared, err := a.kernel.Prepare(s, tegula.Grid{1}, a.args()...)
	if err != nil {
		return err
	}
	hand, err := a.byHand(s, prepared.Metadata().NumWarps*prepared.Metadata().ThreadsPerWarp)
	if err != nil {
		return err
	}
	sides := []struct {
		name   string
		launch func(n int) error
	}{
		{"by hand, C++", nil},
		{"tegula, Go", func(n int) error {
			var errs error
			for range n {
				if err := a.kernel.Launch(ctx, s, tegula.Grid{1}, a.bufs[0], a.bufs[1], a.bufs[2], elements, tegula.Const("BLOCK", elements)); err != nil {
					errs = err
				}
			}
			return errs
		}},
		{"tegula, Go, prepared", func(n int) error {
			var errs error
			for range n {
				if err := prepared.LaunchOn(ctx, s); err != nil {
					errs = err
				}
			}
			return errs
		}},
	}
	const each = 200
	host, all := make([]float64, len(sides)), make([]float64, len(sides))
	for i := range host {
		host[i], all[i] = math.Inf(1), math.Inf(1)
	}
	for range rounds {
		for i, side := range sides {
			var h, w float64
			if side.launch == nil {
				h, w = hand(each)
			} else {
				start := time.Now()
				err := side.launch(each)
				h = time.Since(start).Seconds()
				if err = errors.Join(err, a.device.Wait(ctx, s)); err != nil {
					return err
				}
				w = time.Since(start).Seconds()
			}
			host[i], all[i] = min(host[i], h/each), min(all[i], w/each)
		}
	}
	for i, side := range sides {
		report("launch, host time", side.name, host[i]*1e6, "µs")
		report("launch, until it has run", side.name, all[i]*1e6, "µs")
	}
	return nil
}

// byHand gives the launches of build/xpu/libraw.so: the same module, built and submitted in C++.
func (a *addition) byHand(s driver.Stream, local int) (func(n int) (host, all float64), error) {
	if _, err := purego.Dlopen("libm.so.6", purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
		return nil, err
	}
	lib, err := purego.Dlopen("build/xpu/libraw.so", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	var build func(queue uintptr, path, entry string) uintptr
	var launches func(queue, kernel uintptr, local uint32, x, y, out uintptr, n, count int32, host, all unsafe.Pointer)
	purego.RegisterLibFunc(&build, lib, "raw_kernel")
	purego.RegisterLibFunc(&launches, lib, "raw_launches")
	kernel := build(s.Handle, "build/xpu/vector_add.spv", "vector_add")
	at := func(i int) uintptr { return uintptr(a.bufs[i].Address) }
	return func(n int) (host, all float64) {
		launches(s.Handle, kernel, uint32(local), at(0), at(1), at(2), elements, int32(n), unsafe.Pointer(&host), unsafe.Pointer(&all))
		runtime.KeepAlive(a)
		return host, all
	}, nil
}
