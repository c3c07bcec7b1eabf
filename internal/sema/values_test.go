package sema

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// The value of every expression is what Triton's interpreter computes; see testdata/oracle/values.py.
func TestExpressionValuesAreTritons(t *testing.T) {
	src, err := os.ReadFile("testdata/values.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(src)), "\n")
	if len(lines) < 220 {
		t.Errorf("only %d expressions", len(lines))
	}
	for _, line := range lines {
		field := strings.Split(line, "\t")
		t.Run(field[0], func(t *testing.T) {
			expr, ulp, _ := strings.Cut(field[0], " # ulp=")
			tol, _ := strconv.Atoi(ulp)
			want := unpacked(t, field[3])
			d := dtype.Lookup(field[1])
			got := expressionValue(t, expr, d, field[2], len(want))
			if diff := difftest.Compare(d, got, want, difftest.Tolerance{ULP: tol}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func unpacked(t *testing.T, text string) []byte {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// expressionValue runs a kernel that stores an expression of the given shape (8x4; none for a scalar).
func expressionValue(t *testing.T, expr string, d dtype.DType, shape string, size int) []byte {
	src, described := expressionKernel(expr)
	src = strings.Replace(src, "def kernel(", "def kernel(out, ", 1)
	src, _, _ = strings.Cut(src, "    tl.static_print")
	if shape == "" {
		src += "    tl.store(out, r)\n"
	} else {
		count := strconv.Itoa(size / d.Bytes())
		src += "    tl.store(tl.reshape(out + tl.arange(0, " + count + "), (" + strings.ReplaceAll(shape, "x", ", ") + ", )), r)\n"
	}
	out := make([]byte, size)
	args := []cpu.Arg{arrayOf("out", out, d)}
	for word := range strings.FieldsSeq(described) {
		name, ty, _ := strings.Cut(word, "=*")
		args = append(args, arrayOf(name, testInput(dtype.Lookup(ty)), dtype.Lookup(ty)))
	}
	spec := loadSource(t, "value.py", []byte(src)).spec(t, "kernel", "out=*"+d.String()+" "+described)
	runKernel(t, spec, nil, args)
	return out
}

// testInput makes 1024 elements; inputs in testdata/oracle/values.py says which.
func testInput(d dtype.DType) []byte {
	var out []byte
	for i := range 1024 {
		k := i * 37 % 101
		var bits uint64
		switch {
		case d.IsBool():
			bits = boolBits(k%3 == 0)
		case d.IsFloat():
			bits = d.Encode(float64(k-50) / 8)
		case d.IsSigned():
			bits = uint64(k - 50)
		default:
			bits = uint64(k)
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, bits)[:d.Bytes()]...)
	}
	return out
}

// runKernel compiles a kernel and runs it on the checked executor.
func runKernel(t *testing.T, spec Spec, grid []int, args []cpu.Arg) {
	t.Helper()
	res, err := Compile(spec)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	prog, err := cpu.Compile(res.Module, cpu.Options{})
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	l := cpu.Launch{Grid: [3]int32{1, 1, 1}, Args: args, Threads: 1}
	for i, n := range grid {
		l.Grid[i] = int32(n)
	}
	if err := prog.Run(context.Background(), l); err != nil {
		t.Fatal(diag.Detail(err))
	}
}

func arrayOf(name string, data []byte, d dtype.DType) cpu.Arg {
	return cpu.Arg{Array: &cpu.Array{Name: name, Base: unsafe.Pointer(&data[0]), Bytes: int64(len(data)), ElemBytes: d.Bytes(), Keep: data}}
}
