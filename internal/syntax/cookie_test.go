package syntax

import (
	"strings"
	"testing"
)

// TestDeclaredEncodings: a file of ASCII may declare any encoding that there is; other text is UTF-8.
func TestDeclaredEncodings(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"# -*- coding: klingon -*-\nx = 1\n", "unknown encoding: klingon"},
		{"# coding: latin-1\nx = 1\n", ""},
		{"# coding: ISO_8859_1\nx = 1\n", ""},
		{"#!python\n# vim: set fileencoding=cp1252 :\nx = 1\n", ""},
		{"# coding: utf-16\nx = 1\n", "unknown encoding: utf-16"},
		{"# coding: utf8\nx = 'é'\n", ""},
		{"# coding: latin-1\nx = 'é'\n", `the encoding "latin-1" is not supported; save the file as UTF-8`},
		{"x = 1\n\n# coding: klingon\n", ""},
	} {
		_, errs := Parse(NewFile("k.py", []byte(c.src)))
		got := ""
		if len(errs) > 0 {
			got = errs.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q: %s, want %s", c.src, got, c.want)
		}
	}
}
