package lower

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// exchanged gives the elements of what is held that a view asks for, if the plan from one layout to the other has threads' own registers and
// shuffles do it.
func (l *lowerer) exchanged(v *tile.Value, h *held, w *view) ([]*lir.Value, bool) {
	if len(w.loop) > 0 || w.base != h.in.base {
		return nil, false
	}
	n := v.Type.LogElems()
	from, ok := h.in.whole(n)
	if !ok {
		return nil, false
	}
	to, ok := w.whole(n)
	if !ok {
		return nil, false
	}
	elem := v.Type.ElemBits()
	if v.Type.IsBool() {
		elem = 32 // a shuffle moves a word for each
	}
	c, ok := layout.WithinWarps(from, to, elem)
	if !ok {
		return nil, false
	}
	if c.Kind == layout.Shuffles {
		return l.runShuffle(c.Shuffle, h.regs, w.size()), true
	}
	out := make([]*lir.Value, w.size())
	for r := range out {
		out[r] = h.regs[c.Register(r)]
	}
	return out, true
}

// whole gives a view as a layout, if it reaches all elements.
func (v *view) whole(n int) (layout.Layout, bool) {
	lay, err := layout.New(n, [layout.NumIns][]uint64{wide(v.regs), wide(v.lane), wide(v.warp), nil})
	return lay, err == nil && v.counter == nil
}

// runShuffle carries out a plan of shuffles, which leaves n registers.
func (l *lowerer) runShuffle(s *layout.Shuffle, regs []*lir.Value, n int) []*lir.Value {
	width := 1 << bits.OnesCount64(s.PackFrom)
	words := make([]*lir.Value, len(regs)/width)
	for i := range words {
		words[i] = l.joined(someOf(regs, uint32(s.PackFrom), i, width))
	}
	l.swapWords(words, s.Before)
	read := make([]*lir.Value, len(s.Rounds))
	for i, r := range s.Rounds {
		read[i] = l.round(s, r, words[r.Word])
	}
	got := make([]*lir.Value, len(s.Round))
	for i, r := range s.Round {
		got[i] = read[r]
	}
	l.swapWords(got, s.After)
	out := make([]*lir.Value, n)
	for i, word := range got {
		parts := l.parted(word, width, regs[0].Type)
		for e, r := range numbers(len(out), uint32(s.PackTo), i, width) {
			out[r] = parts[e]
		}
	}
	return out
}

// numbers gives the registers, of n, of word i: those that differ in the bits of mask only.
func numbers(n int, mask uint32, i, width int) []int {
	out := make([]int, width)
	for e := range out {
		out[e] = int(layout.Deposit(uint32(i), uint32(n-1)&^mask) | layout.Deposit(uint32(e), mask))
	}
	return out
}

func someOf(regs []*lir.Value, mask uint32, i, width int) []*lir.Value {
	out := make([]*lir.Value, width)
	for e, r := range numbers(len(regs), mask, i, width) {
		out[e] = regs[r]
	}
	return out
}

// joined gives elements as one value, the first lowest.
func (l *lowerer) joined(elements []*lir.Value) *lir.Value {
	if len(elements) == 1 {
		return elements[0]
	}
	return l.packed(elements)
}

// parted takes a value apart into n of a type.
func (l *lowerer) parted(word *lir.Value, n int, t lir.Type) []*lir.Value {
	if n == 1 {
		return []*lir.Value{word}
	}
	out := make([]*lir.Value, n)
	for i := range out {
		part := l.b.Pure(lir.OpTrunc, 0, lir.Int(t.Bits()), 0, l.shr(word, i*t.Bits()))
		out[i] = l.cast(part, t)
	}
	return out
}

// swapWords exchanges words in threads with an odd number of some bits.
func (l *lowerer) swapWords(words []*lir.Value, swaps []layout.Swap) {
	for _, s := range swaps {
		odd := l.isNonZero(l.and(l.parity(nil, l.laneBits(s.Threads), l.warpBits(s.Threads), nil), 1))
		for r := range words {
			if o := r ^ s.Words; r < o {
				words[r], words[o] = l.pick(odd, words[o], words[r]), l.pick(odd, words[r], words[o])
			}
		}
	}
}

// laneBits and warpBits give the bits of a thread's number that are the lane's, and the warp's, one by one.
func (l *lowerer) laneBits(thread uint64) []uint32 {
	return eachBit(thread, log2(l.o.WarpSize))
}

func (l *lowerer) warpBits(thread uint64) []uint32 {
	return eachBit(thread>>log2(l.o.WarpSize), log2(l.o.Warps))
}

func eachBit(x uint64, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(x >> i & 1)
	}
	return out
}

// round gives the word that each thread reads in a round.
func (l *lowerer) round(s *layout.Shuffle, r layout.Round, word *lir.Value) *lir.Value {
	if r.Local {
		return word
	}
	lanes := log2(l.o.WarpSize)
	var from view
	straight := true
	for i := range s.Lane.In() {
		c := uint32(s.Lane.Column(i))
		if i < lanes {
			from.lane = append(from.lane, c)
			straight = straight && c == 1<<i
			continue
		}
		from.warp = append(from.warp, c)
		straight = straight && c == 0
	}
	if straight {
		return l.shuffleXor(word, r.Lane)
	}
	own := l.gather(&from, from.lane, from.warp, nil)
	return l.shuffle(word, l.join(own, from.threadBits(), l.b.I32(r.Lane), uint32(r.Lane)))
}
