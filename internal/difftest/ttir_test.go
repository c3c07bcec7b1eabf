//go:build oracle

package difftest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest"
)

// TestTTIR gives the corpus as MLIR text to Triton, which reads it, checks it and compiles it to PTX.
func TestTTIR(t *testing.T) {
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	written := 0
	for i := range cases {
		c := &cases[i]
		text, err := emitTTIR(c)
		if errors.Is(err, tegula.ErrUnsupported) {
			t.Logf("%s: %v", c.Name, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %s", c.Name, tegula.Detail(err))
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(c.Name, "/", ".")+".ttir"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		written++
	}
	if written < len(cases)*9/10 {
		t.Errorf("only %d of %d kernels have a text", written, len(cases))
	}
	judgeTTIR(t, written, dir)
}

// TestTTIRReads has Triton read the golden files of internal/mlir, which have every operation.
func TestTTIRReads(t *testing.T) { judgeTTIR(t, 1, filepath.Join("..", "mlir", "testdata"), "read") }

// judgeTTIR has Triton judge the files of a folder.
func judgeTTIR(t *testing.T, files int, args ...string) {
	t.Helper()
	cmd := exec.Command(oraclePython(t), append([]string{filepath.Join("testdata", "ttir.py")}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	judged := 0
	for line := range bytes.Lines(out) {
		var verdict [2]string
		if err := json.Unmarshal(line, &verdict); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if judged++; verdict[1] != "" {
			t.Errorf("%s: %s", verdict[0], verdict[1])
		}
	}
	if err != nil || judged != files {
		t.Fatalf("%v: %d of %d judged\n%s", err, judged, files, stderr.Bytes())
	}
	if t.Failed() {
		t.Logf("%s", stderr.Bytes())
	}
}

// A question is a kernel with the types and constants of its arguments, as testdata/emit_ttir.py reads it.
type question struct {
	Name      string            `json:"name"`
	Source    string            `json:"source"`
	Kernel    string            `json:"kernel"`
	Signature map[string]string `json:"signature"`
	Constants map[string]string `json:"constants"`
}

// TestTTIRRuns has Triton print the corpus in its own representation, and runs what is read of that.
func TestTTIRRuns(t *testing.T) {
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	var questions bytes.Buffer
	for i := range cases {
		c := &cases[i]
		q := question{c.Name, string(c.Source), c.Kernel, map[string]string{}, map[string]string{}}
		for j := range c.Args {
			word := argumentType(&c.Args[j], definition(c))
			if word == c.Args[j].Literal {
				q.Constants[c.Args[j].Name] = word
			} else {
				q.Signature[c.Args[j].Name] = word
			}
		}
		if err := json.NewEncoder(&questions).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(oraclePython(t), filepath.Join("testdata", "emit_ttir.py"))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = &questions, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	ran, i := 0, 0
	for line := range bytes.Lines(out) {
		c := &cases[i]
		i++
		var a struct{ Name, Text, Error string }
		if err := json.Unmarshal(line, &a); err != nil || a.Name != c.Name {
			t.Fatalf("%v: %s", err, line)
		}
		t.Run(c.Name, func(t *testing.T) {
			if a.Error != "" {
				t.Skip("Triton refuses it: " + a.Error)
			}
			runTTIR(t, c, a.Text)
			ran++
		})
	}
	t.Logf("%d of %d kernels ran", ran, len(cases))
	if ran < len(cases)*8/10 {
		t.Error("too few ran")
	}
}

// runTTIR runs a case whose kernel is given as Triton's text. Constants are part of that.
func runTTIR(t *testing.T, c *difftest.Case, text string) {
	mod, err := tegula.Load(c.Kernel+".ttir", text)
	if errors.Is(err, tegula.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%s\n%s", tegula.Detail(err), text)
	}
	args := []any{tegula.Check()}
	for i := range c.Args {
		if a := &c.Args[i]; argumentType(a, definition(c)) != a.Literal {
			v, err := argument(mod, a)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, v)
		}
	}
	if err := mod.Kernel(mod.Kernels()[0]).Launch(t.Context(), tegula.CPU(), tegula.Grid(c.Grid), args...); err != nil {
		t.Fatalf("%s\n%s", tegula.Detail(err), text)
	}
	for _, a := range c.Args {
		if a.Want == nil {
			continue
		}
		if diff := difftest.Compare(a.DType, a.Data, a.Want, c.Tol); diff != "" {
			t.Errorf("%s: %s", a.Name, diff)
		}
	}
}

// emitTTIR gives a case's kernel as MLIR text.
func emitTTIR(c *difftest.Case) ([]byte, error) {
	mod, err := tegula.Load(c.File, c.Source)
	if err != nil {
		return nil, err
	}
	compiled, err := mod.Kernel(c.Kernel).Compile(tegula.CompileOptions{Signature: signature(c)})
	if err != nil {
		return nil, err
	}
	return compiled.Emit("ttir")
}

// signature describes a case's arguments.
func signature(c *difftest.Case) string {
	def := definition(c)
	words := make([]string, len(c.Args))
	for i, a := range c.Args {
		words[i] = a.Name + "=" + argumentType(&a, def)
	}
	return strings.Join(words, ", ")
}

// definition gives the text of a case's parameters.
func definition(c *difftest.Case) string {
	_, def, _ := strings.Cut(string(c.Source), "\ndef "+c.Kernel+"(")
	def, _, _ = strings.Cut(def, "):\n")
	return def
}

func argumentType(a *difftest.Arg, def string) string {
	constexpr := regexp.MustCompile(`\b` + a.Name + `\s*:\s*(tl\.)?constexpr`)
	_, notInt := strconv.ParseInt(a.Literal, 0, 64)
	_, notFloat := strconv.ParseFloat(a.Literal, 64)
	switch {
	case a.Data != nil:
		return "*" + a.DType.String()
	case a.Typed:
		return a.DType.String()
	case constexpr.MatchString(def):
		return a.Literal
	case notInt == nil:
		return "i32"
	case notFloat == nil:
		return "fp32"
	}
	return a.Literal
}
