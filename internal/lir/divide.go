package lir

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// simplifyDivisions replaces fast f32 divisions, at most 2 ulp off, by what is cheaper and as good: divisions of constants from 1 to 2, and those
// by a constant, or several by the same divisor, by multiplications with a reciprocal.
//
// Where a divisor is so large that its reciprocal is subnormal, or so small that it is infinite, a power of two is
// taken out of both: x/d = x·(1/(d·s))·s. Everywhere else s is 1.
func simplifyDivisions(f *Func) {
	d := &divisors{b: &Builder{Func: f}, uses: divisorUses(f), known: map[*Value][2]*Value{}}
	d.block(f.Body)
}

func isFastDivision(op *Op) bool {
	return op.Code == OpFDiv && Rounding(op.Mod) == Fused && op.Result().Type == F32
}

// divisorUses gives, by ID, how many divisions a divisor is in; one in a loop that the divisor is not from counts as several.
func divisorUses(f *Func) []int {
	uses, loops := make([]int, f.numValues), make([]int, f.numValues)
	var walk func(b *Block, loop int)
	walk = func(b *Block, loop int) {
		for _, a := range b.Args {
			loops[a.ID] = loop
		}
		for _, op := range b.Ops {
			inner := loop
			if op.Code == OpFor || op.Code == OpWhile {
				inner++
			}
			for _, r := range op.Regions {
				walk(r, inner)
			}
			for _, v := range op.Results {
				loops[v.ID] = loop
			}
			if isFastDivision(op) {
				by := op.Args[1]
				uses[by.ID] += 1 + loop - loops[by.ID]
			}
		}
	}
	walk(f.Body, 0)
	return uses
}

type divisors struct {
	b     *Builder
	uses  []int
	known map[*Value][2]*Value // by divisor: the reciprocal and the power of two
}

// block rewrites the divisions of a block. The reciprocals stand right behind the divisors.
func (d *divisors) block(b *Block) {
	old := b.Ops
	d.b.push(b, false)
	defer d.b.pop()
	b.Ops = make([]*Op, 0, len(old)+8)
	for _, a := range b.Args {
		d.define(a)
	}
	for _, op := range old {
		for _, r := range op.Regions {
			d.block(r)
		}
		if isFastDivision(op) {
			d.simplify(op)
		}
		b.Ops = append(b.Ops, op)
		for _, v := range op.Results {
			d.define(v)
		}
	}
}

func (d *divisors) simplify(op *Op) {
	x, by := op.Args[0], op.Args[1]
	d.b.Loc = op.Loc
	switch shared, ok := d.known[by]; {
	case ok:
		op.Code, op.Mod = OpFMul, uint8(Nearest)
		op.Args = []*Value{d.b.Pure(OpFMul, uint8(Nearest), F32, 0, x, shared[0]), shared[1]}
	case by.IsConst() && isOrdinary(number(by)):
		op.Code, op.Mod = OpFMul, uint8(Nearest)
		op.Args = []*Value{x, d.num(1 / number(by))}
	case x.IsConst() && number(x) == 1:
		op.Code, op.Args = OpRcp, []*Value{by}
	case x.IsConst() && math.Abs(float64(number(x))) >= 1 && math.Abs(float64(number(x))) <= 2:
		op.Code, op.Mod = OpFMul, uint8(Nearest)
		op.Args = []*Value{d.b.Pure(OpRcp, uint8(Fused), F32, 0, by), x}
	}
}

// Beyond these the reciprocal of a number is no normal number.
const (
	largeDivisor = 0x1p126
	smallDivisor = 0x1p-126
)

func isOrdinary(x float32) bool {
	size := math.Abs(float64(x))
	return size >= smallDivisor && size <= largeDivisor
}

func number(v *Value) float32 { return math.Float32frombits(uint32(v.Bits)) }

func (d *divisors) num(x float32) *Value { return d.b.Const(F32, uint64(math.Float32bits(x))) }

// define computes the reciprocal of a divisor of several divisions.
func (d *divisors) define(v *Value) {
	if d.uses[v.ID] < 2 {
		return
	}
	b := d.b
	if v.Op != nil {
		b.Loc = v.Op.Loc
	}
	size := b.Pure(OpFAbs, 0, F32, 0, v)
	isLarge := b.Pure(OpFCmp, uint8(tile.OGT), I1, 0, size, d.num(largeDivisor))
	isSmall := b.Pure(OpFCmp, uint8(tile.OLT), I1, 0, size, d.num(smallDivisor))
	s := b.Pure(OpSelect, 0, F32, 0, isLarge, d.num(0x1p-24), d.num(1))
	s = b.Pure(OpSelect, 0, F32, 0, isSmall, d.num(0x1p24), s)
	scaled := b.Pure(OpFMul, uint8(Nearest), F32, 0, v, s)
	d.known[v] = [2]*Value{b.Pure(OpRcp, uint8(Fused), F32, 0, scaled), s}
}
