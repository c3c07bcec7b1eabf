package launch

import (
	"encoding/binary"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/fake"
)

// A table finds exactly what was put in, whatever the hashes.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, model := noVariants, map[string]*variant{}
		hash := func(key string) uint64 { return uint64(len(key)) % 3 } // many collide
		for i := range rapid.IntRange(0, 60).Draw(t, "variants") {
			key := rapid.StringN(0, 6, -1).Draw(t, "key")
			if model[key] != nil {
				continue
			}
			v := &variant{key: key, hash: hash(key), number: uint32(i)}
			table, model[key] = table.with(v), v
		}
		if table.n != len(model) {
			t.Fatalf("%d variants, want %d", table.n, len(model))
		}
		for key, v := range model {
			if got := table.find(hash(key), []byte(key)); got != v {
				t.Fatalf("%q: %v", key, got)
			}
		}
		if key := rapid.String().Draw(t, "another"); model[key] == nil && table.find(hash(key), []byte(key)) != nil {
			t.Fatalf("%q is found", key)
		}
	})
}

// A table is bounded. What is used stays; if everything is, the oldest goes.
func TestTableEvicts(t *testing.T) {
	numbered := func(i int) *variant {
		key := binary.LittleEndian.AppendUint32(nil, uint32(i))
		return &variant{key: string(key), hash: mixBytes(0, key), number: uint32(i)}
	}
	find := func(table *table, i int) bool {
		v := numbered(i)
		return table.find(v.hash, []byte(v.key)) != nil
	}
	table := noVariants
	for i := range 3 * maxVariants {
		v := numbered(i)
		v.used.Store(true)
		table = table.with(v)
		if table.n > maxVariants {
			t.Fatalf("%d variants", table.n)
		}
		for _, often := range []int{0, 7} {
			if u := numbered(often); i >= often {
				if w := table.find(u.hash, []byte(u.key)); w != nil {
					w.used.Store(true)
				}
			}
		}
	}
	if !find(table, 3*maxVariants-1) {
		t.Error("the newest is gone")
	}
	if find(table, 100) {
		t.Error("one that was used once is there")
	}
	// When some were not used since the last eviction, these go and no others.
	table = noVariants
	for i := range maxVariants {
		v := numbered(i)
		v.used.Store(i%2 == 0)
		table = table.with(v)
	}
	table = table.with(numbered(maxVariants))
	for i := range maxVariants {
		if find(table, i) != (i%2 == 0) {
			t.Fatalf("variant %d is there: %v", i, find(table, i))
		}
	}
	// What stayed because it was used then is not used since: it goes when the table is full again.
	for i := maxVariants + 1; i < 2*maxVariants; i++ {
		v := numbered(i)
		v.used.Store(i%2 == 0)
		table = table.with(v)
	}
	for i := range maxVariants {
		if find(table, i) {
			t.Fatalf("variant %d was not used for long, and is there", i)
		}
	}
}

// A program that makes a variant for each value compiles again instead of growing without end.
func TestContractVariantsAreBounded(t *testing.T) {
	useCache(t, cache.Options{Off: true})
	f := newFake(t, fake.Options{Discard: true})
	k := kernelFrom(t, "@triton.jit\ndef k(p, K: tl.constexpr):\n    pass\n", "k")
	r := storeOn(t, f.Stream(0), Value{})
	for i := range maxVariants + 50 {
		r.positional[1] = Const(strconv.Itoa(i))
		if err := r.launch(t.Context(), k); err != nil {
			t.Fatal(diag.Detail(err))
		}
	}
	if n := k.Variants(); n > maxVariants {
		t.Errorf("%d variants", n)
	}
}
