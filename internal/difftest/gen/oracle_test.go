//go:build oracle

package gen_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula/internal/difftest/gen"
)

var update = flag.Bool("update", false, "judge the cases that have no result, and write expected.bin")

// judged is what testdata/judge.py reads of a case.
type judged struct {
	Name   string      `json:"name"`
	Source string      `json:"source"`
	Grid   []int       `json:"grid"`
	Judge  string      `json:"judge"`
	Args   []judgedArg `json:"args"`
}

type judgedArg struct {
	Name    string `json:"name"`
	DType   string `json:"dtype"`
	Dims    []int  `json:"dims"`
	Data    []byte `json:"data"`
	Out     bool   `json:"out"`
	Int     int64  `json:"int"`
	Block   []int  `json:"block"`
	Strides []int  `json:"strides"`
	NaN     bool   `json:"nan"`
}

// TestJudges asks the judges for all cases again.
func TestJudges(t *testing.T) {
	cases := gen.Cases()
	want, err := gen.Expected()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		updateExpected(t, cases, want)
		return
	}
	got, errs := judge(t, cases)
	for _, err := range errs {
		t.Error(err)
	}
	for _, c := range cases {
		if err := got.Same(want, c); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// updateExpected has the cases judged that have no result, and writes the results of all.
func updateExpected(t *testing.T, cases []*gen.Case, results gen.Results) {
	fresh := slices.DeleteFunc(slices.Clone(cases), results.Has)
	got, errs := judge(t, fresh)
	for _, err := range errs {
		t.Error(err)
	}
	maps.Copy(results, got)
	t.Logf("%d cases are judged anew", len(fresh))
	if err := results.Write("testdata/expected.bin", cases); err != nil {
		t.Fatal(err)
	}
}

// judge runs cases under the judges.
func judge(t *testing.T, cases []*gen.Case) (gen.Results, []error) {
	t.Helper()
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	if python == "" {
		t.Skip("TEGULA_ORACLE_PYTHON is not set: make test-oracles sets it")
	}
	cmd := exec.Command(python, "testdata/judge.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go send(in, cases)
	results, errs := make(gen.Results), []error(nil)
	lines := bufio.NewReader(out)
	for _, c := range cases {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		var r struct {
			Name, Error string
			Out         map[string][]byte
		}
		if err := json.Unmarshal(line, &r); err != nil || r.Name != c.Name {
			t.Fatalf("%s: %v: %s", c.Name, err, line)
		}
		if r.Error != "" {
			errs = append(errs, fmt.Errorf("%s: %s", c.Name, r.Error))
			continue
		}
		results.Add(c, r.Out)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return results, errs
}

// send writes the cases, a line each.
func send(to io.WriteCloser, cases []*gen.Case) {
	defer to.Close()
	e := json.NewEncoder(to)
	for _, c := range cases {
		j := judged{Name: c.Name, Source: c.Source, Grid: c.Grid, Judge: c.Judge}
		for _, a := range c.Args {
			j.Args = append(j.Args, judgedArg{a.Name, a.DType.String(), a.Dims, a.Data, a.Out, a.Int, a.Block, a.Strides, a.PadNaN})
		}
		if e.Encode(j) != nil {
			return // the other end is gone, and says so
		}
	}
}

var (
	seeds = flag.Int("seeds", 0, "how many fresh random kernels to compare with a live interpreter")
	first = flag.Int("first", 1_000_000, "the first of their seeds")
)

// TestFreshRandomKernels compares random kernels of other seeds than those that are kept.
func TestFreshRandomKernels(t *testing.T) {
	for start := *first; start < *first+*seeds; start += 100 {
		var cases []*gen.Case
		for seed := start; seed < min(start+100, *first+*seeds); seed++ {
			cases = append(cases, gen.Random(seed))
		}
		want, errs := judge(t, cases)
		for _, err := range errs {
			t.Error(err)
		}
		for _, c := range cases {
			if !want.Has(c) {
				continue
			}
			if err := gen.Check(c, want, onCPU); err != nil {
				t.Errorf("%s: %v\n%s", c.Name, err, c.Source)
			}
		}
	}
}
