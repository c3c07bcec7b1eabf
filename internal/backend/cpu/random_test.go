package cpu

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/tile"
)

// Random programs of integer arithmetic, reshaping and nested control flow are run and
// compared with a plain walk over the module. What goes wrong in planning (memory given out
// while it is needed, a wrong order of copies, a stale value after a loop) shows here.

const lanesOfRandom = 8

// A randomProgram grows a module; scope holds the values in sight.
type randomProgram struct {
	*tile.Builder
	t     *rapid.T
	scope []*tile.Value
	depth int
	left  int // operations that may still be made
}

var (
	randomTile   = tileOf(tile.I32, lanesOfRandom)
	randomMatrix = tileOf(tile.I32, 2, lanesOfRandom/2)
	randomScalar = tile.Scalar(tile.I32)
)

func (r *randomProgram) pick(t tile.Type) *tile.Value {
	var fit []*tile.Value
	for _, v := range r.scope {
		if v.Type == t {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 || rapid.IntRange(0, 9).Draw(r.t, "fresh") == 0 {
		v := r.Const(t, rapid.Uint64Range(0, 1<<32-1).Draw(r.t, "const"))
		r.scope = append(r.scope, v)
		return v
	}
	return fit[rapid.IntRange(0, len(fit)-1).Draw(r.t, "value")]
}

func (r *randomProgram) add(v ...*tile.Value) { r.scope = append(r.scope, v...) }

func (r *randomProgram) anyType() tile.Type {
	return rapid.SampledFrom([]tile.Type{randomScalar, randomTile, randomTile, randomMatrix}).Draw(r.t, "type")
}

func (r *randomProgram) ops() {
	for range rapid.IntRange(1, 12).Draw(r.t, "ops") {
		if r.left--; r.left < 0 {
			return
		}
		r.op()
	}
}

func (r *randomProgram) op() {
	kinds := 9
	if r.depth > 2 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(r.t, "kind") {
	case 0, 1, 2:
		codes := []tile.Code{tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpXor, tile.OpMaxS, tile.OpMinU}
		t := r.anyType()
		r.add(r.Binary(rapid.SampledFrom(codes).Draw(r.t, "code"), r.pick(t), r.pick(t)))
	case 3:
		r.add(r.Splat(r.pick(randomScalar), randomTile))
	case 4:
		r.add(r.Reshape(r.pick(randomTile), randomMatrix, false))
		r.add(r.Reshape(r.pick(randomMatrix), randomTile, false))
	case 5:
		t := r.anyType()
		cond := r.CmpI(tile.LTS, r.pick(t), r.pick(t))
		r.add(r.Select(cond, r.pick(t), r.pick(t)))
	case 6:
		r.loop()
	case 7:
		r.branch()
	case 8:
		r.while()
	}
}

// inside builds a block in an inner scope; its end gets the operands that last gives.
func (r *randomProgram) inside(blk *tile.Block, end tile.Code, last func() []*tile.Value) {
	outer, scope := r.SetBlock(blk), slices.Clone(r.scope)
	r.depth++
	r.add(blk.Args...)
	r.ops()
	r.Op(end, nil, last())
	r.depth--
	r.SetBlock(outer)
	r.scope = scope
}

func (r *randomProgram) carried() (types []tile.Type, init []*tile.Value) {
	for range rapid.IntRange(1, 3).Draw(r.t, "carried") {
		t := r.anyType()
		types, init = append(types, t), append(init, r.pick(t))
	}
	return types, init
}

func (r *randomProgram) picks(types []tile.Type) func() []*tile.Value {
	return func() []*tile.Value {
		var vals []*tile.Value
		for _, t := range types {
			vals = append(vals, r.pick(t))
		}
		return vals
	}
}

func (r *randomProgram) loop() {
	types, init := r.carried()
	n := rapid.SampledFrom([]uint64{0, 2, 3}).Draw(r.t, "trips")
	args := append([]*tile.Value{r.Const(randomScalar, 0), r.Const(randomScalar, n), r.Const(randomScalar, 1)}, init...)
	body := r.NewBlock(append([]tile.Type{randomScalar}, types...)...)
	r.inside(body, tile.OpYield, r.picks(types))
	r.add(r.OpWithRegions(tile.OpFor, tile.ForAttr{}, args, []*tile.Block{body}, types...).Results...)
}

func (r *randomProgram) branch() {
	types, _ := r.carried()
	cond := r.CmpI(tile.GTS, r.pick(randomScalar), r.pick(randomScalar))
	then, els := r.NewBlock(), r.NewBlock()
	r.inside(then, tile.OpYield, r.picks(types))
	r.inside(els, tile.OpYield, r.picks(types))
	r.add(r.OpWithRegions(tile.OpIf, nil, []*tile.Value{cond}, []*tile.Block{then, els}, types...).Results...)
}

// while makes a loop that counts its first carried value up to a limit.
func (r *randomProgram) while() {
	types, init := r.carried()
	types, init = append([]tile.Type{randomScalar}, types...), append([]*tile.Value{r.Const(randomScalar, 0)}, init...)
	before, after := r.NewBlock(types...), r.NewBlock(types...)
	limit := rapid.Uint64Range(0, 3).Draw(r.t, "limit")
	r.inside(before, tile.OpCondition, func() []*tile.Value {
		cond := r.CmpI(tile.LTS, before.Args[0], r.Const(randomScalar, limit))
		return append([]*tile.Value{cond, before.Args[0]}, r.picks(types[1:])()...)
	})
	r.inside(after, tile.OpYield, func() []*tile.Value {
		next := r.Binary(tile.OpAdd, after.Args[0], r.Const(randomScalar, 1))
		return append([]*tile.Value{next}, r.picks(types[1:])()...)
	})
	r.add(r.OpWithRegions(tile.OpWhile, nil, init, []*tile.Block{before, after}, types...).Results...)
}

// Mistakes planted in planning were found once in several hundred programs; rapid makes a
// hundred at a time.
func TestRandomPrograms(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, checkRandomProgram)
		})
	}
}

func checkRandomProgram(t *rapid.T) {
	m := &tile.Module{}
	f := &tile.Func{Name: "random", Params: []tile.Param{{Name: "out"}, {Name: "n"}}}
	m.Funcs = []*tile.Func{f}
	b := tile.NewBuilder(m, f)
	f.Body = b.NewBlock(tile.PtrTo(randomScalar), randomScalar)
	b.SetBlock(f.Body)
	r := &randomProgram{Builder: b, t: t, left: 60}
	r.add(f.Body.Args[1], b.Range(0, lanesOfRandom))
	r.ops()
	var outs []*tile.Value
	for _, v := range r.scope {
		if v.Type == randomTile {
			outs = append(outs, v)
		}
	}
	for i, v := range outs {
		at := b.AddPtr(f.Body.Args[0], b.Const(randomScalar, uint64(i*lanesOfRandom)))
		b.Store(pointers(b, at, randomTile), v, nil, tile.StoreAttr{})
	}
	b.Op(tile.OpReturn, nil, nil)
	if err := tile.Verify(m); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	n := rapid.Uint32().Draw(t, "n")
	want := walk{f.Body.Args[1]: {n}}
	want.block(f.Body)
	p, err := Compile(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, len(outs)*lanesOfRandom)
	if err := launchOn(p, 1, arrayOf("out", got), Arg{Bits: uint64(n)}); err != nil {
		t.Fatal(err)
	}
	for i, v := range outs {
		if g := got[i*lanesOfRandom:][:lanesOfRandom]; !slices.Equal(g, want[v]) {
			t.Fatalf("value %d is %v, want %v\n%v", v.ID, g, want[v], m)
		}
	}
}

// A walk evaluates random programs value by value.
type walk map[*tile.Value][]uint32

func (w walk) set(to []*tile.Value, from []*tile.Value) {
	vals := make([][]uint32, len(from))
	for i, v := range from {
		vals[i] = w[v]
	}
	for i, v := range to {
		w[v] = vals[i]
	}
}

func (w walk) block(b *tile.Block) *tile.Op {
	for _, op := range b.Ops {
		w.op(op)
	}
	return b.Terminator()
}

func (w walk) op(op *tile.Op) {
	switch op.Code {
	case tile.OpFor:
		body := op.Regions[0]
		w.set(op.Results, op.Args[3:])
		for i := range w[op.Args[1]][0] {
			w.set(body.Args[1:], op.Results)
			w[body.Args[0]] = []uint32{i}
			w.set(op.Results, w.block(body).Args)
		}
	case tile.OpIf:
		r := op.Regions[1]
		if w[op.Args[0]][0] != 0 {
			r = op.Regions[0]
		}
		w.set(op.Results, w.block(r).Args)
	case tile.OpWhile:
		before, after := op.Regions[0], op.Regions[1]
		w.set(before.Args, op.Args)
		for {
			cond := w.block(before).Args
			w.set(op.Results, cond[1:])
			if w[cond[0]][0] == 0 {
				return
			}
			w.set(after.Args, op.Results)
			w.set(before.Args, w.block(after).Args)
		}
	case tile.OpAddPtr, tile.OpStore, tile.OpYield, tile.OpCondition, tile.OpReturn:
	default:
		if !op.Result().Type.IsPtr() {
			w[op.Result()] = w.elements(op)
		}
	}
}

func (w walk) elements(op *tile.Op) []uint32 {
	out := make([]uint32, op.Result().Type.NumElems())
	for i := range out {
		arg := func(k int) uint32 {
			x := w[op.Args[k]]
			return x[i%len(x)]
		}
		switch op.Code {
		case tile.OpConst:
			out[i] = uint32(op.Attr.(tile.ConstAttr).Bits)
		case tile.OpRange:
			out[i] = uint32(i)
		case tile.OpSplat, tile.OpReshape:
			out[i] = arg(0)
		case tile.OpAdd:
			out[i] = arg(0) + arg(1)
		case tile.OpSub:
			out[i] = arg(0) - arg(1)
		case tile.OpMul:
			out[i] = arg(0) * arg(1)
		case tile.OpXor:
			out[i] = arg(0) ^ arg(1)
		case tile.OpMaxS:
			out[i] = uint32(max(int32(arg(0)), int32(arg(1))))
		case tile.OpMinU:
			out[i] = min(arg(0), arg(1))
		case tile.OpCmpI:
			less := int32(arg(0)) < int32(arg(1))
			if op.Attr.(tile.CmpIAttr).Pred == tile.GTS {
				less = int32(arg(0)) > int32(arg(1))
			}
			out[i] = uint32(bit(less))
		case tile.OpSelect:
			out[i] = arg(2)
			if arg(0) != 0 {
				out[i] = arg(1)
			}
		default:
			panic(fmt.Sprint("no such operation in random programs: ", op.Code))
		}
	}
	return out
}
