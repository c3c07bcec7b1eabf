package launch

import "slices"

// maxVariants bounds the variants of a kernel that a device holds. A program that makes one for
// every value of a constant then compiles again instead of growing without end.
const maxVariants = 1024

// A table finds variants by their keys. It never changes: a variant is added by putting a larger
// table in its place, so that looking one up takes no lock. Slots are probed one after another;
// at most half of them are taken.
type table struct {
	slots []slot // a power of two
	n     int
}

type slot struct {
	hash    uint64
	variant *variant // nil if the slot is free
}

var noVariants = &table{slots: make([]slot, 1)}

// find gives the variant of a key, or nil.
func (t *table) find(hash uint64, key []byte) *variant {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.variant == nil {
			return nil
		}
		if s.hash == hash && string(key) == s.variant.key {
			return s.variant
		}
	}
}

// with gives a table that has another variant too. If there are too many, those go that were not
// used since the last time that some had to go: all of them, or if they were all used, the half
// that was made first.
func (t *table) with(v *variant) *table {
	list := t.list()
	if len(list) >= maxVariants {
		list = survivors(list)
	}
	return newTable(append(list, v))
}

// list gives the variants in the order in which they were made.
func (t *table) list() []*variant {
	list := make([]*variant, 0, t.n+1)
	for _, s := range t.slots {
		if s.variant != nil {
			list = append(list, s.variant)
		}
	}
	slices.SortFunc(list, func(a, b *variant) int { return int(a.number) - int(b.number) })
	return list
}

// survivors chooses what stays of a full table.
func survivors(list []*variant) []*variant {
	kept := make([]*variant, 0, len(list))
	for _, v := range list {
		if v.used.Swap(false) {
			kept = append(kept, v)
		}
	}
	if len(kept) >= maxVariants {
		kept = kept[len(kept)/2:]
	}
	return kept
}

func newTable(list []*variant) *table {
	size := 4
	for size < 2*len(list) {
		size *= 2
	}
	t := &table{slots: make([]slot, size), n: len(list)}
	mask := uint64(size - 1)
	for _, v := range list {
		i := v.hash & mask
		for t.slots[i].variant != nil {
			i = (i + 1) & mask
		}
		t.slots[i] = slot{v.hash, v}
	}
	return t
}
