package xpu

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

var classes = map[lir.Space]uint32{lir.Global: classCrossWorkgroup, lir.Shared: classWorkgroup, lir.Local: classFunction}

// address gives a pointer to the place that an access names, to values of a type.
func (e *emitter) address(m *lir.Mem, at *lir.Value, to id) id {
	pointer := e.pointer(classes[m.Space], to)
	if m.Space == lir.Global {
		number := e.of(at)
		if m.Offset != 0 {
			number = e.make(opIAdd, e.typeOf(lir.I64), number, e.constant(lir.I64, uint64(m.Offset)))
		}
		if m.Origin == 0 {
			return e.make(opConvertUToPtr, pointer, number)
		}
		// An address that comes of a parameter is said as an offset from it: compilers then see what it points into.
		bytes := e.pointer(classCrossWorkgroup, e.typeOf(lir.I8))
		from := e.params[m.Origin-1]
		offset := e.make(opISub, e.typeOf(lir.I64), number, e.make(opConvertPtrToU, e.typeOf(lir.I64), from))
		return e.make(opBitcast, pointer, e.make(opInBoundsPtrAccessChain, bytes, from, offset))
	}
	base, offset := e.shared, m.Offset
	if m.Space == lir.Shared {
		offset += int64(e.f.Shared[m.Buffer].Offset)
	} else {
		base = e.locals[m.Buffer]
	}
	number := e.of(at)
	if offset != 0 {
		number = e.make(opIAdd, e.typeOf(lir.I32), number, e.i32(int(offset)))
	}
	b := e.make(opInBoundsAccessChain, e.pointer(classes[m.Space], e.typeOf(lir.I8)), base, number)
	return e.make(opBitcast, pointer, b)
}

// operands gives the words of an access: whether it is volatile, and what its address is divisible by.
func operands(m *lir.Mem, bytes int) []uint32 {
	flags := uint32(memoryAligned)
	if m.Volatile {
		flags |= memoryVolatile
	}
	return []uint32{flags, uint32(bytes)}
}

func (e *emitter) load(op *lir.Op) {
	t, n := op.Results[0].Type, len(op.Results)
	read := func() []id {
		var out []id
		s := piecesOf(op.Mem.Space, t, n)
		vector, bytes := e.vector(s.word, s.together), s.together*s.word.Bytes()
		for at := 0; at < n*t.Bytes(); at += bytes {
			all := e.make(opLoad, vector, append([]uint32{e.addressOf(op, at, vector)}, operands(op.Mem, alignment(n*t.Bytes(), at))...)...)
			for _, w := range e.parts(all, s.word, s.together) {
				out = append(out, e.elementsOf(w, s.word, t, s.elements)...)
			}
		}
		return out
	}
	values := op.Args[1:]
	var results []id
	if op.Mem.Pred {
		others := make([]id, n)
		for i := range others {
			others[i] = e.constant(t, 0)
			if op.Mem.Else {
				others[i] = e.of(values[1+i])
			}
		}
		types := make([]id, n)
		for i := range types {
			types[i] = e.typeOf(t)
		}
		results = e.guarded(e.of(op.Args[1]), types, read, others)
	} else {
		results = read()
	}
	for i, r := range op.Results {
		e.ids[r] = results[i]
	}
}

// pack casts a vector to a word.
func (e *emitter) pack(op *lir.Op) {
	vector := e.vector(op.Args[0].Type, len(op.Args))
	e.set(op, e.make(opBitcast, e.typeOf(lir.I32), e.make(opCompositeConstruct, vector, e.all(op.Args)...)))
}

// unpack casts a word to a vector.
func (e *emitter) unpack(op *lir.Op) {
	t, n := op.Results[0].Type, len(op.Results)
	for i, part := range e.parts(e.make(opBitcast, e.vector(t, n), e.of(op.Args[0])), t, n) {
		e.ids[op.Results[i]] = part
	}
}

// Pieces are how an access of several elements is made: of words, each of which holds some elements, and so many words at once.
type pieces struct {
	word     lir.Type
	elements int // in a word; 1: the words are the elements
	together int // of the words, as a vector
}

// piecesOf chooses how n elements are accessed. In shared memory, where lanes are not beside each other, it is a word of up to 64 bits at a
// time: compilers have instructions that gather words for all lanes, and write out an access of vectors lane by lane. Elsewhere what a lane accesses
// stays together, but elements of less than 32 bits are moved as integers of 32 bits, as there are no others to gather.
func piecesOf(space lir.Space, t lir.Type, n int) pieces {
	if n == 1 || t == lir.I1 {
		return pieces{t, 1, n}
	}
	most := 4
	if space == lir.Shared {
		most = 8
	}
	word := lir.Int(8 * max(min(n*t.Bytes(), most), t.Bytes()))
	each := word.Bytes() / t.Bytes()
	s := pieces{word, each, n / each}
	if each == 1 {
		s.word = t
	}
	if space == lir.Shared {
		s.together = 1
	}
	return s
}

// alignment gives what divides an address that is at an offset from one that a number divides.
func alignment(whole, at int) int {
	if at == 0 {
		return whole
	}
	return min(whole, at&-at)
}

// addressOf is address, some bytes further.
func (e *emitter) addressOf(op *lir.Op, at int, to id) id {
	m := *op.Mem
	m.Offset += int64(at)
	return e.address(&m, op.Args[0], to)
}

// elementsOf gives the elements in an integer, the first in its lowest bits.
func (e *emitter) elementsOf(w id, word, t lir.Type, n int) []id {
	if n == 1 {
		return []id{w}
	}
	bits := lir.Int(t.Bits())
	out := make([]id, n)
	for i := range out {
		x := w
		if i > 0 {
			x = e.make(opShiftRightLogical, e.typeOf(word), w, e.constant(word, uint64(i*t.Bits())))
		}
		out[i] = e.castTo(t, bits, e.make(opUConvert, e.typeOf(bits), x))
	}
	return out
}

// wordOf is the reverse.
func (e *emitter) wordOf(ids []id, t, word lir.Type) id {
	if len(ids) == 1 {
		return ids[0]
	}
	bits := lir.Int(t.Bits())
	w := id(0)
	for i, x := range ids {
		part := e.make(opUConvert, e.typeOf(word), e.castTo(bits, t, x))
		if i == 0 {
			w = part
			continue
		}
		w = e.make(opBitwiseOr, e.typeOf(word), w, e.make(opShiftLeftLogical, e.typeOf(word), part, e.constant(word, uint64(i*t.Bits()))))
	}
	return w
}

// parts gives the elements of a vector.
func (e *emitter) parts(all id, t lir.Type, n int) []id {
	if n == 1 {
		return []id{all}
	}
	parts := make([]id, n)
	for i := range parts {
		parts[i] = e.make(opCompositeExtract, e.typeOf(t), all, uint32(i))
	}
	return parts
}

func (e *emitter) store(op *lir.Op) {
	values := op.Args[1:]
	if op.Mem.Pred {
		values = values[1:]
	}
	t, n := values[0].Type, len(values)
	write := func() []id {
		s := piecesOf(op.Mem.Space, t, n)
		var words []id
		for part := range slices.Chunk(e.all(values), s.elements) {
			words = append(words, e.wordOf(part, t, s.word))
		}
		vector, at := e.vector(s.word, s.together), 0
		for part := range slices.Chunk(words, s.together) {
			whole := part[0]
			if len(part) > 1 {
				whole = e.make(opCompositeConstruct, vector, part...)
			}
			e.put(opStore, append([]uint32{e.addressOf(op, at, vector), whole}, operands(op.Mem, alignment(n*t.Bytes(), at))...)...)
			at += len(part) * s.word.Bytes()
		}
		return nil
	}
	if !op.Mem.Pred {
		write()
		return
	}
	e.guarded(e.of(op.Args[1]), nil, write, nil)
}

var scopes = map[tile.MemScope]int{tile.ScopeCTA: scopeWorkgroup, tile.ScopeGPU: scopeDevice, tile.ScopeSystem: scopeCrossDevice}

// semantics gives the order of an atomic and the memory that it orders.
func semantics(m *lir.Mem) int {
	order := map[tile.MemSem]int{tile.Relaxed: 0, tile.Acquire: semAcquire, tile.Release: semRelease, tile.AcqRel: semAcquireRelease}[m.Sem]
	if order == 0 {
		return 0
	}
	return order | semCrossWorkgroup | semWorkgroupMemory
}

var atomics = map[tile.Atomic]opcode{
	tile.AtomicAdd: opAtomicIAdd, tile.AtomicAnd: opAtomicAnd, tile.AtomicOr: opAtomicOr, tile.AtomicXor: opAtomicXor,
	tile.AtomicMaxS: opAtomicSMax, tile.AtomicMaxU: opAtomicUMax, tile.AtomicMinS: opAtomicSMin, tile.AtomicMinU: opAtomicUMin,
	tile.AtomicXchg: opAtomicExchange,
}

// happens writes an atomic where its predicate says so, and gives what was there before: zero where it did not happen.
func (e *emitter) happens(op *lir.Op, t lir.Type, do func(values []*lir.Value) id) {
	values := op.Args[1:]
	var old id
	if op.Mem.Pred {
		values = values[1:]
		old = e.guarded(e.of(op.Args[1]), []id{e.typeOf(t)}, func() []id { return []id{do(values)} }, []id{e.constant(t, 0)})[0]
	} else {
		old = do(values)
	}
	if len(op.Results) > 0 {
		e.set(op, old)
	}
}

func (e *emitter) atomic(op *lir.Op) {
	last := op.Args[len(op.Args)-1]
	e.happens(op, last.Type, func(values []*lir.Value) id { return e.exchange(op, values[0]) })
}

// exchange writes a read-modify-write: one instruction for integers, a loop of compare-and-swap for the arithmetic of floats, which not all
// devices have, and for numbers of less than 32 bits.
func (e *emitter) exchange(op *lir.Op, value *lir.Value) id {
	t := value.Type
	bits := lir.Int(t.Bits())
	if t.Bits() < 32 {
		return e.exchangePart(op, value)
	}
	e.needAtomics(t)
	at := e.address(op.Mem, op.Args[0], e.typeOf(bits))
	scope, order := e.i32(scopes[op.Mem.Scope]), e.i32(semantics(op.Mem))
	number := e.castTo(bits, t, e.of(value))
	if instruction, ok := atomics[op.Mem.Kind]; ok {
		return e.castTo(t, bits, e.make(instruction, e.typeOf(bits), at, scope, order, number))
	}
	old := e.swapLoop(bits, at, scope, op.Mem, func(old id) id {
		return e.castTo(bits, t, e.combine(op, t, e.castTo(t, bits, old), e.of(value)))
	})
	return e.castTo(t, bits, old)
}

func (e *emitter) needAtomics(t lir.Type) {
	if t.Bits() == 64 {
		e.needOf(capInt64Atomics, "atomic64")
	}
}

// castTo gives the same bits in another type.
func (e *emitter) castTo(to, from lir.Type, x id) id {
	if e.typeOf(to) == e.typeOf(from) {
		return x
	}
	return e.make(opBitcast, e.typeOf(to), x)
}

// combine computes what a float atomic leaves in memory.
func (e *emitter) combine(op *lir.Op, t lir.Type, old, value id) id {
	typ, truth := e.typeOf(t), e.typeOf(lir.I1)
	switch op.Mem.Kind {
	case tile.AtomicFAdd:
		if t == lir.BF16 {
			return e.toBF16(e.make(opFAdd, e.typeOf(lir.F32), e.fromBF16(old), e.fromBF16(value)), lir.Nearest)
		}
		return e.make(opFAdd, typ, old, value)
	case tile.AtomicFMax, tile.AtomicFMin: // as the language has them: by the order of the bits
		bits := lir.Int(t.Bits())
		x, y := e.castTo(bits, t, old), e.castTo(bits, t, value)
		up := e.make(opSGreaterThanEqual, truth, y, e.constant(bits, 0))
		signed, unsigned := uint32(clSMax), uint32(clUMin)
		if op.Mem.Kind == tile.AtomicFMin {
			signed, unsigned = clSMin, clUMax
		}
		most := e.call(e.typeOf(bits), signed, x, y)
		least := e.call(e.typeOf(bits), unsigned, x, y)
		return e.castTo(t, bits, e.make(opSelect, e.typeOf(bits), up, most, least))
	case tile.AtomicXchg:
		return value
	}
	e.refuse(op, "there is no atomic %s of %s", op.Mem.Kind, t)
	return 0
}

// swapLoop tries to put what change makes of the old value, until nobody came between. It gives the old value.
func (e *emitter) swapLoop(t lir.Type, at, scope id, m *lir.Mem, change func(old id) id) id {
	typ, order := e.typeOf(t), semantics(m)
	onFailure := order &^ (semRelease | semAcquireRelease)
	if order&(semAcquire|semAcquireRelease) != 0 {
		onFailure |= semAcquire
	}
	if onFailure&semAcquire == 0 {
		onFailure = 0
	}
	first := e.make(opAtomicLoad, typ, at, scope, e.i32(0))
	loop, after, from := e.id(), e.id(), e.label
	e.branch(loop)
	e.begin(loop)
	seen := e.id()
	old := e.phi(typ, first, from, seen, loop)
	place := len(e.code) - 1
	wanted := change(old)
	e.code[place] = e.label // change may have ended the block
	e.code = instruction(e.code, opAtomicCompareExchange, typ, seen, at, scope, e.i32(order), e.i32(onFailure), wanted, old)
	done := e.make(opIEqual, e.typeOf(lir.I1), seen, old)
	e.put(opBranchConditional, done, after, loop)
	e.begin(after)
	return seen
}

// exchangePart is exchange for numbers of 8 and 16 bits.
func (e *emitter) exchangePart(op *lir.Op, value *lir.Value) id {
	t := value.Type
	return e.inWord(op, t, func(old id) id { return e.combinePart(op, t, old, e.of(value)) })
}

// inWord changes a number of 8 or 16 bits, by what is made of the old one: no device has instructions for these, so the aligned word of 32
// bits around it is swapped. It gives the old number.
func (e *emitter) inWord(op *lir.Op, t lir.Type, change func(old id) id) id {
	if op.Mem.Space != lir.Global {
		e.refuse(op, "there is no atomic of %s in %s memory", t, op.Mem.Space)
	}
	bits := lir.Int(t.Bits())
	long, word, part := e.typeOf(lir.I64), e.typeOf(lir.I32), e.typeOf(bits)
	number := e.make(opConvertPtrToU, long, e.address(op.Mem, op.Args[0], part))
	aligned := e.make(opBitwiseAnd, long, number, e.constant(lir.I64, ^uint64(3)))
	within := e.make(opBitwiseAnd, long, number, e.constant(lir.I64, uint64(4-t.Bytes())))
	count := e.make(opShiftLeftLogical, word, e.make(opUConvert, word, within), e.i32(3))
	mask := e.make(opShiftLeftLogical, word, e.constant(lir.I32, bits.Mask()), count)
	keep := e.make(opBitwiseXor, word, mask, e.i32(-1))
	at := e.make(opConvertUToPtr, e.pointer(classCrossWorkgroup, word), aligned)
	of := func(w id) id {
		return e.castTo(t, bits, e.make(opUConvert, part, e.make(opShiftRightLogical, word, w, count)))
	}
	old := e.swapLoop(lir.I32, at, e.i32(scopes[op.Mem.Scope]), op.Mem, func(old id) id {
		changed := e.castTo(bits, t, change(of(old)))
		moved := e.make(opShiftLeftLogical, word, e.make(opUConvert, word, changed), count)
		return e.make(opBitwiseOr, word, e.make(opBitwiseAnd, word, old, keep), moved)
	})
	return of(old)
}

// combinePart is combine, for 8 and 16 bits, where integers have no instructions either.
func (e *emitter) combinePart(op *lir.Op, t lir.Type, old, value id) id {
	if !t.IsInt() {
		return e.combine(op, t, old, value)
	}
	typ := e.typeOf(t)
	switch op.Mem.Kind {
	case tile.AtomicAdd:
		return e.make(opIAdd, typ, old, value)
	case tile.AtomicAnd:
		return e.make(opBitwiseAnd, typ, old, value)
	case tile.AtomicOr:
		return e.make(opBitwiseOr, typ, old, value)
	case tile.AtomicXor:
		return e.make(opBitwiseXor, typ, old, value)
	case tile.AtomicMaxS:
		return e.call(typ, clSMax, old, value)
	case tile.AtomicMaxU:
		return e.call(typ, clUMax, old, value)
	case tile.AtomicMinS:
		return e.call(typ, clSMin, old, value)
	case tile.AtomicMinU:
		return e.call(typ, clUMin, old, value)
	}
	return value // an exchange
}

func (e *emitter) compareAndSwap(op *lir.Op) {
	t := op.Args[len(op.Args)-1].Type
	bits := lir.Int(t.Bits())
	e.happens(op, t, func(values []*lir.Value) id {
		if t.Bits() < 32 {
			return e.inWord(op, t, func(old id) id {
				same := e.make(opIEqual, e.typeOf(lir.I1), e.castTo(bits, t, old), e.castTo(bits, t, e.of(values[0])))
				return e.make(opSelect, e.typeOf(t), same, e.of(values[1]), old)
			})
		}
		e.needAtomics(t)
		at := e.address(op.Mem, op.Args[0], e.typeOf(bits))
		order := semantics(op.Mem)
		onFailure := 0
		if order&(semAcquire|semAcquireRelease) != 0 {
			onFailure = semAcquire | semCrossWorkgroup | semWorkgroupMemory
		}
		old := e.make(opAtomicCompareExchange, e.typeOf(bits), at, e.i32(scopes[op.Mem.Scope]), e.i32(order), e.i32(onFailure),
			e.castTo(bits, t, e.of(values[1])), e.castTo(bits, t, e.of(values[0])))
		return e.castTo(t, bits, old)
	})
}

func (e *emitter) fence(op *lir.Op) {
	e.put(opMemoryBarrier, e.i32(scopes[tile.MemScope(op.Mod)]), e.i32(semAcquireRelease|semCrossWorkgroup|semWorkgroupMemory))
}
