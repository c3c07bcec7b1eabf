package tile

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A tokenKind is a kind of token of the text form.
type tokenKind uint8

const (
	endToken    tokenKind = iota
	wordToken             // func, fdiv.rn, axis
	numberToken           // 12, 1.5e-05, 0x7fc0; without a sign
	stringToken           // as in Go
	valueToken            // %0, %x, %x.1, %"a name"
	symbolToken           // @name
	refToken              // #12
	punctToken
)

// A token is a piece of the text.
type token struct {
	kind tokenKind
	pos  int
	text string // as written
}

// lex gives the token at or after offset and the offset after it. The message is not empty
// if there is none.
func lex(src string, off int) (tok token, end int, msg string) {
	off = skipSpace(src, off)
	if off == len(src) {
		return token{endToken, off, ""}, off, ""
	}
	kind, n := scanToken(src[off:])
	end = off + max(n, 1)
	if n == 0 {
		_, size := utf8.DecodeRuneInString(src[off:])
		end = off + size
		msg = "unexpected " + strconv.QuoteToASCII(src[off:end])
	}
	return token{kind, off, src[off:end]}, end, msg
}

// skipSpace gives the offset of the next byte that is neither space nor in a comment.
func skipSpace(src string, off int) int {
	for off < len(src) {
		switch {
		case strings.IndexByte(" \t\r\n", src[off]) >= 0:
			off++
		case strings.HasPrefix(src[off:], "//"):
			n := strings.IndexByte(src[off:], '\n')
			if n < 0 {
				return len(src)
			}
			off += n
		default:
			return off
		}
	}
	return off
}

// scanToken gives the kind and the length of the token that s, which is not empty, begins with;
// length 0 if there is none.
func scanToken(s string) (tokenKind, int) {
	switch c := s[0]; {
	case isDigit(c):
		return numberToken, scanNumber(s)
	case c == '"':
		return stringToken, scanString(s)
	case c == '%':
		return valueToken, prefixed(scanValue(s[1:]))
	case c == '@':
		return symbolToken, prefixed(scanName(s[1:]))
	case c == '#':
		return refToken, prefixed(scanDigits(s[1:]))
	case strings.HasPrefix(s, "->"), strings.HasPrefix(s, "<-"):
		return punctToken, 2
	case strings.IndexByte("(){}[]:,=-", c) >= 0:
		return punctToken, 1
	}
	return wordToken, scanWord(s)
}

// prefixed adds the prefix's byte to the length of what follows, if there is any.
func prefixed(n int) int {
	if n == 0 {
		return 0
	}
	return n + 1
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

func scanDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// scanNumber takes letters too, for 0x7f and 1e+06.
func scanNumber(s string) int {
	hex := strings.HasPrefix(s, "0x")
	n := 0
	for n < len(s) {
		c := s[n]
		exponentSign := (c == '+' || c == '-') && s[n-1]|0x20 == 'e' && !hex
		if !isDigit(c) && !isLetter(c) && c != '.' && !exponentSign {
			break
		}
		n++
	}
	return n
}

// scanString gives 0 if the string does not end in its line.
func scanString(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return 0
		case '"':
			return i + 1
		}
	}
	return 0
}

// scanIdent takes an identifier as isIdent defines it.
func scanIdent(s string) int {
	for i, r := range s {
		if !isIdentRune(r, i == 0) {
			return i
		}
	}
	return len(s)
}

// scanName takes an identifier or a string.
func scanName(s string) int {
	if strings.HasPrefix(s, `"`) {
		return scanString(s)
	}
	return scanIdent(s)
}

// scanValue takes a value's name after the %.
func scanValue(s string) int {
	if n := scanDigits(s); n > 0 {
		return n
	}
	n := scanName(s)
	if n > 0 && n < len(s) && s[n] == '.' {
		n += prefixed(scanDigits(s[n+1:]))
	}
	return n
}

// scanWord takes an identifier, or several with points between.
func scanWord(s string) int {
	n := scanIdent(s)
	for n > 0 && n < len(s) && s[n] == '.' {
		m := scanIdent(s[n+1:])
		if m == 0 {
			break
		}
		n += 1 + m
	}
	return n
}

// sourceName gives the source name in a value's name in the text: x of %x.1, "" of %0.
func sourceName(value string) (string, error) {
	s := value[1:]
	if isDigit(s[0]) {
		return "", nil
	}
	return unquoteName(s[:scanName(s)])
}

// unquoteName is the inverse of quoteName.
func unquoteName(s string) (string, error) {
	if s[0] != '"' {
		return s, nil
	}
	return strconv.Unquote(s)
}
