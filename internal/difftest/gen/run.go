package gen

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/difftest"
)

// A Launch runs a case's kernel on a back end; the outputs are written in place.
type Launch func(c *Case) error

// Check runs a case on a copy of its inputs and says how what it gives differs from what it must
// give; nil if it does not.
func Check(c *Case, want Results, launch Launch) error {
	expected, ok := want[c.hash()]
	if !ok {
		return fmt.Errorf("nobody has judged this kernel yet: make test-oracles with -update does")
	}
	run := c.Clone()
	if err := launch(run); err != nil {
		return err
	}
	for _, a := range run.outputs() {
		if len(expected) < len(a.Data) {
			return fmt.Errorf("the judge gave %d bytes less", len(a.Data)-len(expected))
		}
		if diff := difftest.Compare(a.DType, a.Data, expected[:len(a.Data)], c.Tol); diff != "" {
			return fmt.Errorf("%s: %s", a.Name, diff)
		}
		expected = expected[len(a.Data):]
	}
	return nil
}

// Cases gives the cases of all rows, and random ones. Where several have one name, a number tells them apart.
func Cases() []*Case {
	var cases []*Case
	seen := make(map[string]int)
	for i := range Rows {
		for _, c := range Rows[i].Cases() {
			if seen[c.Name]++; seen[c.Name] > 1 {
				c.Name += fmt.Sprintf("#%d", seen[c.Name])
			}
			cases = append(cases, c)
		}
	}
	for seed := range FixedSeeds {
		cases = append(cases, Random(seed))
	}
	return cases
}

// Add enters what a judge gave for a case's outputs.
func (r Results) Add(c *Case, out map[string][]byte) {
	bytes := []byte{}
	for _, a := range c.outputs() {
		bytes = append(bytes, out[a.Name]...)
	}
	r[c.hash()] = bytes
}

// Same compares two results for a case, as exactly as the case is meant.
func (r Results) Same(other Results, c *Case) error {
	got, ok := r[c.hash()]
	if !ok {
		return fmt.Errorf("there is no result")
	}
	return Check(c, other, func(c *Case) error {
		for _, a := range c.outputs() {
			got = got[copy(a.Data, got):]
		}
		return nil
	})
}

// Has reports whether there is a result for a case.
func (r Results) Has(c *Case) bool {
	_, ok := r[c.hash()]
	return ok
}
