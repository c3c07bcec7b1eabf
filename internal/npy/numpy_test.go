package npy

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// numpy gives a Python that has NumPy; it skips the test where there is none.
func numpy(t *testing.T) string {
	t.Helper()
	python := os.Getenv("TEGULA_TEST_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		t.Skipf("no NumPy to compare with: %s -c 'import numpy' gives %v (make unit sets one up)", python, err)
	}
	return python
}

// runNumpy runs a script with a directory as its argument and reads the JSON that it writes.
func runNumpy(t *testing.T, script, dir string, to any) {
	t.Helper()
	cmd := exec.Command(numpy(t), "-c", script, dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, to); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// A seen is an array as NumPy sees it.
type seen struct {
	Descr string
	Shape []int
	Hex   string // of the elements, little-endian, in C order
}

// TestNumPyReads: what is written here NumPy reads, without pickle, as the array that it is.
func TestNumPyReads(t *testing.T) {
	numpy(t)
	dir, want := t.TempDir(), map[string]seen{}
	for name, descr := range map[string]string{"int1": "|b1", "int8": "|i1", "int16": "<i2", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "uint16": "<u2",
		"uint32": "<u4", "uint64": "<u8", "float16": "<f2", "float32": "<f4", "float64": "<f8", "bfloat16": "|V2", "float8e5": "|V1", "float8e4nv": "|V1"} {
		for i, shape := range [][]int{{}, {0}, {5}, {2, 3, 1}} {
			a, err := New(dtype.Lookup(name), shape...)
			if err != nil {
				t.Fatal(err)
			}
			for j := range a.Data {
				a.Data[j] = byte(j * 37)
				if name == "int1" {
					a.Data[j] &= 1
				}
			}
			file := fmt.Sprintf("%s.%d.npy", name, i)
			if err := WriteFile(filepath.Join(dir, file), a); err != nil {
				t.Fatal(err)
			}
			want[file] = seen{descr, shape, hex.EncodeToString(a.Data)}
		}
	}
	var got map[string]seen
	runNumpy(t, `
import json, os, sys, numpy as np
out = {}
for name in os.listdir(sys.argv[1]):
    a = np.load(os.path.join(sys.argv[1], name))
    out[name] = {"Descr": a.dtype.str, "Shape": a.shape, "Hex": a.tobytes().hex()}
json.dump(out, sys.stdout)
`, dir, &got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("NumPy reads something else (-want +got):\n%s", d)
	}
}

// TestReadsNumPys: what NumPy writes, in either byte order and either order of the elements and in every version of the
// format, is read here as the array that it is.
func TestReadsNumPys(t *testing.T) {
	dir := t.TempDir()
	var want map[string]seen
	runNumpy(t, `
import json, os, sys, numpy as np
out = {}
for code in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
    for order in "<>":
        for shape in [(), (0, 3), (7,), (2, 3, 4)]:
            n = int(np.prod(shape, dtype=np.int64))
            little = (np.arange(n) * 37 - 50).astype(code).reshape(shape)
            for layout in "CF":
                for version in [(1, 0), (2, 0), (3, 0)]:
                    name = "%s.%s%d%s%d.npy" % (code, "lb"[order == ">"], len(shape), layout, version[0])
                    with open(os.path.join(sys.argv[1], name), "wb") as f:
                        a = np.array(little.astype(order + code), order=layout)
                        np.lib.format.write_array(f, a, version=version)
                    out[name] = {"Descr": code, "Shape": shape, "Hex": little.tobytes().hex()}
json.dump(out, sys.stdout)
`, dir, &want)
	types := map[string]string{"b1": "int1", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32",
		"u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64"}
	if len(want) < 200 {
		t.Errorf("NumPy wrote %d files", len(want))
	}
	for name, w := range want {
		a, err := ReadFile(filepath.Join(dir, name), dtype.Invalid)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (seen{w.Descr, a.Shape, hex.EncodeToString(a.Data)}); a.DType != dtype.Lookup(types[w.Descr]) || !cmp.Equal(got, w) {
			t.Errorf("%s is read as %s %v, want %v", name, a.DType, got, w)
		}
	}
}
