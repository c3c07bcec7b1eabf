package syntax

import (
	"math"
	"strings"
	"testing"
)

func TestPosition(t *testing.T) {
	type place struct{ line, col int }
	for src, want := range map[string][]place{
		"":                 {{1, 1}},
		"ab\nc":            {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}},
		"a\r\nb":           {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}},
		"a\rb\r":           {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}},
		"\n\n":             {{1, 1}, {2, 1}, {3, 1}},
		"\xef\xbb\xbfa\nb": {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 2}, {2, 1}, {2, 2}},
	} {
		f := NewFile("", []byte(src))
		for off, w := range want {
			if line, col := f.Position(int32(off)); line != w.line || col != w.col {
				t.Errorf("%q at %d: got %d:%d, want %d:%d", src, off, line, col, w.line, w.col)
			}
		}
	}
}

func TestLine(t *testing.T) {
	f := NewFile("", []byte("\xef\xbb\xbfa\r\nb\rc\n\nd"))
	for n, want := range []string{"", "a", "b", "c", "", "d", ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d: got %q, want %q", n, got, want)
		}
	}
}

func TestEncoding(t *testing.T) {
	for src, want := range map[string]string{
		"\xef\xbb\xbfx = 'é'":                      "",
		"# coding: latin-1\nx = 1":                 "",
		"# vim: set fileencoding=UTF_8 :\nx = 'é'": "",
		"#!python\n# coding: utf-8-unix\nx = 'é'":  "",
		"x = 1\n# coding: latin-1\ny = 'é'":        "",
		"\n\n# coding: latin-1\ny = 'é'":           "",
		"# coding: latin-1\nx = 'é'":               `1:11: SyntaxError: the encoding "latin-1" is not supported; save the file as UTF-8`,
		"\n# -*- coding: koi8-r -*-\nx = 'é'":      `2:15: SyntaxError: the encoding "koi8-r" is not supported; save the file as UTF-8`,
		"x = '\xe9'":                               `1:6: SyntaxError: the file is not UTF-8: byte 0xe9 at offset 5`,
		"xé\ny\xed\xa0\x80":                        `2:2: SyntaxError: the file is not UTF-8: byte 0xed at offset 5`,
		"x\n\x00":                                  `2:1: SyntaxError: source code cannot contain null bytes`,
	} {
		m, errs := Parse(NewFile("f.py", []byte(src)))
		got := ""
		if errs != nil {
			got = strings.TrimPrefix(errs.Error(), "f.py:")
			if _, ok := m.Body[0].(*BadStmt); !ok {
				t.Errorf("%q: got %T, want a BadStmt", src, m.Body[0])
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

// TestTooLarge needs no memory: the pages of a fresh allocation are not there
// until they are written to.
func TestTooLarge(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("there are no such files on this machine")
	}
	f := NewFile("large.py", make([]byte, math.MaxInt32))
	m, errs := Parse(f)
	if len(errs) != 1 || errs[0].Code != "too-large" || len(m.Body) != 1 {
		t.Errorf("got %v", errs)
	}
	if _, errs := ParseExpr(f); len(errs) != 1 || errs[0].Code != "too-large" {
		t.Errorf("got %v", errs)
	}
}
