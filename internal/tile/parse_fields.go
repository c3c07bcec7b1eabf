package tile

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// An item is a field as written: name = value, name = [1, 2] or a name alone.
type item struct {
	name  token
	value token // its text is "" if the name stands alone
	list  []int64
	taken bool // some field is called so
}

// items reads {name = value, name, …}, if there.
func (p *parser) items() []item {
	if !p.accept("{") {
		return nil
	}
	var items []item
	p.list("}", func() {
		it := item{name: p.take(wordToken, "a field")}
		if p.accept("=") {
			p.fieldValue(&it)
		}
		items = append(items, it)
	})
	return items
}

func (p *parser) fieldValue(it *item) {
	it.value = p.tok
	switch {
	case p.accept("["):
		p.list("]", func() { it.list = append(it.list, p.integer("number", math.MinInt64, math.MaxInt64)) })
	case p.tok.kind == stringToken:
		p.next()
	default:
		it.value.text = p.literal("a value")
	}
}

// A fieldParser answers a visit of fields with what was read.
type fieldParser struct {
	*parser
	items []item
}

// find gives the item of a name; nil, and an error if the field is required, if there is none.
func (f *fieldParser) find(name string, u use) *item {
	for i := range f.items {
		if it := &f.items[i]; it.name.text == name && !it.taken {
			it.taken = true
			return it
		}
	}
	if u == required {
		f.fail(f.tok, "the field %s is missing", name)
	}
	return nil
}

// end checks that all items were fields of owner.
func (f *fieldParser) end(owner string) {
	for _, it := range f.items {
		if !it.taken {
			f.fail(it.name, "%s has no field %s, or has it already", owner, it.name.text)
		}
	}
}

// wrong makes the error of an item whose value is not what its field has.
func (f *fieldParser) wrong(it *item, want string) {
	f.fail(it.name, "the field %s has %s", it.name.text, want)
}

func (f *fieldParser) flag(name string, x bool) bool {
	it := f.find(name, optional)
	if it == nil {
		return x
	}
	if it.value.text != "" {
		f.wrong(it, "no value")
	}
	return true
}

func (f *fieldParser) num(name string, u use, x int64) int64 {
	it := f.find(name, u)
	if it == nil {
		return x
	}
	n, err := strconv.ParseInt(it.value.text, 10, 64)
	if err != nil {
		f.wrong(it, "an integer")
	}
	return n
}

func (f *fieldParser) bits(name string, u use, x uint64) uint64 {
	it := f.find(name, u)
	if it == nil {
		return x
	}
	digits, ok := strings.CutPrefix(it.value.text, "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		f.wrong(it, "a number such as 0xff")
	}
	return n
}

func (f *fieldParser) text(name string, u use, x string) string {
	it := f.find(name, u)
	if it == nil {
		return x
	}
	s, err := strconv.Unquote(it.value.text)
	if err != nil || it.value.kind != stringToken {
		f.wrong(it, "a string")
	}
	return s
}

func (f *fieldParser) enum(name string, u use, x uint8, names []string) uint8 {
	if name == "" {
		return f.bareEnum(u, x, names)
	}
	it := f.find(name, u)
	if it == nil {
		return x
	}
	i := slices.Index(names, it.value.text)
	if i < 0 {
		f.wrong(it, "one of "+strings.Join(names, ", "))
		return x
	}
	return uint8(i)
}

// bareEnum looks for an item that stands alone and is the name of a value.
func (f *fieldParser) bareEnum(u use, x uint8, names []string) uint8 {
	for i := range f.items {
		it := &f.items[i]
		if v := slices.Index(names, it.name.text); v >= 0 && it.value.text == "" && !it.taken {
			it.taken = true
			return uint8(v)
		}
	}
	if u == required {
		f.fail(f.tok, "one of %s is missing", strings.Join(names, ", "))
	}
	return x
}

func (f *fieldParser) dims(name string, x [MaxRank]int64, limit int64) [MaxRank]int64 {
	it := f.find(name, required)
	if it == nil {
		return x
	}
	if len(it.list) == 0 || len(it.list) > MaxRank {
		f.wrong(it, "a list of 1 to "+strconv.Itoa(MaxRank)+" numbers")
		return x
	}
	var out [MaxRank]int64
	for i, n := range it.list {
		if n < 0 || n > limit {
			f.wrong(it, "numbers from 0 to "+strconv.FormatInt(limit, 10))
		}
		out[i] = n
	}
	return out
}
