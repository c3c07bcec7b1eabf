package sema

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// newTestGen makes a gen in the middle of an empty kernel.
func newTestGen() *gen {
	m := &tile.Module{}
	f := &tile.Func{Name: "f", Body: &tile.Block{}}
	m.Funcs = []*tile.Func{f}
	g := &gen{b: tile.NewBuilder(m, f)}
	g.b.SetBlock(f.Body)
	g.frame = &frame{fn: &Func{Name: "f", File: syntax.NewFile("test.py", []byte("f()\n"))}, vars: map[string]local{}}
	return g
}

// attempt runs f and gives what it failed with.
func attempt(f func()) (err error) {
	defer func() {
		if b, ok := recover().(bail); ok {
			err = b.err
		}
	}()
	f()
	return nil
}

// testOperand makes an operand of the table of promotions: a tile of a type, or a number in parentheses.
func testOperand(t *testing.T, g *gen, name string) Value {
	if n, ok := strings.CutPrefix(name, "("); ok {
		n = strings.TrimSuffix(n, ")")
		if n == "True" {
			return true
		}
		if v, err := pyval.ParseInt(n, 10); err == nil {
			return v
		}
		f, err := strconv.ParseFloat(n, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	elem, pointer := strings.CutPrefix(name, "*")
	ty := ScalarType(dtype.Lookup(elem))
	if pointer {
		ty = PointerTo(ty)
	}
	shape, _ := tile.Scalar(tile.I32).WithShape(4)
	ty = ty.inShape(shape)
	return Tensor{g.b.Block().AddArg(g.b.Func, ty.Tile, ""), ty.DType}
}

var testOperators = map[string]syntax.Op{
	"+": syntax.Add, "-": syntax.Sub, "*": syntax.Mult, "/": syntax.Div, "//": syntax.FloorDiv, "%": syntax.Mod,
	"&": syntax.BitAnd, "|": syntax.BitOr, "^": syntax.BitXor, "<<": syntax.LShift, ">>": syntax.RShift,
	"==": syntax.Eq, "!=": syntax.NotEq, "<": syntax.Lt, "<=": syntax.LtE, ">": syntax.Gt, ">=": syntax.GtE,
}

// The table is Triton's answer; see testdata/oracle/promotion.py.
func TestPromotionIsTritons(t *testing.T) {
	src, err := os.ReadFile("testdata/promotion.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(src), "\n"), "\n")
	columns := strings.Split(lines[0], "\t")[2:]
	cells := 0
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		op, left := row[0], row[1]
		for i, want := range row[2:] {
			if want == "." {
				continue
			}
			cells++
			if got := promoted(t, op, left, columns[i]); got != want && !knownDifference(op, left, columns[i]) {
				t.Errorf("%s %s %s is %s, Triton has %s", left, op, columns[i], got, want)
			}
		}
	}
	if cells < 17000 {
		t.Errorf("only %d cells", cells)
	}
}

// knownDifference tells where Triton 3.9 is not followed: converting between float64 or integers and float8e4b15 gives
// it a value of another type than it says.
func knownDifference(op, left, right string) bool {
	return (left == "fp8e4b15" || right == "fp8e4b15") && (left == "fp64" || right == "fp64")
}

// promoted gives the element type of left op right as the table writes it.
func promoted(t *testing.T, op, left, right string) string {
	g := newTestGen()
	x, y := testOperand(t, g, left), testOperand(t, g, right)
	var v Value
	at := syntax.Span{Pos: 0, End: 1}
	err := attempt(func() {
		if o, ok := testOperators[op]; ok {
			v = g.binary(o, x, y, at)
			return
		}
		fn, _ := LangAttr(modLang, op)
		args := []Value{x, y}
		if op == "where" {
			args = []Value{testOperand(t, g, "i1"), x, y}
		}
		v = g.callFunc(fn, args, nil, at)
	})
	if err != nil {
		return "-"
	}
	ty := v.(Tensor).Type().Scalar()
	return strings.Repeat("*", ty.Tile.PtrDepth()) + ty.DType.String()
}

func anyNumber(t *rapid.T, label string) dtype.DType {
	return rapid.SampledFrom(allDTypes()[1:]).Draw(t, label)
}

// Tensors promote alike from both sides, to a type that takes part or is a float, and a type promoted
// with itself stays.
func TestPromoteTensors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyNumber(t, "a"), anyNumber(t, "b")
		x, y := operandType{a, false}, operandType{b, false}
		d, err := promote(x, y, false)
		e, err2 := promote(y, x, false)
		if d != e || err != err2 {
			t.Fatalf("%v, %v gives %v (%v), but %v from the other side (%v)", a, b, d, err, e, err2)
		}
		if err == nil && d != a && d != b && !d.IsFloat() {
			t.Fatalf("%v, %v gives %v", a, b, d)
		}
		if err == nil && d.Bits() < max(a.Bits(), b.Bits()) && a.IsInt() == b.IsInt() {
			t.Fatalf("%v, %v gives the narrower %v", a, b, d)
		}
		if same, err := promote(x, x, false); err != nil || same != a {
			t.Fatalf("%v, %v gives %v (%v)", a, a, same, err)
		}
	})
}

// A number of no higher kind never changes a tensor's type.
func TestPromoteNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, n := anyNumber(t, "tensor"), anyNumber(t, "number")
		d, err := promote(operandType{a, false}, operandType{n, true}, false)
		if n.Kind() <= a.Kind() && (err != nil || d != a) {
			t.Fatalf("%v with a number of type %v gives %v (%v)", a, n, d, err)
		}
	})
}

// An integer literal takes the first of its four types that holds it.
func TestLiteralTypes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n") >> rapid.IntRange(0, 63).Draw(t, "shift")
		got, ok := literalType(n)
		for _, d := range []dtype.DType{dtype.Int32, dtype.Uint32, dtype.Int64} {
			if _, err := intBits(n, d); err == nil {
				if !ok || got != d {
					t.Fatalf("%d has type %v, but %v holds it", n, got, d)
				}
				return
			}
		}
		t.Fatalf("%d has type %v", n, got)
	})
	for _, tt := range []struct {
		v    Value
		want dtype.DType
	}{
		{true, dtype.Int1}, {0.1, dtype.Float32}, {1e39, dtype.Float64}, {1e-39, dtype.Float64}, {0.0, dtype.Float32},
		{uint64Max(), dtype.Uint64},
	} {
		if got, ok := literalType(tt.v); !ok || got != tt.want {
			t.Errorf("%v has type %v, want %v", tt.v, got, tt.want)
		}
	}
}

func uint64Max() Value {
	_, hi := intRange(dtype.Uint64)
	return pyval.Int(hi)
}
