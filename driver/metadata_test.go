package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tegula-lang/tegula/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// examples are metadata of each backend.
func examples() map[string]*KernelMetadata {
	args := []MetadataArg{
		{Name: "x_ptr", Type: "*fp32", Source: []int{0}, DivisibleBy: 16},
		{Name: "flag", Type: "i1", Source: []int{1}, DivisibleBy: 1},
		{Name: "n", Type: "i32", Source: []int{2}, DivisibleBy: 16},
		{Name: "shape[1]", Type: "i64", Source: []int{4, 1}, DivisibleBy: 1},
		{Name: "eps", Type: "fp16", Source: []int{5}, DivisibleBy: 1},
		{Name: "table", Type: "**bf16", Source: []int{6}, DivisibleBy: 1 << 40},
	}
	if err := LayOut(args); err != nil {
		panic(err)
	}
	cuda := &KernelMetadata{
		Schema: MetadataVersion, Name: "layer_norm", Target: "cuda:90a",
		NumWarps: 8, NumCTAs: 2, ThreadsPerWarp: 32, Shared: 49152, NumStages: 3,
		Args: args,
		Constants: []MetadataConstant{
			{Name: "stride", Source: []int{3}, Kind: "int", Value: "1"},
			{Name: "shape[0]", Source: []int{4, 0}, Kind: "int", Value: "-340282366920938463463374607431768211456"},
			{Name: "BLOCK", Source: []int{7}, Kind: "int", Value: "1024"},
			{Name: "ACT", Source: []int{8}, Kind: "str", Value: `"it's <b>"`},
			{Name: "scale", Source: []int{9}, Kind: "float", Value: "1e-05"},
			{Name: "bias", Source: []int{10}, Kind: "none", Value: "None"},
			{Name: "causal", Source: []int{11}, Kind: "bool", Value: "True"},
			{Name: "dtype", Source: []int{12}, Kind: "dtype", Value: "triton.language.float16"},
		},
		Backends: MetadataBackends{CUDA: &CUDAMetadata{
			Entry: "layer_norm", PTX: "8.7", Registers: new(96), DynamicShared: 32768,
			Cluster: [3]int{2, 1, 1}, Programmatic: true,
		}},
	}
	cpu := &KernelMetadata{
		Schema: MetadataVersion, Name: "copy", Target: "cpu",
		NumWarps: 4, NumCTAs: 1, ThreadsPerWarp: 1, NumStages: 3,
		Args: args[:1], Constants: []MetadataConstant{},
		Backends: MetadataBackends{CPU: &CPUMetadata{Executor: "checked", Frame: 8192, Features: []string{}}},
	}
	xpu := &KernelMetadata{
		Schema: MetadataVersion, Name: "näher", Target: "xpu",
		NumWarps: 16, NumCTAs: 1, ThreadsPerWarp: 16, Shared: 1024, NumStages: 1,
		Args: []MetadataArg{}, Constants: []MetadataConstant{},
		Backends: MetadataBackends{XPU: &XPUMetadata{Entry: "naeher", SPIRV: "1.4", Requires: []string{"fp64", "int64_atomics"}}},
	}
	device := &XPUDevice{
		Name: "Intel(R) Data Center GPU Max 1550", Vendor: "Intel(R) Corporation", Platform: "Intel(R) oneAPI Unified Runtime over Level-Zero", Driver: "1.6.33578",
		API: "level_zero", GPU: true, SubGroups: []int{16, 32}, MaxWorkGroup: 1024, LocalMemory: 131072, Memory: 1 << 36, ComputeUnits: 512,
		Features: []string{"atomic64", "fp16", "fp64"},
	}
	made := *xpu
	made.Backends.XPU = &XPUMetadata{Entry: "naeher", SPIRV: "1.4", Requires: []string{}, Device: device}
	other := &KernelMetadata{
		Schema: MetadataVersion, Name: "k", Target: "fake:v2",
		NumWarps: 1, NumCTAs: 1, ThreadsPerWarp: 64, NumStages: 1,
		Args: []MetadataArg{}, Constants: []MetadataConstant{},
		Backends: MetadataBackends{Other: map[string]json.RawMessage{
			"fake": json.RawMessage(`{"lanes":[1,2.50],"deep":{"er":null}}`),
			"also": json.RawMessage(`{}`),
		}},
	}
	return map[string]*KernelMetadata{"cpu": cpu, "cuda": cuda, "xpu": xpu, "xpu-device": &made, "other": other}
}

// validator is an independent judge: a JSON Schema library with the published schema.
func validator(t testing.TB) func(text []byte) error {
	t.Helper()
	file, err := os.ReadFile("../docs/kernel-metadata.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("kernel-metadata.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("kernel-metadata.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(text []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		return s.Validate(v)
	}
}

// TestMetadataSchemaCurrent: the published schema is the one that the struct makes.
func TestMetadataSchemaCurrent(t *testing.T) {
	file, err := os.ReadFile("../docs/kernel-metadata.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, KernelMetadataSchema()) {
		t.Error("docs/kernel-metadata.schema.json is not current; run go generate ./driver")
	}
}

// TestMetadataExamples: each is written as its golden file has it, which the schema allows and
// which is read as the same metadata.
func TestMetadataExamples(t *testing.T) {
	valid := validator(t)
	for name, m := range examples() {
		t.Run(name, func(t *testing.T) {
			text, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "metadata-"+name+".json")
			if *update {
				if err := os.WriteFile(golden, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text)); diff != "" {
				t.Errorf("encoded differently (-want +got):\n%s", diff)
			}
			if err := valid(text); err != nil {
				t.Errorf("the schema does not allow it: %v", err)
			}
			again, err := ParseKernelMetadata(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, again); diff != "" {
				t.Errorf("read differently (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMetadataJSON: encoding/json reads and writes as ParseKernelMetadata and Encode do.
func TestMetadataJSON(t *testing.T) {
	m := examples()["cuda"]
	for _, v := range []any{m, *m} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var again KernelMetadata
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, &again); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	kept := KernelMetadata{Name: "as it was"}
	if err := json.Unmarshal([]byte(`{"schema": 1}`), &kept); !errors.Is(err, diag.Schema) || kept.Name != "as it was" {
		t.Errorf("%v, %+v", err, kept)
	}
	if _, err := json.Marshal(KernelMetadata{Name: "half"}); !errors.Is(err, diag.Schema) {
		t.Errorf("half of it is written: %v", err)
	}
}

// A document is metadata as a generic value, to be spoilt.
type document = map[string]any

// spoilt gives an example's text with a change.
func spoilt(t *testing.T, name string, change func(document)) []byte {
	t.Helper()
	text, err := examples()[name].Encode()
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	change(d)
	if text, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	return text
}

// at gives what a path of names and indices leads to.
func at(d any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			d = d.(document)[step]
		case int:
			d = d.([]any)[step]
		}
	}
	return d
}

// expectProblem checks an error's code, path and found.
func expectProblem(t *testing.T, err error, code, path, found string) {
	t.Helper()
	var e *diag.Error
	var p *SchemaProblem
	if !errors.As(err, &e) || !errors.As(err, &p) || !errors.Is(err, diag.Schema) {
		t.Errorf("%v is no SchemaError of %s", err, path)
		return
	}
	if e.Code != code || p.Path != path || p.Found != found || p.Expected == "" || !strings.Contains(e.Msg, p.Path+": expected "+p.Expected) {
		t.Errorf("%s: %s; want %s of %s, found %s", e.Code, e.Msg, code, path, found)
	}
}

// TestMetadataFieldsRequired leaves out each field in turn, and gives each the wrong type.
func TestMetadataFieldsRequired(t *testing.T) {
	valid := validator(t)
	optional := map[string]bool{"$.backends.cuda.registers": true}
	objects := map[string][]any{ // each object, by its path
		"$": {}, "$.args[2]": {"args", 2}, "$.constants[1]": {"constants", 1},
		"$.backends.cuda": {"backends", "cuda"},
	}
	fields := 0
	for where, path := range objects {
		var names []string
		spoilt(t, "cuda", func(d document) { names = slices.Sorted(maps.Keys(at(d, path...).(document))) })
		for _, name := range names {
			fields++
			field := where + "." + name
			text := spoilt(t, "cuda", func(d document) { delete(at(d, path...).(document), name) })
			_, err := ParseKernelMetadata(text)
			if optional[field] {
				if err != nil || valid(text) != nil {
					t.Errorf("%s left out: %v, %v", field, err, valid(text))
				}
			} else {
				expectProblem(t, err, "missing-field", field, "nothing")
				if valid(text) == nil {
					t.Errorf("the schema allows %s to be missing", field)
				}
			}
			text = spoilt(t, "cuda", func(d document) { at(d, path...).(document)[name] = nil })
			_, err = ParseKernelMetadata(text)
			expectProblem(t, err, "wrong-type", field, "null")
			if valid(text) == nil {
				t.Errorf("the schema allows %s to be null", field)
			}
			text = spoilt(t, "cuda", func(d document) { at(d, path...).(document)[name] = 0.5 })
			_, err = ParseKernelMetadata(text)
			expectProblem(t, err, "wrong-type", field, "the number 0.5")
			if valid(text) == nil {
				t.Errorf("the schema allows %s to be 0.5", field)
			}
		}
	}
	if fields != 11+7+4+7 {
		t.Errorf("%d fields", fields)
	}
}

// set makes a change of one field.
func set(value any, path ...any) func(document) {
	return func(d document) {
		switch last := path[len(path)-1].(type) {
		case string:
			at(d, path[:len(path)-1]...).(document)[last] = value
		case int:
			at(d, path[:len(path)-1]...).([]any)[last] = value
		}
	}
}

// TestMetadataValues: what the schema and the reader both refuse.
func TestMetadataValues(t *testing.T) {
	valid := validator(t)
	for _, test := range []struct {
		of                string
		change            func(document)
		code, path, found string
	}{
		{"cpu", set(0, "schema"), "unknown-version", "$.schema", "the number 0"},
		{"cpu", set(2, "schema"), "unknown-version", "$.schema", "the number 2"},
		{"cpu", set("1", "schema"), "wrong-type", "$.schema", `the string "1"`},
		{"cpu", set("", "name"), "bad-value", "$.name", `the string ""`},
		{"cpu", set("a b", "name"), "bad-value", "$.name", `the string "a b"`},
		{"cpu", set("a\n", "name"), "bad-value", "$.name", `the string "a\n"`},
		{"cpu", set("", "target"), "bad-value", "$.target", `the string ""`},
		{"cpu", set("cuda:", "target"), "bad-value", "$.target", `the string "cuda:"`},
		{"cpu", set("CPU", "target"), "bad-value", "$.target", `the string "CPU"`},
		{"cpu", set(0, "num_warps"), "out-of-range", "$.num_warps", "the number 0"},
		{"cpu", set(3, "num_warps"), "out-of-range", "$.num_warps", "the number 3"},
		{"cpu", set(128, "num_warps"), "out-of-range", "$.num_warps", "the number 128"},
		{"cpu", set(-4, "num_warps"), "out-of-range", "$.num_warps", "the number -4"},
		{"cpu", set("4", "num_warps"), "wrong-type", "$.num_warps", `the string "4"`},
		{"cpu", set(true, "num_warps"), "wrong-type", "$.num_warps", "true"},
		{"cpu", set(0, "num_ctas"), "out-of-range", "$.num_ctas", "the number 0"},
		{"cpu", set(3, "num_ctas"), "out-of-range", "$.num_ctas", "the number 3"},
		{"cpu", set(32, "num_ctas"), "out-of-range", "$.num_ctas", "the number 32"},
		{"cpu", set(24, "threads_per_warp"), "out-of-range", "$.threads_per_warp", "the number 24"},
		{"cpu", set(-1, "shared"), "out-of-range", "$.shared", "the number -1"},
		{"cpu", set(1<<31, "shared"), "out-of-range", "$.shared", "the number 2147483648"},
		{"cpu", set(0, "num_stages"), "out-of-range", "$.num_stages", "the number 0"},
		{"cpu", set(65, "num_stages"), "out-of-range", "$.num_stages", "the number 65"},
		{"cpu", set(document{}, "args"), "wrong-type", "$.args", "an object"},
		{"cpu", set([]any{1}, "args"), "wrong-type", "$.args[0]", "the number 1"},
		{"cpu", set("fp32", "args"), "wrong-type", "$.args", `the string "fp32"`},
		{"cuda", set("fp33", "args", 0, "type"), "bad-value", "$.args[0].type", `the string "fp33"`},
		{"cuda", set("***fp32", "args", 0, "type"), "bad-value", "$.args[0].type", `the string "***fp32"`},
		{"cuda", set("float32", "args", 0, "type"), "bad-value", "$.args[0].type", `the string "float32"`},
		{"cuda", set([]any{}, "args", 1, "source"), "out-of-range", "$.args[1].source", "0 elements"},
		{"cuda", set([]any{0, -1}, "args", 1, "source"), "out-of-range", "$.args[1].source[1]", "the number -1"},
		{"cuda", set(0, "args", 1, "size"), "out-of-range", "$.args[1].size", "the number 0"},
		{"cuda", set(-8, "args", 1, "offset"), "out-of-range", "$.args[1].offset", "the number -8"},
		{"cuda", set(3, "args", 1, "align"), "out-of-range", "$.args[1].align", "the number 3"},
		{"cuda", set(0, "args", 1, "divisible_by"), "out-of-range", "$.args[1].divisible_by", "the number 0"},
		{"cuda", set(24, "args", 1, "divisible_by"), "out-of-range", "$.args[1].divisible_by", "the number 24"},
		{"cuda", set("complex", "constants", 0, "kind"), "bad-value", "$.constants[0].kind", `the string "complex"`},
		{"cuda", set(1, "constants", 0, "value"), "wrong-type", "$.constants[0].value", "the number 1"},
		{"cpu", set([]any{}, "backends"), "wrong-type", "$.backends", "an array of 0 elements"},
		{"cpu", set(1, "backends", "later"), "wrong-type", "$.backends.later", "the number 1"},
		{"cpu", set("fast", "backends", "cpu", "executor"), "bad-value", "$.backends.cpu.executor", `the string "fast"`},
		{"cpu", set([]any{"AVX"}, "backends", "cpu", "features"), "bad-value", "$.backends.cpu.features[0]", `the string "AVX"`},
		{"cuda", set(0, "backends", "cuda", "registers"), "out-of-range", "$.backends.cuda.registers", "the number 0"},
		{"cuda", set("8", "backends", "cuda", "ptx"), "bad-value", "$.backends.cuda.ptx", `the string "8"`},
		{"cuda", set([]any{2, 1}, "backends", "cuda", "cluster"), "out-of-range", "$.backends.cuda.cluster", "2 elements"},
		{"cuda", set([]any{2, 1, 0}, "backends", "cuda", "cluster"), "out-of-range", "$.backends.cuda.cluster[2]", "the number 0"},
		{"cuda", set("no", "backends", "cuda", "cooperative"), "wrong-type", "$.backends.cuda.cooperative", `the string "no"`},
		{"xpu", set("fp64", "backends", "xpu", "requires"), "wrong-type", "$.backends.xpu.requires", `the string "fp64"`},
		{"cpu", set(1, "nun_warps"), "unknown-field", "$.nun_warps", `an unknown field (did you mean "num_warps"?)`},
		{"cuda", set(1, "args", 0, "index"), "unknown-field", "$.args[0].index", "an unknown field"},
		{"cuda", set(1, "backends", "cuda", "regs"), "unknown-field", "$.backends.cuda.regs", "an unknown field"},
	} {
		text := spoilt(t, test.of, test.change)
		_, err := ParseKernelMetadata(text)
		expectProblem(t, err, test.code, test.path, test.found)
		if valid(text) == nil {
			t.Errorf("the schema allows %s with %s", test.path, test.found)
		}
	}
}

// TestMetadataTogether: what only the reader can refuse, as it is wrong only beside other fields.
func TestMetadataTogether(t *testing.T) {
	valid := validator(t)
	for _, test := range []struct {
		of          string
		change      func(document)
		path, found string
	}{
		{"cuda", set(4, "args", 0, "size"), "$.args[0].size", "4"},
		{"cuda", set(4, "args", 0, "align"), "$.args[0].align", "4"},
		{"cuda", set(0, "args", 2, "offset"), "$.args[2].offset", "0"},
		{"cuda", set(13, "args", 2, "offset"), "$.args[2].offset", "13"},
		{"cuda", set(16, "args", 4, "divisible_by"), "$.args[4].divisible_by", "16"},
		{"cuda", set([]any{2}, "args", 3, "source"), "$.args[3].source", "[2] as in $.args[2].source"},
		{"cuda", set([]any{4, 1}, "constants", 0, "source"), "$.constants[0].source", "[4 1] as in $.args[3].source"},
		{"cuda", set("1.0", "constants", 0, "value"), "$.constants[0].value", `"1.0"`},
		{"cuda", set("1/2", "constants", 4, "value"), "$.constants[4].value", `"1/2"`},
		{"cuda", set("none", "constants", 5, "value"), "$.constants[5].value", `"none"`},
		{"cuda", set("true", "constants", 6, "value"), "$.constants[6].value", `"true"`},
		{"cuda", set("cpu", "target"), "$.backends.cpu", "nothing"},
		{"cuda", set("later:1", "target"), "$.backends.later", "nothing"},
		{"other", set(document{}, "backends"), "$.backends.fake", "nothing"},
		{"cuda", set([]any{1, 1, 1}, "backends", "cuda", "cluster"), "$.backends.cuda.cluster", "[1 1 1]"},
		{"cuda", set(49153, "backends", "cuda", "dynamic_shared"), "$.backends.cuda.dynamic_shared", "49153"},
	} {
		text := spoilt(t, test.of, test.change)
		_, err := ParseKernelMetadata(text)
		expectProblem(t, err, "inconsistent", test.path, test.found)
		if err := valid(text); err != nil {
			t.Errorf("the schema refuses it already: %v", err)
		}
	}
}

func TestLayOut(t *testing.T) {
	args := examples()["cuda"].Args
	var got [][3]int
	for _, a := range args {
		got = append(got, [3]int{a.Offset, a.Size, a.Align})
	}
	// As a C compiler lays out struct { float *x; bool f; int32_t n; int64_t s; _Float16 e; void **t; }.
	want := [][3]int{{0, 8, 8}, {8, 1, 1}, {12, 4, 4}, {16, 8, 8}, {24, 2, 2}, {32, 8, 8}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	m := KernelMetadata{Args: args}
	if n := m.ArgBytes(); n != 40 {
		t.Errorf("%d bytes", n)
	}
	if n := (&KernelMetadata{}).ArgBytes(); n != 0 {
		t.Errorf("no arguments: %d bytes", n)
	}
	for _, bad := range []string{"", "*", "void", "*void", "invalid", "float32", "***i8", "* i8", "B"} {
		if err := LayOut([]MetadataArg{{Name: "x", Type: bad}}); !errors.Is(err, diag.Argument) {
			t.Errorf("type %q: %v", bad, err)
		}
	}
}

// FuzzParseKernelMetadata: nothing panics, and what is accepted, the schema allows, and it is
// read again as the same after it was written.
func FuzzParseKernelMetadata(f *testing.F) {
	for _, m := range examples() {
		text, err := m.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"schema": 1, "schema": 1}`))
	valid := validator(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseKernelMetadata(text)
		if err != nil {
			if !errors.Is(err, diag.Schema) {
				t.Fatalf("%v is no SchemaError", err)
			}
			return
		}
		if err := valid(text); err != nil {
			t.Fatalf("accepted, but the schema does not allow it: %v", err)
		}
		written, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseKernelMetadata(written)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Fatalf("(-read +read again):\n%s", diff)
		}
	})
}

func BenchmarkParseKernelMetadata(b *testing.B) {
	text, err := examples()["cuda"].Encode()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ParseKernelMetadata(text); err != nil {
			b.Fatal(err)
		}
	}
}
