package tile

import (
	"io"
	"strconv"
)

// Print writes the text form of m with everything that Parse needs to give the same module
// again: equal but for the values' IDs, which Parse numbers in order of definition.
func Print(w io.Writer, m *Module) error { return Printer{Locs: true}.Print(w, m) }

// String gives the text form, locations included.
func (m *Module) String() string { return Printer{Locs: true}.String(m) }

// A Printer writes the text form of modules. The zero Printer leaves locations out.
//
//	%a, %b = name %x, %y {field = 1, flag} : i32, 128xf32 loc #3 (%arg: i32) {
//	  region
//	}
//
// The types after the colon are the results'; operands have those of their definitions.
// An attribute stands in braces and leaves out fields that are zero, unless they always
// matter (an axis, a predicate). A // starts a comment.
type Printer struct {
	// Locs says whether to write locations: loc #3 at operations and functions, and the table
	// of them at the end.
	Locs bool
	// Note, if not nil, gives a comment on a value; it is written beside the operation that
	// defines it, or above the block whose argument it is. "" is no comment.
	Note func(*Value) string
}

// Print writes m.
func (p Printer) Print(w io.Writer, m *Module) error {
	_, err := w.Write(p.append(nil, m))
	return err
}

// String gives m's text form.
func (p Printer) String(m *Module) string { return string(p.append(nil, m)) }

func (p Printer) append(b []byte, m *Module) []byte {
	w := printer{Printer: p, b: b}
	for i, f := range m.Funcs {
		if i > 0 {
			w.str("\n")
		}
		w.function(f)
	}
	if p.Locs && m.Locs.Len() > 0 {
		w.str("\n")
		w.locations(&m.Locs)
	}
	return w.b
}

// opText gives an operation in one line, without its regions and location.
func opText(f *Func, op *Op) string {
	w := printer{names: NewNames(f)}
	w.head(op)
	return string(w.b)
}

// printer holds the text so far. It prints broken modules too: they are looked at most.
type printer struct {
	Printer
	b     []byte
	names *Names
	seen  map[*Block]bool // the function's blocks so far, against those that lie in themselves
}

func (w *printer) str(s string)   { w.b = append(w.b, s...) }
func (w *printer) num(n int64)    { w.b = strconv.AppendInt(w.b, n, 10) }
func (w *printer) quote(s string) { w.b = strconv.AppendQuote(w.b, s) }

func (w *printer) indent(depth int) {
	for range depth {
		w.str("  ")
	}
}

func (w *printer) function(f *Func) {
	if f == nil {
		w.str("// no function\n")
		return
	}
	w.names, w.seen = NewNames(f), make(map[*Block]bool)
	body := f.Body
	if body == nil {
		body = &Block{}
	}
	w.notes(body.Args, 0)
	w.str("func @")
	w.str(quoteName(f.Name))
	w.str("(")
	for i, v := range body.Args {
		w.comma(i)
		w.argument(v)
		if v != nil && i < len(f.Params) {
			w.facts(f.Params[i], v)
		}
	}
	w.str(") -> (")
	w.types(f.Results)
	w.str(")")
	w.loc(f.Loc)
	w.str(" {\n")
	w.ops(body, 1)
	w.str("}\n")
}

func (w *printer) comma(i int) {
	if i > 0 {
		w.str(", ")
	}
}

func (w *printer) argument(v *Value) {
	w.str(w.names.Of(v))
	w.str(": ")
	if v != nil {
		w.str(v.Type.String())
	}
}

// facts writes what is known of the parameter whose value is v.
func (w *printer) facts(p Param, v *Value) {
	name := required
	if p.Name == v.Name {
		p.Name, name = "", optional
	}
	f := fieldPrinter{printer: w}
	p.fields(&f, name)
	f.end()
}

func (w *printer) types(list []Type) {
	for i, t := range list {
		w.comma(i)
		w.str(t.String())
	}
}

func (w *printer) loc(l Loc) {
	if !w.Locs || l == 0 {
		return
	}
	w.str(" loc #")
	w.num(int64(l))
}

func (w *printer) ops(b *Block, depth int) {
	if w.seen[b] {
		w.indent(depth)
		w.str("// the block above, again\n")
		return
	}
	w.seen[b] = true
	for _, op := range b.Ops {
		w.op(op, depth)
	}
}

func (w *printer) op(op *Op, depth int) {
	w.indent(depth)
	if op == nil {
		w.str("// no operation\n")
		return
	}
	w.head(op)
	w.loc(op.Loc)
	for i, r := range op.Regions {
		if i > 0 {
			w.indent(depth)
			w.str("}")
		}
		w.str(regionWord(op.Code, i))
		w.region(op, i, r, depth)
	}
	if len(op.Regions) > 0 {
		w.indent(depth)
		w.str("}")
	}
	if len(op.Regions) == 0 {
		w.note(op.Results)
	}
	w.str("\n")
}

// regionWord gives the word in front of an operation's region i.
func regionWord(c Code, i int) string {
	switch {
	case i == 1 && c == OpIf:
		return " else"
	case i == 1 && c == OpWhile:
		return " do"
	}
	return ""
}

func (w *printer) region(op *Op, i int, r *Block, depth int) {
	if r == nil {
		r = &Block{}
	}
	if len(r.Args) > 0 {
		w.str(" (")
		for i, v := range r.Args {
			w.comma(i)
			w.argument(v)
		}
		w.str(")")
	}
	w.str(" {")
	if i == 0 {
		w.note(op.Results)
	}
	w.str("\n")
	w.notes(r.Args, depth+1)
	w.ops(r, depth+1)
}

// head writes what is in an operation's first line, up to its location.
func (w *printer) head(op *Op) {
	for i, v := range op.Results {
		w.comma(i)
		w.str(w.names.Of(v))
	}
	if len(op.Results) > 0 {
		w.str(" = ")
	}
	w.str(op.Code.String())
	for i, v := range op.Args {
		w.comma(i)
		if i == 0 {
			w.str(" ")
		}
		w.str(w.names.Of(v))
	}
	w.attr(op)
	for i, v := range op.Results {
		if i == 0 {
			w.str(" : ")
		}
		w.comma(i)
		if v != nil {
			w.str(v.Type.String())
		}
	}
}

func (w *printer) attr(op *Op) {
	if op.Attr == nil {
		return
	}
	if c, ok := op.Attr.(ConstAttr); ok && op.Code == OpConst && len(op.Results) == 1 && op.Results[0] != nil {
		w.b = appendLiteral(append(w.b, ' '), op.Results[0].Type, c.Bits)
		return
	}
	f := fieldPrinter{printer: w}
	if len(op.Args) > 0 && op.Args[0] != nil {
		f.rank = op.Args[0].Type.Rank()
	}
	op.Attr.fields(&f)
	f.end()
}

// note writes the comments on the values at the end of a line.
func (w *printer) note(vals []*Value) {
	if w.Note == nil {
		return
	}
	sep := " // "
	for _, v := range vals {
		if v == nil {
			continue
		}
		if s := w.Note(v); s != "" {
			w.str(sep)
			w.str(s)
			sep = "; "
		}
	}
}

// notes writes the comments on arguments, a line each.
func (w *printer) notes(args []*Value, depth int) {
	if w.Note == nil {
		return
	}
	for _, v := range args {
		if v == nil {
			continue
		}
		if s := w.Note(v); s != "" {
			w.indent(depth)
			w.str("// ")
			w.str(w.names.Of(v))
			w.str(": ")
			w.str(s)
			w.str("\n")
		}
	}
}

// locations writes the table: file, line, column, end of the column if known, and the call
// that the place was inlined through.
func (w *printer) locations(t *Locs) {
	for i, l := range t.list {
		w.str("loc #")
		w.num(int64(i) + 1)
		w.str(" = ")
		w.quote(l.File)
		w.str(":")
		w.num(int64(l.Line))
		w.str(":")
		w.num(int64(l.Col))
		if l.EndCol != 0 {
			w.str("-")
			w.num(int64(l.EndCol))
		}
		if l.Parent != 0 {
			w.str(" <- #")
			w.num(int64(l.Parent))
		}
		w.str("\n")
	}
}

// A fieldPrinter writes fields as {name = value, flag, …}, or nothing if all may be left out.
type fieldPrinter struct {
	*printer
	rank int // of the operation's first operand: how many of its dims to write
	any  bool
}

// start writes what comes before a field's value.
func (f *fieldPrinter) start(name string) {
	if f.any {
		f.str(", ")
	} else {
		f.str(" {")
	}
	f.any = true
	if name != "" {
		f.str(name)
		f.str(" = ")
	}
}

func (f *fieldPrinter) end() {
	if f.any {
		f.str("}")
	}
}

func (f *fieldPrinter) flag(name string, x bool) bool {
	if x {
		f.start("")
		f.str(name)
	}
	return x
}

func (f *fieldPrinter) num(name string, u use, x int64) int64 {
	if x != 0 || u == required {
		f.start(name)
		f.printer.num(x)
	}
	return x
}

func (f *fieldPrinter) bits(name string, u use, x uint64) uint64 {
	if x != 0 || u == required {
		f.start(name)
		f.b = appendHex(f.b, x)
	}
	return x
}

func (f *fieldPrinter) text(name string, u use, x string) string {
	if x != "" || u == required {
		f.start(name)
		f.quote(x)
	}
	return x
}

func (f *fieldPrinter) enum(name string, u use, x uint8, names []string) uint8 {
	if x != 0 || u == required {
		f.start(name)
		f.str(enumName(x, names))
	}
	return x
}

// dims writes the first rank numbers and those after it that a broken attribute has.
func (f *fieldPrinter) dims(name string, x [MaxRank]int64, _ int64) [MaxRank]int64 {
	n := max(f.rank, 1)
	for i := n; i < MaxRank; i++ {
		if x[i] != 0 {
			n = i + 1
		}
	}
	f.start(name)
	f.str("[")
	for i, v := range x[:n] {
		f.comma(i)
		f.printer.num(v)
	}
	f.str("]")
	return x
}
