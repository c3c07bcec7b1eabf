package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A Problem says what is wrong with a document, and where. It is the cause of a SchemaError.
type Problem struct {
	Path     string // such as $.args[2].type
	Expected string // such as "a power of two from 1 to 64"
	Found    string // such as "the string \"4\"", or "nothing"
}

// Error gives all in one sentence.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s: expected %s, found %s", p.Path, p.Expected, p.Found)
}

// NewError makes a SchemaError of a problem.
func NewError(code, path, expected, found string) *diag.Error {
	p := &Problem{path, expected, found}
	e := diag.New(diag.Schema, code, "%s", p.Error())
	e.Cause = p
	return e
}

// A path leads to a value in a document. The nil path is the document itself.
type path struct {
	to    *path
	name  string // of an object's member
	index int    // of an array's element, if name is empty
	elem  bool
}

func (p *path) member(name string) *path { return &path{to: p, name: name} }
func (p *path) element(i int) *path      { return &path{to: p, index: i, elem: true} }

// String gives the path as JSONPath (RFC 9535) writes it.
func (p *path) String() string {
	if p == nil {
		return "$"
	}
	switch {
	case p.elem:
		return fmt.Sprintf("%s[%d]", p.to, p.index)
	case isPlain(p.name):
		return p.to.String() + "." + p.name
	}
	return fmt.Sprintf("%s[%s]", p.to, quote(p.name))
}

// problem makes a SchemaError about the value that a path leads to.
func (p *path) problem(code, expected, found string) *diag.Error {
	return NewError(code, p.String(), expected, found)
}

// isPlain reports whether a name needs no quotes in a path.
func isPlain(name string) bool {
	for i, r := range name {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxQuoted
}

// maxQuoted bounds what a message quotes of a document, in bytes.
const maxQuoted = 60

// quote quotes a string of the document for a message.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	end := maxQuoted
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.Quote(s[:end]) + "…"
}

// describe says what a value is, for messages.
func (n *node) describe() string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindBool:
		return n.text
	case kindNumber:
		if len(n.text) > maxQuoted {
			return fmt.Sprintf("a number of %d digits", len(n.text))
		}
		return "the number " + n.text
	case kindString:
		return "the string " + quote(n.text)
	case kindArray:
		return "an array of " + count(len(n.elems), "element")
	default:
		return "an object"
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list joins quoted names for a message.
func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return strings.Join(quoted, ", ")
}
