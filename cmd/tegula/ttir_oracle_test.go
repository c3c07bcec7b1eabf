//go:build oracle

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/npy"
)

// The command in an example's first lines, its arguments, and the constants among its kernel's parameters.
var (
	commandOf  = regexp.MustCompile(`(?s)tegula run (examples/\w+\.py) (.*?)"""`)
	argumentOf = regexp.MustCompile(`(\w+)=('[^']*'|\S+)`)
	arrayOf    = regexp.MustCompile(`^'\w+\((\w+),`)
	constantOf = regexp.MustCompile(`(\w+)\s*: tl\.constexpr`)
)

// TestTTIRExamples runs each example as its first lines say, and again as the text that Triton prints of it.
func TestTTIRExamples(t *testing.T) {
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	if python == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton; make test-oracles sets it")
	}
	files, err := filepath.Glob("../../examples/*.py")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { bothWays(t, python, file) })
	}
}

func bothWays(t *testing.T, python, file string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	command := commandOf.FindStringSubmatch(string(src))
	kernel := strings.TrimSuffix(filepath.Base(file), ".py")
	_, def, _ := strings.Cut(string(src), "\ndef "+kernel+"(")
	def, _, _ = strings.Cut(def, "):\n")
	constants := map[string]string{}
	for _, m := range constantOf.FindAllStringSubmatch(def, -1) {
		constants[m[1]] = ""
	}
	question := map[string]any{"name": kernel, "source": string(src), "kernel": kernel}
	signature, said := map[string]string{}, map[string]string{}
	words := strings.Join(strings.Fields(strings.ReplaceAll(command[2], "\\\n", " ")), " ")
	textWords, arrays := words, []string{}
	for _, m := range argumentOf.FindAllStringSubmatch(words, -1) {
		name, value := m[1], m[2]
		array := arrayOf.FindStringSubmatch(value)
		_, isConstant := constants[name]
		switch {
		case isConstant:
			said[name] = strings.Trim(value, "'")
			textWords = strings.Replace(textWords, m[0], "", 1)
		case array != nil:
			signature[name] = map[string]string{"float32": "*fp32", "float16": "*fp16"}[array[1]]
			arrays = append(arrays, name)
		case strings.ContainsAny(value, ".e"):
			signature[name] = "fp32"
		default:
			signature[name] = "i32"
		}
	}
	for name, value := range said { // the grid's expressions have no constants in the text
		_, grid, _ := strings.Cut(textWords, "--grid")
		textWords = strings.Replace(textWords, grid, regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(grid, value), 1)
	}
	question["signature"], question["constants"] = signature, said
	dir := t.TempDir()
	commandIn(t, dir)
	if err := os.WriteFile(filepath.Join(dir, kernel+".ttir"), []byte(tritonText(t, python, question)), 0o666); err != nil {
		t.Fatal(err)
	}
	outs := func(prefix string) (flags string) {
		for _, name := range arrays {
			flags += " --out " + name + "=" + prefix + name + ".npy"
		}
		return flags
	}
	shell(t, dir, "tegula run "+command[1]+" "+words+outs("source_"))
	shell(t, dir, "tegula run "+kernel+".ttir "+textWords+" --check"+outs("text_"))
	for _, name := range arrays {
		want, got := array(t, filepath.Join(dir, "source_"+name+".npy")), array(t, filepath.Join(dir, "text_"+name+".npy"))
		if len(want) == 0 || len(want) != len(got) {
			t.Fatalf("%s: %d elements, want %d", name, len(got), len(want))
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-5+2e-3*math.Abs(want[i])) {
				t.Fatalf("%s[%d] is %v, want %v", name, i, got[i], want[i])
			}
		}
	}
}

// tritonText has Triton print a kernel in its own representation.
func tritonText(t *testing.T, python string, question any) string {
	t.Helper()
	line, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "../../internal/difftest/testdata/emit_ttir.py")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(append(line, '\n')), &stderr
	out, err := cmd.Output()
	var answer struct{ Text, Error string }
	if err != nil || json.Unmarshal(out, &answer) != nil || answer.Error != "" {
		t.Fatalf("%v %s\n%s", err, answer.Error, stderr.Bytes())
	}
	return answer.Text
}

// array reads the numbers of a file.
func array(t *testing.T, path string) []float64 {
	t.Helper()
	a, err := npy.ReadFile(path, dtype.Invalid)
	if err != nil {
		t.Fatal(err)
	}
	size := a.DType.Bytes()
	list := make([]float64, len(a.Data)/size)
	for i := range list {
		var bits uint64
		for b := range size {
			bits |= uint64(a.Data[i*size+b]) << (8 * b)
		}
		list[i] = a.DType.Decode(bits)
	}
	return list
}
