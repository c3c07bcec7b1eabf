package difftest

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
)

func TestInputsEqualTheJudges(t *testing.T) {
	cases, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 130 {
		t.Errorf("%d cases", len(cases))
	}
}

// depends matches the functions whose last bit depends on the machine: Go computes them in another way on each.
var depends = regexp.MustCompile(`\b(exp(2|10|m1)?|log\w*|sin\w*|cos\w*|tan\w*|a(sin|cos|tan)\w*|erf\w*|pow|cbrt|\w*gamma|sigmoid|softmax|randn\w*|` +
	`pair_uniform_to_normal|normcdf\w*|[jy][01n]|cyl_bessel\w*|fast_\w+)\(`)

// TestMachinesMayDiffer: a case that calls such a function allows its results to be off.
func TestMachinesMayDiffer(t *testing.T) {
	cases, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, c := range cases {
		call := depends.FindString(c.text())
		if call == "" {
			continue
		}
		if found++; c.Tol == (Tolerance{}) {
			t.Errorf("%s calls %s) and compares bits; give it a tolerance", c.Name, call)
		}
	}
	if found < 6 {
		t.Errorf("only %d cases call functions that depend on the machine", found)
	}
}

// text gives the kernel's own lines.
func (c *Case) text() string {
	_, text, _ := strings.Cut(string(c.Source), "\ndef "+c.Kernel+"(")
	text, _, _ = strings.Cut(text, "\n\n\n")
	return text
}

func floats(d dtype.DType, v ...float64) []byte {
	var b []byte
	for _, x := range v {
		b = appendNumber(b, d, x)
	}
	return b
}

func TestCompareSeesDifferences(t *testing.T) {
	one, next := 1.0, math.Nextafter(1, 2)
	nan, minusZero := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name      string
		got, want float64
		tol       Tolerance
		equal     bool
	}{
		{"same", one, one, Tolerance{}, true},
		{"next, exact", next, one, Tolerance{}, false},
		{"next, 1 ulp", next, one, Tolerance{ULP: 1}, true},
		{"relative", 1.001, one, Tolerance{Rel: 1e-2}, true},
		{"relative, too far", 1.1, one, Tolerance{Rel: 1e-2}, false},
		{"NaN for NaN", -nan, nan, Tolerance{}, true},
		{"NaN for a number", nan, one, Tolerance{Rel: 1}, false},
		{"number for NaN", one, nan, Tolerance{Rel: 1}, false},
		{"zeros, exact", 0, minusZero, Tolerance{}, false},
		{"zeros, loose", 0, minusZero, Tolerance{ULP: 1}, true},
		{"infinity", math.Inf(1), one, Tolerance{Rel: 0.5}, false},
		{"for infinity", one, math.Inf(1), Tolerance{Rel: 0.5, ULP: 1}, false},
	} {
		diff := Compare(dtype.Float64, floats(dtype.Float64, c.got), floats(dtype.Float64, c.want), c.tol)
		if (diff == "") != c.equal {
			t.Errorf("%s: %q", c.name, diff)
		}
	}
	if Compare(dtype.Int8, []byte{1}, []byte{2}, Tolerance{Rel: 9, ULP: 9}) == "" {
		t.Error("integers have no tolerance")
	}
}
