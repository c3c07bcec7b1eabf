package pyval

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// LookupBuiltin gives a function or class of Python's builtins, the same one each time.
func LookupBuiltin(name string) (v Value, ok bool) {
	if c, ok := classes[name]; ok {
		return c, true
	}
	if b, ok := builtins[name]; ok {
		return b, true
	}
	return nil, false
}

type builtin struct {
	sig string
	fn  func(a arguments) (Value, error)
}

var builtins = make(map[string]*Builtin)

func init() { // the functions call through the table
	for name, b := range map[string]builtin{
		"abs":       {"x", func(a arguments) (Value, error) { return absValue(a.get("x")) }},
		"all":       {"iterable", func(a arguments) (Value, error) { return quantify(a.get("iterable"), true) }},
		"any":       {"iterable", func(a arguments) (Value, error) { return quantify(a.get("iterable"), false) }},
		"ascii":     {"obj", func(a arguments) (Value, error) { return asciiRepr(a.get("obj")), nil }},
		"bin":       {"x", func(a arguments) (Value, error) { return radix(a.get("x"), 'b') }},
		"callable":  {"obj", func(a arguments) (Value, error) { _, ok := a.get("obj").(Callable); return ok, nil }},
		"chr":       {"i", func(a arguments) (Value, error) { return valueOrError(chr(a.get("i"))) }},
		"divmod":    {"a b", func(a arguments) (Value, error) { return divmod(a.get("a"), a.get("b")) }},
		"enumerate": {"iterable start?", enumerate},
		"filter":    {"function iterable", filter},
		"format": {"value spec?", func(a arguments) (Value, error) {
			return valueOrError(Format(a.get("value"), -1, Str(a.or("spec", ""))))
		}},
		"getattr":    {"obj name default?", getattr},
		"hasattr":    {"obj name", hasattr},
		"hex":        {"x", func(a arguments) (Value, error) { return radix(a.get("x"), 'x') }},
		"isinstance": {"obj class", func(a arguments) (Value, error) { return boolOrError(IsInstance(a.get("obj"), a.get("class"))) }},
		"len": {"obj", func(a arguments) (Value, error) {
			n, err := Len(a.get("obj"))
			return int64(n), err
		}},
		"map":      {"function *", mapFunction},
		"max":      {"* key default", func(a arguments) (Value, error) { return extreme("max", syntax.Gt, a) }},
		"min":      {"* key default", func(a arguments) (Value, error) { return extreme("min", syntax.Lt, a) }},
		"oct":      {"x", func(a arguments) (Value, error) { return radix(a.get("x"), 'o') }},
		"ord":      {"c", ord},
		"pow":      {"base exp mod?", power},
		"repr":     {"obj", func(a arguments) (Value, error) { return Repr(a.get("obj")), nil }},
		"reversed": {"sequence", reversed},
		"round":    {"number ndigits?", func(a arguments) (Value, error) { return round(a.get("number"), a.or("ndigits", None)) }},
		"sorted": {"iterable * key reverse", func(a arguments) (Value, error) {
			elems, err := Iter(a.get("iterable"))
			if err != nil {
				return nil, err
			}
			elems, err = sortElems(elems, a)
			return &List{elems}, err
		}},
		"sum": {"iterable start?", sum},
		"zip": {"* strict", zip},
	} {
		builtins[name] = &Builtin{Name: name, sig: b.sig, fn: b.fn}
	}
}

func boolOrError(b bool, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	return b, nil
}

func absValue(v Value) (Value, error) {
	v = unbox(v)
	if f, ok := v.(float64); ok {
		return math.Abs(f), nil
	}
	if !isInt(v) {
		return nil, typeError("bad operand type for abs(): '%s'", TypeName(v))
	}
	return Int(new(big.Int).Abs(bigOf(v))), nil
}

// quantify is all and any: it looks for an element whose truth is not want.
func quantify(v Value, want bool) (Value, error) {
	elems, err := Iter(v)
	if err != nil {
		return nil, err
	}
	for _, e := range elems {
		t, err := Truth(e)
		if err != nil {
			return nil, err
		}
		if t != want {
			return t, nil
		}
	}
	return want, nil
}

func radix(v Value, typ byte) (Value, error) {
	v = unbox(v)
	if !isInt(v) {
		return nil, typeError("'%s' object cannot be interpreted as an integer", TypeName(v))
	}
	return valueOrError(formatSpec{fill: ' ', precision: -1, alternate: true, typ: typ}.formatInt(Int(bigOf(v))))
}

func chr(v Value) (string, error) {
	n, ok := AsInt(v)
	if !ok {
		return "", typeError("'%s' object cannot be interpreted as an integer", TypeName(v))
	}
	if n < 0 || n > 0x10ffff {
		return "", valueError("chr() arg not in range(0x110000)")
	}
	return encodeRunes(rune(n)), nil
}

func ord(a arguments) (Value, error) {
	s, ok := unbox(a.get("c")).(string)
	if !ok {
		return nil, typeError("ord() expected string of length 1, but %s found", TypeName(a.get("c")))
	}
	rs := runes(s)
	if len(rs) != 1 {
		return nil, typeError("ord() expected a character, but string of length %d found", len(rs))
	}
	return int64(rs[0]), nil
}

func divmod(a, b Value) (Value, error) {
	q, err := Binary(syntax.FloorDiv, a, b)
	if err != nil {
		return nil, err
	}
	r, err := Binary(syntax.Mod, a, b)
	return NewTuple(q, r), err
}

func enumerate(a arguments) (Value, error) {
	elems, err := Iter(a.get("iterable"))
	if err != nil {
		return nil, err
	}
	start, ok := AsInt(a.or("start", int64(0)))
	if !ok {
		return nil, typeError("'%s' object cannot be interpreted as an integer", TypeName(a.get("start")))
	}
	out := make([]Value, len(elems))
	for i, e := range elems {
		out[i] = NewTuple(start+int64(i), e)
	}
	return &List{out}, nil
}

// call calls any callable value.
func call(f Value, args ...Value) (Value, error) {
	c, ok := f.(Callable)
	if !ok {
		return nil, typeError("'%s' object is not callable", TypeName(f))
	}
	return c.Call(args, nil)
}

func filter(a arguments) (Value, error) {
	elems, err := Iter(a.get("iterable"))
	if err != nil {
		return nil, err
	}
	out := &List{}
	for _, e := range elems {
		keep := e
		if f := a.get("function"); f != None {
			if keep, err = call(f, e); err != nil {
				return nil, err
			}
		}
		if t, err := Truth(keep); err != nil {
			return nil, err
		} else if t {
			out.Elems = append(out.Elems, e)
		}
	}
	return out, nil
}

// rows gives the elements of several iterables side by side, as many as the shortest has.
func rows(iterables []Value) ([][]Value, error) {
	if len(iterables) == 0 {
		return nil, nil
	}
	columns := make([][]Value, len(iterables))
	n := MaxLen
	for i, it := range iterables {
		var err error
		if columns[i], err = Iter(it); err != nil {
			return nil, err
		}
		n = min(n, len(columns[i]))
	}
	if n*len(columns) > MaxLen {
		return nil, tooLarge("zip")
	}
	out := make([][]Value, n)
	for r := range out {
		row := make([]Value, len(columns))
		for c := range columns {
			row[c] = columns[c][r]
		}
		out[r] = row
	}
	return out, nil
}

func mapFunction(a arguments) (Value, error) {
	in, err := rows(a.rest)
	if err != nil {
		return nil, err
	}
	out := make([]Value, len(in))
	for i, row := range in {
		if out[i], err = call(a.get("function"), row...); err != nil {
			return nil, err
		}
	}
	return &List{out}, nil
}

func zip(a arguments) (Value, error) {
	in, err := rows(a.rest)
	if err != nil {
		return nil, err
	}
	if strict, err := Truth(a.or("strict", false)); err != nil {
		return nil, err
	} else if strict {
		for i, it := range a.rest {
			if n, err := Len(it); err == nil && n != len(in) {
				return nil, valueError("zip() arguments differ in length at argument %d", i+1)
			}
		}
	}
	out := make([]Value, len(in))
	for i, row := range in {
		out[i] = Tuple{Elems: row}
	}
	return &List{out}, nil
}

// extreme is max and min: better is the comparison that makes an element replace the best so far.
func extreme(name string, better syntax.Op, a arguments) (Value, error) {
	elems := a.rest
	if len(elems) == 0 {
		return nil, typeError("%s expected at least 1 argument, got 0", name)
	}
	if len(elems) == 1 {
		var err error
		if elems, err = Iter(elems[0]); err != nil {
			return nil, err
		}
		if len(elems) == 0 {
			if d := a.get("default"); d != nil {
				return d, nil
			}
			return nil, valueError("%s() arg is an empty sequence", name)
		}
	}
	keys, err := sortKeys(elems, a.or("key", None))
	if err != nil {
		return nil, err
	}
	best, w := 0, walkAmong(len(elems))
	for i := 1; i < len(elems); i++ {
		wins, err := w.compare(better, keys[i], keys[best])
		if err != nil {
			return nil, err
		}
		if wins {
			best = i
		}
	}
	return elems[best], nil
}

func sortKeys(elems []Value, key Value) ([]Value, error) {
	if key == None {
		return elems, nil
	}
	out := make([]Value, len(elems))
	for i, e := range elems {
		var err error
		if out[i], err = call(key, e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sortElems gives the elements in order, by key and reverse of a; equal ones keep their order.
func sortElems(elems []Value, a arguments) ([]Value, error) {
	keys, err := sortKeys(elems, a.or("key", None))
	if err != nil {
		return nil, err
	}
	reverse, err := Truth(a.or("reverse", false))
	if err != nil {
		return nil, err
	}
	order := make([]int, len(elems))
	for i := range order {
		order[i] = i
	}
	w := walkAmong(len(elems))
	less := func(i, j int) (lt bool) {
		if err == nil {
			lt, err = w.compare(syntax.Lt, keys[i], keys[j])
		}
		return lt
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if reverse {
			i, j = j, i
		}
		switch {
		case less(i, j):
			return -1
		case less(j, i):
			return 1
		}
		return 0
	})
	out := make([]Value, len(elems))
	for i, j := range order {
		out[i] = elems[j]
	}
	return out, err
}

func power(a arguments) (Value, error) {
	if a.or("mod", None) == None {
		return Binary(syntax.Pow, a.get("base"), a.get("exp"))
	}
	base, exp, mod := unbox(a.get("base")), unbox(a.get("exp")), unbox(a.get("mod"))
	if !isInt(base) || !isInt(exp) || !isInt(mod) {
		return nil, typeError("pow() 3rd argument not allowed unless all arguments are integers")
	}
	b, e, m := bigOf(base), bigOf(exp), bigOf(mod)
	if m.Sign() == 0 {
		return nil, valueError("pow() 3rd argument cannot be 0")
	}
	if e.BitLen() > 1<<9 || m.BitLen() > 1<<9 {
		return nil, tooLarge("an operand of pow()")
	}
	r := new(big.Int).Exp(b, e, new(big.Int).Abs(m))
	if r == nil {
		return nil, valueError("base is not invertible for the given modulus")
	}
	_, r = floorDivMod(r, m)
	return Int(r), nil
}

func reversed(a arguments) (Value, error) {
	v := unbox(a.get("sequence"))
	if _, ok := v.(*Set); ok {
		return nil, typeError("'%s' object is not reversible", TypeName(v))
	}
	elems, err := Iter(v)
	if err != nil {
		return nil, err
	}
	elems = slices.Clone(elems)
	slices.Reverse(elems)
	return &List{elems}, nil
}

func sum(a arguments) (Value, error) {
	elems, err := Iter(a.get("iterable"))
	if err != nil {
		return nil, err
	}
	total := a.or("start", int64(0))
	if _, ok := total.(string); ok {
		return nil, typeError("sum() can't sum strings [use ''.join(seq) instead]")
	}
	left := MaxLen // of elements that sums of sequences copy
	for _, e := range elems {
		if total, err = Binary(syntax.Add, total, e); err != nil {
			return nil, err
		}
		if !isNumber(total) {
			n, _ := Len(total)
			if left -= n; left < 0 {
				return nil, tooLarge("sum")
			}
		}
	}
	return total, nil
}

func round(v, digits Value) (Value, error) {
	v = unbox(v)
	n, ok := AsInt(digits)
	if !ok && digits != None {
		return nil, typeError("'%s' object cannot be interpreted as an integer", TypeName(digits))
	}
	switch x := v.(type) {
	case float64:
		if digits == None {
			return floatInt(math.RoundToEven(x))
		}
		return roundFloat(x, n), nil
	case bool, int64, *big.Int:
		if digits == None || n >= 0 {
			return Int(bigOf(v)), nil
		}
		return roundInt(bigOf(v), -n), nil
	}
	return nil, typeError("type %s doesn't define __round__ method", TypeName(v))
}

// roundFloat rounds to n decimals: the float nearest to the decimal nearest to f, ties to even.
func roundFloat(f float64, n int64) float64 {
	switch {
	case f == 0 || math.IsInf(f, 0) || math.IsNaN(f) || n > 323:
		return f
	case n < -308:
		return math.Copysign(0, f)
	}
	if n < 0 {
		// The integer part rounded, with the fraction as a sticky bit: twice the integer, plus one.
		whole, _ := big.NewFloat(math.Trunc(f)).Int(nil)
		whole.Lsh(whole, 1)
		if f != math.Trunc(f) {
			whole.Add(whole, big.NewInt(int64(math.Copysign(1, f))))
		}
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-n), nil)
		q := divRound(whole, new(big.Int).Lsh(unit, 1))
		r, _ := new(big.Float).SetInt(q.Mul(q, unit)).Float64()
		return math.Copysign(math.Abs(r), f)
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(n), 64), 64)
	if err != nil {
		return f
	}
	return r
}

// roundInt rounds to a multiple of 10**n, ties to even.
func roundInt(x *big.Int, n int64) Value {
	if n > MaxIntBits/3 {
		return int64(0)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil)
	q := divRound(x, unit)
	return Int(q.Mul(q, unit))
}

// divRound gives x / y to the nearest integer, ties to even; y > 0.
func divRound(x, y *big.Int) *big.Int {
	q, r := floorDivMod(x, y)
	switch c := new(big.Int).Lsh(r, 1).Cmp(y); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	return q
}

func getattr(a arguments) (Value, error) {
	name, ok := a.get("name").(string)
	if !ok {
		return nil, typeError("attribute name must be string, not '%s'", TypeName(a.get("name")))
	}
	v, ok, err := GetAttr(a.get("obj"), name)
	if err != nil || ok {
		return v, err
	}
	if d := a.get("default"); d != nil {
		return d, nil
	}
	return nil, Errorf("AttributeError", "'%s' object has no attribute '%s'", TypeName(a.get("obj")), name)
}

func hasattr(a arguments) (Value, error) {
	name, ok := a.get("name").(string)
	if !ok {
		return nil, typeError("attribute name must be string, not '%s'", TypeName(a.get("name")))
	}
	_, ok, err := GetAttr(a.get("obj"), name)
	return ok, err
}

// GetAttr gives an attribute of a Python value or of an object with attributes.
func GetAttr(v Value, name string) (attr Value, ok bool, err error) {
	if o, isObject := v.(Attrer); isObject {
		if attr, ok, err = o.Attr(name); ok || err != nil {
			return attr, ok, err
		}
	}
	attr, ok = Attr(v, name)
	return attr, ok, nil
}

// floatHex is float.hex.
func floatHex(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return reprFloat(f)
	}
	sign := ""
	if math.Signbit(f) {
		sign, f = "-", -f
	}
	if f == 0 {
		return sign + "0x0.0p+0"
	}
	b := math.Float64bits(f)
	lead, exp := "1", int(b>>52)-1023
	if exp == -1023 {
		lead, exp = "0", -1022
	}
	mark := "+"
	if exp < 0 {
		mark = ""
	}
	return sign + "0x" + lead + "." + pad(strconv.FormatUint(b&(1<<52-1), 16), 13) + "p" + mark + strings.TrimSpace(strconv.Itoa(exp))
}

// BuiltinNames gives the names of Python's builtins that LookupBuiltin knows, sorted.
func BuiltinNames() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range builtins {
			if !yield(name) {
				return
			}
		}
		for name := range classes {
			if !yield(name) {
				return
			}
		}
	})
}
