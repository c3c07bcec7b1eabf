package pass_test

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An evaluator runs a function, one element at a time and in the plainest way, so that the
// tests have a meaning to compare with that shares nothing with the passes. It knows the
// operations that the tests generate.
type evaluator struct {
	vals   map[*tile.Value][]uint64 // elements' bits
	memory map[uint64]uint64        // elements by address
	trace  []string                 // stores, in order
	steps  int
	// wrapped is set when a signed integer overflows, or a negative one is widened as unsigned.
	wrapped bool
	// after, if not nil, is called when a value has been computed.
	after func(*tile.Value, []uint64)
}

// maxSteps bounds the operations of one run: generated loops are short.
const maxSteps = 100_000

func evaluate(f *tile.Func, args [][]uint64, memory map[uint64]uint64) (*evaluator, [][]uint64) {
	e := &evaluator{vals: make(map[*tile.Value][]uint64), memory: make(map[uint64]uint64)}
	for a, v := range memory {
		e.memory[a] = v
	}
	for i, v := range f.Body.Args {
		e.vals[v] = args[i]
	}
	return e, e.block(f.Body)
}

// block runs b and gives the operands of its terminator.
func (e *evaluator) block(b *tile.Block) [][]uint64 {
	for _, op := range b.Ops {
		e.steps++
		if e.steps > maxSteps {
			panic("the program does not end")
		}
		if op.Code.IsTerminator() {
			return e.all(op.Args)
		}
		e.op(op)
	}
	panic("no terminator")
}

func (e *evaluator) all(vals []*tile.Value) [][]uint64 {
	out := make([][]uint64, len(vals))
	for i, v := range vals {
		out[i] = e.vals[v]
	}
	return out
}

func (e *evaluator) set(vals []*tile.Value, to [][]uint64) {
	for i, v := range vals {
		e.define(v, to[i])
	}
}

func (e *evaluator) define(v *tile.Value, elems []uint64) {
	e.vals[v] = elems
	if e.after != nil {
		e.after(v, elems)
	}
}

func (e *evaluator) op(op *tile.Op) {
	switch op.Code {
	case tile.OpIf:
		taken := op.Regions[1]
		if e.vals[op.Args[0]][0] == 1 {
			taken = op.Regions[0]
		}
		e.set(op.Results, e.block(taken))
	case tile.OpFor:
		e.forLoop(op)
	case tile.OpWhile:
		e.whileLoop(op)
	case tile.OpReduce:
		e.reduce(op)
	case tile.OpScan:
		e.scan(op)
	case tile.OpMap:
		e.mapElements(op)
	case tile.OpAssert:
		for _, ok := range e.vals[op.Args[0]] {
			if ok == 0 {
				e.trace = append(e.trace, "failed: "+op.Attr.(tile.AssertAttr).Msg)
			}
		}
	case tile.OpAssume:
		if e.vals[op.Args[0]][0] == 0 {
			panic("what is assumed does not hold")
		}
	case tile.OpAtomicRMW:
		e.atomicAdd(op)
	case tile.OpStore:
		e.store(op)
	case tile.OpLoad:
		e.load(op)
	case tile.OpSplit:
		x := e.vals[op.Args[0]]
		for k, r := range op.Results {
			out := make([]uint64, r.Type.NumElems())
			for i := range out {
				out[i] = x[2*i+k]
			}
			e.define(r, out)
		}
	default:
		e.define(op.Result(), e.result(op))
	}
}

func (e *evaluator) forLoop(op *tile.Op) {
	t := op.Args[0].Type
	number := func(bits uint64) *big.Int {
		if op.Attr.(tile.ForAttr).Unsigned {
			return new(big.Int).SetUint64(bits)
		}
		return signedOf(bits, t.ElemBits())
	}
	i, hi, step := number(e.vals[op.Args[0]][0]), number(e.vals[op.Args[1]][0]), number(e.vals[op.Args[2]][0])
	carried := e.all(op.Args[3:])
	for ; i.Cmp(hi) < 0; i.Add(i, step) {
		body := op.Regions[0]
		e.define(body.Args[0], []uint64{bitsOf(i, t.ElemBits())})
		e.set(body.Args[1:], carried)
		carried = e.block(body)
	}
	e.set(op.Results, carried)
}

func (e *evaluator) whileLoop(op *tile.Op) {
	before, after := op.Regions[0], op.Regions[1]
	carried := e.all(op.Args)
	for {
		e.set(before.Args, carried)
		out := e.block(before)
		if out[0][0] == 0 {
			e.set(op.Results, out[1:])
			return
		}
		e.set(after.Args, out[1:])
		carried = e.block(after)
	}
}

// reduce knows one-dimensional operands.
func (e *evaluator) reduce(op *tile.Op) {
	n := op.Args[0].Type.NumElems()
	body, k := op.Regions[0], len(op.Args)
	acc := make([][]uint64, k)
	for i, a := range op.Args {
		acc[i] = e.vals[a][:1]
	}
	for j := 1; j < n; j++ {
		e.set(body.Args[:k], acc)
		for i, a := range op.Args {
			e.define(body.Args[k+i], e.vals[a][j:j+1])
		}
		acc = e.block(body)
	}
	e.set(op.Results, acc)
}

// scan knows one-dimensional operands.
func (e *evaluator) scan(op *tile.Op) {
	x, body := e.vals[op.Args[0]], op.Regions[0]
	out := make([]uint64, len(x))
	at := func(j int) int {
		if op.Attr.(tile.ScanAttr).Reverse {
			return len(x) - 1 - j
		}
		return j
	}
	out[at(0)] = x[at(0)]
	for j := 1; j < len(x); j++ {
		e.define(body.Args[0], out[at(j-1):][:1])
		e.define(body.Args[1], x[at(j):][:1])
		out[at(j)] = e.block(body)[0][0]
	}
	e.define(op.Result(), out)
}

func (e *evaluator) mapElements(op *tile.Op) {
	out := make([][]uint64, len(op.Results))
	for i := range op.Args[0].Type.NumElems() {
		for k, a := range op.Args {
			e.define(op.Regions[0].Args[k], e.vals[a][i:i+1])
		}
		for k, y := range e.block(op.Regions[0]) {
			out[k] = append(out[k], y[0])
		}
	}
	e.set(op.Results, out)
}

func (e *evaluator) atomicAdd(op *tile.Op) {
	out := make([]uint64, op.Result().Type.NumElems())
	for i, addr := range e.vals[op.Args[0]] {
		if !e.masked(op, 2, i) {
			out[i] = e.memory[addr]
			e.memory[addr] = uint64(uint32(out[i] + e.vals[op.Args[1]][i]))
			e.trace = append(e.trace, fmt.Sprintf("%x=%x", addr, e.memory[addr]))
		}
	}
	e.define(op.Result(), out)
}

func (e *evaluator) masked(op *tile.Op, mask, i int) bool {
	return len(op.Args) > mask && e.vals[op.Args[mask]][i] == 0
}

func (e *evaluator) store(op *tile.Op) {
	for i, addr := range e.vals[op.Args[0]] {
		if !e.masked(op, 2, i) {
			v := e.vals[op.Args[1]][i]
			e.memory[addr] = v
			e.trace = append(e.trace, fmt.Sprintf("%x=%x", addr, v))
		}
	}
}

func (e *evaluator) load(op *tile.Op) {
	out := make([]uint64, op.Result().Type.NumElems())
	for i, addr := range e.vals[op.Args[0]] {
		switch {
		case !e.masked(op, 1, i):
			out[i] = e.memory[addr]
		case len(op.Args) > 2:
			out[i] = e.vals[op.Args[2]][i]
		}
	}
	e.define(op.Result(), out)
}

// pid is the program instance that evaluators run, in each dimension.
const pid = 5

// result computes an operation of one result without effects.
func (e *evaluator) result(op *tile.Op) []uint64 {
	t := op.Result().Type
	out := make([]uint64, t.NumElems())
	var x []uint64
	var from []int
	if len(op.Args) > 0 {
		x, from = e.vals[op.Args[0]], op.Args[0].Type.Shape()
	}
	shape := t.Shape()
	for i := range out {
		at := unravel(i, shape)
		switch op.Code {
		case tile.OpConst:
			out[i] = op.Attr.(tile.ConstAttr).Bits
		case tile.OpRange:
			out[i] = uint64(uint32(op.Attr.(tile.RangeAttr).Start + int64(i)))
		case tile.OpSplat:
			out[i] = x[0]
		case tile.OpReshape, tile.OpHint:
			out[i] = x[i]
		case tile.OpBroadcast:
			for d, n := range from {
				at[d] %= n
			}
			out[i] = x[ravel(at, from)]
		case tile.OpExpandDims:
			axis := op.Attr.(tile.AxisAttr).Axis
			out[i] = x[ravel(append(at[:axis:axis], at[axis+1:]...), from)]
		case tile.OpTrans:
			src, order := make([]int, len(at)), op.Attr.(tile.PermAttr).Order
			for d := range at {
				src[order[d]] = at[d]
			}
			out[i] = x[ravel(src, from)]
		case tile.OpProgramID:
			out[i] = pid
		case tile.OpNumPrograms:
			out[i] = pid + 1
		case tile.OpGather:
			at[op.Attr.(tile.AxisAttr).Axis] = int(e.vals[op.Args[1]][i])
			out[i] = x[ravel(at, from)]
		case tile.OpHistogram:
			for _, v := range x {
				out[i] += truth(v == uint64(i))
			}
		case tile.OpJoin:
			out[i] = e.vals[op.Args[i%2]][i/2]
		case tile.OpCat:
			axis := op.Attr.(tile.AxisAttr).Axis
			half := at[axis] / from[axis]
			at[axis] %= from[axis]
			out[i] = e.vals[op.Args[half]][ravel(at, from)]
		default:
			out[i] = e.element(op, i)
		}
	}
	return out
}

func unravel(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}

func ravel(at, shape []int) int {
	i := 0
	for d, n := range shape {
		i = i*n + at[d]
	}
	return i
}

// element computes element i of an elementwise operation.
func (e *evaluator) element(op *tile.Op, i int) uint64 {
	var x [3]uint64
	for k, a := range op.Args {
		if a.Type.IsScalar() {
			x[k] = e.vals[a][0]
		} else {
			x[k] = e.vals[a][i]
		}
	}
	in, out := op.Args[0].Type, op.Result().Type
	switch op.Code {
	case tile.OpSelect:
		if x[0] == 1 {
			return x[1]
		}
		return x[2]
	case tile.OpExtU:
		e.wrapped = e.wrapped || x[0]>>(in.ElemBits()-1) == 1
		return x[0]
	case tile.OpBitcast, tile.OpIntToPtr, tile.OpPtrToInt:
		return x[0]
	case tile.OpTrunc:
		return bitsOf(new(big.Int).SetUint64(x[0]), out.ElemBits())
	case tile.OpExtS:
		return bitsOf(signedOf(x[0], in.ElemBits()), out.ElemBits())
	case tile.OpAddPtr:
		off := signedOf(x[1], op.Args[1].Type.ElemBits())
		off.Mul(off, big.NewInt(int64(out.Pointee().ElemBytes())))
		return bitsOf(off.Add(off, new(big.Int).SetUint64(x[0])), 64)
	case tile.OpCmpI:
		return truth(compareInts(op.Attr.(tile.CmpIAttr).Pred, x[0], x[1], in.ElemBits()))
	case tile.OpSToF, tile.OpUToF, tile.OpFToS, tile.OpFToU, tile.OpFExt, tile.OpFTrunc:
		return convert(op, x[0])
	}
	if in.IsFloat() {
		return floatElement(op, in.Elem(), x)
	}
	return e.intElement(op.Code, in.ElemBits(), x[0], x[1])
}

func signedOf(bits uint64, w int) *big.Int {
	v := new(big.Int).SetUint64(bits)
	if v.Bit(w-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	return v
}

// bitsOf gives v modulo 2^w.
func bitsOf(v *big.Int, w int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(w))
	return new(big.Int).Mod(v, m).Uint64()
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func compareInts(p tile.CmpI, x, y uint64, w int) bool {
	a, b := new(big.Int).SetUint64(x), new(big.Int).SetUint64(y)
	if p >= tile.LTS && p <= tile.GES {
		a, b = signedOf(x, w), signedOf(y, w)
	}
	switch c := a.Cmp(b); p {
	case tile.EQ:
		return c == 0
	case tile.NE:
		return c != 0
	case tile.LTS, tile.LTU:
		return c < 0
	case tile.LES, tile.LEU:
		return c <= 0
	case tile.GTS, tile.GTU:
		return c > 0
	default:
		return c >= 0
	}
}

// intElement computes an integer. Division by zero and shifts by the width or more give what the checked
// executor does: 0, or the sign.
func (e *evaluator) intElement(c tile.Code, w int, xb, yb uint64) uint64 {
	switch c {
	case tile.OpDivS, tile.OpRemS, tile.OpDivU, tile.OpRemU:
		if yb == 0 {
			return 0
		}
	case tile.OpShl, tile.OpShrU, tile.OpShrS:
		yb = min(yb, uint64(w))
	}
	x, y := new(big.Int).SetUint64(xb), new(big.Int).SetUint64(yb)
	sx, sy := signedOf(xb, w), signedOf(yb, w)
	z := new(big.Int)
	switch c {
	case tile.OpAdd:
		z.Add(sx, sy)
	case tile.OpSub:
		z.Sub(sx, sy)
	case tile.OpMul:
		z.Mul(sx, sy)
	case tile.OpDivS:
		z.Quo(sx, sy)
	case tile.OpRemS:
		z.Rem(sx, sy)
	case tile.OpAbsI:
		z.Abs(sx)
	case tile.OpMinS:
		z = sx
		if sy.Cmp(sx) < 0 {
			z = sy
		}
	case tile.OpMaxS:
		z = sx
		if sy.Cmp(sx) > 0 {
			z = sy
		}
	case tile.OpShrS:
		z.Rsh(sx, uint(yb))
	case tile.OpShl:
		z.Lsh(sx, uint(yb))
	case tile.OpDivU:
		return bitsOf(z.Quo(x, y), w)
	case tile.OpRemU:
		return bitsOf(z.Rem(x, y), w)
	case tile.OpAnd:
		return xb & yb
	case tile.OpOr:
		return xb | yb
	case tile.OpXor:
		return xb ^ yb
	case tile.OpShrU:
		return xb >> yb
	case tile.OpMinU:
		return min(xb, yb)
	case tile.OpMaxU:
		return max(xb, yb)
	case tile.OpMulHiU:
		return bitsOf(z.Rsh(z.Mul(x, y), uint(w)), w)
	default:
		panic(fmt.Sprintf("the evaluator does not know %s", c))
	}
	bits := bitsOf(z, w)
	if z.Cmp(signedOf(bits, w)) != 0 {
		e.wrapped = true
	}
	return bits
}

// floatElement computes f64 in f64 and all else in f32, rounded once.
func floatElement(op *tile.Op, elem tile.Elem, bits [3]uint64) uint64 {
	d := elem.DType()
	var x [3]float64
	for i, b := range bits {
		x[i] = d.Decode(b)
	}
	sign := uint64(1) << (elem.Bits() - 1)
	switch op.Code {
	case tile.OpCmpF:
		return truth(compareFloats(op.Attr.(tile.CmpFAttr).Pred, x[0], x[1]))
	case tile.OpFNeg:
		if onlyOne(elem, x[0]) {
			return bits[0]
		}
		return bits[0] ^ sign
	case tile.OpAbsF:
		if onlyOne(elem, x[0]) {
			return bits[0]
		}
		return bits[0] &^ sign
	case tile.OpFMin, tile.OpFMax:
		return extremum(op, bits, x)
	case tile.OpClamp:
		return clamped(d, bits, x)
	case tile.OpFRem:
		return d.Encode(math.Mod(x[0], x[1]))
	}
	if op.Code == tile.OpFMA {
		return d.Encode(fma(elem, x))
	}
	if elem == tile.F64 {
		return d.Encode(float64Element(op.Code, x))
	}
	return d.Encode(float64(float32Element(op.Code, float32(x[0]), float32(x[1]))))
}

// fma rounds x*y+z once, to f64 or f32.
func fma(e tile.Elem, x [3]float64) float64 {
	exact := math.FMA(x[0], x[1], x[2])
	if e == tile.F64 || exact-exact != 0 || exact == 0 {
		return exact
	}
	z := new(big.Float).SetPrec(2400)
	z.Mul(z.SetFloat64(x[0]), big.NewFloat(x[1])).Add(z, big.NewFloat(x[2]))
	f, _ := z.Float32()
	return float64(f)
}

// onlyOne reports whether x is a zero or a NaN of a format that has one of each.
func onlyOne(e tile.Elem, x float64) bool {
	return (e == tile.F8E4M3FZ || e == tile.F8E5M2FZ) && (x == 0 || math.IsNaN(x))
}

func float64Element(c tile.Code, x [3]float64) float64 {
	switch c {
	case tile.OpFAdd:
		return x[0] + x[1]
	case tile.OpFSub:
		return x[0] - x[1]
	case tile.OpFMul:
		return x[0] * x[1]
	case tile.OpFDiv:
		return x[0] / x[1]
	case tile.OpSqrt, tile.OpSqrtRN:
		return math.Sqrt(x[0])
	case tile.OpFloor:
		return math.Floor(x[0])
	case tile.OpCeil:
		return math.Ceil(x[0])
	}
	panic(fmt.Sprintf("the evaluator does not know %s", c))
}

func float32Element(c tile.Code, x, y float32) float32 {
	switch c {
	case tile.OpFAdd:
		return x + y
	case tile.OpFSub:
		return x - y
	case tile.OpFMul:
		return x * y
	case tile.OpFDiv, tile.OpFDivRN:
		return x / y
	}
	return float32(float64Element(c, [3]float64{float64(x)}))
}

func compareFloats(p tile.CmpF, x, y float64) bool {
	nan := math.IsNaN(x) || math.IsNaN(y)
	ordered := map[tile.CmpF]bool{
		tile.OEQ: x == y, tile.ONE: x < y || x > y, tile.OLT: x < y, tile.OLE: x <= y, tile.OGT: x > y, tile.OGE: x >= y,
		tile.UEQ: x == y, tile.UNE: x != y, tile.ULT: x < y, tile.ULE: x <= y, tile.UGT: x > y, tile.UGE: x >= y,
		tile.ORD: true,
	}
	if nan {
		return p >= tile.UEQ && p != tile.ORD
	}
	return ordered[p]
}

// extremum orders -0 before 0.
func extremum(op *tile.Op, bits [3]uint64, x [3]float64) uint64 {
	propagate := op.Attr.(tile.NaNAttr).Propagate
	for i := range 2 {
		if math.IsNaN(x[i]) {
			if propagate {
				return bits[i]
			}
			return bits[1-i]
		}
	}
	first := x[0] < x[1] || x[0] == x[1] && math.Signbit(x[0])
	if first == (op.Code == tile.OpFMin) {
		return bits[0]
	}
	return bits[1]
}

// clamped gives one of the three as it is, or a NaN if one is.
func clamped(d dtype.DType, bits [3]uint64, x [3]float64) uint64 {
	within := min(max(x[0], x[1]), x[2])
	for i := range x {
		if x[i] == within && math.Signbit(x[i]) == math.Signbit(within) {
			return bits[i]
		}
	}
	return d.Encode(within)
}

// convert is a conversion between numbers. Out of range, float to integer saturates.
func convert(op *tile.Op, bits uint64) uint64 {
	in, out := op.Args[0].Type, op.Result().Type
	w := out.ElemBits()
	switch op.Code {
	case tile.OpSToF:
		return roundInt(signedOf(bits, in.ElemBits()), out.Elem())
	case tile.OpUToF:
		return roundInt(new(big.Int).SetUint64(bits), out.Elem())
	}
	x := in.Elem().DType().Decode(bits)
	switch op.Code {
	case tile.OpFExt, tile.OpFTrunc:
		if a, ok := op.Attr.(tile.RoundAttr); ok && a.Mode == tile.TowardsZero {
			return out.Elem().DType().EncodeRTZ(x)
		}
		return out.Elem().DType().Encode(x)
	}
	lo, hi := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(w))
	if op.Code == tile.OpFToS {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	if math.IsNaN(x) {
		return 0
	}
	if math.IsInf(x, 0) {
		x = math.Copysign(1e300, x)
	}
	v, _ := big.NewFloat(x).Int(nil)
	if v.Cmp(lo) < 0 {
		v = lo
	}
	if v.Cmp(hi) >= 0 {
		v = hi.Sub(hi, big.NewInt(1))
	}
	return bitsOf(v, w)
}

// roundInt rounds an integer to a float: by way of f32 to what is narrower.
func roundInt(v *big.Int, e tile.Elem) uint64 {
	f := new(big.Float).SetInt(v)
	if e == tile.F64 {
		x, _ := f.Float64()
		return e.DType().Encode(x)
	}
	x, _ := f.Float32()
	return e.DType().Encode(float64(x))
}
