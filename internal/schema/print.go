package schema

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// print gives a value's text: members and elements on lines of their own, but for arrays of
// plain values, with a final newline.
func (n *node) print() []byte {
	p := printer{}
	p.value(n, 0)
	p.WriteByte('\n')
	return p.Bytes()
}

// compact gives a value's text on one line.
func (n *node) compact() []byte {
	p := printer{compact: true}
	p.value(n, 0)
	return p.Bytes()
}

type printer struct {
	bytes.Buffer
	compact bool
}

func (p *printer) value(n *node, depth int) {
	switch n.kind {
	case kindString:
		p.string(n.text)
	case kindArray:
		p.array(n, depth)
	case kindObject:
		p.object(n, depth)
	default:
		p.WriteString(n.text)
	}
}

func (p *printer) array(n *node, depth int) {
	plain := true
	for i := range n.elems {
		k := n.elems[i].kind
		plain = plain && k != kindArray && k != kindObject
	}
	p.WriteByte('[')
	for i := range n.elems {
		p.separate(i, depth+1, plain)
		p.value(&n.elems[i], depth+1)
	}
	if !plain {
		p.line(depth)
	}
	p.WriteByte(']')
}

func (p *printer) object(n *node, depth int) {
	p.WriteByte('{')
	for i := range n.members {
		p.separate(i, depth+1, false)
		p.string(n.members[i].name)
		p.WriteByte(':')
		p.space()
		p.value(&n.members[i].value, depth+1)
	}
	if len(n.members) > 0 {
		p.line(depth)
	}
	p.WriteByte('}')
}

// separate writes what stands before the i-th element or member.
func (p *printer) separate(i, depth int, plain bool) {
	if i > 0 {
		p.WriteByte(',')
	}
	switch {
	case !plain:
		p.line(depth)
	case i > 0:
		p.space()
	}
}

func (p *printer) space() {
	if !p.compact {
		p.WriteByte(' ')
	}
}

func (p *printer) line(depth int) {
	if p.compact {
		return
	}
	p.WriteByte('\n')
	for range depth {
		p.WriteString("  ")
	}
}

func (p *printer) string(s string) {
	e := json.NewEncoder(&p.Buffer)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)         // a string always can be
	p.Truncate(p.Len() - 1) // the newline
}

// The parts that documents are made of.

func number(n int64) node     { return node{kind: kindNumber, text: strconv.FormatInt(n, 10)} }
func text(s string) node      { return node{kind: kindString, text: s} }
func boolean(b bool) node     { return node{kind: kindBool, text: strconv.FormatBool(b)} }
func array(e ...node) node    { return node{kind: kindArray, elems: e} }
func object(m ...member) node { return node{kind: kindObject, members: m} }
