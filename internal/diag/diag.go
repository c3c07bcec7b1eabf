package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Category is a class of errors that callers may test for with errors.Is.
// The set is closed; names are part of the public contract.
type Category struct{ name string }

func (c *Category) Error() string { return c.name }

// The categories.
var (
	Syntax         = &Category{"SyntaxError"}
	Compile        = &Category{"CompileError"}
	Unsupported    = &Category{"Unsupported"}
	Grid           = &Category{"GridError"}
	Argument       = &Category{"ArgumentError"}
	GlobalChanged  = &Category{"GlobalChanged"}
	Schema         = &Category{"SchemaError"}
	OutOfResources = &Category{"OutOfResources"}
	Stream         = &Category{"StreamError"}
	Driver         = &Category{"DriverError"}
	Check          = &Category{"CheckError"}
)

// A Place is a range of one source line. Line and Col count from 1; Col and
// EndCol count bytes from the line's start (EndCol is exclusive, 0 if unknown).
// Text is the whole line without its newline ("" if unknown).
type Place struct {
	File   string
	Line   int
	Col    int
	EndCol int
	Text   string
}

// IsZero reports whether the place is unknown.
func (p Place) IsZero() bool { return p.Line == 0 }

// String gives file:line:column; the column counts characters, as editors do.
func (p Place) String() string {
	if p.IsZero() {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.charCol())
}

// charCol is Col in characters.
func (p Place) charCol() int {
	if p.Text == "" || p.Col-1 > len(p.Text) {
		return p.Col
	}
	return utf8.RuneCountInString(p.Text[:p.Col-1]) + 1
}

// maxShown bounds the source text that a message quotes, in bytes.
const maxShown = 200

// Snippet gives the line and a caret under the range, each with a final newline.
func (p Place) Snippet() string {
	if p.Text == "" {
		return ""
	}
	start := min(max(p.Col-1, 0), len(p.Text))
	end := min(max(p.EndCol-1, start+1), max(len(p.Text), start+1))
	text := p.Text
	if len(text) > maxShown {
		from := max(0, start-maxShown/2)
		for n := 1; n < utf8.UTFMax && from > 0 && !utf8.RuneStart(text[from]); n++ {
			from-- // to a character's start, which text that is no UTF-8 may lack
		}
		to := min(len(text), from+maxShown)
		for to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
		text = text[from:to]
		start, end = start-from, min(end-from, len(text)+1)
	}
	var b strings.Builder
	b.WriteString("    ")
	b.WriteString(printable(text))
	b.WriteString("\n    ")
	for _, r := range text[:start] {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	n := 1
	if end > start+1 && end <= len(text) {
		n = utf8.RuneCountInString(text[start:end])
	}
	b.WriteByte('^')
	b.WriteString(strings.Repeat("~", n-1))
	b.WriteByte('\n')
	return b.String()
}

// printable replaces control characters, so that a message cannot drive a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < 0x20 || r == 0x7f || r == utf8.RuneError) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// A Note is a further place or remark, such as the call that led to the error.
type Note struct {
	Place Place
	Msg   string
}

// An Error is a diagnostic.
type Error struct {
	Category *Category
	Code     string // stable, kebab-case, unique within its category; may be empty
	Msg      string
	Place    Place
	Notes    []Note
	Cause    error // what led to it, for errors.Is and errors.As; may be nil
}

// New makes an error without a place.
func New(c *Category, code, format string, args ...any) *Error {
	return &Error{Category: c, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// At makes an error at a place.
func At(c *Category, p Place, format string, args ...any) *Error {
	return &Error{Category: c, Msg: fmt.Sprintf(format, args...), Place: p}
}

// WithCode sets the code and returns e.
func (e *Error) WithCode(code string) *Error { e.Code = code; return e }

// Error gives one line: place, category, message. Of an error that nobody filled in it says so.
func (e *Error) Error() string {
	if e == nil || e.Category == nil {
		return "Error: an error without a category"
	}
	if e.Place.IsZero() {
		if e.Place.File != "" {
			return fmt.Sprintf("%s: %s: %s", e.Place.File, e.Category.name, e.Msg)
		}
		return e.Category.name + ": " + e.Msg
	}
	return fmt.Sprintf("%s: %s: %s", e.Place, e.Category.name, e.Msg)
}

// Is reports whether target is the error's category.
func (e *Error) Is(target error) bool { return e != nil && target == error(e.Category) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Cause
}

// Detail gives the full text: Error, the source line with a caret, the notes.
// It ends with a newline.
func (e *Error) Detail() string {
	var b strings.Builder
	b.WriteString(e.Error())
	b.WriteByte('\n')
	if e == nil {
		return b.String()
	}
	b.WriteString(e.Place.Snippet())
	for _, n := range e.Notes {
		if n.Place.IsZero() {
			fmt.Fprintf(&b, "note: %s\n", n.Msg)
			continue
		}
		fmt.Fprintf(&b, "%s: note: %s\n%s", n.Place, n.Msg, n.Place.Snippet())
	}
	return b.String()
}

// A List is several errors found in one go; it is never empty.
type List []*Error

// Error gives the first error and how many more there are.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no errors"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), len(l)-1)
}

// Unwrap gives the errors, for errors.Is and errors.As.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// Detail gives the full text of every error.
func (l List) Detail() string {
	var b strings.Builder
	for _, e := range l {
		b.WriteString(e.Detail())
	}
	return b.String()
}

// Detail gives an error's full text where it has one, else its line; of no error it gives "". Unlike
// Error it ends with a newline.
func Detail(err error) string {
	if err == nil {
		return ""
	}
	if d, ok := err.(interface{ Detail() string }); ok {
		return d.Detail()
	}
	return err.Error() + "\n"
}
