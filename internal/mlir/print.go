package mlir

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/legalize"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// Options say how text is printed.
type Options struct {
	// Locs says whether operations say their place in the source.
	Locs bool
	// Old has the text in the forms of Triton 3.6, where those of 3.9 are others.
	Old bool
	// LineText gives a line of a source file for errors; it may be nil.
	LineText func(file string, line int) string
}

// Print gives the text of a verified module.
func Print(m *tile.Module, o Options) ([]byte, error) {
	p := &printer{module: accepted(m), Options: o}
	p.line("module {")
	p.depth++
	for i, f := range p.module.Funcs {
		if err := p.function(f, i == 0); err != nil {
			return nil, err
		}
	}
	p.depth--
	p.line("}")
	if o.Old {
		return oldDescriptor.ReplaceAll(p.out, []byte("${1}<tensor<$2>>")), nil
	}
	return p.out, nil
}

// accepted gives the module without what Triton's verifier refuses: gathers and scatters of elements of 64 bits by descriptors, which become those by
// pointers. The kernel's parameters stay what they are: where one is a descriptor, nothing is rewritten.
func accepted(m *tile.Module) *tile.Module {
	refused := false
	for _, f := range m.Funcs {
		f.Body.Walk(func(op *tile.Op) { refused = refused || isWideGather(op) })
	}
	for _, v := range m.Funcs[0].Body.Args {
		refused = refused && !v.Type.IsDesc()
	}
	if !refused {
		return m
	}
	plain := legalize.Module(m, legalize.Native{DotScaled: true})
	pass.Run(plain, pass.Options{})
	return plain
}

func isWideGather(op *tile.Op) bool {
	return (op.Code == tile.OpDescGather || op.Code == tile.OpDescScatter) && op.Args[0].Type.Block().ElemBits() > 32
}

// oldDescriptor finds blocks of descriptors, which are tensors in Triton 3.6.
var oldDescriptor = regexp.MustCompile(`(!tt\.tensordesc|tt\.make_tensor_descriptor .*: <\w+>, )<((?:\d+x)+\w+)>`)

// A printer holds the text so far.
type printer struct {
	Options
	module *tile.Module
	out    []byte
	depth  int

	names map[*tile.Value]string // of the function's values
	used  map[string]int
	fresh int
	hints map[*tile.Op][]string // the attributes that hints attach to operations
	in    []tile.Code           // the operations whose regions are being printed, the innermost last
}

// refused says that the dialects have no words for an operation.
func (p *printer) refused(op *tile.Op, what string) error {
	place := p.module.Locs.At(op.Loc).Place(p.LineText)
	return diag.At(diag.Unsupported, place, "Triton's dialects have no %s", what).WithCode("ttir")
}

func (p *printer) line(format string, args ...any) {
	for range p.depth {
		p.out = append(p.out, "  "...)
	}
	p.out = fmt.Appendf(p.out, format, args...)
	p.out = append(p.out, '\n')
}

// put writes an operation in a line of its own, with its place.
func (p *printer) put(op *tile.Op, format string, args ...any) {
	p.line("%s%s", fmt.Sprintf(format, args...), p.loc(op))
}

// loc gives the place of an operation as MLIR has it, with the calls that led there.
func (p *printer) loc(op *tile.Op) string {
	if !p.Locs || op.Loc == 0 {
		return ""
	}
	return " loc(" + p.location(op.Loc) + ")"
}

func (p *printer) location(l tile.Loc) string {
	at := p.module.Locs.At(l)
	s := fmt.Sprintf("%s:%d:%d", strconv.Quote(at.File), at.Line, at.Col)
	if at.Parent != 0 {
		s = "callsite(" + s + " at " + p.location(at.Parent) + ")"
	}
	return s
}

// function prints a function; the kernel is public.
func (p *printer) function(f *tile.Func, kernel bool) error {
	p.names, p.used, p.fresh = map[*tile.Value]string{}, map[string]int{}, 0
	p.hints = hintsOf(f)
	visibility, attributes := "private", "{noinline = true}"
	if kernel {
		visibility, attributes = "public", "{noinline = false}"
	}
	params := make([]string, len(f.Body.Args))
	for i, v := range f.Body.Args {
		t := typeText(v.Type)
		if t == "" {
			return p.refused(&tile.Op{Loc: f.Loc}, "type for parameter "+f.Params[i].Name+" ("+v.Type.String()+")")
		}
		params[i] = p.name(v) + ": " + t
		if d := f.Params[i].Divisibility; d > 1 {
			params[i] += fmt.Sprintf(" {tt.divisibility = %d : i32}", d)
		}
	}
	results := ""
	if len(f.Results) > 0 {
		results = " -> " + parens(f.Results)
	}
	p.line("tt.func %s %s(%s)%s attributes %s {", visibility, symbolText(f.Name), strings.Join(params, ", "), results, attributes)
	if err := p.block(f.Body); err != nil {
		return err
	}
	p.line("}")
	return nil
}

// symbolText gives a function's name as MLIR refers to it.
func symbolText(name string) string {
	if identifier(name) == name {
		return "@" + name
	}
	return "@" + text(name)
}

// block prints the operations of a block.
func (p *printer) block(b *tile.Block) error {
	p.depth++
	defer func() { p.depth-- }()
	for _, op := range b.Ops {
		for _, v := range op.Results {
			if typeText(v.Type) == "" {
				return p.refused(op, "type "+v.Type.String())
			}
		}
		if err := p.op(op); err != nil {
			return err
		}
	}
	return nil
}

// name gives the name of a value, a new one at its definition.
func (p *printer) name(v *tile.Value) string {
	if s, ok := p.names[v]; ok {
		return s
	}
	s := p.newName(v.Name)
	p.names[v] = s
	return s
}

// newName gives a name that no value has. Names with a number at the end may be taken by numbers that
// are added to others, so each is looked up.
func (p *printer) newName(source string) string {
	base := identifier(source)
	if base == "" {
		p.fresh++
		return "%" + strconv.Itoa(p.fresh-1)
	}
	s := base
	for p.used[s] > 0 {
		s = base + "_" + strconv.Itoa(p.used[base])
		p.used[base]++
	}
	p.used[s]++
	return "%" + s
}

// temp gives a name for a value that only the text has.
func (p *printer) temp() string { return p.newName("") }

// identifier gives what MLIR takes of a source name: ASCII letters, digits and _, no digit first.
func identifier(s string) string {
	return strings.TrimLeft(strings.Map(func(r rune) rune {
		switch {
		case r == '_', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			return r
		}
		return '_'
	}, s), "0123456789")
}

// results names the results of an operation and gives what stands before it: "", "%a = " or "%a:2 = ".
func (p *printer) results(op *tile.Op) string {
	switch len(op.Results) {
	case 0:
		return ""
	case 1:
		return p.name(op.Results[0]) + " = "
	}
	base := p.newName(op.Results[0].Name)
	for i, v := range op.Results {
		p.names[v] = base + "#" + strconv.Itoa(i)
	}
	return fmt.Sprintf("%s:%d = ", base, len(op.Results))
}

// list gives the names of values with commas.
func (p *printer) list(values []*tile.Value) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = p.name(v)
	}
	return strings.Join(names, ", ")
}

func typesOf(values []*tile.Value) []tile.Type {
	types := make([]tile.Type, len(values))
	for i, v := range values {
		types[i] = v.Type
	}
	return types
}

// commas gives types with commas between.
func commas(types []tile.Type) string {
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = typeText(t)
	}
	return strings.Join(list, ", ")
}

// parens gives the types of several results: one alone, others in parentheses.
func parens(types []tile.Type) string {
	if len(types) == 1 {
		return typeText(types[0])
	}
	return "(" + commas(types) + ")"
}

// hintsOf gives the attributes that Triton's analyses read, for the operations whose results were hinted.
func hintsOf(f *tile.Func) map[*tile.Op][]string {
	attributes := [...]string{tile.HintDivisible: "tt.divisibility", tile.HintContiguous: "tt.contiguity", tile.HintConstant: "tt.constancy"}
	hints := map[*tile.Op][]string{}
	f.Body.Walk(func(op *tile.Op) {
		if op.Code != tile.OpHint || op.Args[0].Op == nil {
			return
		}
		of, h := op.Args[0].Op, op.Attr.(tile.HintAttr)
		n := max(op.Args[0].Type.Rank(), 1)
		values := make([]string, n)
		for i := range values {
			values[i] = strconv.FormatInt(h.Values[i], 10)
		}
		list := strings.Join(values, ", ")
		if n > 1 {
			list = "[" + list + "]"
		}
		hints[of] = append(hints[of], fmt.Sprintf("%s = dense<%s> : tensor<%dxi32>", attributes[h.Kind], list, n))
	})
	return hints
}

// attributes gives an operation's attributes in braces, " {…}", with those of hints; "" if there are none.
func (p *printer) attributes(op *tile.Op, own ...string) string {
	list := own
	for _, h := range p.hints[op] {
		if key, _, _ := strings.Cut(h, " = "); !hasKey(list, key) {
			list = append(list, h)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " {" + strings.Join(list, ", ") + "}"
}

// hasKey reports whether a list of attributes has one of a name: MLIR takes each once.
func hasKey(list []string, key string) bool {
	for _, a := range list {
		if k, _, _ := strings.Cut(a, " = "); k == key {
			return true
		}
	}
	return false
}
