package layout

import (
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// A machine holds a tile: the element in each register, by thread.
type machine struct {
	l    Layout
	regs [][]int
}

// fill gives the machine that holds a tile in a layout.
func fill(l Layout) machine {
	m := machine{l: l, regs: make([][]int, 1<<(l.InBits(Lane)+l.InBits(Warp)+l.InBits(Block)))}
	for t := range m.regs {
		m.regs[t] = make([]int, l.Size(Register))
		for r := range m.regs[t] {
			m.regs[t][r] = int(l.m.Apply(uint64(t)<<l.InBits(Register) | uint64(r)))
		}
	}
	return m
}

// convert carries out a plan, and reports what goes wrong.
func convert(c *Conversion) (machine, error) {
	m := fill(c.From)
	switch c.Kind {
	case Nothing:
		return m, nil
	case Registers:
		out := machine{l: c.To, regs: make([][]int, len(m.regs))}
		for t := range m.regs {
			for r := range c.To.Size(Register) {
				out.regs[t] = append(out.regs[t], m.regs[t][c.Register(r)])
			}
		}
		return out, nil
	case Shuffles:
		return runShuffle(c, m), nil
	default:
		return runMemory(c, m)
	}
}

func runShuffle(c *Conversion, m machine) machine {
	s := c.Shuffle
	width := 1 << bits.OnesCount64(s.PackFrom)
	words := make([][][]int, len(m.regs)) // packed elements, by thread and word
	all := uint64(1)<<c.From.InBits(Register) - 1
	for t := range words {
		for w := range c.From.Size(Register) / width {
			var word []int
			for e := range width {
				r := Deposit(uint64(w), all&^s.PackFrom) | Deposit(uint64(e), s.PackFrom)
				word = append(word, m.regs[t][r])
			}
			words[t] = append(words[t], word)
		}
		swap(words[t], s.Before, t)
	}
	out := machine{l: c.To, regs: make([][]int, len(m.regs))}
	for t := range words {
		read := make([][]int, len(s.Rounds))
		for i, r := range s.Rounds {
			lanes := c.From.Size(Lane)
			from := t&^(lanes-1) | int(s.Lane.Apply(uint64(t))) ^ r.Lane
			if r.Local && from != t {
				panic("a local round reads another lane")
			}
			read[i] = words[from][r.Word]
		}
		var got [][]int
		for _, r := range s.Round {
			got = append(got, read[r])
		}
		swap(got, s.After, t)
		out.regs[t] = make([]int, c.To.Size(Register))
		all := uint64(1)<<c.To.InBits(Register) - 1
		for w, word := range got {
			for e, x := range word {
				out.regs[t][Deposit(uint64(w), all&^s.PackTo)|Deposit(uint64(e), s.PackTo)] = x
			}
		}
	}
	return out
}

func swap(words [][]int, swaps []Swap, thread int) {
	for _, s := range swaps {
		if bits.OnesCount64(s.Threads&uint64(thread))%2 == 0 {
			continue
		}
		for r := range words {
			if o := r ^ s.Words; r < o {
				words[r], words[o] = words[o], words[r]
			}
		}
	}
}

func runMemory(c *Conversion, m machine) (machine, error) {
	p := c.Memory
	elem := max(1, c.ElemBits/8)
	threads := c.From.Size(Lane) * c.From.Size(Warp) // of a block
	out := machine{l: c.To, regs: make([][]int, len(m.regs))}
	for t := range out.regs {
		out.regs[t] = make([]int, c.To.Size(Register))
	}
	for round := range p.Rounds {
		buffers := make([]map[int]int, c.From.Size(Block))
		for b := range buffers {
			buffers[b] = map[int]int{}
		}
		for i := range p.Store.Len() {
			regs, part := p.Store.At(nil, round, i)
			places := make([]int, len(m.regs))
			for t := range m.regs {
				places[t] = part ^ int(p.Store.Thread.Apply(uint64(t)))
				if places[t]%p.Store.Vector != 0 || (places[t]+p.Store.Vector)*elem > p.Bytes {
					return out, fmt.Errorf("thread %d stores %d elements at %d", t, p.Store.Vector, places[t])
				}
				for e, r := range regs {
					buffer := buffers[t/threads]
					if old, ok := buffer[places[t]+e]; ok && old != m.regs[t][r] {
						return out, fmt.Errorf("thread %d overwrites %d with %d", t, old, m.regs[t][r])
					}
					buffer[places[t]+e] = m.regs[t][r]
				}
			}
			if err := conflicts(places, c.From.Size(Lane), p.Store.Vector, elem); err != nil {
				return out, fmt.Errorf("store %d: %v", i, err)
			}
		}
		for i := range p.Load.Len() {
			regs, part := p.Load.At(nil, round, i)
			places := make([]int, len(m.regs))
			for t := range m.regs {
				places[t] = part ^ int(p.Load.Thread.Apply(uint64(t)))
				if places[t]%p.Load.Vector != 0 {
					return out, fmt.Errorf("thread %d loads %d elements at %d", t, p.Load.Vector, places[t])
				}
			}
			if err := load(c, regs, places, buffers, out); err != nil {
				return out, err
			}
			if err := conflicts(places, c.From.Size(Lane), p.Load.Vector, elem); err != nil {
				return out, fmt.Errorf("load %d: %v", i, err)
			}
		}
	}
	return out, nil
}

// load carries out a load of the threads' registers from their places.
func load(c *Conversion, regs, places []int, buffers []map[int]int, out machine) error {
	p := c.Memory
	threads := c.From.Size(Lane) * c.From.Size(Warp) // of a block
	for t := range places {
		for e, r := range regs {
			at := places[t] + e
			if p.Load.Matrices != nil {
				at = matrixElement(p.Load.Matrices, places[t&^31:], t%32, e, p.Load.Vector)
			}
			block := int(p.Block.Apply(uint64(t)<<c.To.InBits(Register) | uint64(r)))
			if p.Scope != Block && block != t/threads {
				return fmt.Errorf("thread %d reads block %d", t, block)
			}
			x, ok := buffers[block][at]
			if !ok {
				return fmt.Errorf("thread %d reads nothing at %d", t, at)
			}
			out.regs[t][r] = x
		}
	}
	return nil
}

// matrixElement gives the place of the element that a lane gets as number e of a matrix load, where lanes give the
// places of rows of the given number of elements.
func matrixElement(ms *Matrices, places []int, lane, e, row int) int {
	word := row / 4 // elements
	matrix, e := e/word, e%word
	if ms.Transposed {
		return places[8*matrix+lane%4*2+e] + lane/4
	}
	return places[8*matrix+lane/4] + lane%4*word + e
}

// conflicts counts, for each wavefront of each warp, the words that each bank has to give.
func conflicts(places []int, lanes, vector, elem int) error {
	front := min(lanes, rowBytes/max(wordBytes, vector*elem))
	for first := 0; first < len(places); first += front {
		var banks [32]map[int]bool
		for _, at := range places[first : first+front] {
			for b := at * elem; b < (at+vector)*elem; b++ {
				bank := b / wordBytes % 32
				if banks[bank] == nil {
					banks[bank] = map[int]bool{}
				}
				banks[bank][b/wordBytes] = true
			}
		}
		for bank, words := range banks {
			if len(words) > 1 {
				return fmt.Errorf("threads %d to %d: %d words of bank %d (%d elements of %d bytes at %v)",
					first, first+front-1, len(words), bank, vector, elem, places[first:first+front])
			}
		}
	}
	return nil
}

// checkPlan carries out a plan and compares.
func checkPlan(t interface {
	Helper()
	Fatalf(string, ...any)
}, c *Conversion) {
	t.Helper()
	got, err := convert(c)
	if err != nil {
		t.Fatalf("%v to %v, %d bits: %v: %v", c.From, c.To, c.ElemBits, c.Kind, err)
	}
	want := fill(c.To)
	for th := range want.regs {
		for r, x := range want.regs[th] {
			if got.regs[th][r] != x {
				t.Fatalf("%v to %v, %d bits: %v: register %d of thread %d gets %d, not %d\n%+v", c.From, c.To, c.ElemBits, c.Kind, r, th, got.regs[th][r], x, c.Shuffle)
			}
		}
	}
}

// TestPlansOfAnyLayouts converts between layouts without any structure.
func TestPlansOfAnyLayouts(t *testing.T) {
	kinds := map[Kind]int{}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		n, lanes, warps, blocks := draw("bits", 9), draw("lanes", 5), draw("warps", 2), draw("blocks", 1)
		c := Plan(anyLayout(t, n, lanes, warps, blocks), anyLayout(t, n, lanes, warps, blocks), 8<<draw("elem", 3), 0)
		kinds[c.Kind]++
		checkPlan(t, &c)
	})
	t.Log(kinds)
}

// anyUnits draws a layout whose basis vectors are single bits or zero, as most are.
func anyUnits(t *rapid.T, n, lanes, warps int) Layout {
	vectors := make([]uint64, max(n, lanes+warps)+rapid.IntRange(0, 2).Draw(t, "replicas"))
	for i := range n {
		vectors[i] = 1 << i
	}
	order := rapid.Permutation(vectors).Draw(t, "order")
	l, err := New(n, [NumIns][]uint64{order[lanes+warps:], order[:lanes], order[lanes : lanes+warps], nil})
	if err != nil {
		t.Fatal(err)
	}
	l, _ = l.Distinct()
	return l
}

func TestPlansOfUnits(t *testing.T) {
	kinds := map[Kind]int{}
	rapid.Check(t, func(t *rapid.T) {
		n, warps := rapid.IntRange(0, 10).Draw(t, "bits"), rapid.IntRange(0, 2).Draw(t, "warps")
		limit := rapid.SampledFrom([]int{0, 256, 2048}).Draw(t, "limit")
		c := Plan(anyUnits(t, n, 5, warps), anyUnits(t, n, 5, warps), 8<<rapid.IntRange(0, 3).Draw(t, "elem"), limit)
		kinds[c.Kind]++
		checkPlan(t, &c)
	})
	t.Log(kinds)
}

// TestPlansWithinWarps converts between layouts of one warp, and of what a warp's bit adds to its lanes.
func TestPlansWithinWarps(t *testing.T) {
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		n, lanes := rapid.IntRange(0, 8).Draw(t, "bits"), rapid.IntRange(0, 5).Draw(t, "lanes")
		outer, err := New(1, [NumIns][]uint64{nil, nil, {1}, nil})
		if err != nil {
			t.Fatal(err)
		}
		from, to := anyLayout(t, n, lanes, 0, 0).Product(outer), anyLayout(t, n, lanes, 0, 0).Product(outer)
		// The second warp has its elements in another order.
		from.m.col[from.start(Warp)] ^= rapid.Uint64Range(0, 1<<n-1).Draw(t, "from")
		to.m.col[to.start(Warp)] ^= rapid.Uint64Range(0, 1<<n-1).Draw(t, "to")
		elem := 8 << rapid.IntRange(0, 3).Draw(t, "elem")
		c := Plan(from, to, elem, 0)
		kinds[c.Kind.String()]++
		checkPlan(t, &c)
		if c.Memory != nil && c.Memory.Scope > Warp {
			t.Fatalf("scope %v", c.Memory.Scope)
		}
		if s, ok := planShuffle(&c); ok && c.reach() <= Lane {
			kinds["can be shuffled"]++
			c.Kind, c.Shuffle = Shuffles, s
			checkPlan(t, &c)
		}
		c.Kind, c.Memory = Shared, planMemory(&c, 0)
		checkPlan(t, &c)
	})
	t.Log(kinds)
}

// vectorCase is a conversion through memory, of which 1<<width elements are to be written at once.
type vectorCase struct {
	c     Conversion
	width int
}

var vectorCases = rapid.Custom(func(t *rapid.T) vectorCase {
	n, warps := rapid.IntRange(0, 10).Draw(t, "bits"), rapid.IntRange(0, 2).Draw(t, "warps")
	c := Conversion{Kind: Shared, From: anyUnits(t, n, 5, warps), To: anyUnits(t, n, 5, warps), ElemBits: 8 << rapid.IntRange(0, 3).Draw(t, "elem")}
	return vectorCase{c, rapid.IntRange(0, 5).Draw(t, "width")}
})

// TestWaysOfVectors: what is asked to be written at once is, in its order, and arrives.
func TestWaysOfVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := vectorCases.Draw(t, "case")
		c := v.c
		m, ok := ThroughVectors(c.From, c.To, c.ElemBits, v.width)
		if !ok {
			return
		}
		c.Sources, c.Memory = sources(&c.From, &c.To), m
		checkPlan(t, &c)
		if m.Store.Vector != 1<<v.width {
			t.Fatalf("%d elements are written at once", m.Store.Vector)
		}
		for i := range m.Store.Len() {
			registers, _ := m.Store.At(nil, 0, i)
			for e, r := range registers {
				if r != registers[0]^e {
					t.Fatalf("registers %v are written at once", registers)
				}
			}
		}
	})
	// Each width has its ways, in cases that are the same ones in every run.
	found := map[int]int{}
	for seed := range 500 {
		v := vectorCases.Example(seed)
		if _, ok := ThroughVectors(v.c.From, v.c.To, v.c.ElemBits, v.width); ok {
			found[v.width]++
		}
	}
	t.Log(found)
	for width := range 4 {
		if found[width] == 0 {
			t.Errorf("no ways for %d elements at once", 1<<width)
		}
	}
}

// TestInRounds: the order is one of all elements, the buffer is small enough, and no thread of the new layout has anything to do with the round; nor has one
// of the old layout if there are enough elements that no threads of either tell apart.
func TestInRounds(t *testing.T) {
	alike := 0
	rapid.Check(t, func(t *rapid.T) {
		n, warps := rapid.IntRange(0, 12).Draw(t, "bits"), rapid.IntRange(0, 2).Draw(t, "warps")
		from, to := anyUnits(t, n, 5, warps), anyUnits(t, n, 5, warps)
		elem, limit := rapid.IntRange(0, 3).Draw(t, "elem"), rapid.SampledFrom([]int{128, 1000, 4096}).Draw(t, "limit")
		order, rounds, ok := InRounds(&from, &to, 8<<elem, limit)
		own := threadSpan(&to)
		if !ok {
			if free := n - own.Dim(); 1<<(elem+n-free) <= limit {
				t.Fatalf("no order, with %d bits of registers", free)
			}
			return
		}
		if order.Rank() != n || 1<<(elem+n-rounds) > limit || rounds > 0 && 1<<(elem+n-rounds+1) <= limit {
			t.Fatalf("an order of rank %d of %d bits in %d bits of rounds", order.Rank(), n, rounds)
		}
		threads := []Span{own}
		if both := threadSpan(&from, &to); n-both.Dim() >= rounds {
			threads = append(threads, threadSpan(&from))
			alike++
		}
		for _, s := range threads {
			for _, v := range s.Basis() {
				if order.Apply(v)>>(n-rounds) != 0 {
					t.Fatalf("%v to %v: a thread decides on the round", from, to)
				}
			}
		}
	})
	t.Log(alike)
}
