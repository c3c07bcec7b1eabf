package cache

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestKeyStable: keys are kept on disk, so a change of their encoding has to be meant. Whoever
// means one changes keyDomain with it.
func TestKeyStable(t *testing.T) {
	k := NewKey().Str("target", "cuda:90a").Int("num_warps", 4).Bool("debug", false).
		Float("eps", 1e-5).Bytes("source", []byte("def f(): pass\n")).Sum()
	const want = "2ae1bcf400b429804251cd595274bbef27bd05ca503f96949f3ec8d584ba4fc7"
	if k.String() != want {
		t.Errorf("key %s, want %s", k, want)
	}
}

func TestKeysDiffer(t *testing.T) {
	keys := map[string]Key{
		"nothing":               NewKey().Sum(),
		"ab, c":                 NewKey().Str("x", "ab").Str("x", "c").Sum(),
		"a, bc":                 NewKey().Str("x", "a").Str("x", "bc").Sum(),
		"c, ab":                 NewKey().Str("x", "c").Str("x", "ab").Sum(),
		"abc":                   NewKey().Str("x", "abc").Sum(),
		"label takes the value": NewKey().Str("xa", "bc").Sum(),
		"an empty string":       NewKey().Str("x", "").Sum(),
		"an empty label":        NewKey().Str("", "").Sum(),
		"two empty strings":     NewKey().Str("x", "").Str("x", "").Sum(),
		"empty bytes":           NewKey().Bytes("x", nil).Sum(),
		"bytes":                 NewKey().Bytes("x", []byte("abc")).Sum(),
		"a value like a field":  NewKey().Str("x", "ab\x01x\x01c").Sum(),
		"integer 0":             NewKey().Int("x", 0).Sum(),
		"integer 1":             NewKey().Int("x", 1).Sum(),
		"integer -1":            NewKey().Int("x", -1).Sum(),
		"integer of bytes":      NewKey().Bytes("x", make([]byte, 8)).Sum(),
		"float 0":               NewKey().Float("x", 0).Sum(),
		"float -0":              NewKey().Float("x", math.Copysign(0, -1)).Sum(),
		"float 1":               NewKey().Float("x", 1).Sum(),
		"NaN":                   NewKey().Float("x", math.NaN()).Sum(),
		"another NaN":           NewKey().Float("x", math.Float64frombits(0x7ff8000000000123)).Sum(),
		"false":                 NewKey().Bool("x", false).Sum(),
		"true":                  NewKey().Bool("x", true).Sum(),
	}
	seen := map[Key]string{}
	for name, k := range keys {
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[k] = name
	}
}

// TestSumGoesOn: a Hasher may be asked on the way.
func TestSumGoesOn(t *testing.T) {
	h := NewKey().Str("a", "1")
	first := h.Sum()
	if again := h.Sum(); again != first {
		t.Error("Sum changes the key")
	}
	if h.Int("b", 2).Sum() != NewKey().Str("a", "1").Int("b", 2).Sum() {
		t.Error("fields added after Sum make another key")
	}
}

// A field is one that a Hasher was given.
type field struct {
	kind         byte
	label, value string
	number       int64
}

func (f field) add(h *Hasher) {
	switch f.kind {
	case fieldString:
		h.Str(f.label, f.value)
	case fieldBytes:
		h.Bytes(f.label, []byte(f.value))
	case fieldInt:
		h.Int(f.label, f.number)
	case fieldBool:
		h.Bool(f.label, f.number != 0)
	case fieldFloat:
		h.Float(f.label, math.Float64frombits(uint64(f.number)))
	}
}

// TestKeysInjective: lists of fields have the same key exactly if they are the same list.
func TestKeysInjective(t *testing.T) {
	text := rapid.StringMatching(`[ab\x00\x01s]{0,3}`)
	fields := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) field {
		f := field{kind: rapid.SampledFrom([]byte{fieldString, fieldBytes, fieldInt, fieldBool, fieldFloat}).Draw(t, "kind"), label: text.Draw(t, "label")}
		if f.kind == fieldString || f.kind == fieldBytes {
			f.value = text.Draw(t, "value")
		} else {
			f.number = rapid.Int64Range(0, 1).Draw(t, "number")
		}
		return f
	}), 0, 3)
	seen := map[Key]string{}
	rapid.Check(t, func(t *rapid.T) {
		list := fields.Draw(t, "fields")
		h := NewKey()
		for _, f := range list {
			f.add(h)
		}
		k, name := h.Sum(), fmt.Sprintf("%#v", list)
		if other, ok := seen[k]; ok && other != name {
			t.Fatalf("%s and %s have the same key", name, other)
		}
		seen[k] = name
	})
}
