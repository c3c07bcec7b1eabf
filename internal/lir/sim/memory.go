package sim

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An array is an array argument, or several that overlap.
type array struct {
	from, to uint64 // addresses
	data     []byte
	shadows  []shadow
}

func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// findArrays sorts the arrays by address. Of two that overlap, such as an array and a part of it, the larger counts.
func (m *machine) findArrays() {
	add := func(b []byte) {
		if len(b) > 0 {
			from := addressOf(b)
			m.arrays = append(m.arrays, array{from: from, to: from + uint64(len(b)), data: b})
		}
	}
	for _, a := range m.launch.Args {
		add(a.Array)
	}
	for _, b := range m.launch.Memory {
		add(b)
	}
	slices.SortFunc(m.arrays, func(a, b array) int {
		if a.from != b.from {
			return int(int64(a.from - b.from))
		}
		return len(b.data) - len(a.data)
	})
	kept := m.arrays[:0]
	for _, a := range m.arrays {
		if n := len(kept); n == 0 || a.to > kept[n-1].to {
			kept = append(kept, a)
		}
	}
	m.arrays = kept
}

// find gives the array that has some bytes.
func (m *machine) find(address uint64, size int) *array {
	for i := range m.arrays {
		if a := &m.arrays[i]; address >= a.from && address < a.to && uint64(size) <= a.to-address {
			return a
		}
	}
	return nil
}

// An access is an operation on memory, as its steps need it.
type access struct {
	m       *machine
	op      *lir.Op
	mem     *lir.Mem
	address []uint64
	pred    []uint64 // nil: always
	rest    [][]uint64
	size    int // bytes, all together
	lanes   int // of a warp, whose addresses count; 0: all
	profile *profile
}

func (m *machine) access(op *lir.Op, size int) *access {
	a := &access{m: m, op: op, mem: op.Mem, address: m.reg(op.Args[0]), size: size}
	rest := op.Args[1:]
	if op.Mem.Pred {
		a.pred, rest = m.reg(rest[0]), rest[1:]
	}
	a.rest = m.regList(rest)
	if m.launch.Profile && op.Mem.Space != lir.Local {
		a.profile = &profile{op: op, mem: op.Mem, size: size}
		m.profiles = append(m.profiles, a.profile)
	}
	return a
}

// happens reports whether a thread's access happens.
func (a *access) happens(t int32) bool { return a.pred == nil || a.pred[t]&1 != 0 }

// begin begins a step.
func (a *access) begin(threads []int32) {
	a.m.step++
	if a.profile != nil {
		a.profile.count(a, threads)
	}
}

// at gives the memory that a thread accesses, and what is remembered of it; nil where there is none. Then the fault is noted.
func (a *access) at(t int32) ([]byte, []shadow) {
	m := a.m
	switch a.mem.Space {
	case lir.Shared:
		offset := int64(int32(a.address[t])) + a.mem.Offset
		b := m.f.Shared[a.mem.Buffer]
		if !a.fits(t, offset, b, "shared") {
			return nil, nil
		}
		from := b.Offset + int(offset)
		return m.shared[from:][:a.size], m.sharing[from:][:a.size]
	case lir.Local:
		offset := int64(int32(a.address[t])) + a.mem.Offset
		b := m.f.Local[a.mem.Buffer]
		if !a.fits(t, offset, b, "local") {
			return nil, nil
		}
		return m.local[int(t)*m.perLocal+m.localAt[a.mem.Buffer]+int(offset):][:a.size], nil
	}
	address := a.address[t] + uint64(a.mem.Offset)
	in := m.find(address, a.size)
	switch {
	case in == nil:
		m.fail(a.op, "out-of-bounds", "%s of %d bytes at %#x, where no array is (thread %d)%s", a.op.Code, a.size, address, t, m.nearest(address))
		return nil, nil
	case address%uint64(a.size) != 0:
		m.fail(a.op, "misaligned", "%s of %d bytes at %#x, which is no multiple of that (thread %d)", a.op.Code, a.size, address, t)
		return nil, nil
	}
	from := address - in.from
	if !m.launch.GlobalRaces {
		return in.data[from:][:a.size], nil
	}
	if in.shadows == nil {
		in.shadows = make([]shadow, len(in.data))
	}
	return in.data[from:][:a.size], in.shadows[from:][:a.size]
}

// fits reports whether an access lies in a buffer.
func (a *access) fits(t int32, offset int64, b lir.Buffer, kind string) bool {
	switch {
	case offset < 0 || offset+int64(a.size) > int64(b.Size):
		a.m.fail(a.op, "out-of-bounds", "%s of %d bytes at %d of %s buffer %d, which has %d (thread %d)", a.op.Code, a.size, offset, kind, a.mem.Buffer, b.Size, t)
		return false
	case (int64(b.Offset)+offset)%int64(a.size) != 0:
		a.m.fail(a.op, "misaligned", "%s of %d bytes at %d of %s buffer %d, which lies at %d (thread %d)", a.op.Code, a.size, offset, kind, a.mem.Buffer, b.Offset, t)
		return false
	}
	return true
}

// nearest tells of the array that an address is nearest to.
func (m *machine) nearest(address uint64) string {
	best, least := "", uint64(1<<40)
	for i := range m.arrays {
		a := &m.arrays[i]
		for _, d := range []uint64{a.from - address, address - a.to} {
			if d < least {
				least = d
				best = "; the nearest array is " + m.nameOf(a)
			}
		}
	}
	return best
}

// nameOf names an array by the parameter that it is given to.
func (m *machine) nameOf(a *array) string {
	for i, arg := range m.launch.Args {
		if m.f.Params[i].Pointer && (arg.Bits == a.from || len(arg.Array) > 0 && addressOf(arg.Array) == a.from) {
			return m.f.Params[i].Name
		}
	}
	return "none of the arguments"
}

// touch notes what a thread does to the bytes that it accesses, and looks for what must not be. from is what is written.
func (a *access) touch(t int32, u use, memory []byte, s []shadow, from []byte) {
	m := a.m
	warp := t / int32(m.f.WarpSize)
	for i := range s {
		b := &s[i]
		if a.mem.Space == lir.Shared && u != writing && !a.written(t, b) {
			return
		}
		if b.pending {
			m.fail(a.op, "race", "%s of thread %d where an asynchronous copy goes that was not waited for (byte %d of the access)", a.op.Code, t, i)
			return
		}
		if b.flying > 0 && u != reading {
			m.fail(a.op, "race", "%s of thread %d where a matrix instruction reads that was not waited for (byte %d of the access)", a.op.Code, t, i)
			return
		}
		same := from != nil && memory[i] == from[i]
		if with := m.race(b, u, t, warp, same, a.mem.Space == lir.Global); with != "" {
			m.fail(a.op, "race", "%s of thread %d races with %s of another thread (byte %d of the access, in %s memory)", a.op.Code, t, with, i, a.mem.Space)
			return
		}
		if u != reading {
			b.buffer = int32(a.mem.Buffer)
			b.writer, b.fences = t, uint32(len(m.groups.fences[t]))
		}
	}
}

// written reports whether shared memory was written as this buffer.
func (a *access) written(t int32, b *shadow) bool {
	switch {
	case b.cta != a.m.cta:
		a.m.fail(a.op, "uninitialised", "%s of shared buffer %d, where nothing was written (thread %d)", a.op.Code, a.mem.Buffer, t)
	case b.buffer != int32(a.mem.Buffer):
		a.m.fail(a.op, "overwritten", "%s of shared buffer %d, where buffer %d was written since (thread %d)", a.op.Code, a.mem.Buffer, b.buffer, t)
	default:
		return true
	}
	return false
}

// load makes the step of a load.
func (m *machine) load(op *lir.Op) step {
	each := op.Results[0].Type.Bytes()
	a := m.access(op, each*len(op.Results))
	d := m.regList(op.Results)
	return func(threads []int32) {
		a.begin(threads)
		for _, t := range threads {
			if !a.happens(t) {
				for i := range d {
					d[i][t] = 0
					if a.mem.Else {
						d[i][t] = a.rest[i][t]
					}
				}
				continue
			}
			memory, s := a.at(t)
			if memory == nil {
				return
			}
			a.touch(t, reading, memory, s, nil)
			for i := range d {
				d[i][t] = word(memory[i*each:], each)
			}
		}
	}
}

// store makes the step of a store.
func (m *machine) store(op *lir.Op) step {
	vals := stored(op)
	each := vals[0].Type.Bytes()
	a := m.access(op, each*len(vals))
	var bytes [16]byte
	return func(threads []int32) {
		a.begin(threads)
		for _, t := range threads {
			if !a.happens(t) {
				continue
			}
			memory, s := a.at(t)
			if memory == nil {
				return
			}
			for i := range a.rest {
				putWord(bytes[i*each:], a.rest[i][t], each)
			}
			a.touch(t, writing, memory, s, bytes[:a.size])
			copy(memory, bytes[:a.size])
		}
	}
}

// stored gives the values that a store moves.
func stored(op *lir.Op) []*lir.Value {
	if op.Mem.Pred {
		return op.Args[2:]
	}
	return op.Args[1:]
}

// atomic makes the step of a read-modify-write or a compare-and-swap. Those of one operation happen in the threads' order.
func (m *machine) atomic(op *lir.Op) step {
	t := op.Args[len(op.Args)-1].Type
	a := m.access(op, t.Bytes())
	var change func(old uint64, th int32) uint64
	if op.Code == lir.OpAtomicCAS {
		change = func(old uint64, th int32) uint64 {
			if old == a.rest[0][th] {
				return a.rest[1][th]
			}
			return old
		}
	} else {
		combine := rmw(op.Mem.Kind, t)
		if combine == nil {
			m.unsupported(op, "an atomic of kind %d on %s cannot be simulated", op.Mem.Kind, t)
			return nil
		}
		change = func(old uint64, th int32) uint64 { return combine(old, a.rest[0][th]) }
	}
	var d []uint64
	if len(op.Results) > 0 {
		d = m.reg(op.Result())
	}
	return func(threads []int32) {
		a.begin(threads)
		for _, th := range threads {
			var old uint64
			if a.happens(th) {
				memory, s := a.at(th)
				if memory == nil {
					return
				}
				a.touch(th, atomically, memory, s, nil)
				old = word(memory, a.size)
				putWord(memory, change(old, th), a.size)
			}
			if d != nil {
				d[th] = old
			}
		}
	}
}

// rmw gives what an atomic makes of what is there and an operand; nil if there is no such atomic.
func rmw(kind tile.Atomic, t lir.Type) func(old, x uint64) uint64 {
	mask := t.Mask()
	float := func(f func(x, y float64) float64) func(old, x uint64) uint64 {
		d := formatOf(t)
		return func(old, x uint64) uint64 { return d.Encode(f(d.Decode(old), d.Decode(x))) }
	}
	switch kind {
	case tile.AtomicAdd:
		return func(old, x uint64) uint64 { return (old + x) & mask }
	case tile.AtomicAnd:
		return func(old, x uint64) uint64 { return old & x }
	case tile.AtomicOr:
		return func(old, x uint64) uint64 { return old | x }
	case tile.AtomicXor:
		return func(old, x uint64) uint64 { return old ^ x }
	case tile.AtomicMaxS:
		return func(old, x uint64) uint64 { return uint64(max(signed(t, old), signed(t, x))) & mask }
	case tile.AtomicMinS:
		return func(old, x uint64) uint64 { return uint64(min(signed(t, old), signed(t, x))) & mask }
	case tile.AtomicMaxU:
		return func(old, x uint64) uint64 { return max(old, x) }
	case tile.AtomicMinU:
		return func(old, x uint64) uint64 { return min(old, x) }
	case tile.AtomicXchg:
		return func(_, x uint64) uint64 { return x }
	case tile.AtomicFAdd:
		if t == lir.F64 {
			return float(func(x, y float64) float64 { return x + y })
		}
		return float(sumToOdd)
	case tile.AtomicFMax:
		return float(maxNum)
	case tile.AtomicFMin:
		return float(minNum)
	}
	return nil
}

func word(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func putWord(b []byte, x uint64, size int) {
	switch size {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, x)
	}
}
