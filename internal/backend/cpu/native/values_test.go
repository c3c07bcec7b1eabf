package native

import (
	"encoding/binary"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// exactly are functions of f64 by their names in package libm's table of values, with the bounds of docs/language.md in units of the last place.
var exactly = map[string]struct {
	call string
	ulps float64
}{
	"sin": {"sin", 2}, "cos": {"cos", 2}, "tan": {"extern tan", 2}, "sinpi": {"extern sinpi", 2}, "cospi": {"extern cospi", 2},
	"asin": {"extern asin", 2}, "acos": {"extern acos", 2}, "atan": {"extern atan", 2}, "atan2": {"extern atan2", 2},
	"sinh": {"extern sinh", 2}, "cosh": {"extern cosh", 1}, "tanh": {"extern tanh", 1},
	"asinh": {"extern asinh", 3}, "acosh": {"extern acosh", 3}, "atanh": {"extern atanh", 2},
	"exp": {"exp", 1}, "exp2": {"exp2", 1}, "exp10": {"extern exp10", 1}, "expm1": {"extern expm1", 1},
	"log": {"log", 1}, "log2": {"log2", 1}, "log10": {"extern log10", 1}, "log1p": {"extern log1p", 1},
	"cbrt": {"extern cbrt", 1}, "rcbrt": {"extern rcbrt", 1}, "rsqrt": {"rsqrt", 1}, "pow": {"extern pow", 2},
	"erf": {"erf", 2}, "erfc": {"extern erfc", 5}, "erfcx": {"extern erfcx", 4}, "normcdf": {"extern normcdf", 5},
	"hypot": {"extern hypot", 2}, "norm3": {"extern norm3d", 2}, "norm4": {"extern norm4d", 2},
	"rhypot": {"extern rhypot", 1}, "rnorm3": {"extern rnorm3d", 1}, "rnorm4": {"extern rnorm4d", 1},
}

// Functions of f64 are as near to values of 60 digits as the language says.
func TestFunctionsAgainstExactValues(t *testing.T) {
	needOwnCode(t)
	text, err := os.ReadFile("../libm/testdata/values.tsv")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string][][]float64{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		var row []float64
		for _, w := range words[1:] {
			f, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, f)
		}
		table[words[0]] = append(table[words[0]], row)
	}
	for name, f := range exactly {
		rows := table[name]
		if len(rows) == 0 {
			t.Errorf("there are no values of %s", name)
			continue
		}
		const n = 64
		arity := len(rows[0]) - 1
		in := []input{{data: make([]byte, 8*n)}}
		for k := range arity {
			in = append(in, input{data: make([]byte, 8*n)})
			for i, row := range rows {
				binary.LittleEndian.PutUint64(in[k+1].data[8*i:], math.Float64bits(row[k]))
			}
		}
		p, err := Compile(parse(t, functionKernel(f.call, "f64", arity, n)), options())
		if err != nil {
			t.Fatal(err)
		}
		if p.ABI().NeedsGo {
			t.Errorf("%s is left to the executor", name)
		}
		runNative(t, p, [3]int32{1, 1, 1}, in)
		for i, row := range rows {
			got := math.Float64frombits(elementAt(in[0].data, tile.F64, i))
			if d := distance(tile.F64, got, row[arity]); d > f.ulps && !(got == 0 && row[arity] == 0) {
				t.Errorf("%s of %v is %v, not %v", name, row[:arity], got, row[arity])
			}
		}
	}
}
