package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A kind is what a JSON value is.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// A node is a JSON value.
type node struct {
	kind    kind
	text    string   // a string's content; anything else as it is written
	elems   []node   // of an array
	members []member // of an object, in their order
}

type member struct {
	name  string
	value node
}

// find gives a member of an object, or nil.
func (n *node) find(name string) *node {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i].value
		}
	}
	return nil
}

// The bounds of a document.
const (
	maxBytes = 1 << 20
	maxDepth = 32 // of arrays and objects in each other
)

// parse reads a document's text.
func parse(text []byte) (*node, error) {
	var root *path
	if len(text) > maxBytes {
		return nil, root.problem("too-large", fmt.Sprintf("at most %d bytes", maxBytes), fmt.Sprintf("%d", len(text)))
	}
	if !utf8.Valid(text) {
		return nil, root.problem("not-json", "a JSON text", "bytes that are not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	p := parser{d, text}
	n, err := p.value(root, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, root.problem("trailing-data", "the end of the text after the document", "more"+position(text, errorOffset(text)))
	}
	return n, nil
}

type parser struct {
	tokens *json.Decoder
	text   []byte
}

// value reads a value that has depth arrays and objects around it.
func (p *parser) value(at *path, depth int) (*node, error) {
	t, err := p.tokens.Token()
	if err != nil {
		return nil, p.syntax(at, err)
	}
	switch t := t.(type) {
	case json.Delim:
		if depth == maxDepth {
			return nil, at.problem("too-deep", fmt.Sprintf("at most %d arrays and objects in each other", maxDepth), "more")
		}
		if t == '[' {
			return p.array(at, depth+1)
		}
		return p.object(at, depth+1)
	case string:
		return &node{kind: kindString, text: t}, nil
	case json.Number:
		return &node{kind: kindNumber, text: t.String()}, nil
	case bool:
		return &node{kind: kindBool, text: fmt.Sprint(t)}, nil
	default:
		return &node{kind: kindNull, text: "null"}, nil
	}
}

func (p *parser) array(at *path, depth int) (*node, error) {
	n := &node{kind: kindArray}
	for p.tokens.More() {
		v, err := p.value(at.element(len(n.elems)), depth)
		if err != nil {
			return nil, err
		}
		n.elems = append(n.elems, *v)
	}
	return n, p.end(at)
}

func (p *parser) object(at *path, depth int) (*node, error) {
	n := &node{kind: kindObject}
	seen := map[string]bool{}
	for p.tokens.More() {
		t, err := p.tokens.Token()
		if err != nil {
			return nil, p.syntax(at, err)
		}
		name := t.(string) // or it would be a syntax error
		if seen[name] {
			return nil, at.member(name).problem("duplicate-field", "one field of this name", "two")
		}
		seen[name] = true
		v, err := p.value(at.member(name), depth)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, member{name, *v})
	}
	return n, p.end(at)
}

// end reads the bracket at the end of an array or object.
func (p *parser) end(at *path) error {
	if _, err := p.tokens.Token(); err != nil {
		return p.syntax(at, err)
	}
	return nil
}

// syntax is the error of a text that is not JSON.
func (p *parser) syntax(at *path, err error) *diag.Error {
	if len(bytes.TrimSpace(p.text)) == 0 {
		return at.problem("not-json", "a JSON text", "nothing")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return at.problem("not-json", "a JSON text", "its end too early")
	}
	return at.problem("not-json", "a JSON text", "an error"+position(p.text, errorOffset(p.text))+": "+err.Error())
}

// errorOffset finds where a text that is not JSON ceases to be.
func errorOffset(text []byte) int64 {
	var raw json.RawMessage
	var s *json.SyntaxError
	if errors.As(json.Unmarshal(text, &raw), &s) {
		return s.Offset - 1
	}
	return 0
}

// position says which line and column an offset is at.
func position(text []byte, offset int64) string {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf(" at line %d, column %d", line, column)
}
