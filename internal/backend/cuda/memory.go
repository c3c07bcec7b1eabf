package cuda

import (
	"fmt"
	"strconv"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// address gives the text of an access's address.
func (e *emitter) address(op *lir.Op) string {
	m, a := op.Mem, op.Args[0]
	switch m.Space {
	case lir.Global:
		return "[" + e.reg(a) + plus(m.Offset) + "]"
	case lir.Local:
		return e.based("local"+strconv.Itoa(m.Buffer), m.Offset, a)
	}
	return e.based("shared", int64(e.f.Shared[m.Buffer].Offset)+m.Offset, a)
}

// based gives an address in what a symbol names: with a constant number of bytes added, or a register.
func (e *emitter) based(symbol string, offset int64, a *lir.Value) string {
	switch {
	case a.IsConst() && e.isRemote(symbol):
		return "[" + e.base(symbol) + plus(offset+a.Int()) + "]"
	case a.IsConst():
		return "[" + symbol + plus(offset+a.Int()) + "]"
	}
	base := e.base(symbol)
	sum := e.fresh(words)
	e.ins("add.u32 ", sum, ", ", base, ", ", e.use(a))
	return "[" + sum + plus(offset) + "]"
}

// base gives a register with the address of memory that a symbol names.
func (e *emitter) base(symbol string) string {
	base, ok := e.bases[symbol]
	if !ok {
		base = e.fresh(words)
		e.bases[symbol] = base
		fmt.Fprintf(&e.begin, "    mov.u32 %s, %s;\n", base, symbol)
		if e.isRemote(symbol) {
			fmt.Fprintf(&e.begin, "    mapa.shared::cluster.u32 %s, %s, 0;\n", base, base)
		}
	}
	return base
}

func plus(n int64) string {
	if n == 0 {
		return ""
	}
	if n < 0 {
		return strconv.FormatInt(n, 10)
	}
	return "+" + strconv.FormatInt(n, 10)
}

// A chunk is how many registers of which type move values of a type: PTX has vectors of at most four.
func chunk(t lir.Type, n int) (regs int, typ string) {
	if bytes := t.Bytes() * n; n > 4 || t == lir.I8 && n > 1 {
		size := min(4, bytes)
		return bytes / size, "b" + strconv.Itoa(8*size)
	}
	return n, "b" + widths[t.Bits()]
}

var loadCaches = map[tile.Cache]string{tile.CacheCA: ".ca", tile.CacheCG: ".cg", tile.CacheCS: ".cs", tile.CacheCV: ".cv"}

var storeCaches = map[tile.Cache]string{tile.CacheWB: ".wb", tile.CacheCG: ".cg", tile.CacheCS: ".cs", tile.CacheWT: ".wt"}

var evictions = map[tile.Evict]string{tile.EvictFirst: ".L1::evict_first", tile.EvictLast: ".L1::evict_last"}

// guard gives the predicate in front of an access.
func (e *emitter) guard(op *lir.Op) string {
	if !op.Mem.Pred {
		return ""
	}
	return "@" + e.reg(op.Args[1]) + " "
}

// list gives registers as a vector.
func list(regs []string) string {
	if len(regs) == 1 {
		return regs[0]
	}
	s := "{"
	for i, r := range regs {
		if i > 0 {
			s += ", "
		}
		s += r
	}
	return s + "}"
}

// load reads whole registers and takes them apart. What a load gives that does not happen is put into them before.
func (e *emitter) load(op *lir.Op) {
	m, t := op.Mem, op.Results[0].Type
	n, typ := chunk(t, len(op.Results))
	kind := "ld." + e.space(m.Space)
	switch {
	case m.Volatile:
		kind = "ld.volatile." + e.space(m.Space)
	case m.ReadOnly:
		kind += loadCaches[m.Cache] + ".nc" + evictions[m.Evict]
	case m.Space == lir.Global:
		kind += loadCaches[m.Cache] + e.eviction(m)
	}
	if n > 1 {
		kind += ".v" + strconv.Itoa(n)
	}
	c, whole := classOf(t), n == len(op.Results)
	if !whole {
		c = words
		if typ == "b16" {
			c = halves
		}
	}
	regs := make([]string, n)
	for i := range regs {
		regs[i] = e.fresh(c)
	}
	if m.Pred {
		e.otherwise(op, regs, c, whole)
	}
	addr := e.address(op)
	e.ins(e.guard(op), kind, ".", typ, " ", list(regs), ", ", addr)
	if whole {
		e.alias(op.Results, regs)
		return
	}
	e.unpack(op.Results, regs, c)
}

// eviction is said of accesses without a cache operator.
func (e *emitter) eviction(m *lir.Mem) string {
	if m.Cache != tile.CacheDefault {
		return ""
	}
	return evictions[m.Evict]
}

// otherwise fills registers with what a load gives that does not happen.
func (e *emitter) otherwise(op *lir.Op, regs []string, c class, whole bool) {
	if !op.Mem.Else {
		for _, r := range regs {
			e.ins("mov.", classInfo[c].typ, " ", r, ", 0")
		}
		return
	}
	others := op.Args[2:]
	if whole {
		e.moves(regs, others)
		return
	}
	for i, r := range e.pack(others, len(regs), c) {
		e.ins("mov.", classInfo[c].typ, " ", regs[i], ", ", r)
	}
}

// unpack takes values of 8 or 16 bits out of registers.
func (e *emitter) unpack(vals []*lir.Value, regs []string, c class) {
	per := len(vals) / len(regs)
	for i, r := range regs {
		part := vals[i*per : (i+1)*per]
		if c == words && part[0].Type.Bits() == 16 {
			e.ins("mov.b32 {", e.def(part[0]), ", ", e.def(part[1]), "}, ", r)
			continue
		}
		halfRegs := []string{r}
		if c == words {
			lo, hi := e.fresh(halves), e.fresh(halves)
			e.ins("mov.b32 {", lo, ", ", hi, "}, ", r)
			halfRegs = []string{lo, hi}
		}
		for j, h := range halfRegs {
			e.alias(part[2*j:2*j+1], []string{h}) // its upper half is not looked at
			e.ins("shr.u16 ", e.def(part[2*j+1]), ", ", h, ", 8")
		}
	}
}

// pack puts values of 8 or 16 bits together into n registers.
func (e *emitter) pack(vals []*lir.Value, n int, c class) []string {
	per := len(vals) / n
	out := make([]string, n)
	for i := range out {
		part := vals[i*per : (i+1)*per]
		var hs []string
		if part[0].Type.Bits() == 16 {
			for _, v := range part {
				hs = append(hs, e.reg(v))
			}
		} else {
			for j := 0; j < len(part); j += 2 {
				hs = append(hs, e.bytes(part[j], part[j+1]))
			}
		}
		if c == halves {
			out[i] = hs[0]
			continue
		}
		out[i] = e.fresh(words)
		e.ins("mov.b32 ", out[i], ", {", hs[0], ", ", hs[1], "}")
	}
	return out
}

// bytes puts two values of 8 bits into a register of 16.
func (e *emitter) bytes(lo, hi *lir.Value) string {
	low, high, both := e.fresh(halves), e.fresh(halves), e.fresh(halves)
	e.ins("and.b16 ", low, ", ", e.reg(lo), ", 255")
	e.ins("shl.b16 ", high, ", ", e.reg(hi), ", 8")
	e.ins("or.b16 ", both, ", ", low, ", ", high)
	return both
}

func (e *emitter) store(op *lir.Op) {
	m, vals := op.Mem, op.Args[1:]
	if m.Pred {
		vals = vals[1:]
	}
	t := vals[0].Type
	n, typ := chunk(t, len(vals))
	kind := "st." + e.space(m.Space)
	if m.Space == lir.Global {
		kind += storeCaches[m.Cache] + e.eviction(m)
	}
	if n > 1 {
		kind += ".v" + strconv.Itoa(n)
	}
	var regs []string
	if n == len(vals) {
		for _, v := range vals {
			regs = append(regs, e.reg(v))
		}
	} else {
		c := words
		if typ == "b16" {
			c = halves
		}
		regs = e.pack(vals, n, c)
	}
	addr := e.address(op)
	e.ins(e.guard(op), kind, ".", typ, " ", addr, ", ", list(regs))
}

var orders = [...]string{tile.AcqRel: ".acq_rel", tile.Acquire: ".acquire", tile.Release: ".release", tile.Relaxed: ".relaxed"}

// An rmw is how an atomic is spelled: its name and how it names its type.
type rmw struct {
	name   string
	suffix suffix
}

var rmws = [...]rmw{
	tile.AtomicAdd: {"add", asUnsigned}, tile.AtomicFAdd: {"add", asFloat}, tile.AtomicAnd: {"and", asBits}, tile.AtomicOr: {"or", asBits},
	tile.AtomicXor: {"xor", asBits}, tile.AtomicMaxS: {"max", asSigned}, tile.AtomicMaxU: {"max", asUnsigned},
	tile.AtomicMinS: {"min", asSigned}, tile.AtomicMinU: {"min", asUnsigned}, tile.AtomicXchg: {"exch", asBits},
	tile.AtomicFMax: {"max", asFloat}, tile.AtomicFMin: {"min", asFloat},
}

func (e *emitter) atomic(op *lir.Op) {
	m, vals := op.Mem, op.Args[1:]
	if m.Pred {
		vals = vals[1:]
	}
	t := vals[0].Type
	name, typ := "cas", asBits.of(t)
	if op.Code == lir.OpAtomicRMW {
		r := rmws[m.Kind]
		name, typ = r.name, r.suffix.of(t)
		if r.suffix == asFloat && t.Bits() == 16 {
			name += ".noftz"
		}
	}
	order := orders[m.Sem] + e.scope(m.Scope)
	if m.Space == lir.Shared {
		order = ".relaxed" + e.scope(tile.ScopeCTA)
	}
	var args []string
	for _, v := range vals {
		args = append(args, ", ", e.reg(v))
	}
	addr := e.address(op)
	kind := "atom" + order + "." + e.space(m.Space) + "." + name + "." + typ + " "
	var result string
	if len(op.Results) > 0 {
		result = e.def(op.Results[0])
		if m.Pred {
			e.ins("mov.", classInfo[classOf(t)].typ, " ", result, ", 0")
		}
	} else {
		result = "_"
		if op.Code == lir.OpAtomicRMW && m.Kind != tile.AtomicXchg && m.Sem != tile.Acquire && m.Sem != tile.AcqRel {
			kind = "red" + order + "." + e.space(m.Space) + "." + name + "." + typ + " "
			e.ins(append([]string{e.guard(op), kind, addr}, args...)...)
			return
		}
		if t == lir.BF16 { // ptxas 12.9 crashes on an atomic of such without a result
			result = e.fresh(classOf(t))
		}
	}
	e.ins(append([]string{e.guard(op), kind, result, ", ", addr}, args...)...)
}

func (e *emitter) fence(op *lir.Op) { e.ins("fence.acq_rel", e.scope(tile.MemScope(op.Mod))) }

// shuffleModes have the mode's name and the bits that say where the warp ends.
var shuffleModes = [...][2]string{
	lir.ShuffleIdx: {"idx", "31"}, lir.ShuffleXor: {"bfly", "31"}, lir.ShuffleUp: {"up", "0"}, lir.ShuffleDown: {"down", "31"},
}

func (e *emitter) shuffle(op *lir.Op) {
	mode := shuffleModes[op.Mod]
	x, lane := e.reg(op.Args[0]), e.use(op.Args[1])
	e.ins("shfl.sync.", mode[0], ".b32 ", e.def(op.Results[0]), ", ", x, ", ", lane, ", ", mode[1], ", -1")
}

func (e *emitter) ballot(op *lir.Op) {
	x := e.reg(op.Args[0])
	e.ins("vote.sync.ballot.b32 ", e.def(op.Results[0]), ", ", x, ", -1")
}

func (e *emitter) redux(op *lir.Op) {
	r := rmws[op.Mod]
	typ := r.suffix.of(lir.I32)
	x := e.reg(op.Args[0])
	e.ins("redux.sync.", r.name, ".", typ, " ", e.def(op.Results[0]), ", ", x, ", -1")
}
