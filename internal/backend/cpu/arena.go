package cpu

import "slices"

// An arena assigns byte ranges of a frame. It is used while planning: what has been
// released is given out again, so that the frame holds about what lives at once.
type arena struct {
	free []extent // sorted, disjoint, not adjacent
	high int      // bytes assigned so far
}

type extent struct{ off, size int }

// Tiles start at a cache line; everything else at eight bytes, the widest element.
const (
	wordAlign = 8
	lineAlign = 64
)

func roundUp(n, align int) int { return (n + align - 1) &^ (align - 1) }

// alloc assigns size bytes, first fit.
func (a *arena) alloc(size int) int {
	align := wordAlign
	if size >= lineAlign {
		align = lineAlign
	}
	size = roundUp(size, wordAlign)
	for i, e := range a.free {
		off := roundUp(e.off, align)
		end := e.off + e.size
		if off+size > end {
			continue
		}
		a.free = slices.Delete(a.free, i, i+1)
		a.insert(extent{off + size, end - off - size})
		a.insert(extent{e.off, off - e.off})
		return off
	}
	off := roundUp(a.high, align)
	a.insert(extent{a.high, off - a.high})
	a.high = off + size
	return off
}

// fresh assigns size bytes that were never assigned before.
func (a *arena) fresh(size int) int {
	off := roundUp(a.high, lineAlign)
	a.insert(extent{a.high, off - a.high})
	a.high = off + roundUp(size, wordAlign)
	return off
}

// release takes back what alloc gave for size.
func (a *arena) release(off, size int) { a.insert(extent{off, roundUp(size, wordAlign)}) }

func (a *arena) insert(e extent) {
	if e.size == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(a.free, e.off, func(x extent, off int) int { return x.off - off })
	if i < len(a.free) && e.off+e.size == a.free[i].off {
		e.size += a.free[i].size
		a.free = slices.Delete(a.free, i, i+1)
	}
	if i > 0 && a.free[i-1].off+a.free[i-1].size == e.off {
		a.free[i-1].size += e.size
		return
	}
	a.free = slices.Insert(a.free, i, e)
}
