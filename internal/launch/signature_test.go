package launch

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// literal evaluates the literals that the tests use.
func literal(expr string) (pyval.Value, error) {
	e, err := syntax.ParseExpr(syntax.NewFile("signature", []byte(expr)))
	if err != nil {
		return nil, err
	}
	if c, ok := e.(*syntax.Constant); ok {
		return pyval.Literal(c)
	}
	return nil, diag.New(diag.Argument, "test", "no literal: %s", expr)
}

// describe gives a spec as a signature would say it.
func describe(s sema.ArgSpec) string {
	if s.IsConst {
		return pyval.Repr(s.Const)
	}
	if s.ReadOnly {
		return s.Type.String() + ", constants"
	}
	if s.Divisibility > 0 {
		return fmt.Sprintf("%s:%d", s.Type, s.Divisibility)
	}
	return s.Type.String()
}

var signatureKernel = kernelOf(Param{Name: "x"}, Param{Name: "n"}, withDefault(Param{Name: "eps"}, 1e-5),
	withDefault(Param{Name: "BLOCK", Constexpr: true}, int64(64)), Param{Name: "rest", Kind: Variadic})

func TestSignature(t *testing.T) {
	for text, want := range map[string][]string{
		"x=*fp32:16, n=i32, BLOCK=1024":      {"pointer<float32>:16", "int32", "float32", "1024"},
		"x = * fp32 : 16 ,n= i32,BLOCK=1024": {"pointer<float32>:16", "int32", "float32", "1024"},
		"x=*fp8e4nv,n=u8,eps=fp64":           {"pointer<float8e4nv>", "uint8", "float64", "64"},
		"*float32, int64:1":                  {"pointer<float32>", "1", "float32", "64"},
		"x=**i8, n=i64:8":                    {"pointer<pointer<int8>>", "int64:8", "float32", "64"},
		"x=*kbf16, n='a,b', ":                {"pointer<bfloat16>, constants", "'a,b'", "float32", "64"},
		"x=None, n=i1":                       {"None", "int1", "float32", "64"},
	} {
		specs, err := signatureKernel.signature(Signature{Text: text, Eval: literal})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, s := range specs[:4] {
			got = append(got, describe(s))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestSignatureRefuses(t *testing.T) {
	for text, test := range map[string]struct{ code, msg string }{
		"":                          {"missing-argument", "'x', 'n'"},
		"x=*fp32":                   {"missing-argument", "'n'"},
		"x=*fp32, n=i32, x=*fp32":   {"duplicate-argument", "says 'x' twice"},
		"x=*fp32, n=i32, m=i32":     {"unknown-argument", "k has no argument 'm'"},
		"x=*fp23, n=i32":            {"dtype", `"fp23" in the signature is no element type (did you mean 'fp32'?)`},
		"x=***fp32, n=i32":          {"pointer-depth", "not supported"},
		"x=*fp32:3, n=i32":          {"signature", "a power of two"},
		"x=*fp32:-16, n=i32":        {"signature", "a power of two"},
		"x=*fp32:1, n=i32":          {"signature", "a pointer is not 1"},
		"x=fp32:16, n=i32":          {"signature", "only integers and pointers"},
		"x=*fp32, n=":               {"signature", "says nothing about 'n'"},
		"x=*fp32, n=i32, BLOCK=i32": {"constexpr-type", "must give its value"},
		"x=*fp32, n=i32, rest=i32":  {"variadic-signature", "*rest"},
		"1, 2, 3, 4, 5, 6":          {"variadic-signature", "*rest"},
		"1, 2, 3, 4, rest=5":        {"variadic-signature", "*rest"},
	} {
		_, err := signatureKernel.signature(Signature{Text: text, Eval: literal})
		e, ok := err.(*diag.Error)
		if !ok {
			t.Errorf("%q: no error", text)
			continue
		}
		checkError(t, e, e.Category, test.code, test.msg)
	}
}

func TestSplitTop(t *testing.T) {
	for text, want := range map[string][]string{
		"":                     nil,
		" , ,":                 nil,
		"a":                    {"a"},
		"a, b":                 {"a", "b"},
		"f(a, b), [c, {d, e}]": {"f(a, b)", "[c, {d, e}]"},
		`"a,b", 'c,"d'`:        {`"a,b"`, `'c,"d'`},
		`"a\",b", c`:           {`"a\",b"`, "c"},
		"), a":                 {")", "a"},
		`"open, a`:             {`"open, a`},
	} {
		if d := cmp.Diff(want, splitTop(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add("x=*fp32:16, n=i32, BLOCK=1024")
	f.Add(`x=None, n="a,(b", *fp8e5`)
	f.Fuzz(func(t *testing.T, text string) {
		specs, err := signatureKernel.signature(Signature{Text: text, Eval: literal})
		if err == nil && len(specs) != len(signatureKernel.params) {
			t.Errorf("%d specs", len(specs))
		}
	})
}

func TestHolds(t *testing.T) {
	for _, test := range []struct {
		d    dtype.DType
		v    Value
		want bool
	}{
		{dtype.Int8, Int(127), true}, {dtype.Int8, Int(128), false}, {dtype.Int8, Int(-128), true}, {dtype.Int8, Int(-129), false},
		{dtype.Uint8, Int(255), true}, {dtype.Uint8, Int(256), false}, {dtype.Uint8, Int(-1), false},
		{dtype.Int64, Int(-1 << 63), true}, {dtype.Int64, Uint(1 << 63), false}, {dtype.Uint64, Uint(1<<64 - 1), true},
		{dtype.Uint64, Int(-1), false}, {dtype.Int1, Int(1), true}, {dtype.Int1, Int(2), false}, {dtype.Int1, Int(-1), false},
	} {
		if got := holds(test.d, &test.v); got != test.want {
			t.Errorf("holds(%s, %v) = %v", test.d, test.v.Python(), got)
		}
	}
}

// Integers take the first of int32, int64 and uint64 that holds them.
func TestIntegerTypes(t *testing.T) {
	for _, test := range []struct {
		v    Value
		want dtype.DType
	}{
		{Int(0), dtype.Int32}, {Int(1<<31 - 1), dtype.Int32}, {Int(-1 << 31), dtype.Int32}, {Int(1 << 31), dtype.Int64},
		{Int(-1<<31 - 1), dtype.Int64}, {Uint(5), dtype.Int32}, {Uint(1<<63 - 1), dtype.Int64}, {Uint(1 << 63), dtype.Uint64},
	} {
		if test.v.DType != test.want {
			t.Errorf("%v is %s, want %s", test.v.Python(), test.v.DType, test.want)
		}
	}
}
