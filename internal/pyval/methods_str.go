package pyval

import (
	"slices"
	"strings"
	"unicode"
)

var stringMethods = map[string]method{
	"lower":      {"", onString(strings.ToLower)},
	"upper":      {"", onString(strings.ToUpper)},
	"capitalize": {"", onString(capitalize)},
	"title":      {"", onString(title)},
	"casefold":   {"", onString(strings.ToLower)},
	"strip":      {"chars?", onStrip(strings.TrimFunc)},
	"lstrip":     {"chars?", onStrip(strings.TrimLeftFunc)},
	"rstrip":     {"chars?", onStrip(strings.TrimRightFunc)},
	"startswith": {"prefix", onAffix(strings.HasPrefix)},
	"endswith":   {"suffix", onAffix(strings.HasSuffix)},
	"removeprefix": {"prefix", onStrings(func(s, t string) (Value, error) {
		return strings.TrimPrefix(s, t), nil
	})},
	"removesuffix": {"suffix", onStrings(func(s, t string) (Value, error) {
		return strings.TrimSuffix(s, t), nil
	})},
	"find": {"sub", onStrings(func(s, t string) (Value, error) { return runeIndex(s, strings.Index(s, t)), nil })},
	"rfind": {"sub", onStrings(func(s, t string) (Value, error) {
		return runeIndex(s, strings.LastIndex(s, t)), nil
	})},
	"index": {"sub", onStrings(func(s, t string) (Value, error) {
		if i := strings.Index(s, t); i >= 0 {
			return runeIndex(s, i), nil
		}
		return nil, valueError("substring not found")
	})},
	"count": {"sub", onStrings(func(s, t string) (Value, error) { return int64(strings.Count(s, t)), nil })},
	"partition": {"sep", onStrings(func(s, t string) (Value, error) {
		return partition(s, t, strings.Index(s, t), s, "")
	})},
	"rpartition": {"sep", onStrings(func(s, t string) (Value, error) {
		return partition(s, t, strings.LastIndex(s, t), "", s)
	})},
	"split":      {"sep? maxsplit?", stringSplit},
	"rsplit":     {"sep? maxsplit?", stringRSplit},
	"splitlines": {"", stringLines},
	"join":       {"iterable", stringJoin},
	"replace":    {"old new count?", stringReplace},
	"zfill":      {"width", stringFill},
	"ljust":      {"width fillchar?", onJustify('<')},
	"rjust":      {"width fillchar?", onJustify('>')},
	"center":     {"width fillchar?", onJustify('^')},
	"isdigit":    {"", onRunes(unicode.IsDigit)},
	"isdecimal":  {"", onRunes(unicode.IsDigit)},
	"isalpha":    {"", onRunes(unicode.IsLetter)},
	"isalnum":    {"", onRunes(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })},
	"isspace":    {"", onRunes(isSpace)},
	"isupper":    {"", onCase(strings.ToUpper)},
	"islower":    {"", onCase(strings.ToLower)},
	"isidentifier": {"", func(self Value, _ arguments) (Value, error) {
		return isIdentifier(self.(string)), nil
	}},
}

func init() { // format looks up attributes of its arguments, through this table
	stringMethods["format"] = method{"* **", stringFormat}
}

func onString(f func(string) string) func(Value, arguments) (Value, error) {
	return func(self Value, _ arguments) (Value, error) { return f(self.(string)), nil }
}

// onStrings makes a method of a function of the string and the one argument.
func onStrings(f func(s, t string) (Value, error)) func(Value, arguments) (Value, error) {
	return func(self Value, a arguments) (Value, error) {
		for _, v := range a.named {
			t, ok := unbox(v).(string)
			if !ok {
				return nil, typeError("must be str, not %s", TypeName(v))
			}
			return f(self.(string), t)
		}
		return nil, typeError("an argument is missing")
	}
}

func onStrip(trim func(string, func(rune) bool) string) func(Value, arguments) (Value, error) {
	return func(self Value, a arguments) (Value, error) {
		chars := a.or("chars", None)
		if chars == None {
			return trim(self.(string), isSpace), nil
		}
		set, ok := chars.(string)
		if !ok {
			return nil, typeError("strip arg must be None or str")
		}
		return trim(self.(string), func(r rune) bool { return strings.ContainsRune(set, r) }), nil
	}
}

func onAffix(has func(s, affix string) bool) func(Value, arguments) (Value, error) {
	return func(self Value, a arguments) (Value, error) {
		arg := a.or("prefix", a.get("suffix"))
		affixes := []Value{arg}
		if t, ok := arg.(Tuple); ok {
			affixes = t.Elems
		}
		for _, v := range affixes {
			affix, ok := v.(string)
			if !ok {
				return nil, typeError("the argument must be str or a tuple of str, not %s", TypeName(v))
			}
			if has(self.(string), affix) {
				return true, nil
			}
		}
		return false, nil
	}
}

func onRunes(is func(rune) bool) func(Value, arguments) (Value, error) {
	return func(self Value, _ arguments) (Value, error) {
		rs := runes(self.(string))
		return len(rs) > 0 && !slices.ContainsFunc(rs, func(r rune) bool { return !is(r) }), nil
	}
}

// onCase makes a test that the string has letters with case and is what fold gives.
func onCase(fold func(string) string) func(Value, arguments) (Value, error) {
	return func(self Value, _ arguments) (Value, error) {
		s := self.(string)
		return fold(s) == s && strings.ToUpper(s) != strings.ToLower(s), nil
	}
}

func onJustify(align byte) func(Value, arguments) (Value, error) {
	return func(self Value, a arguments) (Value, error) {
		width, ok := AsInt(a.get("width"))
		if !ok || width > maxWidth {
			return nil, valueError("the width must be an integer of at most %d", maxWidth)
		}
		fill := runes(Str(a.or("fillchar", " ")))
		if len(fill) != 1 {
			return nil, typeError("The fill character must be exactly one character long")
		}
		s := self.(string)
		n := int(width) - runeCount(s)
		if n <= 0 {
			return s, nil
		}
		left := 0
		switch align {
		case '>':
			left = n
		case '^':
			left = n/2 + n&int(width)&1
		}
		return strings.Repeat(string(fill), left) + s + strings.Repeat(string(fill), n-left), nil
	}
}

func capitalize(s string) string {
	rs := runes(s)
	if len(rs) == 0 {
		return s
	}
	return string(unicode.ToTitle(rs[0])) + strings.ToLower(encodeRunes(rs[1:]...))
}

func title(s string) string {
	rs := runes(s)
	inWord := false
	for i, r := range rs {
		if inWord {
			rs[i] = unicode.ToLower(r)
		} else {
			rs[i] = unicode.ToTitle(r)
		}
		inWord = unicode.IsLetter(r)
	}
	return encodeRunes(rs...)
}

func isIdentifier(s string) bool {
	for i, r := range runes(s) {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

// runeIndex turns a byte index into one of code points; -1 stays.
func runeIndex(s string, i int) int64 {
	if i < 0 {
		return -1
	}
	return int64(runeCount(s[:i]))
}

func partition(s, sep string, i int, head, tail string) (Value, error) {
	if sep == "" {
		return nil, valueError("empty separator")
	}
	if i < 0 {
		return NewTuple(head, "", tail), nil
	}
	return NewTuple(s[:i], sep, s[i+len(sep):]), nil
}

func stringValues(parts []string) *List {
	out := &List{make([]Value, len(parts))}
	for i, p := range parts {
		out.Elems[i] = p
	}
	return out
}

// splitArgs gives the separator ("" for white space) and the most splits to make (-1 for all).
func splitArgs(a arguments) (sep string, most int, err error) {
	n, ok := AsInt(a.or("maxsplit", int64(-1)))
	if !ok {
		return "", 0, typeError("maxsplit must be an integer")
	}
	most = int(max(-1, min(n, MaxLen)))
	v := a.or("sep", None)
	if v == None {
		return "", most, nil
	}
	sep, ok = v.(string)
	if !ok {
		return "", 0, typeError("must be str or None, not %s", TypeName(v))
	}
	if sep == "" {
		return "", 0, valueError("empty separator")
	}
	return sep, most, nil
}

func stringSplit(self Value, a arguments) (Value, error) {
	sep, most, err := splitArgs(a)
	if err != nil {
		return nil, err
	}
	s := self.(string)
	if sep != "" {
		if most >= 0 {
			most++
		}
		return stringValues(strings.SplitN(s, sep, most)), nil
	}
	var parts []string
	for s = strings.TrimLeftFunc(s, isSpace); s != "" && most != 0; most-- {
		end := strings.IndexFunc(s, isSpace)
		if end < 0 {
			end = len(s)
		}
		parts = append(parts, s[:end])
		s = strings.TrimLeftFunc(s[end:], isSpace)
	}
	if s != "" {
		parts = append(parts, s)
	}
	return stringValues(parts), nil
}

func stringRSplit(self Value, a arguments) (Value, error) {
	sep, most, err := splitArgs(a)
	if err != nil {
		return nil, err
	}
	if most < 0 {
		return stringSplit(self, a)
	}
	s := self.(string)
	var parts []string
	for ; most > 0; most-- {
		head, tail, ok := cutLast(s, sep)
		if !ok {
			break
		}
		parts, s = append(parts, tail), head
	}
	if sep != "" || strings.TrimRightFunc(s, isSpace) != "" {
		if sep == "" {
			s = strings.TrimRightFunc(s, isSpace)
		}
		parts = append(parts, s)
	}
	slices.Reverse(parts)
	return stringValues(parts), nil
}

// cutLast cuts around the last separator, or run of white space if sep is "".
func cutLast(s, sep string) (head, tail string, ok bool) {
	if sep != "" {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			return s, "", false
		}
		return s[:i], s[i+len(sep):], true
	}
	s = strings.TrimRightFunc(s, isSpace)
	start := strings.LastIndexFunc(s, isSpace)
	if start < 0 {
		return "", s, s != ""
	}
	tail = strings.TrimLeftFunc(s[start:], isSpace)
	return s[:start], tail, true
}

func stringLines(self Value, _ arguments) (Value, error) {
	var parts []string
	for rest := self.(string); rest != ""; {
		end := strings.IndexFunc(rest, func(r rune) bool {
			return r >= '\n' && r <= '\r' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
		})
		if end < 0 {
			parts = append(parts, rest)
			break
		}
		parts = append(parts, rest[:end])
		size := len(string(runes(rest[end:])[0]))
		if strings.HasPrefix(rest[end:], "\r\n") {
			size = 2
		}
		rest = rest[end+size:]
	}
	return stringValues(parts), nil
}

func stringJoin(self Value, a arguments) (Value, error) {
	elems, err := Iter(a.get("iterable"))
	if err != nil {
		return nil, typeError("can only join an iterable")
	}
	parts := make([]string, len(elems))
	size := 0
	for i, e := range elems {
		s, ok := unbox(e).(string)
		if !ok {
			return nil, typeError("sequence item %d: expected str instance, %s found", i, TypeName(e))
		}
		parts[i] = s
		size += len(s) + len(self.(string))
	}
	if size > MaxLen {
		return nil, tooLarge("str")
	}
	return strings.Join(parts, self.(string)), nil
}

func stringReplace(self Value, a arguments) (Value, error) {
	s := self.(string)
	from, ok1 := unbox(a.get("old")).(string)
	to, ok2 := unbox(a.get("new")).(string)
	n, ok3 := AsInt(a.or("count", int64(-1)))
	if !ok1 || !ok2 || !ok3 {
		return nil, typeError("replace() takes two strings and an integer")
	}
	if strings.Count(s, from)*len(to)+len(s) > MaxLen {
		return nil, tooLarge("str")
	}
	return strings.Replace(s, from, to, int(max(-1, min(n, MaxLen)))), nil
}

func stringFill(self Value, a arguments) (Value, error) {
	width, ok := AsInt(a.get("width"))
	if !ok || width > maxWidth {
		return nil, valueError("the width must be an integer of at most %d", maxWidth)
	}
	s := self.(string)
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	return sign + pad(s, int(width)-len(sign)-runeCount(s)+len(s)), nil
}
