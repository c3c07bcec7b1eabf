package pyval

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/tegula-lang/tegula/internal/syntax"
)

var intMethods = map[string]method{
	"bit_length": {"", func(self Value, _ arguments) (Value, error) { return int64(bigOf(self).BitLen()), nil }},
	"bit_count": {"", func(self Value, _ arguments) (Value, error) {
		n := 0
		for _, w := range bigOf(self).Bits() {
			n += bits.OnesCount(uint(w))
		}
		return int64(n), nil
	}},
	"conjugate":        {"", func(self Value, _ arguments) (Value, error) { return Int(bigOf(self)), nil }},
	"is_integer":       {"", func(Value, arguments) (Value, error) { return true, nil }},
	"__index__":        {"", func(self Value, _ arguments) (Value, error) { return Int(bigOf(self)), nil }},
	"__int__":          {"", func(self Value, _ arguments) (Value, error) { return Int(bigOf(self)), nil }},
	"as_integer_ratio": {"", func(self Value, _ arguments) (Value, error) { return NewTuple(Int(bigOf(self)), int64(1)), nil }},
}

var floatMethods = map[string]method{
	"is_integer": {"", func(self Value, _ arguments) (Value, error) {
		f := self.(float64)
		return f == math.Trunc(f) && !math.IsInf(f, 0), nil
	}},
	"as_integer_ratio": {"", func(self Value, _ arguments) (Value, error) {
		r := new(big.Rat).SetFloat64(self.(float64))
		if r == nil {
			return nil, valueError("cannot convert %s to integer ratio", reprFloat(self.(float64)))
		}
		return NewTuple(Int(r.Num()), Int(r.Denom())), nil
	}},
	"conjugate": {"", func(self Value, _ arguments) (Value, error) { return self, nil }},
	"hex":       {"", func(self Value, _ arguments) (Value, error) { return floatHex(self.(float64)), nil }},
}

var tupleMethods = map[string]method{
	"index": {"value", func(self Value, a arguments) (Value, error) {
		return indexOf(self.(Tuple).Elems, a.get("value"), "tuple")
	}},
	"count": {"value", func(self Value, a arguments) (Value, error) { return countOf(self.(Tuple).Elems, a.get("value")) }},
}

var listMethods = map[string]method{
	"append":  {"object", listAppend},
	"extend":  {"iterable", listExtend},
	"insert":  {"index object", listInsert},
	"pop":     {"index?", listPop},
	"remove":  {"value", listRemove},
	"clear":   {"", func(self Value, _ arguments) (Value, error) { self.(*List).Elems = nil; return None, nil }},
	"copy":    {"", func(self Value, _ arguments) (Value, error) { return &List{slices.Clone(self.(*List).Elems)}, nil }},
	"reverse": {"", func(self Value, _ arguments) (Value, error) { slices.Reverse(self.(*List).Elems); return None, nil }},
	"index": {"value", func(self Value, a arguments) (Value, error) {
		return indexOf(self.(*List).Elems, a.get("value"), "list")
	}},
	"count": {"value", func(self Value, a arguments) (Value, error) { return countOf(self.(*List).Elems, a.get("value")) }},
	"sort": {"* key reverse", func(self Value, a arguments) (Value, error) {
		sorted, err := sortElems(self.(*List).Elems, a)
		if err == nil {
			self.(*List).Elems = sorted
		}
		return None, err
	}},
}

func listAppend(self Value, a arguments) (Value, error) {
	l := self.(*List)
	if len(l.Elems) >= MaxLen {
		return nil, tooLarge("list")
	}
	l.Elems = append(l.Elems, a.get("object"))
	return None, nil
}

func listExtend(self Value, a arguments) (Value, error) {
	more, err := Iter(a.get("iterable"))
	if err != nil {
		return nil, err
	}
	l := self.(*List)
	l.Elems, err = join(l.Elems, more)
	return None, err
}

func listInsert(self Value, a arguments) (Value, error) {
	l := self.(*List)
	i, ok := AsInt(a.get("index"))
	if !ok {
		return nil, typeError("'%s' object cannot be interpreted as an integer", TypeName(a.get("index")))
	}
	if len(l.Elems) >= MaxLen {
		return nil, tooLarge("list")
	}
	n := int64(len(l.Elems))
	if i < 0 {
		i = max(0, i+n)
	}
	l.Elems = slices.Insert(slices.Clone(l.Elems), int(min(i, n)), a.get("object"))
	return None, nil
}

func listPop(self Value, a arguments) (Value, error) {
	l := self.(*List)
	if len(l.Elems) == 0 {
		return nil, Errorf("IndexError", "pop from empty list")
	}
	i, err := elemIndex(l, a.or("index", int64(-1)), len(l.Elems))
	if err != nil {
		return nil, Errorf("IndexError", "pop index out of range")
	}
	v := l.Elems[i]
	if i == len(l.Elems)-1 {
		l.Elems = l.Elems[:i:i]
		return v, nil
	}
	l.Elems = slices.Delete(slices.Clone(l.Elems), i, i+1)
	return v, nil
}

func listRemove(self Value, a arguments) (Value, error) {
	l := self.(*List)
	i, err := find(l.Elems, a.get("value"))
	if err != nil {
		return nil, err
	}
	if i < 0 {
		return nil, valueError("list.remove(x): x not in list")
	}
	l.Elems = slices.Delete(slices.Clone(l.Elems), i, i+1)
	return None, nil
}

// find gives the place of the first element equal to v, or -1.
func find(elems []Value, v Value) (int, error) {
	w := walkAmong(len(elems))
	for i, e := range elems {
		eq, err := w.equal(e, v, 0)
		if err != nil {
			return -1, err
		}
		if eq {
			return i, nil
		}
	}
	return -1, nil
}

func indexOf(elems []Value, v Value, typ string) (Value, error) {
	i, err := find(elems, v)
	if err == nil && i < 0 {
		if typ == "list" {
			return nil, valueError("%s is not in list", Repr(v))
		}
		return nil, valueError("tuple.index(x): x not in tuple")
	}
	return int64(i), err
}

func countOf(elems []Value, v Value) (Value, error) {
	n := int64(0)
	w := walkAmong(len(elems))
	for _, e := range elems {
		eq, err := w.equal(e, v, 0)
		if err != nil {
			return nil, err
		}
		n += boolInt(eq)
	}
	return n, nil
}

var dictMethods = map[string]method{
	"keys":   {"", func(self Value, _ arguments) (Value, error) { return &List{self.(*Dict).Keys()}, nil }},
	"values": {"", func(self Value, _ arguments) (Value, error) { return &List{self.(*Dict).Values()}, nil }},
	"items":  {"", func(self Value, _ arguments) (Value, error) { return &List{self.(*Dict).items()}, nil }},
	"copy":   {"", func(self Value, _ arguments) (Value, error) { return self.(*Dict).Copy(), nil }},
	"clear":  {"", func(self Value, _ arguments) (Value, error) { *self.(*Dict) = Dict{}; return None, nil }},
	"get": {"key default?", func(self Value, a arguments) (Value, error) {
		v, ok, err := self.(*Dict).Get(a.get("key"))
		if err == nil && !ok {
			v = a.or("default", None)
		}
		return v, err
	}},
	"setdefault": {"key default?", func(self Value, a arguments) (Value, error) {
		d, key := self.(*Dict), a.get("key")
		v, ok, err := d.Get(key)
		if err != nil || ok {
			return v, err
		}
		v = a.or("default", None)
		return v, d.Set(key, v)
	}},
	"popitem": {"", func(self Value, _ arguments) (Value, error) {
		d := self.(*Dict)
		keys := d.Keys()
		if len(keys) == 0 {
			return nil, Errorf("KeyError", "'popitem(): dictionary is empty'")
		}
		last := keys[len(keys)-1]
		v, _, err := d.Delete(last)
		return NewTuple(last, v), err
	}},
	"pop": {"key default?", func(self Value, a arguments) (Value, error) {
		v, ok, err := self.(*Dict).Delete(a.get("key"))
		if err == nil && !ok {
			if v = a.get("default"); v == nil {
				return nil, Errorf("KeyError", "%s", Repr(a.get("key")))
			}
		}
		return v, err
	}},
	"update": {"other? **", func(self Value, a arguments) (Value, error) {
		more, err := makeDict(a.get("other"), a.extra)
		if err != nil {
			return nil, err
		}
		return None, self.(*Dict).Update(more)
	}},
}

func (d *Dict) items() []Value {
	out := make([]Value, 0, d.Len())
	for k, v := range d.All() {
		out = append(out, NewTuple(k, v))
	}
	return out
}

var setMethods = map[string]method{
	"add": {"elem", func(self Value, a arguments) (Value, error) {
		if self.(*Set).Frozen {
			return nil, Errorf("AttributeError", "'frozenset' object has no attribute 'add'")
		}
		return None, self.(*Set).Add(a.get("elem"))
	}},
	"discard": {"elem", func(self Value, a arguments) (Value, error) {
		_, err := setDelete(self, "discard", a.get("elem"))
		return None, err
	}},
	"remove": {"elem", func(self Value, a arguments) (Value, error) {
		ok, err := setDelete(self, "remove", a.get("elem"))
		if err == nil && !ok {
			err = Errorf("KeyError", "%s", Repr(a.get("elem")))
		}
		return None, err
	}},
	"clear": {"", func(self Value, _ arguments) (Value, error) {
		if err := thawed(self, "clear"); err != nil {
			return nil, err
		}
		self.(*Set).d = Dict{}
		return None, nil
	}},
	"update":                      {"*", intoSet("update", syntax.BitOr)},
	"difference_update":           {"*", intoSet("difference_update", syntax.Sub)},
	"intersection_update":         {"*", intoSet("intersection_update", syntax.BitAnd)},
	"symmetric_difference_update": {"*", intoSet("symmetric_difference_update", syntax.BitXor)},
	"symmetric_difference":        {"*", onSets(syntax.BitXor)},
	"isdisjoint": {"other", func(self Value, a arguments) (Value, error) {
		common, err := onSets(syntax.BitAnd)(self, arguments{rest: []Value{a.get("other")}})
		if err != nil {
			return nil, err
		}
		return common.(*Set).Len() == 0, nil
	}},
	"copy": {"", func(self Value, _ arguments) (Value, error) {
		return makeSet(self, self.(*Set).Frozen)
	}},
	"union":        {"*", onSets(syntax.BitOr)},
	"intersection": {"*", onSets(syntax.BitAnd)},
	"difference":   {"*", onSets(syntax.Sub)},
	"issubset": {"other", func(self Value, a arguments) (Value, error) {
		other, err := makeSet(a.get("other"), false)
		if err != nil {
			return nil, err
		}
		return subset(self.(*Set), other)
	}},
	"issuperset": {"other", func(self Value, a arguments) (Value, error) {
		other, err := makeSet(a.get("other"), false)
		if err != nil {
			return nil, err
		}
		return subset(other, self.(*Set))
	}},
}

func onSets(op syntax.Op) func(Value, arguments) (Value, error) {
	return func(self Value, a arguments) (Value, error) {
		out := self
		for _, v := range a.rest {
			other, err := makeSet(v, false)
			if err != nil {
				return nil, err
			}
			if out, err = setBinary(op, out, other); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// intoSet gives the method that leaves what onSets gives in the set.
func intoSet(name string, op syntax.Op) func(Value, arguments) (Value, error) {
	return func(self Value, a arguments) (Value, error) {
		if err := thawed(self, name); err != nil {
			return nil, err
		}
		out, err := onSets(op)(self, a)
		if err != nil {
			return nil, err
		}
		self.(*Set).d = out.(*Set).Copy().d
		return None, nil
	}
}

// thawed fails if a set cannot be changed.
func thawed(self Value, name string) error {
	if self.(*Set).Frozen {
		return Errorf("AttributeError", "'frozenset' object has no attribute '%s'", name)
	}
	return nil
}

func setDelete(self Value, name string, elem Value) (bool, error) {
	if err := thawed(self, name); err != nil {
		return false, err
	}
	_, ok, err := self.(*Set).d.Delete(elem)
	return ok, err
}
