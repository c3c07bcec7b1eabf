package pyval

import (
	"strconv"
	"strings"
)

// stringFormat is str.format: fields {}, {0}, {name}, with .attr and [item], !r and :spec.
func stringFormat(self Value, a arguments) (Value, error) {
	f := fieldFormatter{args: a}
	return valueOrError(f.format(self.(string), 0))
}

func valueOrError(s string, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

type fieldFormatter struct {
	args arguments
	next int // the argument of the next {}
}

func (f *fieldFormatter) format(s string, depth int) (string, error) {
	if depth > 2 {
		return "", valueError("Max string recursion exceeded")
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		if strings.HasPrefix(s[i+1:], s[i:i+1]) { // {{ or }}
			b.WriteByte(s[i])
			s = s[i+2:]
			continue
		}
		if s[i] == '}' {
			return "", valueError("Single '}' encountered in format string")
		}
		field, rest, ok := cutField(s[i+1:])
		if !ok {
			return "", valueError("expected '}' before end of string")
		}
		text, err := f.field(field, depth)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		if b.Len() > MaxLen {
			return "", tooLarge("str")
		}
		s = rest
	}
	return b.String(), nil
}

// cutField cuts at the } that closes the field.
func cutField(s string) (field, rest string, ok bool) {
	open := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			open++
		case '}':
			if open == 0 {
				return s[:i], s[i+1:], true
			}
			open--
		}
	}
	return "", "", false
}

func (f *fieldFormatter) field(field string, depth int) (string, error) {
	name, spec, _ := strings.Cut(field, ":")
	name, conv, converted := strings.Cut(name, "!")
	conversion := rune(-1)
	if converted {
		if len(conv) != 1 || !strings.Contains("rsa", conv) {
			return "", valueError("Unknown conversion specifier %s", conv)
		}
		conversion = rune(conv[0])
	}
	v, err := f.lookup(name)
	if err != nil {
		return "", err
	}
	if spec, err = f.format(spec, depth+1); err != nil {
		return "", err
	}
	return Format(v, conversion, spec)
}

// lookup finds the value of a field's name: an argument, then attributes and items of it.
func (f *fieldFormatter) lookup(name string) (Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v, err := f.argument(name[:end])
	for path := name[end:]; err == nil && path != ""; {
		if path[0] == '.' {
			n := 1 + strings.IndexAny(path[1:]+".", ".[")
			attr := path[1:n]
			path = path[n:]
			u, ok := Attr(v, attr)
			if !ok {
				return nil, Errorf("AttributeError", "'%s' object has no attribute '%s'", TypeName(v), attr)
			}
			v = u
			continue
		}
		item, rest, ok := strings.Cut(path[1:], "]")
		if path[0] != '[' || !ok {
			return nil, valueError("Missing ']' in format string")
		}
		path = rest
		var index Value = item
		if n, err := strconv.ParseInt(item, 10, 64); err == nil {
			index = n
		}
		v, err = GetItem(v, index)
	}
	return v, err
}

func (f *fieldFormatter) argument(name string) (Value, error) {
	index := -1
	if name == "" {
		index = f.next
		f.next++
	} else if n, err := strconv.Atoi(name); err == nil {
		index = n
	}
	if index < 0 {
		for _, kw := range f.args.extra {
			if kw.Name == name {
				return kw.Value, nil
			}
		}
		return nil, Errorf("KeyError", "%s", reprString(name, false))
	}
	if index >= len(f.args.rest) {
		return nil, Errorf("IndexError", "Replacement index %d out of range for positional args tuple", index)
	}
	return f.args.rest[index], nil
}
