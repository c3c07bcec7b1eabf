package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// A header is the dictionary at the start of a file.
type header struct {
	descr   string
	fortran bool
	shape   []int
}

// element is what a descr says of the elements.
type element struct {
	dtype dtype.DType // Invalid for a float8 of unknown format
	bytes int
	big   bool // big-endian
}

// descrs maps a descr without its byte order.
var descrs = map[string]dtype.DType{
	"b1": dtype.Int1,
	"i1": dtype.Int8, "i2": dtype.Int16, "i4": dtype.Int32, "i8": dtype.Int64,
	"u1": dtype.Uint8, "u2": dtype.Uint16, "u4": dtype.Uint32, "u8": dtype.Uint64,
	"f1": dtype.Float8E5M2, "f2": dtype.Float16, "f4": dtype.Float32, "f8": dtype.Float64,
	"V2": dtype.BFloat16,
	"V1": dtype.Invalid,
}

// element reads the descr.
func (h *header) element() (element, error) {
	if len(h.descr) < 2 {
		return element{}, fmt.Errorf("the element type %q is unknown", h.descr)
	}
	order, name := h.descr[0], h.descr[1:]
	if !strings.ContainsRune("<>=|", rune(order)) {
		order, name = '=', h.descr
	}
	d, ok := descrs[name]
	if !ok {
		return element{}, fmt.Errorf("elements of NumPy's type %q have no counterpart in the language", h.descr)
	}
	return element{dtype: d, bytes: max(d.Bytes(), 1), big: order == '>'}, nil
}

// descrOf gives what a file says of elements of type d. All float8 types are V1: what ml_dtypes
// writes for float8_e5m2, f1, NumPy cannot read back.
func descrOf(d dtype.DType) string {
	if d.IsFP8() {
		return "|V1"
	}
	order := "<"
	if d.Bytes() == 1 {
		order = "|"
	}
	for name, e := range descrs {
		if e == d {
			return order + name
		}
	}
	return ""
}

// parseHeader reads the dictionary, which is a Python literal with exactly the keys descr,
// fortran_order and shape.
func parseHeader(text string) (*header, error) {
	s := scanner{text: text}
	h := &header{}
	seen := map[string]bool{}
	if err := s.expect('{'); err != nil {
		return nil, err
	}
	for !s.accept('}') {
		key, err := s.str()
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, fmt.Errorf("the key %q is there twice", key)
		}
		seen[key] = true
		if err := s.expect(':'); err != nil {
			return nil, err
		}
		if err := h.field(&s, key); err != nil {
			return nil, err
		}
		if !s.accept(',') && s.peek() != '}' {
			return nil, s.unexpected("',' or '}'")
		}
	}
	if s.peek() != 0 {
		return nil, s.unexpected("nothing after the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return nil, fmt.Errorf("the key %q is missing", key)
		}
	}
	return h, nil
}

// field reads the value of a key.
func (h *header) field(s *scanner, key string) (err error) {
	switch key {
	case "descr":
		if s.peek() == '[' {
			return errors.New("arrays of records are not supported")
		}
		h.descr, err = s.str()
	case "fortran_order":
		h.fortran, err = s.boolean()
	case "shape":
		h.shape, err = s.shape()
	default:
		err = fmt.Errorf("the key %q is unknown", key)
	}
	return err
}

// A scanner reads the few forms of Python literals that headers have.
type scanner struct {
	text string
	pos  int
}

// peek gives the next byte after white space; 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

func (s *scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) expect(c byte) error {
	if !s.accept(c) {
		return s.unexpected(strconv.QuoteRune(rune(c)))
	}
	return nil
}

func (s *scanner) unexpected(want string) error {
	if s.peek() == 0 {
		return fmt.Errorf("the header ends where %s should be", want)
	}
	return fmt.Errorf("%q at byte %d of the header where %s should be", s.text[s.pos], s.pos, want)
}

// str reads a string; headers have no escapes in them.
func (s *scanner) str() (string, error) {
	q := s.peek()
	if q != '\'' && q != '"' {
		return "", s.unexpected("a string")
	}
	n := strings.IndexByte(s.text[s.pos+1:], q)
	if n < 0 {
		return "", errors.New("a string of the header has no end")
	}
	v := s.text[s.pos+1 : s.pos+1+n]
	s.pos += n + 2
	return v, nil
}

func (s *scanner) boolean() (bool, error) {
	s.peek()
	for word, v := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(s.text[s.pos:], word) {
			s.pos += len(word)
			return v, nil
		}
	}
	return false, s.unexpected("True or False")
}

func (s *scanner) shape() ([]int, error) {
	if err := s.expect('('); err != nil {
		return nil, err
	}
	shape := []int{}
	for !s.accept(')') {
		n, err := s.number()
		if err != nil {
			return nil, err
		}
		if len(shape) == MaxRank {
			return nil, fmt.Errorf("the shape has more than %d dimensions", MaxRank)
		}
		shape = append(shape, n)
		if !s.accept(',') && s.peek() != ')' {
			return nil, s.unexpected("',' or ')'")
		}
	}
	return shape, nil
}

// number reads a dimension; Python 2 wrote long ones as 10L.
func (s *scanner) number() (int, error) {
	if c := s.peek(); c < '0' || c > '9' {
		return 0, s.unexpected("a dimension")
	}
	start := s.pos
	for s.pos < len(s.text) && s.text[s.pos] >= '0' && s.text[s.pos] <= '9' {
		s.pos++
	}
	n, err := strconv.Atoi(s.text[start:s.pos])
	if err != nil {
		return 0, fmt.Errorf("the dimension %.40s is too large", s.text[start:s.pos])
	}
	s.accept('L')
	return n, nil
}
