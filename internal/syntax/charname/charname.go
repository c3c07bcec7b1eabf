package charname

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:generate go run gen.go

// packed holds a name a line, those of a row of characters one after the other;
// a line that starts with = and a number in base 16 starts a row.
//
//go:embed names.gz
var packed []byte

var table = sync.OnceValue(unpack)

func unpack() map[string]rune {
	names := make(map[string]rune, 40000)
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return names // the embedded file is intact: the tests look into it
	}
	next := rune(0)
	for lines := bufio.NewScanner(zip); lines.Scan(); next++ {
		name := lines.Text()
		if strings.HasPrefix(name, "=") {
			number, rest, _ := strings.Cut(name[1:], " ")
			r, _ := strconv.ParseInt(number, 16, 32)
			next, name = rune(r), rest
		}
		names[name] = next
	}
	return names
}

// Rune gives the character of a name.
func Rune(name string) (r rune, ok bool) {
	name = strings.ToUpper(name)
	if number, found := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); found {
		return ideograph(number)
	}
	if letters, found := strings.CutPrefix(name, "HANGUL SYLLABLE "); found {
		return syllable(letters)
	}
	r, ok = table()[name]
	return r, ok
}

// ideograph gives the ideograph that is named by its number.
func ideograph(number string) (rune, bool) {
	v, err := strconv.ParseUint(number, 16, 32)
	r := rune(v)
	if err != nil || len(number) < 4 || len(number) > 5 || !unicode.Is(unicode.Unified_Ideograph, r) {
		return 0, false
	}
	if 0xf900 <= r && r <= 0xfaff {
		return 0, false // has a name of its own
	}
	return r, true
}

// The short names of the letters that syllables consist of, in the order of
// their numbers (The Unicode Standard, section 3.12).
var (
	leads = [...]string{"G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P", "H"}

	vowels = [...]string{"A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U", "WEO", "WE",
		"WI", "YU", "EU", "YI", "I"}

	tails = [...]string{"", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT", "LP", "LH", "M", "B",
		"BS", "S", "SS", "NG", "J", "C", "K", "T", "P", "H"}
)

const firstSyllable = 0xac00

// syllable gives the syllable that consists of letters. Leads are consonants and
// vowels are not, so the longest match of each is the right one.
func syllable(letters string) (rune, bool) {
	lead, letters := longest(leads[:], letters)
	vowel, letters := longest(vowels[:], letters)
	tail, letters := longest(tails[:], letters)
	if lead < 0 || vowel < 0 || tail < 0 || letters != "" {
		return 0, false
	}
	return rune(firstSyllable + (lead*len(vowels)+vowel)*len(tails) + tail), true
}

// longest finds the longest of the names that text starts with, and gives its
// number and the rest of the text; the number is -1 if there is none.
func longest(names []string, text string) (number int, rest string) {
	number = -1
	for i, name := range names {
		if strings.HasPrefix(text, name) && (number < 0 || len(name) > len(names[number])) {
			number = i
		}
	}
	if number < 0 {
		return number, text
	}
	return number, text[len(names[number]):]
}
