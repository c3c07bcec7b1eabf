package gen

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// A Row is an operation of the language: it makes a case for each of its types, shapes and
// options. In its texts {T} stands for the type as tl names it, {U} for the second type, {opt} for
// the option, {shape} for the shape as a tuple and {n} for its number of elements.
type Row struct {
	// Name is what the row is about: "tl.maximum", "x // y", "libdevice.tanh".
	Name string
	// Also names what else of the language it tests.
	Also string

	// Expr is the expression whose value is stored. In it x, y and z are tiles of type T, w one of
	// type U, m a mask, k a tile of i32 from 0 to 15, i the tile of the elements' positions and s
	// a scalar of type T. Several values, for a tuple, stand in Result.
	Expr string
	// Body is statements before the expression.
	Body string
	// Module is text in front of the kernel.
	Module string

	// Kernel is a whole kernel, in place of Expr, and Args its arguments: name=type[dims]:domain for an
	// array (> before it: compared), name=number. See argForm.
	Kernel string
	Args   string
	Grid   string // "2,3"; "1" if empty

	Types  string // the types T: sets (types.go) or names; "bf16:wide" gives the judge for a type
	With   string // the types U
	Shapes string // "64 4x16"; "64" if empty
	Opts   string // separated by semicolons
	Domain string // "finite" if empty; "any y:nonzero" makes an exception

	// Result is the types of the values: "" for T, "i1", "{t} i32", "{u}"; {sum} is the type that sums of T
	// have, {wide} the one that extrema have, {both} what T and U promote to.
	Result string
	Scalar bool   // the values are scalars
	Grow   int    // how many elements there are in a result for one of an input; 2 if 0
	Tol    string // "2ulp", "1e-5": how far a float may be off
	Judge  string
	Open   bool // see Case

	// Not says why there is no case for types: "floats: needs integers; …".
	Not string
}

// A typeJudge is a type and, if not the row's, who judges.
type typeJudge struct {
	dtype dtype.DType
	judge string
}

// Cases makes the row's cases.
func (r *Row) Cases() []*Case {
	var cases []*Case
	for _, t := range typesOf(r.Types) {
		for _, u := range with(r.With, t.dtype) {
			for _, shape := range strings.Fields(or(r.Shapes, "64")) {
				for n, opt := range strings.Split(r.Opts, ";") {
					if c := r.newCase(t, u, shape, strings.TrimSpace(opt), n); c != nil {
						cases = append(cases, c)
					}
				}
			}
		}
	}
	return cases
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// with gives the second types; there is always one. "same" is those of t's width.
func with(list string, t dtype.DType) []typeJudge {
	switch list {
	case "":
		return []typeJudge{{dtype: dtype.Invalid}}
	case "same":
		return slices.DeleteFunc(typesOf("all"), func(u typeJudge) bool { return u.dtype == t || u.dtype.Bits() != t.Bits() })
	}
	return typesOf(list)
}

// An instance is a row with its placeholders known.
type instance struct {
	*Row
	t, u  typeJudge
	dims  []int
	words *strings.Replacer
	name  string
}

func (r *Row) newCase(t, u typeJudge, shape, opt string, n int) *Case {
	in := instance{Row: r, t: t, u: u, dims: dimsOf(shape)}
	in.name = r.Name + "/" + t.dtype.String()
	if u.dtype != dtype.Invalid {
		in.name += "," + u.dtype.String()
	}
	if strings.Contains(strings.TrimSpace(r.Shapes), " ") {
		in.name += "/" + shape
	}
	if r.Opts != "" {
		in.name += "/" + strconv.Itoa(n)
	}
	elems := product(in.dims)
	tuple := "(" + strings.ReplaceAll(shape, "x", ", ") + ", )"
	words := []string{"{T}", "tl." + t.dtype.Attr(), "{t}", t.dtype.String(), "{U}", "tl." + attr(u.dtype), "{u}", u.dtype.String(),
		"{shape}", tuple, "{n}", strconv.Itoa(elems), "{sum}", sumType(t.dtype).String(), "{wide}", wideType(t.dtype).String(),
		"{both}", promoted(t.dtype, u.dtype).String()}
	in.words = strings.NewReplacer(append(words, "{opt}", strings.NewReplacer(words...).Replace(opt))...)
	c := &Case{Name: in.name, Type: t.dtype, Second: u.dtype, Grid: dimsOf(strings.ReplaceAll(or(r.Grid, "1"), ",", "x")), Open: r.Open, Tol: tolerance(in.words.Replace(r.Tol), t.dtype)}
	c.Judge = or(or(u.judge, t.judge), in.words.Replace(r.Judge))
	if r.Kernel != "" {
		in.wholeKernel(c)
		return c
	}
	in.expression(c)
	return c
}

func attr(d dtype.DType) string {
	if d == dtype.Invalid {
		return ""
	}
	return d.Attr()
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func dimsOf(shape string) []int {
	var dims []int
	for _, word := range strings.Split(shape, "x") {
		n, err := strconv.Atoi(word)
		if err != nil {
			panic(fmt.Sprintf("gen: %q is no shape", shape))
		}
		dims = append(dims, n)
	}
	return dims
}

// tolerance reads "2ulp" or "1e-5". Rows without floats have none.
func tolerance(text string, t dtype.DType) difftest.Tolerance {
	var tol difftest.Tolerance
	for _, word := range strings.Fields(text) {
		name, val, typed := strings.Cut(word, ":")
		if typed && name != t.String() {
			continue
		}
		if !typed {
			val = word
		}
		if n, ok := strings.CutSuffix(val, "ulp"); ok {
			tol.ULP, _ = strconv.Atoi(n)
			continue
		}
		rel, err := strconv.ParseFloat(val, 64)
		if err != nil {
			panic(fmt.Sprintf("gen: %q is no tolerance", text))
		}
		tol.Rel, tol.Abs = rel, rel
	}
	return tol
}

const header = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n"

// The inputs that an expression may name, in order.
var inputs = []struct {
	name string
	of   func(in *instance) dtype.DType
	dom  domain
}{
	{"x", func(in *instance) dtype.DType { return in.t.dtype }, ""},
	{"y", func(in *instance) dtype.DType { return in.t.dtype }, ""},
	{"z", func(in *instance) dtype.DType { return in.t.dtype }, ""},
	{"w", func(in *instance) dtype.DType { return in.u.dtype }, ""},
	{"m", func(*instance) dtype.DType { return dtype.Int1 }, ""},
	{"k", func(*instance) dtype.DType { return dtype.Int32 }, index},
}

// expression makes a kernel that stores the value of Expr.
func (in *instance) expression(c *Case) {
	text := in.words.Replace(in.Body + "\n" + in.Expr)
	var params, loads []string
	elems := product(in.dims)
	for _, input := range inputs {
		name, ptr := input.name, strings.ToUpper(input.name)
		scalar := name == "x" && mentions(text, "s")
		if !mentions(text, name) && !mentions(text, ptr) && !scalar {
			continue
		}
		d := input.of(in)
		params = append(params, ptr)
		if mentions(text, name) {
			loads = append(loads, name+" = tl.load("+ptr+" + i)")
		}
		if scalar {
			loads = append(loads, "s = tl.load(X + 5)")
		}
		data := numbers(newSource(in.name+ptr), d, in.domain(name, input.dom), elems)
		c.Args = append(c.Args, Arg{Name: ptr, DType: d, Dims: in.dims, Data: data})
	}
	var stores []string
	values := strings.Fields(in.words.Replace(or(in.Result, "{t}")))
	for n, name := range values {
		ptr, v := "OUT", "r"
		if len(values) > 1 {
			ptr, v = fmt.Sprint("OUT", n), fmt.Sprintf("r[%d]", n)
		}
		d := dtype.Lookup(strings.TrimPrefix(name, "tl."))
		params = append(params, ptr)
		size := max(in.Grow, 2) * elems
		c.Args = append(c.Args, Arg{Name: ptr, DType: d, Dims: []int{size}, Data: aligned(size * d.Bytes()), Out: true})
		stores = append(stores, "tl.static_assert("+v+".dtype == tl."+d.Attr()+")")
		if in.Scalar {
			stores = append(stores, "tl.store("+ptr+", "+v+")")
		} else {
			stores = append(stores, "tl.store("+ptr+" + tl.arange(0, "+v+".numel), tl.reshape("+v+", ("+v+".numel, )))")
		}
	}
	var b strings.Builder
	b.WriteString(header)
	b.WriteString(in.module())
	b.WriteString("@triton.jit\ndef kernel(" + strings.Join(params, ", ") + "):\n")
	lines := slices.Concat([]string{"i = " + position(in.dims)}, loads, bodyLines(in.words.Replace(in.Body)), []string{"r = " + in.words.Replace(in.Expr)}, stores)
	for _, line := range lines {
		b.WriteString("    " + line + "\n")
	}
	c.Source = b.String()
}

// module gives what stands in front of the kernel.
func (in *instance) module() string {
	if in.Module == "" {
		return ""
	}
	return strings.Join(bodyLines(in.words.Replace(in.Module)), "\n") + "\n\n\n"
}

// bodyLines gives the lines of statements without what they are indented by together.
func bodyLines(text string) []string {
	text = strings.TrimRight(strings.TrimLeft(text, "\n"), "\n\t ")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], " \t"))
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(l[min(indent, len(l)):], "\t", "    ")
	}
	return lines
}

// mentions reports whether a name stands in a text.
func mentions(text, name string) bool {
	return regexp.MustCompile(`(^|[^\w.])` + name + `\b($|[^=\w]|=[=])`).MatchString(text)
}

// position gives the expression of a tile's positions in row-major order.
func position(dims []int) string {
	if len(dims) == 1 {
		return fmt.Sprintf("tl.arange(0, %d)", dims[0])
	}
	stride := product(dims)
	var terms []string
	for d, n := range dims {
		stride /= n
		sub := make([]string, len(dims))
		for j := range sub {
			sub[j] = "None"
		}
		sub[d] = ":"
		terms = append(terms, fmt.Sprintf("tl.arange(0, %d)[%s] * %d", n, strings.Join(sub, ", "), stride))
	}
	return strings.Join(terms, " + ")
}

// domain gives the domain of an input: the row's, or what the row says of it.
func (in *instance) domain(name string, own domain) domain {
	dom := or(string(own), string(finite))
	for _, word := range strings.Fields(in.Domain) {
		of, d, ok := strings.Cut(word, ":")
		switch {
		case !ok && own == "":
			dom = word
		case ok && of == name:
			dom = d
		}
	}
	return domain(dom)
}

// An array: its type, dimensions and domain; then, if it is passed as a descriptor, its blocks' shape
// and the stride of its rows.
var argForm = regexp.MustCompile(`^(\w+)=(>?)(\w+)\[([\dx]+)\](?::(\w*))?(?:/([\dx]+)/(\d+))?$`)

// wholeKernel takes the kernel as it stands.
func (in *instance) wholeKernel(c *Case) {
	body := strings.Join(bodyLines(in.words.Replace(in.Kernel)), "\n")
	c.Source = header + in.module() + body + "\n"
	for _, word := range strings.Fields(in.words.Replace(in.Args)) {
		m := argForm.FindStringSubmatch(word)
		if m == nil {
			name, val, _ := strings.Cut(word, "=")
			n, err := strconv.ParseInt(val, 10, 64)
			if err != nil {
				panic(fmt.Sprintf("gen: %s: %q is no argument", in.name, word))
			}
			c.Args = append(c.Args, Arg{Name: name, Int: n})
			continue
		}
		d := dtype.Lookup(m[3])
		if d == dtype.Invalid {
			panic(fmt.Sprintf("gen: %s: %q has no type", in.name, word))
		}
		a := Arg{Name: m[1], DType: d, Dims: dimsOf(m[4]), Out: m[2] != ""}
		n := product(a.Dims)
		if m[6] != "" {
			stride, _ := strconv.Atoi(m[7])
			a.Block, a.Strides = dimsOf(m[6]), []int{stride, 1}
			n = a.Dims[0] * stride
		}
		a.Data = aligned(n * d.Bytes())
		if m[5] != "" {
			a.Data = numbers(newSource(in.name+a.Name), d, domain(m[5]), n)
		}
		c.Args = append(c.Args, a)
	}
}
