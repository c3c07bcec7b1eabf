package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula"
)

// tegulaCmd runs a command line in this process.
func tegulaCmd(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	code = run(t.Context(), args, &console{out: &out, err: &err})
	return code, out.String(), err.String()
}

// times are what a test cannot know beforehand.
var times = regexp.MustCompile(`[0-9.e+-]+ ms`)

func TestRun(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		stdout string
		stderr string
	}{
		"arrays that changed are shown": {
			[]string{"testdata/one.py", "x_ptr=arange(fp32, 20)", "out_ptr=zeros(bf16, 4, 5)", "n=20", "--grid", "cdiv(n, BLOCK)"},
			"out_ptr  bf16[4, 5]  0 2 4 6 8 10 12 14 …\n",
			"scale on cpu, grid 2 × 1 × 1: compiled in T, ran in T\n",
		},
		"values use earlier ones, grids the arrays": {
			[]string{"testdata/one.py", "x_ptr=arange(float32, 3)", "out_ptr=zeros(float64, *x_ptr.shape)", "n=len(x_ptr)", "factor=0.1",
				"BLOCK=next_power_of_2(n)", "--grid", "x_ptr.numel() - 2, len(out_ptr) - 2"},
			"out_ptr  fp64[3]  0 0.10000000149011612 0.20000000298023224\n",
			"scale on cpu, grid 1 × 1 × 1: compiled in T, ran in T\n",
		},
		"a kernel by name": {
			[]string{"testdata/several.py:first", "x_ptr=full(3, i64, 2)", "N=2", "--grid", "1"},
			"x_ptr  i64[2]  6 6\n",
			"first on cpu, grid 1 × 1 × 1: compiled in T, ran in T\n",
		},
		"the kernel that no other calls": {
			[]string{"../../examples/matmul.py", "a_ptr=full(1, fp16, 16, 16)", "b_ptr=full(0.5, fp16, 16, 16)", "c_ptr=zeros(fp16, 16, 16)",
				"M=16", "N=16", "K=16", "stride_am=16", "stride_ak=1", "stride_bk=16", "stride_bn=1", "stride_cm=16", "stride_cn=1",
				"BLOCK_M=16", "BLOCK_N=16", "BLOCK_K=16", "GROUP_M=1", "--grid", "1"},
			"c_ptr  fp16[16, 16]  8 8 8 8 8 8 8 8 …\n",
			"matmul on cpu, grid 1 × 1 × 1: compiled in T, ran in T\n",
		},
		"functions and types as constants": {
			[]string{"testdata/helper.py:activate", "x_ptr=full(-2, fp32, 1)", "N=1", "ACTIVATION=negate", "DTYPE=tl.float16", "--grid", "1"},
			"pid (0, 0, 0) idx (0) x: 2.000000\nx_ptr  fp32[1]  2\n",
			"note: ACTIVATION is the function negate; a string would be 'negate'\nactivate on cpu, grid 1 × 1 × 1: compiled in T, ran in T\n",
		},
		"a grid as the language has it": {
			[]string{"testdata/one.py", "x_ptr=arange(fp32, 3)", "out_ptr=zeros(fp32, 3)", "n=3", "--grid", "lambda META: (triton.cdiv(META['n'], META['BLOCK']),)"},
			"out_ptr  fp32[3]  0 2 4\n",
			"scale on cpu, grid 1 × 1 × 1: compiled in T, ran in T\n",
		},
		"print, which prints when the kernel runs": {
			[]string{"testdata/prints.py", "x_ptr=arange(i32, 2)", "--grid", "1"},
			"pid (0, 0, 0) idx () x: 0\n",
			"prints on cpu, grid 1 × 1 × 1: compiled in T, ran in T\nno array was changed\n",
		},
		"the first configuration, a heuristic": {
			[]string{"testdata/tuned.py", "out_ptr=zeros(u8, 16)", "n=16", "--grid", "cdiv(n, BLOCK)"},
			"out_ptr  u8[16]  2 2 2 2 2 2 2 2 …\n",
			"note: BLOCK=8, from the first autotune configuration\nnote: EVEN=True, from a heuristic\nfill on cpu, grid 2 × 1 × 1: compiled in T, ran in T\n",
		},
		"what is given is not filled in": {
			[]string{"testdata/tuned.py", "out_ptr=zeros(i1, 4)", "n=4", "BLOCK=4", "EVEN=False", "--grid", "1"},
			"out_ptr  i1[4]  True True True True\n",
			"fill on cpu, grid 1 × 1 × 1: compiled in T, ran in T\n",
		},
		"repeated": {
			[]string{"testdata/several.py:second", "x_ptr=zeros(i8, 1)", "--grid", "1", "--repeat", "3"},
			"x_ptr  i8[1]  1\n",
			"second on cpu, grid 1 × 1 × 1: compiled in T, ran in T\n3 launches: median T, least T, 90% within T, most T\n",
		},
		"nothing changed": {
			[]string{"testdata/several.py:second", "x_ptr=full(1, i8, 1)", "--grid", "1", "--num-warps", "2", "--num-stages", "1", "--target", "cpu:0"},
			"",
			"second on cpu:0, grid 1 × 1 × 1: compiled in T, ran in T\nno array was changed\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := tegulaCmd(t, append([]string{"run"}, test.args...)...)
			if code != exitOK {
				t.Errorf("exit status %d", code)
			}
			if d := cmp.Diff(test.stdout, stdout); d != "" {
				t.Errorf("stdout: %s", d)
			}
			if d := cmp.Diff(test.stderr, times.ReplaceAllString(stderr, "T")); d != "" {
				t.Errorf("stderr: %s", d)
			}
		})
	}
}

// Arrays come from files and go to files.
func TestRunFiles(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.npy"), filepath.Join(t.TempDir(), "out.npy")
	x, err := tegula.View([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.WriteNPY(in); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := tegulaCmd(t, "run", "testdata/one.py", "x_ptr=@"+in, "out_ptr=zeros(fp8e5, 2, 3)", "n=6", "--grid", "1", "--out", "out_ptr="+out, "--out", "x_ptr="+in)
	if code != exitOK || stdout != "" || !strings.Contains(stderr, "out_ptr: wrote fp8e5[2, 3] to "+out) {
		t.Fatalf("%d, %q, %q", code, stdout, stderr)
	}
	got, err := tegula.ReadNPY(out, tegula.FP8E5)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{2, 4, 6, 8, 10, 12}, got.Float64s()); d != "" {
		t.Error(d)
	}
	code, stdout, stderr = tegulaCmd(t, "run", "testdata/one.py", "x_ptr=@"+out+":u8", "out_ptr=zeros(i32, 6)", "n=6", "factor=1", "--grid", "1")
	if want := "out_ptr  i32[6]  64 68 70 72 73 74\n"; code != exitOK || stdout != want {
		t.Errorf("%d, %q, %q, want %q", code, stdout, stderr, want)
	}
}

func TestRefuses(t *testing.T) {
	t.Setenv("TEGULA_XPU_SHIM", filepath.Join(t.TempDir(), "none.so")) // where a test needs that there is no SYCL runtime
	const x = "x_ptr=zeros(fp32, 8)"
	scale := []string{"run", "testdata/one.py", x, "out_ptr=zeros(fp32, 8)", "--grid"}
	with := func(args ...string) []string { return append(scale[:len(scale):len(scale)], args...) }
	dir := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"an unknown command":      {[]string{"fly"}, exitUsage, "unexpected argument fly"},
		"an unknown flag":         {with("1", "--gird", "2"), exitUsage, "Try tegula run --help."},
		"no grid":                 {[]string{"run", "testdata/one.py"}, exitUsage, "missing flags: --grid"},
		"no file":                 {[]string{"run", "testdata/nothing.py", "--grid", "1"}, exitUsage, "testdata/nothing.py: ArgumentError: the file cannot be read: no such file"},
		"a directory":             {[]string{"run", dir, "--grid", "1"}, exitUsage, "is a directory"},
		"no kernel":               {[]string{"run", "testdata/none.py", "--grid", "1"}, exitUsage, "testdata/none.py has no kernel"},
		"several kernels":         {[]string{"run", "testdata/several.py", "--grid", "1"}, exitUsage, "say which:\n  testdata/several.py:first\n  testdata/several.py:second"},
		"an unknown kernel":       {[]string{"run", "testdata/one.py:scales", "--grid", "1"}, exitUsage, "has no kernel 'scales' (did you mean 'scale'?)"},
		"several syntax errors":   {[]string{"run", "testdata/syntax.py.txt", "--grid", "1"}, exitUsage, "    x = = 1\n        ^\ntestdata/syntax.py.txt:6:5: SyntaxError"},
		"a compile error":         {[]string{"run", "testdata/wrong.py:assigns", x, "N=4", "--grid", "1"}, exitUsage, "testdata/wrong.py:7:25: CompileError: the module triton.language has no attribute 'arrange'; did you mean 'arange'?\n        y = tl.load(x_ptr + tl.arrange(0, N))\n                            ^~~~~~~~~~\n"},
		"a failing assertion":     {[]string{"run", "testdata/wrong.py:asserts", x, "N=4", "--grid", "1", "--check"}, exitRuntime, "testdata/wrong.py:14:5: CheckError: assertion failed: x must be positive"},
		"out of bounds":           {with("2", "n=20", "--check"), exitRuntime, "CheckError: load out of bounds: element 8 of x_ptr, which has 8 elements"},
		"no tile":                 {with("1", "n=8", "BLOCK=12"), exitUsage, "powers of two"},
		"a grid of nothing":       {with("", "n=8"), exitUsage, "GridError: Grid must contain 1 to 3 positive integer dimensions. It is empty."},
		"a negative grid":         {with("-1", "n=8"), exitUsage, "The size of axis 0 (x) is -1."},
		"a grid of floats":        {with("n/8", "n=8"), exitUsage, "is 1.0, a value of type float"},
		"a grid of four":          {with("1, 1, 1, 1", "n=8"), exitUsage, "It has 4 dimensions."},
		"a grid too large":        {with("2**31", "n=8"), exitUsage, "at most 2147483647 are possible there on cpu"},
		"a wrong grid":            {with("cdiv(n, BLOK)", "n=8"), exitUsage, "<grid>:1:9: GridError: name 'BLOK' is not defined; did you mean 'BLOCK'?\n    cdiv(n, BLOK)\n            ^~~~"},
		"a grid that is none":     {with("(1", "n=8"), exitUsage, "<grid>:1:1: SyntaxError: '(' was never closed"},
		"a missing argument":      {with("1"), exitUsage, "scale misses its argument 'n'\ntestdata/one.py:9:27: note: the parameter is here"},
		"an unknown argument":     {with("1", "N=8"), exitUsage, "scale has no argument 'N' (did you mean 'n'?); it has (x_ptr, out_ptr, n, factor, BLOCK)"},
		"an argument twice":       {with("1", "n=8", "n=8"), exitUsage, "argument n is given twice"},
		"no NAME=VALUE":           {with("1", "8"), exitUsage, `"8" is not of the form NAME=VALUE`},
		"an array as a constant":  {with("1", "n=8", "BLOCK=x_ptr"), exitUsage, "cannot be an array of float32"},
		"a name that is unknown":  {with("1", "n=m"), exitUsage, "argument n: <expression>:1:1: ArgumentError: name 'm' is not defined\n    m\n    ^\nnote: a VALUE may use arange, full, rand, randn, zeros, the arguments"},
		"a name that is near":     {with("1", "n=zeroes(i8, 1)"), exitUsage, "ArgumentError: name 'zeroes' is not defined; did you mean 'zeros'?"},
		"a type that is none":     {with("1", "n=zeros(fp99, 1)"), exitUsage, "ArgumentError: name 'fp99' is not defined\n    zeros(fp99, 1)\n          ^~~~\nnote: a VALUE may use"},
		"a file without @":        {with("1", "n=x.npy"), exitUsage, "note: the array in a file is @x.npy"},
		"a path without @":        {with("1", "n=./x.npy"), exitUsage, "SyntaxError: invalid syntax\n    ./x.npy\n    ^\nnote: the array in a file is @./x.npy"},
		"a method":                {with("1", "n=x_ptr.numel"), exitUsage, "argument n: ArgumentError: x_ptr.numel is a method; its result is x_ptr.numel()"},
		"an npy of no type":       {with("1", "n=@x.npy:fp99"), exitUsage, `argument n: ArgumentError: "fp99" is no element type; those are i1, `},
		"an empty value":          {with("1", "n="), exitUsage, "argument n: <expression>:1:1: SyntaxError"},
		"a module not here":       {with("1", "n=torch.zeros(3)"), exitUsage, "Unsupported"},
		"a huge number":           {with("1", "n=2**64"), exitUsage, "argument 'n' of scale does not fit 64 bits"},
		"an endless number":       {with("1", "n=9**9**9**9"), exitUsage, "argument n:"},
		"a huge array":            {with("1", "n=zeros(i8, 1 << 46)"), exitUsage, "GiB are more than this machine's memory"},
		"an impossible array":     {with("1", "n=zeros(i8, 1 << 40, 1 << 40)"), exitUsage, "too large to exist"},
		"a negative array":        {with("1", "n=zeros(i8, -1)"), exitUsage, "-1 is no size of a dimension"},
		"no dtype":                {with("1", "n=zeros(8)"), exitUsage, "8 is no element type"},
		"no arguments":            {with("1", "n=zeros()"), exitUsage, "zeros(DTYPE, DIM…): too few arguments"},
		"a seed for zeros":        {with("1", "n=zeros(i8, 1, seed=1)"), exitUsage, "takes no such keyword argument: seed=1"},
		"random integers":         {with("1", "n=randn(i8, 1)"), exitUsage, "makes floats, not i8"},
		"a number too large":      {with("1", "n=full(256, u8, 1)"), exitUsage, "u8 does not hold 256"},
		"a count too large":       {with("1", "n=arange(i8, 129)"), exitUsage, "i8 does not hold 128"},
		"a two-dimensional count": {with("1", "n=arange(i8, 2, 2)"), exitUsage, "takes one size"},
		"no npy":                  {with("1", "n=@testdata/one.py"), exitUsage, "argument n: testdata/one.py: ArgumentError: not a usable .npy file"},
		"no npy there":            {with("1", "n=@testdata/none.npy"), exitUsage, "the file cannot be read: no such file"},
		"--out of no array":       {with("1", "n=8", "--out", "n=x.npy"), exitUsage, "n is no array argument; those are [x_ptr out_ptr]"},
		"--out without a file":    {with("1", "n=8", "--out", "x_ptr"), exitUsage, `"x_ptr" is not of the form NAME=FILE.npy`},
		"--out without a name":    {with("1", "n=8", "--out", "x_ptr="), exitUsage, "the file is missing"},
		"--out to nowhere":        {with("1", "n=8", "--out", "x_ptr="+dir+"/no/x.npy"), exitRuntime, "no such file or directory"},
		"--repeat 0":              {with("1", "n=8", "--repeat", "0"), exitUsage, "--repeat is 0"},
		"--num-warps 0":           {with("1", "n=8", "--num-warps", "0"), exitUsage, "num_warps is less than 1"},
		"--num-warps 3":           {with("1", "n=8", "--num-warps", "3"), exitUsage, "num_warps is 3; it must be a power of two"},
		"--num-stages -1":         {with("1", "n=8", "--num-stages", "-1"), exitUsage, "num_stages is less than 1"},
		"--target cuda":           {with("1", "n=8", "--target", "cuda:0"), exitRuntime, "DriverError: there is no NVIDIA driver that could be loaded"},
		"--target xpu":            {with("1", "n=8", "--target", "xpu"), exitRuntime, "DriverError: there is no SYCL runtime for xpu"},
		"--target gpu":            {with("1", "n=8", "--target", "gpu"), exitUsage, `ArgumentError: "gpu" is no target; the targets are cpu, cuda, xpu`},
		"--target of no device":   {with("1", "n=8", "--target", "cpu:1"), exitRuntime, "there is no device cpu:1"},
		"--target of no number":   {with("1", "n=8", "--target", "cpu:x"), exitUsage, `--target cpu:x: "x" is no number of a device`},
		"--target of a sign":      {with("1", "n=8", "--target", "cuda:-1"), exitUsage, `"-1" is no number of a device`},
		"help of nothing":         {[]string{"help", "bogus"}, exitUsage, "unexpected argument bogus"},
		"two seeds":               {with("1", "n=8", "z=rand(fp32, 8, seed=1, seed=2)"), exitUsage, "SyntaxError: keyword argument repeated: seed"},
		"a float too far":         {with("1", "n=8", "z=arange(fp16, 100000)"), exitUsage, "fp16 does not hold 99999"},
		"a small float too far":   {with("1", "n=8", "z=arange(fp8e4nv, 800)"), exitUsage, "fp8e4nv does not hold 799"},
		"a number too far":        {with("1", "n=8", "z=full(10**400, fp64, 8)"), exitUsage, "fp64 does not hold 1000"},
		"two to one file":         {with("1", "n=8", "--out", "x_ptr="+dir+"/x.npy", "--out", "out_ptr="+dir+"/./x.npy"), exitUsage, "x_ptr is to be written to the same file"},
		"a list that shares":      {[]string{"run", "testdata/shared.py:k", "o=zeros(i32, 1)", "c=B40", "--grid", "1"}, exitUsage, "a value of type tuple that is too large or nested too deeply"},
		"compile without --sig":   {[]string{"compile", "testdata/one.py"}, exitUsage, "missing flags: --sig"},
		"compile for an old GPU":  {[]string{"compile", "testdata/one.py", "--sig", "x_ptr=*fp32,out_ptr=*fp32,n=i32", "--target", "cuda:60", "--emit", "ptx"}, exitUsage, "Unsupported: cuda:60 is not supported; the oldest architecture is cuda:75"},
		"compile for an xpu":      {[]string{"compile", "testdata/one.py", "--sig", "x_ptr=*fp32,out_ptr=*fp32,n=i32", "--target", "xpu", "--emit", "ptx"}, exitUsage, "Unsupported: target xpu cannot emit ptx; it can emit ast, sema, tile, ttir, layout, lir, spirv, spvasm, metadata"},
		"compile for gpu":         {[]string{"compile", "testdata/one.py", "--sig", "", "--target", "gpu"}, exitUsage, `ArgumentError: "gpu" is no target; the targets are cpu, cuda, xpu`},
		"compile for nothing":     {[]string{"compile", "testdata/one.py", "--sig", "", "--target", "cuda:x"}, exitUsage, `"x" is no architecture of cuda`},
		"compile to ptx":          {[]string{"compile", "testdata/several.py:second", "--sig", "*i8", "--emit", "ptx"}, exitUsage, "Unsupported: target cpu cannot emit ptx; it can emit ast, sema, tile, ttir, asm, metadata"},
		"compile to nothing":      {[]string{"compile", "testdata/several.py:second", "--sig", "*i8", "--emit", "wat"}, exitUsage, `there is no stage "wat"`},
		"compile to nowhere":      {[]string{"compile", "testdata/several.py:second", "--sig", "*i8", "-o", dir + "/no/x"}, exitRuntime, "no such file or directory"},
		"a signature of nothing":  {[]string{"compile", "testdata/one.py", "--sig", "x_ptr=*f32"}, exitUsage, `"f32" in the signature is no element type (did you mean 'fp32'?)`},
		"a heuristic of types":    {[]string{"compile", "testdata/tuned.py", "--sig", "*i8, i32"}, exitUsage, "note: a signature gives types, not values"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := tegulaCmd(t, test.args...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("%d: %s\nwant %d: … %s …", code, stderr, test.code, test.want)
			}
			if stdout != "" {
				t.Errorf("stdout: %s", stdout)
			}
			if strings.Contains(stderr, "goroutine") || strings.Contains(stderr, "internal error") {
				t.Errorf("a Go stack trace: %s", stderr)
			}
		})
	}
}

func TestCompile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.tile")
	args := []string{"compile", "testdata/several.py:second", "--sig", "x_ptr=*i8:16"}
	code, stdout, stderr := tegulaCmd(t, args...)
	if code != exitOK || stderr != "" || !strings.HasPrefix(stdout, "func @second(%x_ptr: ptr<i8> {div = 16})") {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
	code, nothing, stderr := tegulaCmd(t, append(args, "-o", path, "--emit=tile", "--time")...)
	if code != exitOK || nothing != "" {
		t.Errorf("%d, %s", code, nothing)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != stdout {
		t.Errorf("%s, %v, want %s", text, err, stdout)
	}
	var steps map[string]float64
	if err := json.Unmarshal([]byte(stderr), &steps); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	for _, name := range []string{"parse", "sema", "passes", "emit", "total"} {
		if steps[name] <= 0 || steps[name] > steps["total"] {
			t.Errorf("%s took %g ms of %g", name, steps[name], steps["total"])
		}
	}
}

func TestInformation(t *testing.T) {
	t.Setenv("TEGULA_LIBCUDA", t.TempDir()+"/none")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"nothing":      {nil, "Usage: tegula <command>"},
		"help":         {[]string{"help"}, "Usage: tegula <command>"},
		"--help":       {[]string{"--help"}, "Usage: tegula <command>"},
		"help run":     {[]string{"help", "run"}, "--grid=EXPR"},
		"run --help":   {[]string{"run", "--help"}, "--grid=EXPR"},
		"help compile": {[]string{"help", "compile"}, "--sig="},
		"version":      {[]string{"version"}, "tegula " + tegula.Version},
		"--version":    {[]string{"--version"}, "tegula " + tegula.Version},
		"devices":      {[]string{"devices"}, "cpu:0  "},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := tegulaCmd(t, test.args...)
			note := map[string]string{"devices": "cuda: there is no NVIDIA driver"}[name]
			if code != exitOK || !strings.HasPrefix(stderr, note) || note == "" && stderr != "" || !strings.Contains(stdout, test.want) {
				t.Errorf("%d, %s, %s", code, stdout, stderr)
			}
		})
	}
}

// On a terminal the first line of a diagnostic is bold and the caret red; elsewhere nothing is.
func TestColour(t *testing.T) {
	const text = "k.py:1:5: CompileError: no\n    x = y\n        ^\n"
	for colour, want := range map[bool]string{
		false: text,
		true:  bold + "k.py:1:5: CompileError: no" + plain + "\n    x = y\n" + red + "        ^" + plain + "\n",
	} {
		var b strings.Builder
		(&console{err: &b, colour: colour}).report(text)
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Error(d)
		}
	}
}

// A fullDisk takes nothing.
type fullDisk struct{}

// Write fails.
func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestResultsThatCannotBeWritten: a run whose results nobody sees has failed.
func TestResultsThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{
		{"run", "testdata/one.py", "x_ptr=arange(fp32, 8)", "out_ptr=zeros(fp32, 8)", "n=8", "--grid", "1"},
		{"devices"},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), args, &console{out: fullDisk{}, err: &stderr}); code != exitRuntime || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: %d, %s", args, code, stderr.String())
		}
	}
}

// TestLargeInts: a float type holds ints beyond 64 bits.
func TestLargeInts(t *testing.T) {
	code, stdout, stderr := tegulaCmd(t, "run", "testdata/one.py", "x_ptr=full(2**63, fp32, 8)", "out_ptr=zeros(fp32, 8)", "n=8", "--grid", "1")
	if code != exitOK || !strings.Contains(stdout, "1.8446744e+19") {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
}

// TestReach: a kernel reaches arrays by a table of their addresses.
// A kernel that runs past its arrays, by little or by much, ends with an error, and nothing else is hurt.
func TestRunsPastItsArrays(t *testing.T) {
	for _, n := range []string{"1000", "100000", "2000000000", "-100000"} {
		code, stdout, stderr := tegulaCmd(t, "run", "testdata/past.py", "x_ptr=arange(fp32, 10)", "out_ptr=zeros(fp32, 10)", "at="+n, "--grid", "1")
		if code != exitRuntime || stdout != "" || !strings.Contains(stderr, "out_ptr") {
			t.Errorf("%s: %d\n%s%s", n, code, stdout, stderr)
		}
	}
}

func TestReach(t *testing.T) {
	args := []string{"run", "testdata/table.py", "--grid", "1", "--reach", "a=arange(fp32, 8)", "--reach", "b=full(2, fp32, 8)",
		"table=addresses(b, a)", "out=zeros(fp32, 2)", "N=8", "COUNT=2"}
	for _, executor := range []string{"native", "checked"} {
		t.Setenv("TEGULA_CPU", executor)
		code, stdout, stderr := tegulaCmd(t, args...)
		if want := "out  fp32[2]  16 28\na  fp32[8]  -1 1 2 3 4 5 6 7\nb  fp32[8]  -1 2 2 2 2 2 2 2\n"; code != exitOK || stdout != want {
			t.Errorf("%s: %d, %s, %s", executor, code, stdout, stderr)
		}
	}
	code, _, stderr := tegulaCmd(t, "run", "testdata/table.py", "--grid", "1", "--reach", "a=3", "table=zeros(i64, 1)", "out=zeros(fp32, 2)", "N=8", "COUNT=2")
	if code != exitUsage || !strings.Contains(stderr, "what a kernel reaches by an address is an array") {
		t.Errorf("%d, %s", code, stderr)
	}
}
