package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// file builds a file of format version 1 from a header and data.
func file(header string, data ...byte) []byte {
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), data...)
}

func TestReadGives(t *testing.T) {
	tests := map[string]struct {
		file []byte
		as   dtype.DType
		want *Array
	}{
		"as NumPy writes it": {
			file: file("{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }          \n", 1, 0, 2, 0, 3, 0),
			want: &Array{dtype.Int16, []int{3}, []byte{1, 0, 2, 0, 3, 0}},
		},
		"keys in any order, double quotes, no last comma": {
			file: file(`{"shape":(1,2),"fortran_order":False,"descr":"|u1"}`, 7, 8),
			want: &Array{dtype.Uint8, []int{1, 2}, []byte{7, 8}},
		},
		"a scalar": {
			file: file("{'descr': '|i1', 'fortran_order': False, 'shape': ()}", 255),
			want: &Array{dtype.Int8, []int{}, []byte{255}},
		},
		"empty": {
			file: file("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5)}"),
			want: &Array{dtype.Float64, []int{0, 5}, []byte{}},
		},
		"Python 2's long dimensions": {
			file: file("{'descr': '|u1', 'fortran_order': False, 'shape': (2L,)}", 1, 2),
			want: &Array{dtype.Uint8, []int{2}, []byte{1, 2}},
		},
		"big-endian": {
			file: file("{'descr': '>u4', 'fortran_order': False, 'shape': (1,)}", 1, 2, 3, 4),
			want: &Array{dtype.Uint32, []int{1}, []byte{4, 3, 2, 1}},
		},
		"Fortran order": {
			file: file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", 0, 3, 1, 4, 2, 5),
			want: &Array{dtype.Uint8, []int{2, 3}, []byte{0, 1, 2, 3, 4, 5}},
		},
		"bools are 0 or 1": {
			file: file("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 0, 1, 200),
			want: &Array{dtype.Int1, []int{3}, []byte{0, 1, 1}},
		},
		"bfloat16": {
			file: file("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", 0x80, 0x3f),
			want: &Array{dtype.BFloat16, []int{1}, []byte{0x80, 0x3f}},
		},
		"float8_e5m2": {
			file: file("{'descr': '<f1', 'fortran_order': False, 'shape': (1,)}", 0x3c),
			want: &Array{dtype.Float8E5M2, []int{1}, []byte{0x3c}},
		},
		"another float8, named by the caller": {
			file: file("{'descr': '<V1', 'fortran_order': False, 'shape': (1,)}", 0x38),
			as:   dtype.Float8E4M3,
			want: &Array{dtype.Float8E4M3, []int{1}, []byte{0x38}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int64{int64(len(test.file)), -1} {
				got, err := Read(bytes.NewReader(test.file), size, test.as)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(test.want, got); d != "" {
					t.Errorf("size %d: %s", size, d)
				}
			}
		})
	}
}

func TestReadVersions(t *testing.T) {
	header := "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}"
	for _, major := range []byte{2, 3} {
		b := append([]byte(magic), major, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
		b = append(append(b, header...), 42)
		a, err := Read(bytes.NewReader(b), int64(len(b)), dtype.Invalid)
		if err != nil || a.Data[0] != 42 {
			t.Errorf("version %d: %v, %v", major, a, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	huge := append([]byte(magic), 2, 0, 0xff, 0xff, 0xff, 0xff)
	tests := map[string]struct {
		file []byte
		as   dtype.DType
		code string
		msg  string
	}{
		"nothing":             {nil, 0, "npy-header", "does not begin like"},
		"another format":      {[]byte("PK\x03\x04 and so on"), 0, "npy-header", "does not begin like"},
		"a later version":     {append([]byte(magic), 9, 0, 0, 0), 0, "npy-header", "version 9.0"},
		"a cut header length": {[]byte(magic + "\x01\x00\x05"), 0, "npy-header", "within its header"},
		"a cut header":        {file("{'descr': '|u1'")[:14], 0, "npy-header", "within its header"},
		"a huge header":       {huge, 0, "npy-header", "claims 4294967295 bytes"},
		"no dictionary":       {file("[]"), 0, "npy-header", "where '{' should be"},
		"an open dictionary":  {file("{'descr': '|u1'"), 0, "npy-header", "ends where ',' or '}' should be"},
		"no string end":       {file("{'descr"), 0, "npy-header", "no end"},
		"a missing key":       {file("{'descr': '|u1', 'shape': ()}"), 0, "npy-header", `"fortran_order" is missing`},
		"an unknown key":      {file("{'colour': '|u1'}"), 0, "npy-header", `"colour" is unknown`},
		"a key twice":         {file("{'descr': '|u1', 'descr': '|u1'}"), 0, "npy-header", "twice"},
		"a record":            {file("{'descr': [('x', '<f4')]}"), 0, "npy-header", "records"},
		"no bool":             {file("{'fortran_order': 1}"), 0, "npy-header", "True or False"},
		"a negative shape":    {file("{'shape': (-1,)}"), 0, "npy-header", "a dimension"},
		"a giant dimension":   {file("{'shape': (99999999999999999999,)}"), 0, "npy-header", "too large"},
		"too many dimensions": {file("{'shape': (" + strings.Repeat("1,", 65) + ")}"), 0, "npy-header", "more than 64"},
		"text after":          {file("{'descr': '|u1', 'fortran_order': False, 'shape': ()} x"), 0, "npy-header", "nothing after"},
		"objects":             {file("{'descr': '|O', 'fortran_order': False, 'shape': ()}"), 0, "npy-dtype", `"|O"`},
		"complex":             {file("{'descr': '<c8', 'fortran_order': False, 'shape': ()}"), 0, "npy-dtype", `"<c8"`},
		"no type":             {file("{'descr': '', 'fortran_order': False, 'shape': ()}"), 0, "npy-dtype", "unknown"},
		"an open float8":      {file("{'descr': '<V1', 'fortran_order': False, 'shape': ()}", 1), 0, "npy-dtype", "say which"},
		"another size":        {file("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 1, 1, 1, 1), dtype.BFloat16, "npy-dtype", "4 bytes"},
		"an impossible size":  {file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"), 0, "npy-shape", "too large"},
		"a size it has not":   {file("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}", 1), 0, "npy-length", "but 1 do"},
		"more than it says":   {file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", 1, 2), 0, "npy-length", "1 bytes should follow, but 2 do"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read(bytes.NewReader(test.file), int64(len(test.file)), test.as)
			var e *diag.Error
			if !errors.As(err, &e) || !errors.Is(err, diag.Argument) {
				t.Fatalf("%v is no ArgumentError", err)
			}
			if e.Code != test.code || !strings.Contains(e.Msg, test.msg) {
				t.Errorf("%s: %s, want %s: … %s …", e.Code, e.Msg, test.code, test.msg)
			}
		})
	}
}

// A stream of unknown length that claims much costs no more memory than it has data.
func TestReadUnknownSize(t *testing.T) {
	b := file("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}", 1, 2, 3)
	if _, err := Read(bytes.NewReader(b), -1, dtype.Invalid); err == nil || !strings.Contains(err.Error(), "but 3 do") {
		t.Error(err)
	}
}

func TestReadFileErrors(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.npy")
	if err := os.WriteFile(bad, []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none.npy"): "no such file",
		dir:                            "directory",
		bad:                            "does not begin like",
	} {
		_, err := ReadFile(path, dtype.Invalid)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want … %s …", path, err, want)
		}
	}
}

// elemTypes are the types that arrays can have.
var elemTypes = []dtype.DType{
	dtype.Int1, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
	dtype.Float8E4M3, dtype.Float8E5M2, dtype.Float8E4B15, dtype.Float8E4M3FZ, dtype.Float8E5M2FZ,
	dtype.BFloat16, dtype.Float16, dtype.Float32, dtype.Float64,
}

// What is written is read back.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(elemTypes).Draw(t, "dtype")
		shape := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(t, "shape")
		a, err := New(d, shape...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Data {
			a.Data[i] = byte(i)
			if d.IsBool() {
				a.Data[i] = byte(i) & 1
			}
		}
		if err := WriteFile(path, a); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(path, d)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWriteAsNumPy(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, &Array{dtype.Float32, []int{3}, make([]byte, 12)}); err != nil {
		t.Fatal(err)
	}
	want := magic + "\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" + strings.Repeat(" ", 60) + "\n" + strings.Repeat("\x00", 12)
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestSizeRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		d     dtype.DType
		shape []int
	}{
		"no type":    {dtype.Void, []int{1}},
		"negative":   {dtype.Int8, []int{2, -1}},
		"rank":       {dtype.Int8, make([]int, MaxRank+1)},
		"impossible": {dtype.Int64, []int{1 << 40, 1 << 40}},
		"empty, but": {dtype.Int64, []int{0, 1 << 40, 1 << 40}},
	} {
		if n, err := Size(test.d, test.shape); err == nil {
			t.Errorf("%s: %d", name, n)
		}
	}
}

// More than the machine has is an error, not the end of the program.
func TestNewRefuses(t *testing.T) {
	if _, err := New(dtype.Int8, 1<<46); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Error(err)
	}
}

// A sparse file of any length is refused before its memory is taken.
func TestReadSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse.npy")
	head := file("{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776,)}")
	if err := os.WriteFile(path, head, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(head))+1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFile(path, dtype.Invalid); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file("{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }", 1, 0, 2, 0, 3, 0), false)
	f.Add(file("{'descr': '>f8', 'fortran_order': True, 'shape': (1, 1)}", 1, 0, 2, 0, 3, 0, 4, 0), true)
	f.Add(append([]byte(magic), 2, 0, 0xff, 0xff, 0xff, 0xff), true)
	f.Fuzz(func(t *testing.T, b []byte, known bool) {
		size := int64(-1)
		if known {
			size = int64(len(b))
		}
		a, err := Read(bytes.NewReader(b), size, dtype.Invalid)
		if err != nil {
			if !errors.Is(err, diag.Argument) {
				t.Fatalf("%v has no category", err)
			}
			return
		}
		if n, err := Size(a.DType, a.Shape); err != nil || n != len(a.Data) || n > len(b) {
			t.Fatalf("%d bytes of data (%d, %v) out of %d", len(a.Data), n, err, len(b))
		}
	})
}

// Arrays that ask for huge pages are whole, zero and to be written everywhere, the first and the last byte, too.
func TestLargeArrays(t *testing.T) {
	arena := &Arena{}
	defer func() {
		if err := arena.Free(); err != nil {
			t.Error(err)
		}
	}()
	for _, n := range []int{hugeFrom - 1, hugeFrom, hugeFrom + 1, hugeFrom + hugePage + 4097} {
		for _, from := range []*Arena{nil, arena} {
			a, err := from.New(dtype.Int8, n)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Data) != n || bytes.ContainsFunc(a.Data, func(r rune) bool { return r != 0 }) {
				t.Errorf("an array of %d bytes has %d, or is not zero", n, len(a.Data))
			}
			for i := range a.Data {
				a.Data[i] = byte(i)
			}
			if from == nil && n >= hugeFrom && uintptr(unsafe.Pointer(&a.Data[0]))%hugePage != 0 {
				t.Errorf("an array of %d bytes begins at %p", n, &a.Data[0])
			}
		}
	}
}
