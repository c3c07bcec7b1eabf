package syntax

import "testing"

// parseConstant reads a file that is one literal.
func parseConstant(t *testing.T, src string) *Constant {
	t.Helper()
	e, errs := ParseExpr(NewFile("literal.py", []byte(src)))
	if errs != nil {
		t.Fatalf("%q: %v", src, errs)
	}
	c, ok := e.(*Constant)
	if !ok {
		t.Fatalf("%q: %T is no constant", src, e)
	}
	return c
}

func TestStringValues(t *testing.T) {
	for src, want := range map[string]string{
		`''`:                          "",
		`""""""`:                      "",
		`"a"`:                         "a",
		`'''a"'b'''`:                  `a"'b`,
		`'\\\'\"\a\b\f\n\r\t\v'`:      "\\'\"\a\b\f\n\r\t\v",
		`'\0\7\12\101\1012'`:          "\x00\x07\nAA2",
		`'\777'`:                      "\u01ff",
		`'\x41\u00e9\U0001F600'`:      "Aé😀",
		`'\ud800\udfff'`:              "\xed\xa0\x80\xed\xbf\xbf",
		`'\N{bullet}\N{LINE FEED}'`:   "•\n",
		`'\d\8\_\é'`:                  `\d\8\_\é`,
		`r'\n\'\x'`:                   `\n\'\x`,
		`'a' "b" r'\c'`:               `ab\c`,
		"'a\\\nb\\\r\nc\\\rd'":        "abcd",
		"'''a\nb\r\nc\rd'''":          "a\nb\nc\nd",
		"r'''a\\\r\nb\\\rc'''":        "a\\\nb\\\nc",
		"'''a\\\r\nb\\n\r\nc'''":      "ab\n\nc",
		`u'é'`:                        "é",
		"'a' \\\n 'b'":                "ab",
		"('a'  # one\n  'b' # two\n)": "ab",
	} {
		c := parseConstant(t, src)
		if c.Kind != ConstStr || c.Text != want {
			t.Errorf("%s: got kind %d, %q; want %q", src, c.Kind, c.Text, want)
		}
	}
}

func TestBytesValues(t *testing.T) {
	for src, want := range map[string]string{
		`b''`:              "",
		`b'\xff\377\477'`:  "\xff\xff\x3f",
		`b'\u0041\N{x}\U'`: `\u0041\N{x}\U`,
		`Rb'\x41' b'\x41'`: `\x41A`,
		"b'''a\r\nb'''":    "a\nb",
	} {
		c := parseConstant(t, src)
		if c.Kind != ConstBytes || c.Text != want {
			t.Errorf("%s: got kind %d, %q; want %q", src, c.Kind, c.Text, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for src, want := range map[string]ConstKind{
		"0": ConstInt, "00_0": ConstInt, "1_000": ConstInt, "0xFf_0": ConstInt, "0o_17": ConstInt, "0B1": ConstInt,
		"1.": ConstFloat, ".5": ConstFloat, "1e5": ConstFloat, "1_0.0_1E-1_0": ConstFloat, "09.5": ConstFloat, "00e0": ConstFloat,
		"1j": ConstImag, "1.5J": ConstImag, "1e3j": ConstImag, "09j": ConstImag,
	} {
		c := parseConstant(t, src)
		if c.Kind != want || c.Text != src {
			t.Errorf("%s: got kind %d, %q; want %d", src, c.Kind, c.Text, want)
		}
	}
}

func TestKeywords(t *testing.T) {
	for i, word := range keywordText {
		if got := keywordToken(word); got != firstKeyword+token(i) {
			t.Errorf("%s: token %d, want %d", word, got, firstKeyword+token(i))
		}
		for _, other := range []string{word + "_", word[1:] + "_", word[:len(word)-1] + "_"} {
			if got := keywordToken(other); got != tokName {
				t.Errorf("%s: token %d, want a name", other, got)
			}
		}
	}
	if firstKeyword+token(len(keywordText))-1 != lastKeyword {
		t.Error("keywordText and the tokens differ in number")
	}
}

func TestIdentifiers(t *testing.T) {
	for src, want := range map[string]string{
		"_x1": "_x1", "é": "é", "e\u0301": "é", "ﬁ": "fi", "𝐱": "x", "ª": "a", "变量": "变量", "℘": "℘", "x·": "x·",
		"match": "match", "type": "type", "case": "case", "_": "_", "Truex": "Truex", "rb": "rb", "f": "f",
	} {
		e, errs := ParseExpr(NewFile("name.py", []byte(src)))
		if n, ok := e.(*Name); errs != nil || !ok || n.Id != want {
			t.Errorf("%s: got %#v, %v; want %q", src, e, errs, want)
		}
	}
	for _, src := range []string{"€", "x€", "·x", "\u00a0x", "x\u2028", "x²", "\u0301x", "\U0010ffff"} {
		if e, errs := ParseExpr(NewFile("name.py", []byte(src))); errs == nil {
			t.Errorf("%q: got %#v, want an error", src, e)
		}
	}
}
