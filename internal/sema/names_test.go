package sema

import (
	"os"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/sema/std"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// readNames reads the sections of testdata/names.txt.
func readNames(t *testing.T) map[string][]string {
	src, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]string{}
	section := ""
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			sections[section] = append(sections[section], line)
		}
	}
	return sections
}

// Every function has the parameters and defaults that it has in Triton; ours may have more after them.
func TestFunctionsAreThere(t *testing.T) {
	names := readNames(t)["functions"]
	if len(names) < 120 {
		t.Fatalf("only %d names", len(names))
	}
	for _, line := range names {
		name, params, _ := strings.Cut(strings.TrimSuffix(line, ")"), "(")
		v, ok := LangAttr(modLang, name)
		if !ok {
			t.Errorf("tl.%s is missing", name)
			continue
		}
		want := parametersOf(t, params)
		got := valueParameters(t, v)
		if len(got) < len(want) {
			t.Errorf("tl.%s takes (%s), want (%s)", name, strings.Join(got, ", "), strings.Join(want, ", "))
			continue
		}
		for i, p := range want {
			if got[i] != p {
				t.Errorf("tl.%s: parameter %d is %s, want %s", name, i, got[i], p)
			}
		}
	}
}

// valueParameters gives the parameters of a function of the language.
func valueParameters(t *testing.T, v Value) []string {
	switch v := v.(type) {
	case *Builtin:
		return parametersOf(t, v.Sig)
	case *Func:
		return parameterTexts(v.File, v.Def.Args)
	}
	t.Errorf("%s is no function", describe(v))
	return nil
}

func parametersOf(t *testing.T, params string) []string {
	f := syntax.NewFile("parameters", []byte("lambda "+params+": 0"))
	e, errs := syntax.ParseExpr(f)
	if errs != nil {
		t.Fatalf("(%s): %v", params, errs)
	}
	return parameterTexts(f, e.(*syntax.Lambda).Args)
}

// parameterTexts gives each parameter with its default.
func parameterTexts(f *syntax.File, a *syntax.Arguments) []string {
	var out []string
	text := func(e syntax.Expr) string {
		s := e.Range()
		return string(f.Src[s.Pos:s.End])
	}
	for i, arg := range a.Args {
		p := arg.Name
		if d := i - (len(a.Args) - len(a.Defaults)); d >= 0 {
			p += "=" + text(a.Defaults[d])
		}
		out = append(out, p)
	}
	if a.VarArg != nil {
		out = append(out, "*"+a.VarArg.Name)
	}
	for i, arg := range a.KwOnly {
		out = append(out, arg.Name+"="+text(a.KwDefaults[i]))
	}
	return out
}

func TestTypesAreThere(t *testing.T) {
	for _, name := range readNames(t)["types"] {
		if v, _ := LangAttr(modLang, name); !isType(v) {
			t.Errorf("tl.%s is %v, no type", name, v)
		}
	}
}

func TestMethodsAreThere(t *testing.T) {
	g := newTestGen()
	x := testOperand(t, g, "fp32").(Tensor)
	x = g.expandDims(x, 0, syntax.Span{})
	for _, name := range readNames(t)["methods"] {
		if _, ok := g.attr(x, name, syntax.Span{}); !ok {
			t.Errorf("a tile has no %s", name)
		}
	}
}

// Every function of libdevice is there under each of the module's paths.
func TestLibdeviceIsThere(t *testing.T) {
	for _, path := range []string{"triton.language.extra.libdevice", "tegula.language.extra.cuda.libdevice", "triton.language.extra.xpu.libdevice"} {
		for _, name := range readNames(t)["libdevice"] {
			v, ok := LangImport(path + "." + name)
			b, isBuiltin := v.(*Builtin)
			if !ok || !isBuiltin {
				t.Errorf("%s.%s is missing", path, name)
				continue
			}
			b.signature()
		}
	}
}

// Every row's parameter list can be read.
func TestSignaturesParse(t *testing.T) {
	tab := tables()
	for _, m := range []map[string]Value{tab.lang, tab.libdevice, tab.cuda, tab.triton, tab.targetInfo} {
		for _, v := range m {
			if b, ok := v.(*Builtin); ok {
				b.signature() // panics if not
			}
		}
	}
}

func TestImports(t *testing.T) {
	for _, tt := range []struct {
		path string
		want Value
	}{
		{"triton", modTriton},
		{"tegula", modTriton},
		{"triton.language", modLang},
		{"tegula.language", modLang},
		{"triton.language.core", modLang},
		{"triton.language.standard", modLang},
		{"triton.language.math", modMath},
		{"triton.language.extra", modExtra},
		{"triton.language.extra.cuda", modCUDA},
		{"triton.language.extra.cuda.libdevice", modLibdevice},
		{"triton.language.extra.libdevice", modLibdevice},
		{"triton.language.float32", ScalarType(dtype.Float32)},
	} {
		got, ok := LangImport(tt.path)
		if !ok || got != tt.want {
			t.Errorf("%s is %v", tt.path, got)
		}
	}
	for _, path := range []string{"numpy", "triton.languages", "triton.language.nothing", "triton.language.extra.cuda.nothing", "tegula.x.y"} {
		if v, ok := LangImport(path); ok {
			t.Errorf("%s is %v", path, v)
		}
	}
}

// Each file of the library parses, and each function can be found.
func TestLibraryParses(t *testing.T) {
	for _, name := range std.Names() {
		if f, ok := stdFunc(name); !ok || f.Name != name {
			t.Errorf("%s is missing", name)
		}
	}
}
