package pyval

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// Truth gives bool(v).
func Truth(v Value) (bool, error) {
	switch v := unbox(v).(type) {
	case NoneType:
		return false, nil
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case *big.Int:
		return v.Sign() != 0, nil
	case float64:
		return v != 0, nil
	case string, Tuple, *List, *Dict, *Set, Range:
		n, err := Len(v)
		return n != 0, err
	}
	return true, nil
}

// Len gives len(v).
func Len(v Value) (int, error) {
	switch v := unbox(v).(type) {
	case string:
		return runeCount(v), nil
	case Tuple:
		return len(v.Elems), nil
	case *List:
		return len(v.Elems), nil
	case *Dict:
		return v.Len(), nil
	case *Set:
		return v.Len(), nil
	case Range:
		return v.Len()
	case Container:
		return v.Len()
	}
	return 0, typeError("object of type '%s' has no len()", TypeName(v))
}

// Len gives the number of elements.
func (r Range) Len() (int, error) {
	n := r.count()
	if n > 1<<62 {
		return 0, Errorf("OverflowError", "Python int too large to convert to C ssize_t")
	}
	return int(n), nil
}

func (r Range) count() uint64 {
	switch {
	case r.Step > 0 && r.Start < r.Stop:
		return (uint64(r.Stop)-uint64(r.Start)-1)/uint64(r.Step) + 1
	case r.Step < 0 && r.Start > r.Stop:
		return (uint64(r.Start)-uint64(r.Stop)-1)/-uint64(r.Step) + 1
	}
	return 0
}

// At gives element i, which is below the length.
func (r Range) At(i int) int64 { return r.Start + int64(i)*r.Step }

// canonical gives the one form of all ranges with r's elements.
func (r Range) canonical() Range {
	switch n := r.count(); n {
	case 0:
		return Range{0, 0, 1}
	case 1:
		return Range{r.Start, r.Start, 0}
	default:
		return Range{r.Start, r.Start + int64(n-1)*r.Step, r.Step}
	}
}

// Iter gives the elements that a for loop over v would see. The slice may be the value's own: it
// is only to be read.
func Iter(v Value) ([]Value, error) {
	switch v := unbox(v).(type) {
	case Tuple:
		return v.Elems, nil
	case *List:
		return v.Elems, nil
	case *Dict:
		return v.Keys(), nil
	case *Set:
		return v.Elems(), nil
	case string:
		out := make([]Value, 0, len(v))
		for _, r := range runes(v) {
			out = append(out, encodeRunes(r))
		}
		return out, nil
	case Range:
		n := v.count()
		if n > MaxLen {
			return nil, tooLarge("range")
		}
		out := make([]Value, n)
		for i := range out {
			out[i] = v.At(i)
		}
		return out, nil
	case Container:
		return v.Iterate()
	}
	return nil, typeError("'%s' object is not iterable", TypeName(v))
}

// contains gives v in seq.
func contains(seq, v Value) (bool, error) {
	switch s := unbox(seq).(type) {
	case string:
		sub, ok := unbox(v).(string)
		if !ok {
			return false, typeError("'in <string>' requires string as left operand, not %s", TypeName(v))
		}
		return strings.Contains(s, sub), nil
	case *Dict:
		_, ok, err := s.Get(v)
		return ok, err
	case *Set:
		return s.Has(v)
	case Range:
		return rangeHas(s, v), nil
	case Tuple, *List, Container:
		elems, err := Iter(s)
		if err != nil {
			return false, err
		}
		i, err := find(elems, v)
		return i >= 0, err
	}
	return false, typeError("argument of type '%s' is not iterable", TypeName(seq))
}

func rangeHas(r Range, v Value) bool {
	key, err := hashKey(v)
	if err != nil {
		return false
	}
	i, ok := key.(int64) // 2.0 is in range(3)
	if !ok || r.count() == 0 {
		return false
	}
	if r.Step > 0 {
		return r.Start <= i && i < r.Stop && (uint64(i)-uint64(r.Start))%uint64(r.Step) == 0
	}
	return r.Stop < i && i <= r.Start && (uint64(r.Start)-uint64(i))%-uint64(r.Step) == 0
}

// GetItem gives v[index]; the index may be a Slice.
func GetItem(v, index Value) (Value, error) {
	v, index = unbox(v), unbox(index)
	switch x := v.(type) {
	case *Dict:
		item, ok, err := x.Get(index)
		if err == nil && !ok {
			err = Errorf("KeyError", "%s", Repr(index))
		}
		return item, err
	case Container:
		return x.GetItem(index)
	case string, Tuple, *List, Range:
	default:
		return nil, typeError("'%s' object is not subscriptable", TypeName(v))
	}
	if s, ok := index.(Slice); ok {
		return getSlice(v, s)
	}
	if !isInt(index) {
		return nil, typeError("%s indices must be integers or slices, not %s", sequenceName(v), TypeName(index))
	}
	return getElem(v, index)
}

// sequenceName is TypeName as messages about indices spell it.
func sequenceName(v Value) string {
	if _, ok := v.(string); ok {
		return "string"
	}
	return TypeName(v)
}

func getElem(v, index Value) (Value, error) {
	if s, ok := v.(string); ok {
		rs := runes(s)
		i, err := elemIndex(v, index, len(rs))
		if err != nil {
			return nil, err
		}
		return encodeRunes(rs[i]), nil
	}
	n, err := Len(v)
	if err != nil {
		return nil, err
	}
	i, err := elemIndex(v, index, n)
	if err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case Tuple:
		return x.Elems[i], nil
	case *List:
		return x.Elems[i], nil
	}
	return v.(Range).At(i), nil
}

// elemIndex turns an index, which may be negative, into a place in a sequence of n elements.
func elemIndex(seq, index Value, n int) (int, error) {
	i, ok := AsInt(index)
	if !ok {
		return 0, Errorf("IndexError", "cannot fit 'int' into an index-sized integer")
	}
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		name := sequenceName(seq)
		if _, ok := seq.(Range); ok {
			name = "range object"
		}
		return 0, Errorf("IndexError", "%s index out of range", name)
	}
	return int(i), nil
}

// Bounds clips the slice to a sequence of length n: it takes the places range(start, stop, step).
func (s Slice) Bounds(n int) (Range, error) {
	step, err := sliceInt(s.Step, 1)
	if err != nil {
		return Range{}, err
	}
	if step == 0 {
		return Range{}, valueError("slice step cannot be zero")
	}
	low, high := 0, n // the range that bounds are clipped to
	first, last := 0, n
	if step < 0 {
		low, high = -1, n-1
		first, last = n-1, -1
	}
	start, err := sliceBound(s.Start, first, n, low, high)
	if err != nil {
		return Range{}, err
	}
	stop, err := sliceBound(s.Stop, last, n, low, high)
	if err != nil {
		return Range{}, err
	}
	return Range{int64(start), int64(stop), int64(step)}, nil
}

func sliceBound(v Value, missing, n, low, high int) (int, error) {
	if v == nil || v == None {
		return missing, nil
	}
	i, err := sliceInt(v, 0)
	if err != nil {
		return 0, err
	}
	if i < 0 {
		i += n
	}
	return max(low, min(i, high)), nil
}

// sliceInt gives an int of a slice, clipped to a range that no sequence reaches.
func sliceInt(v Value, missing int) (int, error) {
	const far = 1 << 40
	v = unbox(v)
	if v == nil || v == None {
		return missing, nil
	}
	if i, ok := AsInt(v); ok {
		return int(max(-far, min(i, far))), nil
	}
	if b, ok := v.(*big.Int); ok {
		return far * b.Sign(), nil
	}
	return 0, typeError("slice indices must be integers or None or have an __index__ method")
}

func getSlice(v Value, s Slice) (Value, error) {
	if str, ok := v.(string); ok {
		rs := runes(str)
		places, err := s.Bounds(len(rs))
		return encodeRunes(pick(rs, places)...), err
	}
	n, err := Len(v)
	if err != nil {
		return nil, err
	}
	places, err := s.Bounds(n)
	if err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case Tuple:
		return Tuple{Elems: pick(x.Elems, places)}, nil
	case *List:
		return &List{pick(x.Elems, places)}, nil
	}
	r := v.(Range)
	return Range{r.Start + places.Start*r.Step, r.Start + places.Stop*r.Step, r.Step * places.Step}, nil
}

func pick[T any](elems []T, places Range) []T {
	out := make([]T, places.count())
	for i := range out {
		out[i] = elems[places.At(i)]
	}
	return out
}

// SetItem does v[index] = item for a list or dict.
func SetItem(v, index, item Value) error {
	switch x := v.(type) {
	case *Dict:
		return x.Set(index, item)
	case *List:
		if s, ok := unbox(index).(Slice); ok {
			return setSlice(x, s, item)
		}
		if !isInt(unbox(index)) {
			return typeError("list indices must be integers, not %s", TypeName(index))
		}
		i, err := elemIndex(v, unbox(index), len(x.Elems))
		if err != nil {
			return Errorf("IndexError", "list assignment index out of range")
		}
		x.Elems[i] = item
		return nil
	}
	return typeError("'%s' object does not support item assignment", TypeName(v))
}

// setSlice does list[slice] = items.
func setSlice(list *List, s Slice, items Value) error {
	places, err := s.Bounds(len(list.Elems))
	if err != nil {
		return err
	}
	more, err := Iter(items)
	if err != nil {
		return typeError("can only assign an iterable")
	}
	if places.Step == 1 {
		stop := max(places.Start, places.Stop)
		if len(list.Elems)+len(more) > MaxLen {
			return tooLarge("list")
		}
		list.Elems = slices.Concat(list.Elems[:places.Start], more, list.Elems[stop:])
		return nil
	}
	if n := places.count(); uint64(len(more)) != n {
		return valueError("attempt to assign sequence of size %d to extended slice of size %d", len(more), n)
	}
	for i, v := range slices.Clone(more) {
		list.Elems[places.At(i)] = v
	}
	return nil
}

// delSlice does del list[slice].
func delSlice(list *List, s Slice) error {
	places, err := s.Bounds(len(list.Elems))
	if err != nil {
		return err
	}
	gone := make([]bool, len(list.Elems))
	for i := range int(places.count()) {
		gone[places.At(i)] = true
	}
	left := make([]Value, 0, len(list.Elems))
	for i, v := range list.Elems {
		if !gone[i] {
			left = append(left, v)
		}
	}
	list.Elems = left
	return nil
}

// DelItem does del v[index] for a list or dict.
func DelItem(v, index Value) error {
	switch x := v.(type) {
	case *Dict:
		_, ok, err := x.Delete(index)
		if err == nil && !ok {
			err = Errorf("KeyError", "%s", Repr(index))
		}
		return err
	case *List:
		if s, ok := unbox(index).(Slice); ok {
			return delSlice(x, s)
		}
		if !isInt(unbox(index)) {
			return typeError("list indices must be integers, not %s", TypeName(index))
		}
		i, err := elemIndex(v, unbox(index), len(x.Elems))
		if err != nil {
			return Errorf("IndexError", "list assignment index out of range")
		}
		x.Elems = append(x.Elems[:i:i], x.Elems[i+1:]...)
		return nil
	}
	return typeError("'%s' object doesn't support item deletion", TypeName(v))
}

// Strings hold UTF-8 in which a lone surrogate stands in the three bytes that it would have
// (WTF-8), so that every str has one form.

// runes gives the code points, surrogates included.
func runes(s string) []rune {
	out := make([]rune, 0, len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			r, size = surrogate(s[i:])
		}
		out = append(out, r)
		i += size
	}
	return out
}

// surrogate decodes the three bytes of a surrogate; any other byte stands for itself.
func surrogate(s string) (rune, int) {
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2] >= 0x80 && s[2] <= 0xBF {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return rune(s[0]), 1
}

func encodeRunes(rs ...rune) string {
	buf := make([]byte, 0, len(rs))
	for _, r := range rs {
		if r >= 0xD800 && r <= 0xDFFF {
			buf = append(buf, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			continue
		}
		buf = utf8.AppendRune(buf, r)
	}
	return string(buf)
}

func runeCount(s string) int {
	if utf8.ValidString(s) {
		return utf8.RuneCountInString(s)
	}
	return len(runes(s))
}
