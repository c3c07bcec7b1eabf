// Command cuda times kernels on an NVIDIA GPU: what compiling and launching them costs, and how fast they run. compare.py
// starts it, times Triton and PyTorch on the same kernels beside it, and writes the table.
//
//	bench/cuda/build.sh && bench/cuda/run.sh OUT     (run.sh on the machine with the GPU)
//
// It prints a line of JSON for each figure, and for each that could not be taken why.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
)

// A figure is a measurement; compare.py has others of the same row.
type figure struct {
	Row    string  `json:"row"`
	Side   string  `json:"side"`
	Value  float64 `json:"value,omitempty"`
	Unit   string  `json:"unit,omitempty"`
	Detail string  `json:"detail,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// report prints a figure.
func report(row, side string, value float64, unit, detail string) {
	emit(figure{Row: row, Side: side, Value: value, Unit: unit, Detail: detail})
}

// fail prints why there is no figure.
func fail(row, side string, err error) {
	emit(figure{Row: row, Side: side, Error: strings.TrimSpace(tegula.Detail(err))})
}

func emit(f figure) {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // it has nothing that JSON lacks
	}
	fmt.Println(string(text))
}

// sections are what can be measured, in order.
var sections = []struct {
	name string
	run  func(*cuda.Device)
}{
	{"launch", launches}, {"compile", compilations}, {"speed", speeds},
}

func main() {
	only := flag.String("only", "", "sections to run, separated by commas; launch, compile, speed")
	first := flag.Bool("first", false, "launch one kernel and end: compare.py times the whole process")
	rows := flag.String("rows", "", "run only the rows whose names contain this")
	flag.Parse()
	filter = *rows
	if *first {
		must(firstKernel())
		return
	}
	d, err := cuda.Open(0)
	must(err)
	i, l := d.Info(), d.Limits()
	report("device", "tegula", 0, "", fmt.Sprintf("%s, %s, CUDA %s, %d bytes of shared memory; %s", i.Name, i.Arch, i.Version, l.Shared, tegula.Version))
	for _, s := range sections {
		if *only == "" || slices.Contains(strings.Split(*only, ","), s.name) {
			s.run(d)
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprint(os.Stderr, tegula.Detail(err))
		os.Exit(1)
	}
}

// filter leaves out the rows whose names do not contain it.
var filter string

func wanted(row string) bool { return strings.Contains(row, filter) }

// load reads a module of kernels; they are beside the program's directory of work.
func load(path string) *tegula.Module {
	m, err := tegula.LoadFile(path)
	must(err)
	return m
}

// The files of kernels.
const (
	smallKernels = "bench/cuda/kernels.py"
	examples     = "examples/"
)
