package sema

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A testFile is a kernel file as these tests know it: imports of the language, functions, and
// globals that are literals or tl.constexpr of literals.
type testFile struct {
	file  *syntax.File
	names map[string]Binding
}

func (f *testFile) Lookup(name string) (Binding, bool, error) {
	if name == "unknowable" {
		return Binding{}, false, diag.New(diag.Unsupported, "host-code", "what 'unknowable' is cannot be known")
	}
	b, ok := f.names[name]
	return b, ok, nil
}

func (f *testFile) Names() []string {
	var names []string
	for n := range f.names {
		names = append(names, n)
	}
	return names
}

// readSource reads a kernel file. What it does not understand of it is missing; err tells what.
func readSource(name string, src []byte) (f *testFile, err error) {
	f = &testFile{syntax.NewFile(name, src), make(map[string]Binding)}
	mod, errs := syntax.Parse(f.file)
	if errs != nil {
		return f, errs
	}
	for _, st := range mod.Body {
		if e := f.define(st); e != nil {
			err = e
		}
	}
	return f, err
}

func loadSource(t testing.TB, name string, src []byte) *testFile {
	t.Helper()
	f, err := readSource(name, src)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	return f
}

func loadFile(t testing.TB, path string) *testFile {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return loadSource(t, filepath.Base(path), src)
}

func (f *testFile) define(st syntax.Stmt) error {
	switch st := st.(type) {
	case *syntax.FunctionDef:
		f.names[st.Name] = Binding{Value: &Func{Name: st.Name, File: f.file, Def: st, Env: f}}
	case *syntax.Import:
		for _, a := range st.Names {
			v, ok := LangImport(a.Name)
			if !ok {
				return fmt.Errorf("cannot import %s", a.Name)
			}
			if a.AsName == "" {
				v, a.AsName = LangModule("triton"), "triton"
			}
			f.names[a.AsName] = Binding{Value: v}
		}
	case *syntax.ImportFrom:
		for _, a := range st.Names {
			v, ok := LangImport(st.Module + "." + a.Name)
			if !ok {
				return fmt.Errorf("cannot import %s from %s", a.Name, st.Module)
			}
			if a.AsName != "" {
				a.Name = a.AsName
			}
			f.names[a.Name] = Binding{Value: v}
		}
	case *syntax.Assign:
		return f.assign(st.Targets[0], st.Value, false)
	case *syntax.AnnAssign:
		return f.assign(st.Target, st.Value, true)
	}
	return nil
}

func (f *testFile) assign(target, value syntax.Expr, isConst bool) error {
	n, ok := target.(*syntax.Name)
	v, wrapped, err := testConstant(value)
	if err == nil && ok {
		f.names[n.Id] = Binding{Value: v, Const: isConst || wrapped}
	}
	return err
}

// testConstant evaluates a global: a literal, a tuple, or tl.constexpr of one.
func testConstant(e syntax.Expr) (v Value, isConst bool, err error) {
	switch e := e.(type) {
	case *syntax.Constant:
		v, err = pyval.Literal(e)
		return v, false, err
	case *syntax.UnaryOp:
		if v, _, err = testConstant(e.Operand); err != nil {
			return nil, false, err
		}
		v, err = pyval.Unary(e.Op, v)
		return v, false, err
	case *syntax.Tuple:
		t := pyval.Tuple{}
		for _, x := range e.Elts {
			v, _, err := testConstant(x)
			if err != nil {
				return nil, false, err
			}
			t.Elems = append(t.Elems, v)
		}
		return t, false, nil
	case *syntax.Call:
		if len(e.Args) == 1 {
			v, _, err = testConstant(e.Args[0])
			return v, true, err
		}
	}
	return nil, false, fmt.Errorf("a global is %T", e)
}

// spec describes a kernel's arguments, given as "x=*fp32:16 n=i32 BLOCK=64".
func (f *testFile) spec(t testing.TB, kernel, args string) Spec {
	t.Helper()
	b, ok := f.names[kernel]
	if !ok {
		t.Fatalf("there is no kernel %s", kernel)
	}
	fn := b.Value.(*Func)
	given := make(map[string]string)
	for _, word := range strings.Fields(args) {
		name, val, _ := strings.Cut(word, "=")
		given[name] = val
	}
	s := Spec{Fn: fn, Options: Options{NumWarps: 4, NumStages: 3, NumCTAs: 1, Debug: true}}
	a := fn.Def.Args
	params := append(append([]*syntax.Arg{}, a.PosOnly...), a.Args...)
	if a.VarArg != nil {
		params = append(params, a.VarArg)
	}
	for _, p := range append(params, a.KwOnly...) {
		text, ok := given[p.Name]
		if !ok {
			t.Fatalf("%s: argument %s is not described", kernel, p.Name)
		}
		s.Args = append(s.Args, testArg(t, text))
	}
	return s
}

// testArg reads what is known of an argument: a type such as *fp32:16, a constant, or (a,b).
func testArg(t testing.TB, text string) ArgSpec {
	t.Helper()
	if inner, ok := strings.CutPrefix(text, "("); ok {
		a := ArgSpec{IsTuple: true}
		for _, part := range strings.Split(strings.TrimSuffix(inner, ")"), ",") {
			name, val, named := strings.Cut(part, ":=")
			if named {
				a.Names = append(a.Names, name)
				part = val
			}
			if part != "" {
				a.Tuple = append(a.Tuple, testArg(t, part))
			}
		}
		return a
	}
	if inner, ok := strings.CutPrefix(text, "desc<"); ok {
		return testDesc(t, inner)
	}
	name, div, _ := strings.Cut(text, ":")
	typ, isPtr := strings.CutPrefix(name, "*")
	if d := dtype.Lookup(typ); d != dtype.Invalid {
		a := ArgSpec{Type: ScalarType(d)}
		if isPtr {
			a.Type = PointerTo(a.Type)
		}
		a.Divisibility, _ = strconv.ParseInt(div, 10, 64)
		return a
	}
	e, errs := syntax.ParseExpr(syntax.NewFile("argument", []byte(text)))
	if errs != nil {
		t.Fatal(errs)
	}
	v, _, err := testConstant(e)
	if err != nil {
		t.Fatal(err)
	}
	return ArgSpec{IsConst: true, Const: v}
}

// testDesc reads a host's descriptor: fp16[64,32]> or fp16[64,32]>nan.
func testDesc(t testing.TB, text string) ArgSpec {
	t.Helper()
	elem, rest, _ := strings.Cut(text, "[")
	dims, flag, _ := strings.Cut(rest, "]>")
	d := &DescSpec{Elem: ScalarType(dtype.Lookup(elem)), Kind: tile.DescKind{NaN: flag == "nan"}}
	for _, n := range strings.Split(dims, ",") {
		size, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		d.Block = append(d.Block, size)
	}
	return ArgSpec{Desc: d}
}
