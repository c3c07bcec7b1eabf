package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tegula-lang/tegula"
)

// compileCmd is tegula compile.
type compileCmd struct {
	fileAndKernel
	Target    string  `default:"cpu" placeholder:"cpu|cuda:90a|xpu" help:"What to compile for (default cpu); cuda:75 to cuda:121 are NVIDIA's architectures, cuda alone is cuda:80, which runs on every GPU since; xpu is SYCL devices, cuda-mlir:90a Triton's compiler for NVIDIA's, where that is installed."`
	Sig       *string `placeholder:"NAME=TYPE,…" help:"The arguments' types, such as \"x=*fp32:16, n=i32, BLOCK=1024\": :16 is divisible by 16, :1 equal to 1, a literal a constant. A .ttir file has its types in it."`
	Emit      string  `default:"tile" placeholder:"STAGE" help:"The stage to print (default tile): ast, the syntax tree, sema, the intermediate representation as the front end makes it, tile, that after the passes, ttir, the same as MLIR in Triton's dialects, asm, the CPU's machine code, layout, where a GPU's threads hold tiles, lir, a thread's program, ptx, NVIDIA's assembly, cuda, CUDA C++, spirv, a module for SYCL devices, spvasm, its text, metadata, what a launcher has to know, or all, which needs -o."`
	Output    string  `short:"o" placeholder:"FILE" help:"Write to a file, not to stdout, and the kernel's metadata to FILE.json. With --emit all, write every stage to files in the directory FILE."`
	NumWarps  int     `placeholder:"N" help:"Warps of a program instance."`
	NumStages int     `placeholder:"N" help:"Stages of software pipelines."`
	NumCTAs   int     `name:"num-ctas" placeholder:"N" help:"CTAs of a program instance, its cluster; NVIDIA GPUs have them from cuda:90 on."`
	Lanes     int     `name:"threads-per-warp" placeholder:"N" help:"Threads of a warp: the size of the sub-groups on xpu, 16 or 32."`
	Debug     bool    `help:"Compile the kernel's assertions in (assert, tl.device_assert)."`
	Time      bool    `help:"Print the milliseconds of each step as one JSON object on stderr."`
}

// Help is the long text of tegula help compile.
func (*compileCmd) Help() string {
	return `The signature gives each argument a type, by name or by position: *fp32, *bf16, i32, u8, fp64, i1 …; *fp32:16 is a pointer
to a multiple of 16, i32:16 a multiple of 16, i32:1 the number 1. Anything else is a Python expression and makes a constant:
BLOCK=1024, x=None, DTYPE=tl.float16. Arguments that are left out take their defaults.

  tegula compile add.py --sig "x=*fp32:16, y=*fp32:16, out=*fp32:16, n=i32, BLOCK=128" --emit tile --time`
}

// Run compiles the kernel.
func (r *compileCmd) Run(c *console) error {
	start := time.Now()
	mod, kernel, err := r.open(r.Target)
	if err != nil {
		return err
	}
	sig, err := r.signature()
	if err != nil {
		return err
	}
	unit, err := kernel.Compile(tegula.CompileOptions{
		Target: r.Target, Signature: sig, NumWarps: r.NumWarps, NumStages: r.NumStages, NumCTAs: r.NumCTAs, ThreadsPerWarp: r.Lanes, Debug: r.Debug,
		Notes: func(s string) { c.note("note: %s", s) },
	})
	if err != nil {
		return err
	}
	if r.Emit == "all" {
		return r.everything(c, unit)
	}
	text, err := unit.Emit(r.Emit)
	if err != nil {
		return err
	}
	total := time.Since(start)
	if err := r.write(c, text); err != nil {
		return err
	}
	if r.Time {
		if err := printTimes(c, append(mod.Steps(), unit.Steps()...), total); err != nil {
			return err
		}
	}
	return r.writeMetadata(unit)
}

// signature gives the types of the arguments. Only a kernel that has them in it can do without.
func (r *compileCmd) signature() (string, error) {
	if r.Sig != nil {
		return *r.Sig, nil
	}
	if strings.HasSuffix(r.File, ".ttir") {
		return "", nil
	}
	return "", usage("missing flags: --sig=NAME=TYPE,…")
}

// writeMetadata writes the metadata beside what -o names: whoever launches the code needs them.
func (r *compileCmd) writeMetadata(unit *tegula.Compiled) error {
	if r.Output == "" || r.Emit == "metadata" {
		return nil
	}
	text, err := unit.Emit("metadata")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.Output+".json", text, 0o644); err != nil {
		return fmt.Errorf("tegula: %w", err)
	}
	return nil
}

func (r *compileCmd) write(c *console, text []byte) error {
	if r.Output == "" {
		_, err := c.out.Write(text)
		return err
	}
	if err := os.WriteFile(r.Output, text, 0o644); err != nil {
		return fmt.Errorf("tegula: %w", err)
	}
	return nil
}

// printTimes prints {"parse":0.1, …, "other":0.2, "total":1.2}, in the order of the steps.
func printTimes(c *console, steps []tegula.Step, total time.Duration) error {
	other := total // files are read and written, flags are parsed
	for _, s := range steps {
		other -= s.Took
	}
	line := []byte{'{'}
	for _, s := range append(steps, tegula.Step{Name: "other", Took: max(0, other)}, tegula.Step{Name: "total", Took: total}) {
		if len(line) > 1 {
			line = append(line, ", "...)
		}
		name, err := json.Marshal(s.Name)
		if err != nil {
			return err
		}
		line = fmt.Appendf(append(line, name...), ": %.4f", s.Took.Seconds()*1000)
	}
	_, err := c.err.Write(append(line, '}', '\n'))
	return err
}
