package pyval

import (
	"iter"
	"math"
	"math/big"
	"reflect"
	"slices"
)

// A Dict is a dict: keys in the order they were first set. The zero Dict is empty.
type Dict struct {
	entries []entry
	index   map[any]int // from a key's hash form to its place in entries
}

type entry struct {
	key, value Value
	live       bool
}

// Len gives the number of keys.
func (d *Dict) Len() int { return len(d.index) }

// Get gives what a key is bound to. It fails if the key cannot be hashed.
func (d *Dict) Get(key Value) (v Value, ok bool, err error) {
	h, err := hashKey(key)
	if err != nil {
		return nil, false, err
	}
	i, ok := d.index[h]
	if !ok {
		return nil, false, nil
	}
	return d.entries[i].value, true, nil
}

// Set binds a key. It fails if the key cannot be hashed or the dict is full.
func (d *Dict) Set(key, value Value) error {
	h, err := hashKey(key)
	if err != nil {
		return err
	}
	if i, ok := d.index[h]; ok {
		d.entries[i].value = value
		return nil
	}
	if len(d.index) >= MaxLen {
		return tooLarge("dict")
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[h] = len(d.entries)
	d.entries = append(d.entries, entry{key, value, true})
	return nil
}

// Delete removes a key and gives what it was bound to.
func (d *Dict) Delete(key Value) (v Value, ok bool, err error) {
	h, err := hashKey(key)
	if err != nil {
		return nil, false, err
	}
	i, ok := d.index[h]
	if !ok {
		return nil, false, nil
	}
	v = d.entries[i].value
	d.entries[i] = entry{}
	delete(d.index, h)
	if len(d.entries) > 2*len(d.index)+8 {
		d.compact()
	}
	return v, true, nil
}

// compact drops the places of deleted keys.
func (d *Dict) compact() {
	moved := make([]int, len(d.entries))
	live := d.entries[:0:0]
	for i, e := range d.entries {
		moved[i] = len(live)
		if e.live {
			live = append(live, e)
		}
	}
	for h, i := range d.index {
		d.index[h] = moved[i]
	}
	d.entries = live
}

// All goes through the keys and values in order.
func (d *Dict) All() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		for _, e := range d.entries {
			if e.live && !yield(e.key, e.value) {
				return
			}
		}
	}
}

// Keys gives the keys in order.
func (d *Dict) Keys() []Value {
	out := make([]Value, 0, d.Len())
	for k := range d.All() {
		out = append(out, k)
	}
	return out
}

// Values gives the values in the order of their keys.
func (d *Dict) Values() []Value {
	out := make([]Value, 0, d.Len())
	for _, v := range d.All() {
		out = append(out, v)
	}
	return out
}

// Copy gives a dict with the same keys and values.
func (d *Dict) Copy() *Dict {
	out := &Dict{entries: append([]entry(nil), d.entries...), index: make(map[any]int, len(d.index))}
	for h, i := range d.index {
		out.index[h] = i
	}
	return out
}

// Update sets all keys of other.
func (d *Dict) Update(other *Dict) error {
	for k, v := range other.Copy().All() {
		if err := d.Set(k, v); err != nil {
			return err
		}
	}
	return nil
}

// A Set is a set or frozenset; its elements come in the order they were added.
type Set struct {
	Frozen bool
	d      Dict
}

// Len gives the number of elements.
func (s *Set) Len() int { return s.d.Len() }

// Has reports whether v is an element. It fails if v cannot be hashed.
func (s *Set) Has(v Value) (bool, error) {
	_, ok, err := s.d.Get(v)
	return ok, err
}

// Add puts v in. It fails if v cannot be hashed.
func (s *Set) Add(v Value) error {
	if ok, err := s.Has(v); ok || err != nil {
		return err
	}
	return s.d.Set(v, None)
}

// Copy gives a set with the same elements.
func (s *Set) Copy() *Set { return &Set{Frozen: s.Frozen, d: *s.d.Copy()} }

// Elems gives the elements.
func (s *Set) Elems() []Value { return s.d.Keys() }

// Hash forms that are no values themselves.
type (
	bigKey  string
	pairKey struct{ first, rest any } // a tuple, as a chain
	endKey  struct{}
)

// maxKeyElems bounds the elements, of all levels, of a tuple that is a key.
const maxKeyElems = 1 << 6

// hashKey gives a Go value that is equal for equal keys: 1, 1.0 and True have one.
func hashKey(v Value) (any, error) {
	w := walk{left: maxKeyElems}
	return w.hashKey(v, 0)
}

func (w *walk) hashKey(v Value, depth int) (any, error) {
	if err := w.step(depth); err != nil {
		return nil, err
	}
	switch v := unbox(v).(type) {
	case bool:
		return boolInt(v), nil
	case float64:
		return floatKey(v), nil
	case *big.Int:
		return bigKey(v.Text(62)), nil
	case Tuple:
		var key any = endKey{}
		for _, e := range slices.Backward(v.Elems) {
			h, err := w.hashKey(e, depth+1)
			if err != nil {
				return nil, err
			}
			key = pairKey{h, key}
		}
		return key, nil
	case *List, *Dict:
		return nil, typeError("unhashable type: '%s'", TypeName(v))
	case *Set:
		if !v.Frozen {
			return nil, typeError("unhashable type: 'set'")
		}
		return v, nil
	case Range:
		return v.canonical(), nil
	default:
		if v == nil || !reflect.ValueOf(v).Comparable() {
			return nil, typeError("unhashable type: '%s'", TypeName(v))
		}
		return v, nil
	}
}

// floatKey gives the hash form of the int that f equals, else f.
func floatKey(f float64) any {
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		return f
	}
	n, _ := big.NewFloat(f).Int(nil)
	if n.IsInt64() {
		return n.Int64()
	}
	return bigKey(n.Text(62))
}
