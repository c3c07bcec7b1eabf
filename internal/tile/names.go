package tile

import (
	"strconv"
	"unicode"
)

// Names gives each value of a function its name in the text form: %x for a value that the
// source calls x, %x.1, %x.2 … for further ones, %0, %1 … for values without a source name,
// all in order of definition.
type Names struct {
	of   map[*Value]string
	used map[string]int // how many values have the source name
	next int
}

// NewNames names the values of f.
func NewNames(f *Func) *Names {
	n := &Names{of: make(map[*Value]string), used: make(map[string]int)}
	if f != nil {
		n.block(f.Body, make(map[*Block]bool))
	}
	return n
}

// Of gives a value's name. A value that is not of the function is %?, with its source name if it has one.
func (n *Names) Of(v *Value) string {
	if v == nil {
		return "%nil?"
	}
	if s, ok := n.of[v]; ok {
		return s
	}
	return "%?" + v.Name
}

// block names what b defines; seen guards against blocks that a broken function has twice.
func (n *Names) block(b *Block, seen map[*Block]bool) {
	if b == nil || seen[b] {
		return
	}
	seen[b] = true
	for _, v := range b.Args {
		n.add(v)
	}
	for _, op := range b.Ops {
		if op == nil {
			continue
		}
		for _, v := range op.Results {
			n.add(v)
		}
		for _, r := range op.Regions {
			n.block(r, seen)
		}
	}
}

func (n *Names) add(v *Value) {
	if v == nil {
		return
	}
	if _, ok := n.of[v]; ok {
		return
	}
	if v.Name == "" {
		n.of[v] = "%" + strconv.Itoa(n.next)
		n.next++
		return
	}
	s := "%" + quoteName(v.Name)
	if k := n.used[v.Name]; k > 0 {
		s += "." + strconv.Itoa(k)
	}
	n.used[v.Name]++
	n.of[v] = s
}

// quoteName gives a name as it is if it is an identifier, else in quotes.
func quoteName(s string) string {
	if isIdent(s) {
		return s
	}
	return strconv.Quote(s)
}

func isIdent(s string) bool {
	for i, r := range s {
		if !isIdentRune(r, i == 0) {
			return false
		}
	}
	return s != ""
}

func isIdentRune(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && unicode.IsDigit(r)
}
