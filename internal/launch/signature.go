package launch

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// A Signature is what a kernel is compiled for without a launch. Text is such as
//
//	x=*fp32:16, n=i32, stride=i32:1, BLOCK=1024, ACTIVATION="relu"
//
// An entry is a type, or an expression that Eval makes a constant of. ":16" after a type says
// that the argument is divisible by 16 (any power of two is allowed), ":1" after an integer's that
// it is 1. Entries without a name are by position. Parameters that are left out take what a launch
// would fill in.
type Signature struct {
	Text      string
	Constants []Named // further constants
	Eval      func(expr string) (pyval.Value, error)
	Note      func(string) // told what was filled in; may be nil
}

// Compile compiles the kernel for a signature.
func (k *Kernel) Compile(s Signature, t target.Target, o Options) (*compiler.Unit, error) {
	if _, err := t.Compiler(); err != nil {
		return nil, err
	}
	if err := k.options(&o, t.Limits()); err != nil {
		return nil, err
	}
	specs, err := k.signature(s)
	if err != nil {
		return nil, err
	}
	r, err := k.request(specs, o, t, nil)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(r)
}

// signed is a signature while it is read: what it says of each parameter so far.
type signed struct {
	kernel *Kernel
	specs  []sema.ArgSpec
	said   []bool
	bound  []Value // stand for the entries while the others are filled in
}

func (s *signed) say(i int, spec sema.ArgSpec) error {
	if s.said[i] {
		return s.kernel.argError("duplicate-argument", i, "the signature says '%s' twice", s.kernel.params[i].Name)
	}
	s.specs[i], s.said[i] = spec, true
	s.bound[i] = Const(spec.Const)
	switch {
	case spec.Desc != nil:
		s.bound[i] = Const(pyval.None)
	case !spec.IsConst:
		s.bound[i] = Const(spec.Type)
	}
	return nil
}

// signature reads a signature and fills in what it leaves out.
func (k *Kernel) signature(sig Signature) ([]sema.ArgSpec, error) {
	n := len(k.params)
	s := signed{k, make([]sema.ArgSpec, n), make([]bool, n), make([]Value, n)}
	for pos, entry := range splitTop(sig.Text) {
		if err := s.entry(pos, entry, sig.Eval); err != nil {
			return nil, err
		}
	}
	for _, c := range sig.Constants {
		i, ok := k.index[c.Name]
		if !ok {
			return nil, k.unknown(c.Name)
		}
		if err := s.say(i, sema.ArgSpec{IsConst: true, Const: c.Value.Python()}); err != nil {
			return nil, err
		}
	}
	for i := range s.said {
		if spec, ok := k.Fixed(i); ok && !s.said[i] {
			if err := s.say(i, spec); err != nil {
				return nil, err
			}
		}
	}
	if err := k.fill(s.bound, sig.Note); err != nil {
		return nil, withoutValues(err)
	}
	for i := range s.specs {
		if s.said[i] {
			continue
		}
		if err := k.checkFilled(i, &s.bound[i]); err != nil {
			return nil, err
		}
		s.specs[i] = k.specialise(i, &s.bound[i], target.Policy{})
	}
	return s.specs, nil
}

// checkFilled refuses what the file gives a parameter, if no launch would take it.
func (k *Kernel) checkFilled(i int, v *Value) error {
	p := &k.params[i]
	if p.Constexpr {
		return nil
	}
	if err := k.checkRuntime(i, v); err != nil || !p.declared() {
		return err
	}
	return k.checkDeclared(i, v)
}

// withoutValues explains why a heuristic may fail that works in a launch.
func withoutValues(err error) error {
	var e *diag.Error
	if errors.As(err, &e) && e.Code == "host-error" {
		explained := *e
		explained.Notes = append(slices.Clip(e.Notes), diag.Note{Msg: "a signature gives types, not values; the constants that are computed from values can be said in it"})
		return &explained
	}
	return err
}

// entry reads an entry.
func (s *signed) entry(pos int, entry string, eval func(string) (pyval.Value, error)) error {
	k := s.kernel
	i, what, err := k.entry(pos, entry)
	if err != nil {
		return err
	}
	spec, isType, err := parseType(what)
	if err != nil {
		return err
	}
	if isType && k.params[i].Constexpr {
		return k.argError("constexpr-type", i, "parameter '%s' of %s is declared tl.constexpr; the signature must give its value, not the type %s", k.params[i].Name, k.name, what)
	}
	if !isType {
		v, err := eval(what)
		if err != nil {
			return err
		}
		spec = sema.ArgSpec{IsConst: true, Const: v}
	}
	return s.say(i, spec)
}

// entry finds which parameter an entry is about.
func (k *Kernel) entry(pos int, entry string) (param int, what string, err error) {
	name, what, named := cutName(entry)
	if !named {
		if pos >= len(k.params) {
			return 0, "", diag.New(diag.Argument, "too-many-arguments", "the signature has more entries than %s has parameters %s", k.name, k.describeParams())
		}
		param, what = pos, entry
	} else if i, ok := k.index[name]; ok {
		param = i
	} else {
		return 0, "", k.unknown(name)
	}
	if k.params[param].Kind == Variadic {
		return 0, "", diag.New(diag.Unsupported, "variadic-signature", "a signature cannot describe *%s", k.params[param].Name)
	}
	if strings.TrimSpace(what) == "" {
		return 0, "", diag.New(diag.Argument, "signature", "the signature says nothing about '%s'", k.params[param].Name)
	}
	return param, strings.TrimSpace(what), nil
}

// cutName splits name=what. A "==" or an "=" that no name stands before is not a cut.
func cutName(entry string) (name, what string, ok bool) {
	name, what, ok = strings.Cut(entry, "=")
	name = strings.TrimSpace(name)
	if !ok || !isName(name) || strings.HasPrefix(what, "=") {
		return "", entry, false
	}
	return name, what, true
}

func isName(s string) bool {
	for i, r := range s {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != ""
}

// parseDesc reads the type of a tensor descriptor, tensordesc<fp16[64, 32]>, as Triton writes it.
func parseDesc(what string) (spec sema.ArgSpec, ok bool, err error) {
	wrong := func() error {
		return diag.New(diag.Argument, "signature", "%q in the signature is no descriptor, which is such as tensordesc<fp16[64, 32]>", what)
	}
	inner, closed := strings.CutSuffix(strings.TrimPrefix(what, descPrefix), "]>")
	elem, dims, _ := strings.Cut(inner, "[")
	d := dtype.Lookup(strings.TrimSpace(elem))
	if !closed || d == dtype.Invalid || d == dtype.Void || d.IsBool() {
		return spec, false, wrong()
	}
	spec.Desc = &sema.DescSpec{Elem: sema.ScalarType(d)}
	for _, text := range strings.Split(dims, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return spec, false, wrong()
		}
		spec.Desc.Block = append(spec.Desc.Block, n)
	}
	if _, ok := spec.Desc.Elem.Tile.WithShape(spec.Desc.Block...); !ok || len(spec.Desc.Block) > maxDescRank {
		return spec, false, wrong()
	}
	return spec, true, nil
}

const descPrefix = "tensordesc<"

// parseType reads a type with its facts. ok is false if what is no type, but an expression.
func parseType(what string) (spec sema.ArgSpec, ok bool, err error) {
	if strings.HasPrefix(what, descPrefix) {
		return parseDesc(what)
	}
	name, fact, hasFact := strings.Cut(what, ":")
	name = strings.TrimSpace(name)
	elem := strings.TrimLeft(name, "*")
	depth := len(name) - len(elem)
	elem = strings.TrimSpace(elem)
	if depth > 0 {
		elem, spec.ReadOnly = strings.CutPrefix(elem, "k") // a pointer to constants
	}
	d := dtype.Lookup(elem)
	if d == dtype.Invalid || d == dtype.Void {
		if depth > 0 {
			return spec, false, diag.New(diag.Argument, "dtype", "%q in the signature is no element type%s", elem, suggest(elem, typeNames()))
		}
		return spec, false, nil
	}
	if depth > 2 {
		return spec, false, diag.New(diag.Unsupported, "pointer-depth", "%q in the signature: pointers to pointers to pointers are not supported", what)
	}
	spec.Type = sema.ScalarType(d)
	for range depth {
		spec.Type = sema.PointerTo(spec.Type)
	}
	if !hasFact {
		return spec, true, nil
	}
	return addFact(spec, what, strings.TrimSpace(fact))
}

// addFact adds what stands after the colon.
func addFact(spec sema.ArgSpec, what, fact string) (sema.ArgSpec, bool, error) {
	n, err := strconv.ParseInt(fact, 10, 64)
	if err != nil || n < 1 || n&(n-1) != 0 {
		return spec, false, diag.New(diag.Argument, "signature", "%q in the signature: after the colon stands 1 (the argument is 1) or a power of two that divides it, such as 16", what)
	}
	if !spec.Type.IsPtr() && !spec.Type.DType.IsInt() {
		return spec, false, diag.New(diag.Argument, "signature", "%q in the signature: only integers and pointers are divisible", what)
	}
	if n > 1 {
		spec.Divisibility = n
		return spec, true, nil
	}
	if spec.Type.IsPtr() {
		return spec, false, diag.New(diag.Argument, "signature", "%q in the signature: a pointer is not 1", what)
	}
	return sema.ArgSpec{IsConst: true, Const: int64(1)}, true, nil
}

// typeNames are the names that signatures use, for suggestions.
func typeNames() []string {
	var names []string
	for d := dtype.Int1; d <= dtype.Float64; d++ {
		names = append(names, d.String())
	}
	return names
}

// splitTop splits at the commas that are in no brackets and no string. Empty entries are left out.
func splitTop(text string) []string {
	var parts []string
	depth, start := 0, 0
	var quote byte
	add := func(end int) {
		if p := strings.TrimSpace(text[start:end]); p != "" {
			parts = append(parts, p)
		}
		start = end + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == ',' && depth <= 0:
			add(i)
		}
	}
	if start < len(text) {
		add(len(text))
	}
	return parts
}
