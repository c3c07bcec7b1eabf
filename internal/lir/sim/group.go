package sim

import (
	"math"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
)

// Matrix instructions of warp groups are done when they begin. What has to be waited for is looked after: the bytes that an instruction
// reads must not be written, nor its results be used, before its group has waited for it. What it reads must have been made visible to it.
type groups struct {
	flying  [][]flight      // by group: what was begun and not waited for
	begun   []int           // by group
	pending map[int32][]int // by value and group: the number of the instruction that it is a result of
	may     []bool          // by value: see lir.Pending
	fences  [][]moment      // by thread: its proxy fences
}

// A flight is an instruction that was begun.
type flight struct {
	number int
	reads  [][]shadow // what it reads
}

func newGroups(f *lir.Func) groups {
	n := (f.Warps + lir.GroupWarps - 1) / lir.GroupWarps
	g := groups{flying: make([][]flight, n), begun: make([]int, n), fences: make([][]moment, f.Warps*f.WarpSize)}
	f.Body.Walk(func(op *lir.Op) {
		if op.Code == lir.OpGroupMMA && g.may == nil {
			g.may = lir.Pending(f)
			g.pending = map[int32][]int{}
		}
	})
	return g
}

// forget begins a CTA.
func (g *groups) forget() {
	for i, list := range g.flying {
		for _, f := range list {
			f.land()
		}
		g.flying[i], g.begun[i] = nil, 0
	}
	clear(g.pending)
	for t := range g.fences {
		g.fences[t] = nil
	}
}

func (f *flight) land() {
	for _, s := range f.reads {
		for i := range s {
			s[i].flying--
		}
	}
}

// note says which instruction of a group a value is a result of.
func (g *groups) note(v *lir.Value, group, number int) {
	list := g.pending[v.ID]
	if list == nil {
		list = make([]int, len(g.flying))
		g.pending[v.ID] = list
	}
	list[group] = number
}

// of gives the number of the instruction that a value is a result of; 0 if it is of none.
func (g *groups) of(v *lir.Value, group int) int {
	if list := g.pending[v.ID]; list != nil {
		return list[group]
	}
	return 0
}

// carry makes the step that lets values be results of the instructions of which those that they are copied from are.
func (m *machine) carry(to, from []*lir.Value) step {
	var pairs [][2]*lir.Value
	for i, v := range to {
		if m.groups.may != nil && m.groups.may[v.ID] {
			pairs = append(pairs, [2]*lir.Value{v, from[i]})
		}
	}
	if pairs == nil {
		return nil
	}
	size := int32(lir.GroupWarps * m.f.WarpSize)
	numbers := make([]int, len(pairs))
	return func(threads []int32) {
		for at := range m.groups.flying {
			if len(threads) == 0 || threads[0]/size > int32(at) || threads[len(threads)-1]/size < int32(at) {
				continue
			}
			for i, p := range pairs {
				numbers[i] = m.groups.of(p[1], at)
			}
			for i, p := range pairs {
				m.groups.note(p[0], at, numbers[i])
			}
		}
	}
}

// byGroup makes a step that is done by warp groups. All threads of one have to come to it.
func (m *machine) byGroup(op *lir.Op, do func(group int, lanes []int32)) step {
	size := lir.GroupWarps * m.f.WarpSize
	return func(threads []int32) {
		for len(threads) > 0 && m.fault == nil {
			g := int(threads[0]) / size
			n := 1
			for n < len(threads) && int(threads[n])/size == g {
				n++
			}
			if n != size {
				m.fail(op, "divergent-warp", "%d of the %d threads of warp group %d come to a %s", n, size, g, op.Code)
				return
			}
			do(g, threads[:n])
			threads = threads[n:]
		}
	}
}

// fence makes the step of a proxy fence.
func (m *machine) fence() step {
	return func(threads []int32) {
		for _, t := range threads {
			m.groups.fences[t] = append(m.groups.fences[t], moment{m.now, m.tick})
		}
	}
}

// A groupOperand is an operand that a group reads from shared memory.
type groupOperand struct {
	*access
	tile   lir.GroupTile
	order  layout.Matrix
	decode func(bits uint64) float64
	bytes  int // of an element
}

func (m *machine) groupOperand(op *lir.Op, mem *lir.Mem, addr *lir.Value, t lir.GroupTile, decode func(uint64) float64, bits int) *groupOperand {
	a := &access{m: m, op: op, mem: mem, address: m.reg(addr), size: 16}
	return &groupOperand{access: a, tile: t, order: layout.Swizzled(t.Rows, t.Columns, bits, t.Swizzle), decode: decode, bytes: bits / 8}
}

// begins gives where the operand begins for a group, which its threads have to agree on.
func (o *groupOperand) begins(lanes []int32) (at int, ok bool) {
	m := o.m
	for _, t := range lanes[1:] {
		if o.address[t] != o.address[lanes[0]] {
			m.fail(o.op, "divergent-address", "threads %d and %d of a warp group give different addresses of a matrix", lanes[0], t)
			return 0, false
		}
	}
	b := m.f.Shared[o.mem.Buffer]
	at = int(int32(o.address[lanes[0]])) + int(o.mem.Offset)
	if (b.Offset+at)%(8*o.tile.Swizzle) != 0 {
		m.fail(o.op, "misaligned", "a matrix in rows of %d bytes begins at %d of shared memory: a multiple of %d is wanted", o.tile.Swizzle, b.Offset+at, 8*o.tile.Swizzle)
		return 0, false
	}
	return at, true
}

// row gives the elements along k of a row of A or a column of B.
func (o *groupOperand) row(into []float64, begin, outer int, lanes []int32, f *flight) bool {
	m := o.m
	b := m.f.Shared[o.mem.Buffer]
	for k := range into {
		row, column := k+o.op.Group.FirstK, outer
		if o.tile.AlongK {
			row, column = column, row
		}
		at := begin + int(o.order.Apply(uint64(row*o.tile.Columns+column)))*o.bytes
		if at < 0 || at+o.bytes > b.Size {
			m.fail(o.op, "out-of-bounds", "%s at %d of shared buffer %d, which has %d bytes", o.op.Code, at, o.mem.Buffer, b.Size)
			return false
		}
		s := m.sharing[b.Offset+at:][:o.bytes]
		memory := m.shared[b.Offset+at:][:o.bytes]
		if !o.visible(s, lanes) {
			return false
		}
		for _, t := range [...]int32{lanes[0], lanes[len(lanes)-1]} { // more than one thread reads it
			o.touch(t, reading, memory, s, nil)
			if m.fault != nil {
				return false
			}
		}
		for i := range s {
			s[i].flying++
		}
		f.reads = append(f.reads, s)
		into[k] = o.decode(word(memory, o.bytes))
	}
	return true
}

// visible reports whether bytes that threads wrote were made visible, before the last barrier or before a signal that the group waited for.
func (o *groupOperand) visible(s []shadow, lanes []int32) bool {
	m := o.m
	for i := range s {
		if s[i].cta != m.cta {
			continue // touch tells
		}
		fences, n := m.groups.fences[s[i].writer], int(s[i].fences)
		if n >= len(fences) || fences[n].now == m.now && !m.knows(lanes, s[i].writer, fences[n].tick) {
			m.fail(o.op, "unfenced", "%s reads what thread %d wrote without a proxy fence since, and a barrier or a signal after that", o.op.Code, s[i].writer)
			return false
		}
	}
	return true
}

// multiplyGroups makes the step of a matrix instruction of warp groups.
//
// Which thread holds what of the sum is PTX's definition (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16"): element i of 64 rows is in
// row 16·warp + lane/4 + 8·(i/2%2), column 8·(i/4) + 2·(lane%4) + i%2; words of A lie as those of mma.
func (m *machine) multiplyGroups(op *lir.Op) step {
	g := op.Group
	info := g.Kind.Info()
	aArgs, sumArgs := op.Split()
	ofA, ofB := decoders(g.Kind)
	b := m.groupOperand(op, op.Mem, op.Args[0], g.B, ofB, info.Bits)
	var a *groupOperand
	if op.From != nil {
		a = m.groupOperand(op, op.From, aArgs[0], g.A, ofA, info.Bits)
	}
	words, sums, out := m.regList(aArgs), m.regList(sumArgs), m.regList(op.Results)
	rows, columns := make([]float64, g.M*g.K), make([]float64, g.N*g.K)
	add := sumOf(info.Sum)
	blocks := g.M / 64
	perBlock := len(out) / blocks
	return m.byGroup(op, func(group int, lanes []int32) {
		m.step++
		m.groups.begun[group]++
		f := flight{number: m.groups.begun[group]}
		begin, ok := b.begins(lanes)
		for n := 0; ok && n < g.N; n++ {
			ok = b.row(columns[n*g.K:][:g.K], begin, n, lanes, &f)
		}
		if a != nil && ok {
			begin, ok = a.begins(lanes)
			for r := 0; ok && r < g.M; r++ {
				ok = a.row(rows[r*g.K:][:g.K], begin, r/64*g.RowStep+r%64, lanes, &f)
			}
		} else if ok {
			unpackRows(rows, words, lanes, g, ofA)
		}
		m.groups.flying[group] = append(m.groups.flying[group], f)
		if !ok {
			return
		}
		for i, th := range lanes {
			warp, lane := i/32, i%32
			for r := range out {
				in := r % perBlock
				row := r/perBlock*64 + 16*warp + lane/4 + 8*(in/2%2)
				column := 8*(in/4) + 2*(lane%4) + in%2
				var before uint64
				if len(sums) > 0 {
					before = sums[r][th]
				}
				out[r][th] = add(rows[row*g.K:][:g.K], columns[column*g.K:][:g.K], before)
			}
		}
		for _, v := range op.Results {
			m.groups.note(v, group, f.number)
		}
	})
}

// unpackRows gives the rows of A from the words that threads hold.
func unpackRows(rows []float64, words [][]uint64, lanes []int32, g *lir.GroupMMA, decode func(uint64) float64) {
	info := g.Kind.Info()
	each := 32 / info.Bits
	mask := uint64(math.MaxUint64) >> (64 - info.Bits)
	perBlock := len(words) / (g.M / 64)
	for i, th := range lanes {
		warp, lane := i/32, i%32
		for w := range words {
			in := w % perBlock
			row := w/perBlock*64 + 16*warp + lane/4 + 8*(in%2)
			at := row*g.K + (lane%4+4*(in/2))*each
			for e := range each {
				rows[at+e] = decode(words[w][th] >> (e * info.Bits) & mask)
			}
		}
	}
}

// waitForGroups makes the step of a wait.
func (m *machine) waitForGroups(op *lir.Op) step {
	in, out := m.regList(op.Args), m.regList(op.Results)
	return m.byGroup(op, func(group int, lanes []int32) {
		list := m.groups.flying[group]
		for len(list) > int(op.Imm) {
			for _, s := range list[0].reads {
				for i := range s { // others may write there from the next barrier on
					m.noteGroup(&s[i].read, lanes)
				}
			}
			list[0].land()
			list = list[1:]
		}
		m.groups.flying[group] = list
		for w := range lir.GroupWarps {
			m.syncWarp(int(lanes[0])/m.f.WarpSize + w)
		}
		done := m.groups.begun[group] - len(list)
		for i, v := range op.Args {
			if m.groups.of(v, group) > done {
				m.fail(op, "not-waited", "a result of a matrix instruction is used that may not be done: %d of warp group %d may not be", len(list), group)
				return
			}
			for _, t := range lanes {
				out[i][t] = in[i][t]
			}
		}
	})
}
