//go:build oracle

package sema

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tables in testdata are what Triton answers today; -update rewrites them. TEGULA_ORACLE_PYTHON is a Python that
// has Triton, torch and NumPy.
func TestTablesAreTritons(t *testing.T) {
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	if python == "" {
		t.Fatal("TEGULA_ORACLE_PYTHON is not set")
	}
	for _, name := range []string{"promotion", "expressions", "values"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(python, "testdata/oracle/"+name+".py")
			if questions, err := os.Open("testdata/" + name + ".txt"); err == nil {
				defer questions.Close()
				cmd.Stdin = questions
			}
			if name == "values" {
				cmd.Env = append(os.Environ(), "TRITON_INTERPRET=1")
			}
			var complaints bytes.Buffer
			cmd.Stderr = &complaints
			got, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, complaints.Bytes())
			}
			path := "testdata/" + name + ".tsv"
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("%s (-committed +Triton):\n%s", path, d)
			}
		})
	}
}
