package bridge

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// Raised is an exception that Python raised in an answer; it goes back as it is.
type Raised struct {
	Number uint64 // by which C keeps it
	Text   string
}

// Error gives what Python's traceback ends with.
func (r *Raised) Error() string { return r.Text }

// describe writes an error for C: its category, code, message, place and full text, the exception that led to it,
// and what is short.
func describe(err error) []byte {
	var w writer
	e := diagnosis(err)
	var raised *Raised
	errors.As(err, &raised)
	// An exception that no diagnostic is made of is raised again.
	if raised != nil && e == nil {
		w.str("")
		w.u64(raised.Number)
		return w.b
	}
	if e == nil {
		e = diag.New(diag.Driver, "internal", "%s", err)
		if x := (*pyval.Error)(nil); errors.As(err, &x) {
			e = diag.New(diag.Argument, "value", "%s", x.Msg)
		}
	}
	w.str(e.Category.Error())
	if raised != nil {
		w.u64(raised.Number)
	} else {
		w.u64(0)
	}
	w.str(e.Code)
	w.str(e.Msg)
	w.str(e.Place.File)
	w.u32(uint32(e.Place.Line))
	w.u32(uint32(charCol(e.Place)))
	w.str(strings.ToValidUTF8(e.Place.Text, "\uFFFD"))
	w.str(detail(err, e))
	var short *driver.OutOfResources
	if !errors.As(err, &short) {
		w.bool(false)
		return w.b
	}
	w.bool(true)
	w.str(short.Resource)
	w.i64(short.Required)
	w.i64(short.Limit)
	return w.b
}

// diagnosis gives the first diagnostic of an error, nil if it has none.
func diagnosis(err error) *diag.Error {
	var list diag.List
	if errors.As(err, &list) {
		return list[0]
	}
	var e *diag.Error
	errors.As(err, &e)
	return e
}

// detail gives the text without the category in front, which Python shows itself.
func detail(err error, e *diag.Error) string {
	var b strings.Builder
	list := diag.List{e}
	errors.As(err, &list)
	for _, e := range list {
		if !e.Place.IsZero() {
			b.WriteString(e.Place.String() + ": ")
		}
		text := e.Detail()
		if i := strings.Index(text, e.Msg); i >= 0 {
			text = text[i:]
		}
		b.WriteString(text)
	}
	return strings.ToValidUTF8(strings.TrimRight(b.String(), "\n"), "\uFFFD")
}

// charCol gives a column in characters.
func charCol(p diag.Place) int {
	if p.Col < 1 || p.Col-1 > len(p.Text) {
		return p.Col
	}
	return utf8.RuneCountInString(p.Text[:p.Col-1]) + 1
}
