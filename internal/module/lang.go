package module

import (
	"math/big"
	"math/bits"
	"slices"
	"strings"

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
		"triton.language.core._aggregate":    &decoratorMaker{aggregate},
		"triton.language.core.aggregate":     &decoratorMaker{aggregate},
		"triton.Config":                      &native{"triton.Config", newConfig},
		"triton.cdiv":                        &native{"triton.cdiv", cdiv},
		"triton.next_power_of_2":             &native{"triton.next_power_of_2", nextPowerOf2},
		"triton.__version__":                 languageVersion,
		"triton.__name__":                    "triton",
		"triton.language.constexpr":          &native{"triton.language.constexpr", constexpr},
		"triton.language.core.constexpr":     &native{"triton.language.constexpr", constexpr},
	}
}

// runtimeNames are the parts of triton that exist only where kernels run.
var runtimeNames = []string{
	"runtime", "testing", "compiler", "backends", "tools", "knobs", "experimental", "profiler", "set_allocator", "compile", "JITFunction",
	"KernelInterface", "OutOfResources", "CompilationError", "MockTensor", "TensorWrapper", "reinterpret", "ops", "instrumentation", "errors",
	"check", "install_as_triton", "array_arg_info", "KernelMetadata", "driver", "interpreter", "_utils", "language.semantic", "language.extra.hip",
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
			return &unknown{path: path, why: "that part of triton is not there for the Go loader"}, true
		}
	}
	return nil, false
}

// languageValue gives the language's value for each host value that has one.
func languageValue(v Value) (Value, bool) {
	n, ok := v.(*native)
	if !ok {
		return nil, false
	}
	return sema.LangImport(n.name)
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

func constexpr(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	v, err := bindArgs("constexpr", []string{"value"}, 1, args, kwargs)
	if err != nil {
		return nil, err
	}
	return &constant{plain(v[0])}, nil
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
