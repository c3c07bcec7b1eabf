package cudamlir

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/mlir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Backend is the name of the targets and of the driver.
const Backend = "cuda-mlir"

// EnvPython names the Python that is asked; without it, it is the one that the compiler is a part of, or else python3.
const EnvPython = "TEGULA_TRITON_PYTHON"

// timeout bounds a compilation: large blocks take Triton a minute.
const timeout = 10 * time.Minute

//go:embed compile.py
var script string

// Options say what is compiled for.
type Options struct {
	Capability          int // of the device: 90 is 9.0
	Warps, CTAs, Stages int
	MaxRegisters        int  // of a thread; 0 leaves it to Triton
	Unfused             bool // products and sums are rounded for themselves
	LineText            func(file string, line int) string
}

// Code is what Triton made of a kernel.
type Code struct {
	Triton  string            `json:"triton"` // its version
	Cubin   []byte            `json:"cubin"`
	Stages  map[string]string `json:"stages"` // ttgir, llir, ptx
	Section Section           `json:"section"`
}

// A Section is what a launcher has to know of the code, as it stands in the metadata under the backend's name.
type Section struct {
	Entry   string `json:"entry"`   // the function's name
	Warps   int    `json:"warps"`   // of a CTA: with those that Triton adds to do copies
	Shared  int    `json:"shared"`  // bytes, all of which the launch asks for
	Params  int    `json:"params"`  // of the function: those of the kernel, then addresses of memory that Triton asks for
	Scratch int64  `json:"scratch"` // bytes of such memory for each CTA, at the first further address
	Profile int64  `json:"profile"` // bytes that its profiler wants for each CTA, at the second
}

// Compile has Triton compile a module.
func Compile(m *tile.Module, o Options) (*Code, error) {
	if err := shallow(m, o.LineText); err != nil {
		return nil, err
	}
	text, err := mlir.Print(m, mlir.Options{Locs: true, Old: old(Version()), LineText: o.LineText})
	if err != nil {
		return nil, err
	}
	options := map[string]any{"num_warps": o.Warps, "num_ctas": o.CTAs, "num_stages": o.Stages, "enable_fp_fusion": !o.Unfused}
	if o.MaxRegisters != 0 {
		options["maxnreg"] = o.MaxRegisters
	}
	request, err := json.Marshal(map[string]any{"text": string(text), "arch": o.Capability, "options": options})
	if err != nil {
		return nil, err
	}
	return compiled(m.Funcs[0].Name, string(request))
}

// recent is what was compiled last: its stages are asked for one by one.
var recent struct {
	sync.Mutex
	request string
	code    *Code
}

// compiled gives what Triton makes of a request.
func compiled(kernel, request string) (*Code, error) {
	asked := python() + " " + request
	recent.Lock()
	known := recent.code
	if recent.request != asked {
		known = nil
	}
	recent.Unlock()
	if known != nil {
		return known, nil
	}
	var answer struct {
		Code
		Missing string `json:"missing"`
		Error   string `json:"error"`
	}
	if err := ask(script, []byte(request+"\n"), &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Missing != "":
		return nil, missing(answer.Missing)
	case answer.Error != "":
		return nil, diag.New(diag.Unsupported, "triton", "Triton does not compile %s: %s", kernel, answer.Error)
	}
	c := &answer.Code
	var err error
	if c.Section.Params, err = params(c.Stages["ptx"], c.Section.Entry); err != nil {
		return nil, err
	}
	recent.Lock()
	recent.request, recent.code = asked, c
	recent.Unlock()
	return c, nil
}

// leastDepth is what a matrix instruction multiplies of a row, in bits.
const leastDepth = 256

// shallow refuses dots of fewer elements along K than the matrix instructions have. Triton's front end does; its compiler multiplies what
// there is several times.
func shallow(m *tile.Module, lineText func(string, int) string) (err error) {
	for _, f := range m.Funcs {
		f.Body.Walk(func(op *tile.Op) {
			if op.Code != tile.OpDot || err != nil {
				return
			}
			a := op.Args[0].Type
			if k := a.Dim(a.Rank() - 1); k*a.ElemBits() < leastDepth {
				err = diag.At(diag.Unsupported, m.Locs.At(op.Loc).Place(lineText), "Triton's compiler multiplies %d elements of %s along K or more, not %d",
					leastDepth/a.ElemBits(), a.Elem(), k).WithCode("triton")
			}
		})
	}
	return err
}

// Version gives the version of Triton that is there, "none" if none is.
var Version = sync.OnceValue(func() string {
	var version string
	const script = `import importlib.metadata, json, sys; json.dump(importlib.metadata.version("triton"), sys.stdout)`
	if err := ask(script, nil, &version); err != nil {
		return "none"
	}
	return version
})

// old tells the versions of Triton that do not read the forms of 3.9.
func old(version string) bool {
	minor, isThree := strings.CutPrefix(version, "3.")
	minor, _, _ = strings.Cut(minor, ".")
	n, err := strconv.Atoi(minor)
	return isThree && err == nil && n < 9
}

// own is the interpreter that this is a part of, "" if of none.
var own string

// SetPython names the interpreter that is asked where the environment names none: the one that the compiler is a part of. It is called once,
// before anything else.
func SetPython(path string) { own = path }

// python names the interpreter.
func python() string {
	return cmp.Or(os.Getenv(EnvPython), own, "python3")
}

// missing is the error of a Triton that is not there.
func missing(why string) error {
	return diag.New(diag.Driver, "no-triton", "%s needs a Python that has Triton, and %s has none: %s; %s names another Python", Backend, python(), why, EnvPython)
}

// ask runs a script and decodes what it answers.
func ask(script string, input []byte, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, python(), "-W", "ignore", "-c", script)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return diag.New(diag.Driver, "triton-timeout", "Triton has not compiled the kernel within %s", timeout)
	case errors.As(err, &exit):
		return diag.New(diag.Compile, "triton", "Triton's process ended with %s: %s", exit, lastLines(stderr.String()))
	case err != nil:
		return missing(err.Error())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return diag.New(diag.Compile, "triton", "Triton's process answered with no JSON: %s; %s", err, lastLines(stderr.String()))
	}
	return nil
}

// lastLines gives the end of what a process wrote.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// params counts the parameters of a function in PTX.
func params(ptx, entry string) (int, error) {
	_, list, ok := strings.Cut(ptx, ".entry "+entry+"(")
	list, _, closed := strings.Cut(list, "\n)")
	if !ok || !closed {
		return 0, diag.New(diag.Compile, "triton", "Triton's PTX has no function %s", entry)
	}
	return len(paramOf.FindAllString(list, -1)), nil
}

var paramOf = regexp.MustCompile(`(?m)^\s*\.param\s`)
