package native

import (
	"encoding/binary"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// AVX2 has vectors of half the length and 16 registers, and no masks: what selects lanes is a vector whose lanes are all ones or zero. The
// lowering does not know: it writes instructions of AVX-512, and each is replaced here by what does the same. Most have a form of their own
// (VEX); the others are made of several, from the tables below. Constants are loaded as everywhere else, so that loops keep them in registers.
//
// A mask's lanes are as wide as what it was made from: those of 4 bytes stand for a whole strip, those of 8 for half of one. Users
// take the form that they need.

// A ymm writes instructions of AVX2.
type ymm struct{ *generator }

// selectAVX2 writes what an instruction of AVX-512 does.
func selectAVX2(g *generator, i amd64.Inst) {
	y := ymm{g}
	if f, ok := avx2Moves[i.Op]; ok {
		f(y, i)
		return
	}
	if f, ok := avx2Values[i.Op]; ok {
		if i.HasMem {
			g.refuse("%s of memory, without AVX-512,", &i)
		}
		y.give(&i, f(y, &i))
		return
	}
	if o, ok := avx2Names[i.Op]; ok {
		w := i.Op.ElemBytes()
		i.Op = o
		y.plain(i, w)
		return
	}
	switch {
	case !i.Op.Vector() && !isMaskOp(i.Op):
		g.put(i)
	case i.Op.HasVEX():
		y.plain(i, i.Op.ElemBytes())
	default:
		g.refuse("%s, without AVX-512,", &i)
	}
}

// avx2Names are instructions that are called otherwise.
var avx2Names = map[amd64.Op]amd64.Op{
	amd64.VPANDD: amd64.VPAND, amd64.VPANDQ: amd64.VPAND, amd64.VPORD: amd64.VPOR, amd64.VPORQ: amd64.VPOR,
	amd64.VPXORD: amd64.VPXOR, amd64.VPXORQ: amd64.VPXOR, amd64.VPANDND: amd64.VPANDN,
	amd64.VRNDSCALEPS: amd64.VROUNDPS, amd64.VRNDSCALEPD: amd64.VROUNDPD, // whole numbers, as the immediate's upper half is 0
	amd64.VEXTRACTI64X4: amd64.VEXTRACTI128, amd64.VINSERTI64X4: amd64.VINSERTI128,
}

func isMaskOp(o amd64.Op) bool { return o >= amd64.KMOV && o <= amd64.KORTEST }

// short gives the length of what has length l with 16 lanes.
func short(l amd64.Len) amd64.Len { return max(l, amd64.Y) - 1 }

// plain writes an instruction that has a VEX form. w is the width of its lanes.
func (y ymm) plain(i amd64.Inst, w int) {
	i.VEX, i.L = true, short(i.L)
	if i.Bcast {
		t := y.vec()
		y.generator.load(pick(i.Op.ElemBytes(), amd64.VPBROADCASTD, amd64.VPBROADCASTQ), t, i.M)
		i.C, i.HasMem, i.Bcast = t, false, false
	}
	k := i.K
	switch {
	case k == none:
		y.put(i)
	case i.HasMem && i.Op.IsStore():
		y.storeWhere(i, w)
	case i.HasMem:
		i.Op, i.K = pick(w, amd64.VMASKMOVPS, amd64.VMASKMOVPD), y.wide(k, w)
		y.put(i)
	default:
		to := i
		i.A, i.K = y.vec(), none
		y.put(i)
		y.giveWidth(&to, w, i.A)
	}
}

// give puts a value where an instruction wants it, in the lanes that it selects.
func (y ymm) give(i *amd64.Inst, v reg) { y.giveWidth(i, i.Op.ElemBytes(), v) }

func (y ymm) giveWidth(i *amd64.Inst, w int, v reg) {
	bits, known := y.maskBits[i.K]
	switch {
	case i.K == none:
		y.into(amd64.VMOVAPS, i.A, v, none, 0)
	case known && w == 4 && !i.Zero:
		y.into(amd64.VPBLENDD, i.A, i.A, v, int64(bits&(1<<y.lanes-1)))
	case i.Zero:
		y.into(amd64.VPAND, i.A, v, y.wide(i.K, w), 0)
	default:
		y.into(amd64.VMOVAPS, i.A, y.choose(w, y.wide(i.K, w), i.A, v), none, 0)
	}
}

// into writes a VEX form of full length with a given destination.
func (y ymm) into(op amd64.Op, a, b, c reg, imm int64) {
	i := ins(op)
	i.A, i.B, i.C, i.Imm, i.VEX, i.L = a, b, c, imm, true, amd64.Y
	y.put(i)
}

// op gives the result of a VEX form of full length, half of half the length.
func (y ymm) op(op amd64.Op, b, c reg) reg              { return y.opImm(op, b, c, 0) }
func (y ymm) half(op amd64.Op, b, c reg, imm int64) reg { return y.of(amd64.X, op, b, c, imm) }

func (y ymm) opImm(op amd64.Op, b, c reg, imm int64) reg { return y.of(amd64.Y, op, b, c, imm) }

func (y ymm) of(l amd64.Len, op amd64.Op, b, c reg, imm int64) reg {
	i := ins(op)
	i.A, i.B, i.C, i.Imm, i.VEX, i.L = y.vec(), b, c, imm, true, l
	y.put(i)
	return i.A
}

// upper gives the second half of a vector as the first of another.
func (y ymm) upper(v reg) reg {
	i := ins(amd64.VEXTRACTI128)
	i.A, i.B, i.Imm, i.L = v, y.vec(), 1, amd64.Y
	y.put(i)
	return i.B
}

// low gives the lower halves of lanes of 8 bytes, as half a vector.
func (y ymm) low(v reg) reg { return y.half(amd64.VSHUFPS, v, y.upper(v), 0x88) }

// choose gives b where a mask of this width is set, else a.
func (y ymm) choose(w int, mask, a, b reg) reg {
	i := ins(pick(w, amd64.VBLENDVPS, amd64.VBLENDVPD))
	i.A, i.B, i.C, i.K, i.L = y.vec(), a, b, mask, amd64.Y
	y.put(i)
	return i.A
}

func (y ymm) bits(w int, x uint64) reg { return y.splatBits(w, x) }
func (y ymm) not(v reg) reg            { return y.op(amd64.VPXOR, v, y.bits(4, 0xffffffff)) }
func (y ymm) and(a, b reg) reg         { return y.op(amd64.VPAND, a, b) }
func (y ymm) or(a, b reg) reg          { return y.op(amd64.VPOR, a, b) }
func (y ymm) xor(a, b reg) reg         { return y.op(amd64.VPXOR, a, b) }

// wide gives a mask with lanes of w bytes. Of a whole strip's, those of 8 are the first half; what half a strip's does not have is zero.
func (y ymm) wide(k reg, w int) reg {
	have := y.maskWidths[k]
	bits, known := y.maskBits[k]
	switch {
	case known && w == 4:
		return y.lanesOf(bits)
	case known:
		k = y.lanesOf(bits)
	}
	switch {
	case have == w:
		return k
	case w == 8:
		return y.op(amd64.VPMOVSXDQ, k, none)
	}
	return y.low(k)
}

// vector gives a mask as it was made.
func (y ymm) vector(k reg) reg { return y.wide(k, y.maskWidths[k]) }

// define lets k be a mask with lanes of w bytes.
func (y ymm) define(k reg, w int, v reg) {
	have, ok := y.maskWidths[k]
	if !ok {
		y.maskWidths[k] = w
	} else if have != w {
		t := y.generator.mask()
		y.maskWidths[t] = w
		y.into(amd64.VMOVAPS, t, v, none, 0)
		v = y.wide(t, have)
	}
	y.into(amd64.VMOVAPS, k, v, none, 0)
}

// lanesOf gives a vector of 4 bytes for each lane: all ones where a bit is set.
func (y ymm) lanesOf(bits uint32) reg {
	if bits&(1<<y.lanes-1) == 1<<y.lanes-1 {
		return y.bits(4, 0xffffffff)
	}
	all := make([]int32, y.lanes)
	for i := range all {
		all[i] = -int32(bits >> i & 1)
	}
	return y.laneConst(all)
}

// moved gives the lanes of 4 bytes that lie n later, around the end.
func (y ymm) moved(v reg, n int) reg {
	to := make([]int32, y.lanes)
	for i := range to {
		to[i] = int32((i + n + y.lanes) % y.lanes)
	}
	return y.op(amd64.VPERMD, y.laneConst(to), v)
}

// avx2Moves are instructions of masks, memory and general registers.
var avx2Moves map[amd64.Op]func(y ymm, i amd64.Inst)

func init() {
	moves := map[amd64.Op]func(y ymm, i amd64.Inst){
		amd64.KMOV:    func(y ymm, i amd64.Inst) { y.define(i.A, y.maskWidths[i.B], y.vector(i.B)) },
		amd64.KMOVld:  ymm.constantMask,
		amd64.KMOVtoG: ymm.maskToGeneral, amd64.KMOVfromG: ymm.maskFromGeneral,
		amd64.KNOT:    func(y ymm, i amd64.Inst) { y.define(i.A, y.maskWidths[i.B], y.not(y.vector(i.B))) },
		amd64.KSHIFTR: ymm.shiftMask, amd64.KSHIFTL: ymm.shiftMask, amd64.KUNPCK: ymm.joinMasks, amd64.KORTEST: ymm.testMasks,
		amd64.VPTESTMB: ymm.maskOfBytes, amd64.VPMOVM2B: ymm.maskToBytes,
		amd64.VMOVDQU8: ymm.loadNarrow, amd64.VMOVDQU16: ymm.loadNarrow, amd64.VMOVDQU8st: ymm.storeNarrow, amd64.VMOVDQU16st: ymm.storeNarrow,
		amd64.VPMOVDW: ymm.narrow, amd64.VPMOVDB: ymm.narrow, amd64.VPMOVQD: ymm.narrow, amd64.VCVTPS2PH: ymm.narrow,
		amd64.VPBROADCASTDfromG: func(y ymm, i amd64.Inst) { y.fromGeneral(i, amd64.VMOVDfromG, amd64.VPBROADCASTD) },
		amd64.VPBROADCASTQfromG: func(y ymm, i amd64.Inst) { y.fromGeneral(i, amd64.VMOVQfromG, amd64.VPBROADCASTQ) },
	}
	for o := range logicOfMasks {
		moves[o] = ymm.logic
	}
	for _, o := range []amd64.Op{amd64.VCMPPS, amd64.VCMPPD, amd64.VPCMPD, amd64.VPCMPQ, amd64.VPCMPUD, amd64.VPCMPUQ, amd64.VPTESTMD, amd64.VPTESTMQ} {
		moves[o] = ymm.compare
	}
	for o := range gathers {
		moves[o] = ymm.gatherInst
	}
	avx2Moves = moves
}

// constantMask loads a mask from the pool of constants.
func (y ymm) constantMask(i amd64.Inst) {
	bits := binary.LittleEndian.Uint16(y.pool[i.M.Const-1:])
	y.maskWidths[i.A], y.maskBits[i.A] = 4, uint32(bits) // a vector where it is used
}

func (y ymm) maskToGeneral(i amd64.Inst) {
	y.msk(y.maskWidths[i.B], i.A, y.vector(i.B))
}

// msk puts a bit for each lane of a mask into a general register.
func (y ymm) msk(w int, to, k reg) {
	i := ins(pick(w, amd64.VMOVMSKPS, amd64.VMOVMSKPD))
	i.A, i.B, i.L = to, k, amd64.Y
	y.put(i)
}

func (y ymm) maskFromGeneral(i amd64.Inst) {
	own := make([]int32, y.lanes)
	for l := range own {
		own[l] = 1 << l
	}
	bit := y.laneConst(own)
	y.define(i.A, 4, y.op(amd64.VPCMPEQD, y.and(y.rm(amd64.VPBROADCASTDfromG, i.B), bit), bit))
}

func (y ymm) fromGeneral(i amd64.Inst, move, broadcast amd64.Op) {
	y.into(broadcast, i.A, y.half(move, i.B, none, 0), none, 0)
}

var logicOfMasks = map[amd64.Op]amd64.Op{
	amd64.KAND: amd64.VPAND, amd64.KANDN: amd64.VPANDN, amd64.KOR: amd64.VPOR, amd64.KXOR: amd64.VPXOR, amd64.KXNOR: amd64.VPXOR,
}

// logic combines masks. Where one is half a strip's, that is what both does; what else is made of it is a whole strip's.
func (y ymm) logic(i amd64.Inst) {
	if i.A == i.B && i.B == i.C { // the way to write all zeros, and all ones
		v := uint64(0)
		if i.Op == amd64.KXNOR {
			v = 0xffffffff
		}
		y.define(i.A, 4, y.bits(4, v))
		return
	}
	w := max(y.maskWidths[i.B], y.maskWidths[i.C])
	if i.Op != amd64.KAND {
		w = min(y.maskWidths[i.B], y.maskWidths[i.C])
	}
	v := y.op(logicOfMasks[i.Op], y.wide(i.B, w), y.wide(i.C, w))
	if i.Op == amd64.KXNOR {
		v = y.not(v)
	}
	y.define(i.A, w, v)
}

func (y ymm) shiftMask(i amd64.Inst) {
	v, n, half := y.wide(i.B, 4), int(i.Imm), y.lanes/2
	bits := uint32(1<<y.lanes-1) >> n
	if i.Op == amd64.KSHIFTL {
		n, bits = -n, uint32(1<<y.lanes-1)<<n
	}
	switch {
	case n == half:
		y.define(i.A, 8, y.op(amd64.VPMOVSXDQ, y.upper(v), none))
	case n >= y.lanes || -n >= y.lanes:
		y.define(i.A, 4, y.bits(4, 0))
	default:
		y.define(i.A, 4, y.and(y.moved(v, n), y.lanesOf(bits)))
	}
}

// joinMasks makes one mask of those of two halves, of which C is the first.
func (y ymm) joinMasks(i amd64.Inst) {
	hi, lo := y.wide(i.B, 8), y.wide(i.C, 8)
	y.define(i.A, 4, y.opImm(amd64.VPERMQ, y.opImm(amd64.VSHUFPS, lo, hi, 0x88), none, 0xd8))
}

// testMasks sets the zero flag if no lane is set.
func (y ymm) testMasks(i amd64.Inst) {
	v := y.vector(i.A)
	if i.A != i.B {
		v = y.or(y.wide(i.A, 4), y.wide(i.B, 4))
	}
	y.into(amd64.VPTEST, v, v, none, 0)
}

func (y ymm) maskOfBytes(i amd64.Inst) {
	b := i.B
	if i.B != i.C {
		b = y.and(i.B, i.C)
	}
	y.define(i.A, 4, y.op(amd64.VPCMPGTD, y.op(amd64.VPMOVZXBD, b, none), y.bits(4, 0)))
}

func (y ymm) maskToBytes(i amd64.Inst) {
	m := y.wide(i.B, 4)
	w := y.half(amd64.VPACKSSDW, m, y.upper(m), 0)
	y.into(amd64.VPACKSSWB, i.A, w, w, 0)
}

// compare makes a mask.
func (y ymm) compare(i amd64.Inst) {
	w := i.Op.ElemBytes()
	var v reg
	switch i.Op {
	case amd64.VCMPPS, amd64.VCMPPD:
		v = y.opImm(pick(w, amd64.VCMPPSV, amd64.VCMPPDV), i.B, i.C, i.Imm)
	case amd64.VPTESTMD, amd64.VPTESTMQ:
		v = i.B
		if i.B != i.C {
			v = y.and(i.B, i.C)
		}
		v = y.not(y.op(pick(w, amd64.VPCMPEQD, amd64.VPCMPEQQ), v, y.bits(4, 0)))
	default:
		v = y.compareInts(w, i.Op == amd64.VPCMPUD || i.Op == amd64.VPCMPUQ, i.B, i.C, i.Imm)
	}
	y.define(i.A, w, v)
}

// The predicates of vpcmp.
const (
	cmpEQ, cmpLT, cmpLE = 0, 1, 2
	cmpNE, cmpGE, cmpGT = 4, 5, 6
)

func (y ymm) compareInts(w int, unsigned bool, b, c reg, pred int64) reg {
	eq, gt := pick(w, amd64.VPCMPEQD, amd64.VPCMPEQQ), pick(w, amd64.VPCMPGTD, amd64.VPCMPGTQ)
	if unsigned && pred != cmpEQ && pred != cmpNE {
		if w == 4 && (pred == cmpLE || pred == cmpGE) {
			least := map[int64]amd64.Op{cmpLE: amd64.VPMINUD, cmpGE: amd64.VPMAXUD}[pred]
			return y.op(eq, b, y.op(least, b, c))
		}
		sign := y.bits(w, 1<<(8*w-1))
		b, c = y.xor(b, sign), y.xor(c, sign)
	}
	switch pred {
	case cmpEQ:
		return y.op(eq, b, c)
	case cmpNE:
		return y.not(y.op(eq, b, c))
	case cmpLT:
		return y.op(gt, c, b)
	case cmpGT:
		return y.op(gt, b, c)
	case cmpLE:
		return y.not(y.op(gt, b, c))
	}
	return y.not(y.op(gt, c, b))
}

// gathers are the widths of masks of gathers.
var gathers = map[amd64.Op]int{amd64.VPGATHERDD: 4, amd64.VPGATHERQD: 4, amd64.VPGATHERDQ: 8, amd64.VPGATHERQQ: 8}

func (y ymm) gatherInst(i amd64.Inst) {
	i.K = y.wide(i.K, gathers[i.Op])
	i.VEX, i.L = true, amd64.Y
	y.put(i)
}
