package module

import (
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// languageVersion is the release of Triton whose language this is.
const languageVersion = "3.9.0"

// hostNames are what triton and triton.language hold for host code only, or mean otherwise there.
var hostNames map[string]Value

func init() { // the functions refer to the table
	hostNames = map[string]Value{
		"triton.jit":                         &decoratorMaker{jit},
		"triton.autotune":                    &decoratorMaker{autotune},
		"triton.heuristics":                  &decoratorMaker{heuristics},
		"triton.constexpr_function":          &decoratorMaker{constexprFunc},
		"triton.language.constexpr_function": &decoratorMaker{constexprFunc},
		"triton.aggregate":                   &decoratorMaker{aggregate},
		"triton.language._aggregate":         &decoratorMaker{aggregate},
		"triton.language.core._aggregate":    &decoratorMaker{aggregate},
		"triton.Config":                      &native{name: "triton.Config", fn: newConfig},
		"triton.cdiv":                        &native{name: "triton.cdiv", fn: cdiv},
		"triton.next_power_of_2":             &native{name: "triton.next_power_of_2", fn: nextPowerOf2},
		"triton.__version__":                 languageVersion,
		"triton.__name__":                    "triton",
		"triton.language.constexpr":          &constantClass{},
		"triton.language.CONSTEXPR_0":        &constant{int64(0)},
		"triton.language.dtype":              &native{name: "triton.language.dtype", fn: newDType},
		"triton.language.get_int_dtype":      &native{name: "triton.language.get_int_dtype", fn: intDType},
	}
	hostNames["triton.runtime.jit.jit"] = hostNames["triton.jit"]
	for _, name := range []string{"autotune", "heuristics", "Config"} {
		hostNames["triton.runtime."+name] = hostNames["triton."+name]
		hostNames["triton.runtime.autotuner."+name] = hostNames["triton."+name]
	}
	hostNames["triton.runtime.jit.constexpr_function"] = hostNames["triton.constexpr_function"]
}

// runtimeNames are the parts of triton that exist only where kernels run.
var runtimeNames = []string{
	"runtime", "testing", "compiler", "backends", "tools", "knobs", "experimental", "profiler", "set_allocator", "compile", "JITFunction",
	"KernelInterface", "OutOfResources", "CompilationError", "MockTensor", "TensorWrapper", "reinterpret", "ops", "instrumentation", "errors",
	"must_use_result", "FutureKernel", "AsyncCompileMode", "InterpreterError", "TritonError", "check", "install_as_triton", "array_arg_info", "KernelMetadata", "driver", "interpreter", "_utils", "language.semantic", "language.extra.hip",
}

// langAttr gives what a module of the language holds for host code.
func langAttr(m sema.LangModule, name string) (Value, bool) {
	return langPath(string(m) + "." + name)
}

// langPath gives what a path below triton or tegula names for host code.
func langPath(path string) (Value, bool) {
	if rest, ok := strings.CutPrefix(path, "tegula"); ok && (rest == "" || rest[0] == '.') {
		path = "triton" + rest
	}
	if v, ok := hostNames[path]; ok {
		return v, true
	}
	if v, ok := sema.LangImport(path); ok {
		return v, true
	}
	below := strings.TrimPrefix(path, "triton.")
	for _, name := range runtimeNames {
		if below == name || strings.HasPrefix(below, name+".") {
			return &unknown{path: path, why: "that part of triton is not there in Tegula"}, true
		}
	}
	return nil, false
}

// languageValue gives the language's value for each host value that has one.
func languageValue(v Value) (Value, bool) {
	switch n := v.(type) {
	case *constantClass:
		return sema.LangImport("triton.language.constexpr")
	case *native:
		return sema.LangImport(n.name)
	}
	return nil, false
}

func cdiv(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	xy, err := bindArgs("cdiv", []string{"x", "y"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	for _, v := range xy {
		if u := isUnknown(v); u != nil {
			return u, nil
		}
	}
	x, y := asBig(xy[0]), asBig(xy[1])
	if x == nil || y == nil {
		return nil, pyval.Errorf("TypeError", "cdiv() takes two integers, not %s and %s", pyval.TypeName(xy[0]), pyval.TypeName(xy[1]))
	}
	if y.Sign() == 0 {
		return nil, pyval.Errorf("ZeroDivisionError", "integer division or modulo by zero")
	}
	// (x + y - 1) // y, rounding down
	sum := new(big.Int).Add(x, y)
	sum.Sub(sum, big.NewInt(1))
	q, r := new(big.Int).QuoRem(sum, y, new(big.Int))
	if r.Sign() != 0 && r.Sign() != y.Sign() {
		q.Sub(q, big.NewInt(1))
	}
	return pyval.Int(q), nil
}

func nextPowerOf2(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	n, err := bindArgs("next_power_of_2", []string{"n"}, 1, args, kwargs)
	if err != nil {
		return nil, err
	}
	if u := isUnknown(n[0]); u != nil {
		return u, nil
	}
	x := asBig(n[0])
	switch {
	case x == nil:
		return nil, pyval.Errorf("TypeError", "next_power_of_2() takes an integer, not %s", pyval.TypeName(n[0]))
	case x.Sign() <= 0:
		return int64(0), nil
	case x.BitLen() > 63:
		return nil, pyval.Errorf("OverflowError", "next_power_of_2() of %s", x)
	}
	return pyval.Int(new(big.Int).Lsh(big.NewInt(1), uint(bits.Len64(x.Uint64()-1)))), nil
}

// A constantClass is tl.constexpr.
type constantClass struct{}

// TypeName gives the name of the type in messages.
func (*constantClass) TypeName() string { return "type" }

// Repr gives <class 'constexpr'>.
func (*constantClass) Repr() string { return "<class 'constexpr'>" }

// Has answers isinstance.
func (*constantClass) Has(v Value) bool { return isConstant(v) }

// Call wraps a value.
func (*constantClass) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	v, err := bindArgs("constexpr", []string{"value"}, 1, args, kwargs)
	if err != nil {
		return nil, err
	}
	return &constant{plain(v[0])}, nil
}

// newDType is tl.dtype.
func newDType(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("dtype", []string{"name"}, 1, args, kwargs)
	if err != nil {
		return nil, err
	}
	name, _ := plain(a[0]).(string)
	d := dtype.Lookup(name)
	if d == dtype.Invalid {
		return nil, pyval.Errorf("ValueError", "there is no element type named %s", pyval.Repr(a[0]))
	}
	return sema.ScalarType(d), nil
}

// intDType is tl.core.get_int_dtype.
func intDType(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("get_int_dtype", []string{"bitwidth", "signed"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	signed, err := pyval.Truth(plain(a[1]))
	if err != nil {
		return nil, err
	}
	name := "int" + pyval.Str(plain(a[0]))
	if !signed && name != "int1" {
		name = "u" + name
	}
	return newDType([]Value{name}, nil)
}

// asBig gives an int (or bool, or what stands for one) as a big.Int; nil for anything else.
func asBig(v Value) *big.Int {
	if b, ok := v.(pyval.Boxed); ok {
		v = b.Unbox()
	}
	if b, ok := v.(*big.Int); ok {
		return b
	}
	if n, ok := pyval.AsInt(v); ok {
		return big.NewInt(n)
	}
	return nil
}

// bindArgs gives a native's arguments in the order of its parameters; those after the first
// required ones are nil if they were not given.
func bindArgs(name string, params []string, required int, args []Value, kwargs []pyval.Kwarg) ([]Value, error) {
	if len(args) > len(params) {
		return nil, pyval.Errorf("TypeError", "%s() takes at most %d arguments (%d given)", name, len(params), len(args))
	}
	out := make([]Value, len(params))
	copy(out, args)
	for _, k := range kwargs {
		i := slices.Index(params, k.Name)
		switch {
		case i < 0:
			return nil, pyval.Errorf("TypeError", "%s() got an unexpected keyword argument '%s'", name, k.Name)
		case out[i] != nil:
			return nil, pyval.Errorf("TypeError", "%s() got multiple values for argument '%s'", name, k.Name)
		}
		out[i] = k.Value
	}
	for i := range required {
		if out[i] == nil {
			return nil, pyval.Errorf("TypeError", "%s() missing required argument '%s'", name, params[i])
		}
	}
	return out, nil
}
