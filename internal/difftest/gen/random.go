package gen

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// FixedSeeds is how many random kernels are among Cases.
const FixedSeeds = 60

// Random makes the random kernel of a seed: a composition of arithmetic on mixed types, casts, conditions, loops that
// carry variables, branches, calls, reductions, scans and movement of elements. Each gives the same in any correct
// implementation, bit for bit: nothing divides by zero or by -1, converts floats that do not fit, adds floats in an order that is open,
// or divides them by what is no power of two, which GPUs do approximately.
func Random(seed int) *Case {
	name := fmt.Sprintf("random/%d", seed)
	w := &writer{source: newSource(name), runs: 1}
	c := &Case{Name: name, Type: dtype.Int32, Grid: []int{1 + w.below(2)}}
	c.Source = header + w.kernel()
	for _, d := range randomTypes {
		c.Args = append(c.Args, Arg{Name: "P" + d.String(), DType: d, Dims: []int{64},
			Data: numbers(newSource(name+d.String()), d, finite, 64)})
	}
	m := w.below(40) - 20
	if m == 1 {
		m = 21 // 1 is a constant to compiled code, and takes no part in promotion
	}
	n := c.Grid[0] * (len(w.stored) + 1) * tileSize
	c.Args = append(c.Args,
		Arg{Name: "OUT", DType: dtype.Int64, Dims: []int{n}, Data: aligned(n * 8), Out: true},
		Arg{Name: "n", Int: int64(2 + w.below(6))}, Arg{Name: "m", Int: int64(m)})
	return c
}

// Tiles have 4 rows of 8.
const (
	tileRows, tileColumns = 4, 8
	tileSize              = tileRows * tileColumns
)

var randomTypes = []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
	dtype.Float16, dtype.Float32, dtype.Float64}

// A kind is what may be asked of an expression.
type kind uint8

const (
	integer kind = iota
	float
	truth
)

func kindOf(d dtype.DType) kind {
	switch {
	case d.IsBool():
		return truth
	case d.IsFloat():
		return float
	}
	return integer
}

// A variable is what statements may use and assign; it keeps its type.
type variable struct {
	name   string
	dtype  dtype.DType
	scalar bool
}

// A writer writes a kernel. The variables in scope are bound on every path.
type writer struct {
	*source
	text   strings.Builder
	indent string
	vars   []variable
	next   int
	depth  int // of control flow
	runs   int // how often a statement here may run: loops bound it, for the interpreter takes milliseconds for each
	stored []variable
}

func (w *writer) line(format string, args ...any) {
	w.text.WriteString(w.indent + fmt.Sprintf(format, args...) + "\n")
}

// pick gives one of several texts.
func (w *writer) pick(texts ...string) string { return texts[w.below(len(texts))] }

// fresh gives a new name.
func (w *writer) fresh(letter string) string {
	w.next++
	return fmt.Sprint(letter, w.next)
}

// loop is block of statements that may run n times.
func (w *writer) loop(n int, f func()) {
	w.runs *= n
	w.block(f)
	w.runs /= n
}

// block writes statements one step further in.
func (w *writer) block(f func()) {
	old, scope := w.indent, len(w.vars)
	w.indent += "    "
	w.depth++
	f()
	w.depth--
	w.indent, w.vars = old, w.vars[:scope]
}

// kernel writes the helpers and the kernel.
func (w *writer) kernel() string {
	w.helper("f")
	w.helper("g")
	params := make([]string, len(randomTypes))
	for i, d := range randomTypes {
		params[i] = "P" + d.String()
	}
	w.line("@triton.jit\ndef kernel(%s, OUT, n, m):", strings.Join(params, ", "))
	w.block(func() {
		w.line("pid = tl.program_id(0)")
		w.line("row = tl.arange(0, %d)[:, None] * %d", tileRows, tileColumns)
		w.line("i = row + tl.arange(0, %d)[None, :]", tileColumns)
		w.vars = append(w.vars, variable{"pid", dtype.Int32, true}, variable{"n", dtype.Int32, true}, variable{"m", dtype.Int32, true},
			variable{"i", dtype.Int32, false})
		for range 4 + w.below(4) {
			w.load()
		}
		for range 4 + w.below(6) {
			w.statement()
		}
		w.results()
	})
	return w.text.String()
}

// helper writes a function of two scalars and a tile, which may return early.
func (w *writer) helper(name string) {
	w.line("@triton.jit\ndef %s(x, a, b, K: tl.constexpr = 3):", name)
	old := w.vars
	w.block(func() {
		w.vars = []variable{{"x", dtype.Int32, false}, {"a", dtype.Int32, true}, {"b", dtype.Int32, true}}
		if w.below(2) == 0 {
			w.line("if %s:", w.condition())
			w.block(func() {
				w.line("return %s, %s", w.typed(integer, dtype.Int32, false), w.typed(integer, dtype.Int32, true))
			})
		}
		w.line("if K > %d:", w.below(6))
		w.block(func() { w.assign("x", dtype.Int32, false) })
		w.statement()
		w.line("return x, %s", w.typed(integer, dtype.Int32, true))
	})
	w.vars = old
	w.line("\n")
}

// load makes a variable of an array, some of it masked off.
func (w *writer) load() {
	d := randomTypes[w.below(len(randomTypes))]
	v := variable{w.fresh("v"), d, w.below(4) == 0}
	switch {
	case v.scalar:
		w.line("%s = tl.load(P%s + %d)", v.name, d, w.below(64))
	case w.below(3) == 0:
		w.line("%s = tl.load(P%s + i + %d, mask=(i < %d) %s %s, other=%d)", v.name, d, w.below(32), 10+w.below(22), w.pick("&", "|"), w.truths(1, false), w.below(3))
	default:
		w.line("%s = tl.load(P%s + i %s)", v.name, d, w.pick("", "+ 32", "* 2", "+ n"))
	}
	w.vars = append(w.vars, v)
}

// statement writes one of several.
func (w *writer) statement() {
	choice := w.below(10)
	if w.depth > 2 || w.runs > 4 {
		choice = w.below(4)
	}
	switch choice {
	case 0, 1:
		w.define()
	case 2, 3:
		w.change()
	case 4:
		w.branch()
	case 5:
		w.forLoop()
	case 6:
		w.whileLoop()
	case 7:
		w.call()
	case 8:
		w.swap()
	case 9:
		w.unrolled()
	}
}

// define makes a new variable.
func (w *writer) define() {
	d := randomTypes[w.below(len(randomTypes))]
	v := variable{w.fresh("v"), d, w.below(4) == 0}
	w.line("%s = %s", v.name, w.typed(kindOf(d), d, v.scalar))
	w.vars = append(w.vars, v)
}

// assign gives a variable another value of its type.
func (w *writer) assign(name string, d dtype.DType, scalar bool) {
	w.line("%s = %s", name, w.typed(kindOf(d), d, scalar))
}

// own gives the variables that may be assigned.
func (w *writer) own() []variable {
	var own []variable
	for _, v := range w.vars {
		if v.name[0] == 'v' || v.name == "x" {
			own = append(own, v)
		}
	}
	return own
}

// change assigns an old variable.
func (w *writer) change() {
	own := w.own()
	if len(own) == 0 {
		return
	}
	v := own[w.below(len(own))]
	w.assign(v.name, v.dtype, v.scalar)
}

// body writes statements that assign what is there.
func (w *writer) body() {
	w.change()
	for range w.below(3) {
		w.statement()
	}
	w.line("pass")
}

func (w *writer) branch() {
	w.line("if %s:", w.condition())
	w.block(w.body)
	if w.below(3) == 0 {
		w.line("elif %s:", w.condition())
		w.block(w.body)
	}
	if w.below(2) == 0 {
		w.line("else:")
		w.block(w.body)
	}
}

// forLoop counts with the counter as a scalar that is no Python number, as the interpreter has it.
func (w *writer) forLoop() {
	k, bound := w.fresh("k"), w.pick("a", "n")
	if !w.has(bound) {
		bound = "3"
	} else {
		bound = "(" + bound + " & 7)"
	}
	w.line("for %s in %s:", k, w.pick("range("+bound+")", "range(1, "+bound+")", "tl.range(0, "+bound+", 2)", "range("+bound+", 0, -2)", "tl.range(3, num_stages=2)"))
	w.loop(7, func() {
		c := variable{w.fresh("c"), dtype.Int32, true}
		w.line("%s = %s + %s", c.name, k, w.zero())
		w.vars = append(w.vars, c)
		w.body()
	})
}

func (w *writer) has(name string) bool {
	for _, v := range w.vars {
		if v.name == name {
			return true
		}
	}
	return false
}

// zero is a scalar of i32 that is 0, known only when the kernel runs.
func (w *writer) zero() string {
	if w.has("n") {
		return "n * 0"
	}
	return "a * 0"
}

func (w *writer) whileLoop() {
	c := variable{w.fresh("c"), dtype.Int32, true}
	w.line("%s = %s + %d", c.name, w.zero(), w.below(4))
	w.vars = append(w.vars, c)
	w.line("while %s > 0%s:", c.name, w.pick("", " and ("+w.condition()+")"))
	w.loop(4, func() {
		w.line("%s -= 1", c.name)
		w.body()
	})
}

// unrolled loops are unrolled, with a counter that is a constant.
func (w *writer) unrolled() {
	k := w.fresh("k")
	w.line("for %s in tl.static_range(%s):", k, w.pick("2", "1, 4, 2", "2, 0, -1"))
	w.loop(2, func() {
		w.line("if %s %% 2 == %d:", k, w.below(2))
		w.block(w.change0)
		w.change()
		w.line("pass")
	})
}

func (w *writer) change0() {
	w.change()
	w.line("pass")
}

// call calls a helper; the results are new variables. Helpers call none.
func (w *writer) call() {
	if !w.has("n") {
		w.define()
		return
	}
	v, s := variable{w.fresh("v"), dtype.Int32, false}, variable{w.fresh("v"), dtype.Int32, true}
	f := w.pick("f", "g")
	x, a, b := w.typed(integer, dtype.Int32, false), w.typed(integer, dtype.Int32, true), w.typed(integer, dtype.Int32, true)
	switch w.below(3) {
	case 0:
		w.line("%s, %s = %s(%s, %s, %s)", v.name, s.name, f, x, a, b)
	case 1:
		w.line("%s, %s = %s(%s, b=%s, a=%s, K=%d)", v.name, s.name, f, x, b, a, w.below(6))
	default:
		t := w.fresh("t")
		w.line("%s = %s(%s, %s, %s, %d)", t, f, x, a, b, w.below(6))
		w.line("%s, %s = %s[0], %s[1]", v.name, s.name, t, t)
	}
	w.vars = append(w.vars, v, s)
}

// swap exchanges two variables of one type.
func (w *writer) swap() {
	own := w.own()
	for i, v := range own {
		for _, u := range own[i+1:] {
			if u.dtype == v.dtype && u.scalar == v.scalar {
				w.line("%s, %s = %s, %s", v.name, u.name, u.name, v.name)
				return
			}
		}
	}
	w.define()
}

// results stores all that is in scope, with its bits, and what types some expressions have.
func (w *writer) results() {
	w.line("base = OUT + pid * %s", "%TOTAL%")
	for _, v := range w.vars {
		if v.name[0] != 'v' {
			continue
		}
		bits := v.name
		switch {
		case v.dtype == dtype.Float64:
			bits += ".to(tl.int64, bitcast=True)"
		case v.dtype == dtype.Float32:
			bits += ".to(tl.int32, bitcast=True).to(tl.int64)"
		case v.dtype == dtype.Float16:
			bits += ".to(tl.int16, bitcast=True).to(tl.int64)"
		default:
			bits += ".to(tl.int64)"
		}
		if kindOf(v.dtype) == float { // NaNs have no one form, and which zero is the smaller one is open
			bits = fmt.Sprintf("tl.where(%s == %s, tl.where(%s == 0, 0, %s), 1234567)", v.name, v.name, v.name, bits)
		}
		at := len(w.stored) * tileSize
		if v.scalar {
			w.line("tl.store(base + %d, %s)", at, bits)
		} else {
			w.line("tl.store(base + %d + i, %s)", at, bits)
		}
		w.stored = append(w.stored, v)
	}
	for k := range 6 {
		e := w.expr(kind(w.below(2)), 2, w.below(3) == 0)
		w.line("e%d = %s", k, e)
		w.line("tl.store(base + %d, e%d.dtype.primitive_bitwidth + 100 * e%d.dtype.is_floating() + 1000 * e%d.dtype.is_int_signed())",
			len(w.stored)*tileSize+k, k, k, k)
	}
	text := strings.ReplaceAll(w.text.String(), "%TOTAL%", fmt.Sprint((len(w.stored)+1)*tileSize))
	w.text.Reset()
	w.text.WriteString(text)
}
