package launch

import (
	"errors"
	"math"
	"math/big"
	"strings"
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
			got, err := CanonicalGrid(test.grid, "cuda", test.limit)
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
			_, err := CanonicalGrid(test.grid, "cuda", test.limit)
			checkError(t, err, diag.Grid, test.code, gridRule, test.msg)
		})
	}
}

func ints2(elems ...pyval.Value) pyval.Value { return pyval.NewTuple(elems...) }

// Go's integers are judged as Python's are.
func TestCanonicalIntsAgrees(t *testing.T) {
	for _, dims := range [][]int{{}, {7}, {7, 3}, {7, 3, 2}, {1, 1, 1, 1}, {0}, {1, -1}, {1 << 31}, {1, 65536}, {math.MinInt}} {
		want, wantErr := CanonicalGrid(Ints(dims).Python(), "cuda", cudaLimit)
		got, err := CanonicalInts(dims, "cuda", cudaLimit)
		if got != want || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%v: %v, %v, want %v, %v", dims, got, err, want, wantErr)
		}
	}
}

// checkError checks an error's category, code and parts of its message.
func checkError(t *testing.T, err error, category *diag.Category, code string, parts ...string) {
	t.Helper()
	var e *diag.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want %s: %s", err, category, code)
	}
	if e.Category != category || e.Code != code {
		t.Errorf("%s: %s, want %s: %s (%s)", e.Category, e.Code, category, code, e.Msg)
	}
	for _, p := range parts {
		if !strings.Contains(e.Msg, p) {
			t.Errorf("message %q, want … %s …", e.Msg, p)
		}
	}
}
