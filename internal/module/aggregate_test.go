package module

import (
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

const aggregateSource = `
from typing import NamedTuple
import triton
import triton.language as tl

class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor

@triton.aggregate
class Base:
    x: tl.tensor
    n: tl.constexpr = 4

    @triton.jit
    def double(self):
        return self.x * 2

@tl.core._aggregate
class Span(Base):
    y: tl.tensor

    @triton.constexpr_function
    def __init__(self, x, y, n=2):
        self.x = x
        self.y = y
        m = n
        self.n = m * m

    @staticmethod
    @triton.jit
    def of(x):
        return Span(x, y=x + 1)

    @triton.jit
    def sum(self, by=1):
        return (self.x + self.y) * by

@triton.aggregate
class Forgetful:
    x: tl.tensor

    def __init__(self, x):
        pass

@triton.constexpr_function
def width(x):
    return x.dtype.primitive_bitwidth

@triton.constexpr_function
def plus(x):
    return x + 1
`

// aggregateKernel compiles a kernel with a body and gives its operations' text.
func aggregateKernel(t *testing.T, body string) (string, error) {
	t.Helper()
	src := aggregateSource + "\n@triton.jit\ndef k(p, n):\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"
	m, err := Load("k.py", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	res, err := sema.Compile(sema.Spec{Fn: m.Kernel("k").Fn, Args: []sema.ArgSpec{
		{Type: sema.PointerTo(sema.ScalarType(dtype.Int32))}, {Type: sema.ScalarType(dtype.Int32)},
	}})
	if err != nil {
		return "", err
	}
	return tile.Printer{}.String(res.Module), nil
}

// Kernels make objects of a program's classes, and they are worth what plain values are.
func TestAggregates(t *testing.T) {
	for _, tt := range []struct{ body, plain string }{
		{"tl.store(p, Span(n, n + 1).sum())", "x = n\ny = n + 1\ntl.store(p, (x + y) * 1)"},
		{"tl.store(p, Span.of(n).sum(by=3))", "x = n\ny = x + 1\ntl.store(p, (x + y) * 3)"},
		{"tl.store(p, Span(n, n).double() + Span(n, n).n)", "tl.store(p, n * 2 + 4)"},
		{"tl.store(p, Base(n).n + Base(n, 7).n)", "tl.store(p, 11)"},
		{"s = tl.aggregate_replace(Base(n), x=n + 1)\ntl.store(p, s.x)", "tl.store(p, n + 1)"},
		{"tl.store(p, isinstance(Base(n), Base) and not isinstance(Span(n, n), Base))", "tl.store(p, True)"},
		{"tl.store(p, Base(1).x)", "tl.store(p, 1)"},
		{"q = Pair(n, second=3)\ntl.store(p, q.first + q.second + len(q))", "tl.store(p, n + 3 + 2)"},
		{"tl.store(p, width(n) + plus(2))", "tl.store(p, 35)"},
		{"s = Base(n)\nfor i in range(n):\n    s = Base(s.x + i, s.n)\ntl.store(p, s.x)", "s = n\nfor i in range(n):\n    s = s + i\ntl.store(p, s)"},
		{"s = Span(n, n)\nif n > 3:\n    s = Span(n, n + 1)\ntl.store(p, s.y)", "s = n\nif n > 3:\n    s = n + 1\ntl.store(p, s)"},
	} {
		got, err := aggregateKernel(t, tt.body)
		if err != nil {
			t.Errorf("%s\n%s", tt.body, diag.Detail(err))
			continue
		}
		want, err := aggregateKernel(t, tt.plain)
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		if codes(t, got) != codes(t, want) {
			t.Errorf("%s\ngives\n%s\nnot\n%s", tt.body, got, want)
		}
	}
}

// codes gives the operations of a module but its constants, in order.
func codes(t *testing.T, text string) string {
	t.Helper()
	m, err := tile.Parse("k.tile", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	m.Funcs[0].Body.Walk(func(op *tile.Op) {
		if op.Code != tile.OpConst {
			names = append(names, op.Code.String())
		}
	})
	return strings.Join(names, " ")
}

func TestWrongAggregates(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"Base()", "Base is not given argument 'x'"},
		{"Base(n, 4, 5)", "Base takes 2 positional arguments, but 3 are given"},
		{"Base(n, m=4)", "Base has no argument 'm'"},
		{"Base(n, n)", "the field 'n' of 'Base' is declared tl.constexpr and cannot be int32"},
		{"Base('x')", "the field 'x' of 'Base' is declared tl.tensor and cannot be a string"},
		{"b = Base(n)\nb.x = 3", "an object of 'Base' cannot be changed; tl.aggregate_replace(…, x=…) makes a changed copy"},
		{"tl.store(p, Base(n).z)", "a value of type 'Base' has no attribute 'z'"},
		{"tl.aggregate_replace(Base(n), z=3)", "'Base' has no field 'z'"},
		{"tl.aggregate_replace(n, x=3)", "tl.aggregate_replace needs an object of an aggregate class, not int32"},
		{"Forgetful(n)", "the constructor of 'Forgetful' does not set the field 'x'"},
		{"s = Base(n)\nif n > 3:\n    s = Base(n, 5)", "'s' becomes a value of type 'Base' here but is a value of type 'Base' before the if"},
		{"plus(n)", "an argument of a function that runs at compile time must be known at compile time, and 'n' is not"},
		{"Pair(n)", "missing required argument: 'second'"},
	} {
		_, err := aggregateKernel(t, tt.body)
		if err == nil || !strings.Contains(diag.Detail(err), tt.want) {
			t.Errorf("%s\n%v\nwant %s", tt.body, err, tt.want)
		}
	}
}
