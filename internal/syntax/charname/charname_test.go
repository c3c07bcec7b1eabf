package charname

import (
	"testing"

	"golang.org/x/text/unicode/runenames"
)

// TestNames looks up every name that the database has.
func TestNames(t *testing.T) {
	n := 0
	for r := range rune(0x110000) {
		name := runenames.Name(r)
		if name == "" || name[0] == '<' {
			continue
		}
		n++
		if got, ok := Rune(name); !ok || got != r {
			t.Errorf("%q: got %U, %v; want %U", name, got, ok, r)
		}
	}
	if n < 30000 {
		t.Errorf("only %d names", n)
	}
}

func TestRune(t *testing.T) {
	for name, want := range map[string]rune{
		"NULL":                                  0,
		"line feed":                             '\n',
		"ESC":                                   0x1b,
		"greek small letter alpha":              'α',
		"VS256":                                 0xe01ef,
		"CJK UNIFIED IDEOGRAPH-4E00":            0x4e00,
		"CJK UNIFIED IDEOGRAPH-20000":           0x20000,
		"HANGUL SYLLABLE GA":                    0xac00,
		"HANGUL SYLLABLE SSANGR":                -1,
		"HANGUL SYLLABLE GGWALG":                0xaf51,
		"HANGUL SYLLABLE A":                     0xc544,
		"HANGUL SYLLABLE HIH":                   0xd7a3,
		"HANGUL SYLLABLE ":                      -1,
		"CJK UNIFIED IDEOGRAPH-F900":            -1,
		"CJK UNIFIED IDEOGRAPH-0041":            -1,
		"CJK UNIFIED IDEOGRAPH-+4E00":           -1,
		"CJK UNIFIED IDEOGRAPH-FFFFFFFFFFFFFFF": -1,
		"GREEK SMALL LETTER":                    -1,
		"":                                      -1,
	} {
		got, ok := Rune(name)
		if want < 0 && ok || want >= 0 && (!ok || got != want) {
			t.Errorf("%q: got %U, %v; want %U", name, got, ok, want)
		}
	}
}
