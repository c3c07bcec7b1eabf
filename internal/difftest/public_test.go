//go:build oracle

package difftest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest"
)

// A launch is what testdata/record.py writes of one.
type launch struct {
	File, Kernel string
	Grid         []int
	Args         map[string]struct {
		DType   string
		Storage int
		Offset  int
		Python  string
	}
	Storages int
}

// TestPublicKernels replays launches that the host code of a public package made, forward and backward,
// and compares all memory afterwards with what Triton's interpreter left.
func TestPublicKernels(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(oraclePython(t), filepath.Join("testdata", "record.py"), dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("record.py: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "launches.json"))
	if err != nil {
		t.Fatal(err)
	}
	var launches []launch
	if err := json.Unmarshal(text, &launches); err != nil {
		t.Fatal(err)
	}
	if len(launches) < 20 {
		t.Errorf("only %d launches were recorded:\n%s", len(launches), out)
	}
	replayed := 0
	for i, l := range launches {
		t.Run(fmt.Sprintf("%d_%s", i, l.Kernel), func(t *testing.T) {
			l.replay(t, dir, i)
			replayed++
		})
	}
	if replayed < 20 {
		t.Errorf("only %d launches could be replayed", replayed)
	}
}

func (l *launch) replay(t *testing.T, dir string, i int) {
	mod, err := tegula.LoadFile(l.File)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	memory := make([][]byte, l.Storages)
	for j := range memory {
		memory[j] = aligned(read(t, dir, i, j, "before"))
	}
	dtypes := make([]tegula.DType, l.Storages)
	args := []any{tegula.Check()}
	for name, a := range l.Args {
		if a.DType == "" {
			v, err := mod.Eval(a.Python, nil)
			if err != nil {
				t.Fatalf("%s: %s", name, tegula.Detail(err))
			}
			args = append(args, tegula.Arg(name, v))
			continue
		}
		d, ok := tegula.ParseDType(a.DType)
		if !ok {
			t.Fatalf("%s: unknown type %s", name, a.DType)
		}
		data := memory[a.Storage][a.Offset:]
		dtypes[a.Storage] = d
		args = append(args, tegula.Arg(name, &tegula.Array{DType: d, Shape: []int{len(data) / d.Bytes()}, Data: data}))
	}
	err = mod.Kernel(l.Kernel).Launch(context.Background(), tegula.CPU(), tegula.Grid(l.Grid), args...)
	if errors.Is(err, tegula.ErrUnsupported) { // the file asks a module that is not Triton's what machine this is
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for j := range memory {
		tol := difftest.Tolerance{Rel: 2e-5, Abs: 2e-6}
		if diff := difftest.Compare(dtypes[j], memory[j], read(t, dir, i, j, "after"), tol); diff != "" {
			t.Errorf("storage %d (%s): %s", j, dtypes[j], diff)
		}
	}
}

func read(t *testing.T, dir string, i, j int, when string) []byte {
	data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.%d.%s", i, j, when)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// aligned copies to memory that is aligned for any element type.
func aligned(b []byte) []byte {
	a, err := tegula.NewArray(tegula.I64, len(b)/8+1)
	if err != nil {
		panic(err)
	}
	return a.Data[:copy(a.Data, b)]
}

func oraclePython(t *testing.T) string {
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	if python == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with torch and Triton; make test-oracles sets it")
	}
	return python
}
