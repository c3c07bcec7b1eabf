package syntax

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// dump shows the tree of a module, a node a line, with the names, fields and
// positions of CPython's ast module: lines from 1, columns in bytes from 0.
// What is absent is left out. Integers are in base 16; floats are the bits of a
// float64, in base 16 too.
func dump(f *File, m *Module) string {
	d := dumper{file: f, positions: true}
	d.module(m)
	return string(d.out)
}

type dumper struct {
	file      *File
	positions bool
	out       []byte
	depth     int
}

func (d *dumper) module(m *Module) {
	d.out = append(d.out, "Module"...)
	d.children(func() { d.stmts("body", m.Body) })
	d.out = append(d.out, '\n')
}

// node starts the line of a node that is its parent's field.
func (d *dumper) node(field, kind string, s Span) {
	d.line(field, kind)
	if !d.positions {
		return
	}
	line, col := d.file.Position(s.Pos)
	endLine, endCol := d.file.Position(s.End)
	d.out = append(d.out, ' ')
	d.out = strconv.AppendInt(d.out, int64(line), 10)
	d.out = append(d.out, ':')
	d.out = strconv.AppendInt(d.out, int64(col-1), 10)
	d.out = append(d.out, '-')
	d.out = strconv.AppendInt(d.out, int64(endLine), 10)
	d.out = append(d.out, ':')
	d.out = strconv.AppendInt(d.out, int64(endCol-1), 10)
}

// line starts a line with a field and its value.
func (d *dumper) line(field, value string) {
	d.out = append(d.out, '\n')
	for range d.depth {
		d.out = append(d.out, ' ')
	}
	d.out = append(d.out, field...)
	d.out = append(d.out, ' ')
	d.out = append(d.out, value...)
}

func (d *dumper) children(f func()) {
	d.depth++
	f()
	d.depth--
}

func (d *dumper) attr(name, value string) {
	d.out = append(d.out, ' ')
	d.out = append(d.out, name...)
	d.out = append(d.out, '=')
	d.out = append(d.out, value...)
}

// text adds a string attribute, unless it is empty.
func (d *dumper) text(name, value string) {
	if value != "" {
		d.attr(name, quoted(value))
	}
}

func (d *dumper) number(name string, value int) { d.attr(name, strconv.Itoa(value)) }

func (d *dumper) flag(name string, value bool) {
	n := 0
	if value {
		n = 1
	}
	d.number(name, n)
}

// names adds an attribute that is a list of names, unless it is empty.
func (d *dumper) names(name string, values []string) {
	if len(values) > 0 {
		d.attr(name, strings.Join(values, ","))
	}
}

var escapes = strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r")

func quoted(s string) string {
	return `"` + escapes.Replace(s) + `"`
}

// singletonNames spells the constants that have no text.
var singletonNames = [...]string{
	ConstNone: "None", ConstTrue: "True", ConstFalse: "False", ConstEllipsis: "Ellipsis",
}

func (d *dumper) constant(c *Constant) {
	switch c.Kind {
	case ConstNone, ConstTrue, ConstFalse, ConstEllipsis:
		d.attr("value", singletonNames[c.Kind])
	case ConstInt:
		d.attr("int", intDigits(c.Text))
	case ConstFloat:
		d.attr("float", floatBits(c.Text))
	case ConstImag:
		d.attr("imag", floatBits(c.Text[:max(len(c.Text)-1, 0)]))
	case ConstStr:
		d.attr("str", quoted(c.Text))
	case ConstBytes:
		d.attr("bytes", strconv.QuoteToASCII(latin1(c.Text)))
	}
	if c.Unicode {
		d.attr("kind", "u")
	}
}

// intDigits gives the value of an integer literal in base 16.
func intDigits(text string) string {
	v, ok := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 0)
	if !ok {
		return strconv.Quote(text) // made by hand: the lexer lets no such text pass
	}
	return "0x" + v.Text(16)
}

// floatBits gives the value of a float literal; one that is too large is
// infinite.
func floatBits(text string) string {
	v, _ := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return "0x" + strconv.FormatUint(math.Float64bits(v), 16)
}

// latin1 makes a character of each byte.
func latin1(bytes string) string {
	runes := make([]rune, len(bytes))
	for i := range len(bytes) {
		runes[i] = rune(bytes[i])
	}
	return string(runes)
}
