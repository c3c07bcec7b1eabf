package tegula_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/fake"
)

// Every category of errors is reached through the public API, with a code that is stable and a
// message that names what it is about. GlobalChanged needs names that change, which a module file
// has not; package launch tests it.
func TestContractErrorCategories(t *testing.T) {
	small := newFake(t, fake.Options{Shared: 100, Limits: driver.Limits{Grid: driver.Grid{10, 10, 10}, Shared: 99}})
	failing := newFake(t, fake.Options{})
	kernel := func(src string) *tegula.Kernel { return load(t, "@triton.jit\n"+src).Kernel("k") }
	store := kernel("def k(x_ptr, n):\n    tl.store(x_ptr, n)\n")
	cpu, one := tegula.CPU(), tegula.Grid{1}
	x := []int32{0}
	reached := map[error]bool{tegula.ErrGlobalChanged: true}
	for name, test := range map[string]struct {
		category error
		code     string
		msg      string
		act      func() error
	}{
		"syntax": {tegula.ErrSyntax, "", "k.py:1:5: SyntaxError", func() error {
			_, err := tegula.Load("k.py", "x = = 1\n")
			return err
		}},
		"compile": {tegula.ErrCompile, "undefined-name", "contract.py:5:21: CompileError: name 'm' is not defined", func() error {
			return kernel("def k(x_ptr):\n    tl.store(x_ptr, m)\n").Launch(t.Context(), cpu, one, x)
		}},
		"unsupported": {tegula.ErrUnsupported, "emit", "target xpu cannot emit ptx", func() error {
			c, err := store.Compile(tegula.CompileOptions{Target: "xpu", Signature: "*i32, i32"})
			if err == nil {
				_, err = c.Emit("ptx")
			}
			return err
		}},
		"grid": {tegula.ErrGrid, "zero", "The size of axis 0 (x) is 0.", func() error { return store.Launch(t.Context(), cpu, tegula.Grid{0}, x, 1) }},
		"argument": {tegula.ErrArgument, "missing-argument", "k misses its argument 'n'", func() error {
			return store.Launch(t.Context(), cpu, one, x)
		}},
		"schema": {tegula.ErrSchema, "missing-field", "$.name", func() error {
			_, err := driver.ParseKernelMetadata([]byte(`{"schema": 1}`))
			return err
		}},
		"resources": {tegula.ErrOutOfResources, "shared-memory", "shared memory: 100 bytes required, the limit is 99", func() error {
			b, err := tegula.NewBuffer(small.Stream(0), tegula.I32, 1)
			if err != nil {
				return err
			}
			return store.Launch(t.Context(), small.Stream(0), one, b, 1)
		}},
		"stream": {tegula.ErrStream, "no-stream", "tegula.CPU() is the processor's", func() error {
			return store.Launch(t.Context(), tegula.Stream{}, one, x, 1)
		}},
		"driver": {tegula.ErrDriver, "illegal-address", "argument 'x_ptr' of k is ", func() error {
			s := failing.Stream(0)
			b, err := tegula.NewBuffer(s, tegula.I32, 1)
			if err != nil {
				return err
			}
			p, err := store.Prepare(s, one, b, 1)
			if err != nil {
				return err
			}
			if err := errors.Join(b.Free(), p.Launch(t.Context())); err != nil {
				return err
			}
			device, err := driver.OpenDevice(s.Backend, 0)
			if err != nil {
				return err
			}
			return device.Wait(t.Context(), s)
		}},
		"check": {tegula.ErrCheck, "out-of-bounds", "store out of bounds", func() error {
			return store.Launch(t.Context(), cpu, one, x[:0], 1, tegula.Check())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.act()
			check(t, err, test.category, test.code)
			if !strings.Contains(err.Error(), test.msg) {
				t.Errorf("%v\nwant … %s …", err, test.msg)
			}
			reached[test.category] = true
		})
	}
	src, err := os.ReadFile("errors.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`(?m)^\tErr\w+ +=`).FindAll(src, -1)); n != len(reached) {
		t.Errorf("%d categories are declared, %d are tested", n, len(reached))
	}
}

// Codes are kebab-case, everywhere in the launcher: programs may depend on them.
func TestErrorCodes(t *testing.T) {
	code := regexp.MustCompile(`diag\.New\(diag\.\w+, ("[^"]*"|\w+)|(?:argError|gridError|optionError|outOfResources)\((?:m\.Name, )?"([^"]*)"`)
	found := 0
	for _, dir := range []string{".", "driver", "driver/cpu", "internal/launch", "internal/target", "internal/compiler"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range code.FindAllStringSubmatch(string(src), -1) {
				c := strings.Trim(m[1]+m[2], `"`)
				if c == "code" || strings.HasPrefix(file, "errors_test") {
					continue // passed on
				}
				found++
				if !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`).MatchString(c) {
					t.Errorf("%s: code %q", file, c)
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d codes were found", found)
	}
}
