package launch

import (
	"math"
	"math/big"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// The limits of the targets that CONTRACT names.
var (
	cpuLimit  = driver.Grid{math.MaxInt32, math.MaxInt32, math.MaxInt32}
	cudaLimit = driver.Grid{math.MaxInt32, 65535, 65535}
)

func ints(dims ...int64) pyval.Value {
	elems := make([]pyval.Value, len(dims))
	for i, d := range dims {
		elems[i] = d
	}
	return pyval.NewTuple(elems...)
}

func TestCanonicalGrid(t *testing.T) {
	for name, test := range map[string]struct {
		grid  pyval.Value
		limit driver.Grid
		want  driver.Grid
	}{
		"one dimension":    {ints(7), cpuLimit, driver.Grid{7, 1, 1}},
		"two dimensions":   {ints(7, 3), cpuLimit, driver.Grid{7, 3, 1}},
		"three dimensions": {ints(7, 3, 2), cpuLimit, driver.Grid{7, 3, 2}},
		"a list":           {pyval.NewList(int64(7), int64(3)), cpuLimit, driver.Grid{7, 3, 1}},
		"an integer":       {int64(7), cpuLimit, driver.Grid{7, 1, 1}},
		"the largest":      {ints(math.MaxInt32, 65535, 65535), cudaLimit, driver.Grid{math.MaxInt32, 65535, 65535}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := canonical(test.grid, test.limit)
			if err != nil || got != test.want {
				t.Errorf("%v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestCanonicalGridRefuses(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	for name, test := range map[string]struct {
		grid  pyval.Value
		limit driver.Grid
		code  string
		msg   string
	}{
		"empty":                {ints(), cpuLimit, "empty", "It is empty."},
		"four dimensions":      {ints(1, 1, 1, 1), cpuLimit, "too-many-dimensions", "It has 4 dimensions."},
		"zero":                 {ints(4, 0), cpuLimit, "zero", "axis 1 (y) is 0"},
		"negative":             {ints(4, 4, -3), cpuLimit, "negative", "axis 2 (z) is -3"},
		"very negative":        {pyval.NewTuple(new(big.Int).Neg(huge)), cpuLimit, "negative", "axis 0 (x)"},
		"bool":                 {pyval.NewTuple(true), cpuLimit, "not-integer", "axis 0 (x) is True, a value of type bool"},
		"float":                {ints2(int64(1), 2.0), cpuLimit, "not-integer", "axis 1 (y) is 2.0, a value of type float"},
		"None":                 {pyval.None, cpuLimit, "not-integer", "None"},
		"str":                  {"12", cpuLimit, "not-integer", "type str"},
		"nested":               {pyval.NewTuple(ints(1)), cpuLimit, "not-integer", "type tuple"},
		"beyond int32":         {ints(math.MaxInt32 + 1), cpuLimit, "too-large", "axis 0 (x) is 2147483648; at most 2147483647"},
		"beyond uint32":        {ints(1 << 40), driver.Grid{math.MaxUint32, 1, 1}, "too-large", "at most 2147483647"},
		"beyond int64":         {pyval.NewTuple(huge), cpuLimit, "too-large", "axis 0 (x)"},
		"beyond CUDA's y":      {ints(1, 65536), cudaLimit, "too-large", "axis 1 (y) is 65536; at most 65535 are possible there on cuda"},
		"beyond CUDA's z":      {ints(1, 1, 65536), cudaLimit, "too-large", "axis 2 (z) is 65536"},
		"uncountable programs": {ints(math.MaxInt32, math.MaxInt32, math.MaxInt32), cpuLimit, "too-large", "too many to be numbered"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := canonical(test.grid, test.limit)
			checkError(t, err, diag.Grid, test.code, gridRule, test.msg)
		})
	}
}

func ints2(elems ...pyval.Value) pyval.Value { return pyval.NewTuple(elems...) }

// canonical makes a grid of a Python value for CUDA.
func canonical(v pyval.Value, limit driver.Grid) (driver.Grid, error) {
	d, err := dimsOfPython(v)
	if err != nil {
		return driver.Grid{}, err
	}
	return d.canonical("cuda", limit)
}

// Go's integers are judged as Python's are.
func TestGridOfIntsAgrees(t *testing.T) {
	for _, sizes := range [][]int{{}, {7}, {7, 3}, {7, 3, 2}, {1, 1, 1, 1}, {0}, {1, -1}, {1 << 31}, {1, 65536}, {math.MinInt}} {
		elems := make([]pyval.Value, len(sizes))
		for i, n := range sizes {
			elems[i] = int64(n)
		}
		want, wantErr := canonical(pyval.NewTuple(elems...), cudaLimit)
		d := dimsOf(sizes)
		got, err := d.canonical("cuda", cudaLimit)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() || err == nil && got != want {
			t.Errorf("%v: %v, %v, want %v, %v", sizes, got, err, want, wantErr)
		}
	}
}
