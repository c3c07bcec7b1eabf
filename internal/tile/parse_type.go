package tile

import (
	"fmt"
	"strconv"
	"strings"
)

var elemByName = func() map[string]Elem {
	names := make(map[string]Elem, numElems)
	for e := NoElem + 1; e < numElems; e++ {
		names[e.String()] = e
	}
	return names
}()

// ParseType reads what Type.String writes.
func ParseType(s string) (Type, error) {
	block, flags := cutDesc(s)
	dims, rest, err := parseDims(block)
	if err != nil {
		return Type{}, err
	}
	depth := 0
	for depth <= MaxPtrDepth && strings.HasPrefix(rest, "ptr<") && strings.HasSuffix(rest, ">") {
		rest = rest[len("ptr<") : len(rest)-1]
		depth++
	}
	e, ok := elemByName[rest]
	if !ok || depth > MaxPtrDepth {
		return Type{}, fmt.Errorf("%s is no type", strconv.Quote(s))
	}
	t, ok := Scalar(e).WithShape(dims...)
	if !ok {
		return Type{}, fmt.Errorf("%s is no type: dimensions are powers of two, %d at most, of 2^%d elements together",
			s, MaxRank, MaxLogElems)
	}
	for range depth {
		t = PtrTo(t)
	}
	t.desc = flags
	return t, wellFormed(t)
}

// parseDims takes the dimensions off a type's text.
func parseDims(s string) (dims []int, rest string, err error) {
	rest = s
	for len(dims) <= MaxRank {
		n := scanDigits(rest)
		if n == 0 || n == len(rest) || rest[n] != 'x' {
			break
		}
		d, err := strconv.Atoi(rest[:n])
		if err != nil {
			return nil, "", fmt.Errorf("the dimension %s is too large", rest[:n])
		}
		dims = append(dims, d)
		rest = rest[n+1:]
	}
	return dims, rest, nil
}

// scanType gives the length of the type that s begins with.
func scanType(s string) int {
	n := 0
	for n < len(s) && (isDigit(s[n]) || isLetter(s[n]) || s[n] == '<' || s[n] == '>') {
		n++
	}
	return n
}
