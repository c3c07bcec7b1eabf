//go:build oracle

package gen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
)

// sampleCases gives one case in so many.
func sampleCases(oneIn int) (list []*gen.Case) {
	for _, c := range gen.Cases() {
		if strings.Contains(c.Name, *only) && sampled(c.Name, oneIn) {
			list = append(list, c)
		}
	}
	return list
}

func tritonPython(t *testing.T) string {
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	if python == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton; make test-oracles sets it")
	}
	return python
}

// answers has a script of internal/difftest/testdata answer lines of JSON.
func answers(t *testing.T, script string, input []byte, args ...string) [][]byte {
	t.Helper()
	cmd := exec.Command(tritonPython(t), append([]string{filepath.Join("..", "testdata", script)}, args...)...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%.4000s", err, stderr.Bytes())
	}
	return bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
}

// TestTTIRAccepted has Triton read the text of a sample and compile it to PTX.
func TestTTIRAccepted(t *testing.T) {
	var list []*gen.Case
	for _, c := range gen.Cases() {
		if strings.Contains(c.Name, *only) && (sampled(c.Name, 8**every) || expanded(c.Name)) {
			list = append(list, c)
		}
	}
	accepted(t, list)
}

// TestTTIRFreshAccepted does so with random kernels.
func TestTTIRFreshAccepted(t *testing.T) {
	var list []*gen.Case
	for _, seed := range freshSeeds() {
		list = append(list, gen.Random(seed))
	}
	accepted(t, list)
}

// accepted has Triton judge the texts of cases.
func accepted(t *testing.T, list []*gen.Case) {
	dir := t.TempDir()
	names := map[string]*gen.Case{}
	for i, c := range list {
		text, err := compiledFor(c, gpu{"90a", 1}, "ttir")
		if errors.Is(err, tegula.ErrUnsupported) {
			t.Logf("%s: %v", c.Name, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %s", c.Name, tegula.Detail(err))
			continue
		}
		name := fmt.Sprintf("case%06d", i)
		names[name] = c
		if err := os.WriteFile(filepath.Join(dir, name+".ttir"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	judged := 0
	for _, line := range answers(t, "ttir.py", nil, dir) {
		var verdict [2]string
		if err := json.Unmarshal(line, &verdict); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		judged++
		if verdict[1] != "" {
			t.Errorf("%s: %s\n%s", names[verdict[0]].Name, verdict[1], names[verdict[0]].Source)
		}
	}
	t.Logf("%d texts judged", judged)
	if judged != len(names) {
		t.Errorf("%d of %d judged", judged, len(names))
	}
}

// expanded reports whether a case has what Triton's dialects have no word or no code for, so that several operations stand for it.
func expanded(name string) bool {
	float8 := strings.Contains(name, "fp8e") && (strings.HasPrefix(name, "tl.cast/") || strings.HasPrefix(name, "tl.dot/") || strings.HasPrefix(name, "-x/"))
	return float8 || strings.HasPrefix(name, "desc.gather/") || strings.HasPrefix(name, "desc.scatter/")
}

// A ttirQuestion is a kernel as testdata/emit_ttir.py reads it.
type ttirQuestion struct {
	Name      string            `json:"name"`
	Source    string            `json:"source"`
	Kernel    string            `json:"kernel"`
	Signature map[string]string `json:"signature"`
	Constants map[string]string `json:"constants"`
}

// TestTTIRRuns has Triton print a sample in its own representation, and runs what is read of that.
func TestTTIRRuns(t *testing.T) {
	want, err := gen.Expected()
	if err != nil {
		t.Fatal(err)
	}
	var questions bytes.Buffer
	cases := sampleCases(2 * *every)
	for _, c := range cases {
		q := ttirQuestion{c.Name, c.Source, "kernel", map[string]string{}, map[string]string{}}
		for _, a := range c.Args {
			q.Signature[a.Name] = a.TritonType()
		}
		if err := json.NewEncoder(&questions).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	ran, refused := 0, map[string]int{}
	for i, line := range answers(t, "emit_ttir.py", questions.Bytes()) {
		c := cases[i]
		var a struct{ Name, Text, Error string }
		if err := json.Unmarshal(line, &a); err != nil || a.Name != c.Name {
			t.Fatalf("%v: %s", err, line)
		}
		t.Run(c.Name, func(t *testing.T) {
			if a.Error != "" {
				refused["Triton"]++
				t.Skip("Triton refuses it: " + a.Error)
			}
			err := gen.Check(c, want, func(c *gen.Case) error { return launchText(c, a.Text) })
			if errors.Is(err, tegula.ErrUnsupported) {
				refused[err.Error()]++
				t.Skip(err)
			}
			if err != nil {
				t.Fatalf("%s\n%s", tegula.Detail(err), a.Text)
			}
			ran++
		})
	}
	t.Logf("%d of %d cases ran; refused: %v", ran, len(cases), refused)
	if ran < len(cases)*8/10 {
		t.Error("too few ran")
	}
}
