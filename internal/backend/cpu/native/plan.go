package native

import (
	"cmp"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A plan says which tiles are kept in memory. Work is done for the sake of roots: operations that
// write, reduce, branch or pass values on. What a root needs is computed in its loop, strip by strip, in
// registers. A value that several roots need is computed again by each where that is cheap;
// where it is not, or where it is loaded from memory that may change in between, it is itself a root, whose
// result lies in a buffer.
type plan struct {
	keep      map[*tile.Value]bool
	roots     map[*tile.Value][]any // up to maxRoots of the roots that need a value
	cost      map[*tile.Value]int
	home      map[*tile.Op]*tile.Block
	at        map[*tile.Op]int
	block     map[*tile.Value]*tile.Block
	loops     map[*tile.Block]*tile.Op // of the bodies of for loops
	outlined  map[*tile.Op]string      // left to the checked executor, and why
	uses      map[*tile.Value]int
	streams   map[*tile.Op]int64            // stores that may go past the caches, in launches of so many programs
	read      []*tile.Value                 // parameters that are loaded from, if there are such stores
	products  map[[2]*tile.Value]bool       // factors of products whose upper halves are wanted
	squares   bool                          // operands of products are transposed in registers
	inPlace   bool                          // any arrays may overlap: what is written stays behind loads, and before them
	pairs     map[[2]*tile.Value]bool       // parameters whose arrays may not overlap; true: unless they begin at the same place
	lines     map[*tile.Value]lineage       // of tiles that are computed from others
	passes    map[*tile.Value]lineage       // of those that are kept between two passes, as they are computed
	cuts      []*tile.Value                 // the same, in their order
	last      map[*tile.Value][]*tile.Value // by tile that is kept: those that are read for it the last time
	woven     map[*tile.Op]bool             // transpositions between joins and splits, whose operands need not be kept
	laneBits  int                           // of the instructions, and
	together  int                           // bits by which there is room to do several strips at a time
	narrowest int                           // bytes of the narrowest elements that may be stored past the caches: a strip has to be half a line
}

// maxRoots is how many of a value's roots are told apart.
const maxRoots = 4

// expensive is the cost from which a value is kept and not computed again.
const expensive = 12

func planFor(f *tile.Func, outlined map[*tile.Op]string, opts Options, target *isa) *plan {
	p := &plan{
		keep: map[*tile.Value]bool{}, roots: map[*tile.Value][]any{}, cost: map[*tile.Value]int{},
		home: map[*tile.Op]*tile.Block{}, at: map[*tile.Op]int{}, block: map[*tile.Value]*tile.Block{}, loops: map[*tile.Block]*tile.Op{},
		uses: map[*tile.Value]int{}, streams: map[*tile.Op]int64{}, pairs: map[[2]*tile.Value]bool{}, products: map[[2]*tile.Value]bool{}, outlined: outlined, inPlace: opts.inPlace, squares: target.selects == nil,
		lines: map[*tile.Value]lineage{}, passes: map[*tile.Value]lineage{}, last: map[*tile.Value][]*tile.Value{}, woven: map[*tile.Op]bool{}, laneBits: target.laneBits, together: target.network(), narrowest: lineBytes / 2 / target.lanes,
	}
	p.forward(f.Body)
	p.networks(f.Body)
	p.backward(f.Body)
	p.findLast()
	p.findStreams(f, cmp.Or(opts.streams, streamBytes))
	return p
}

var opCost = map[tile.Code]int{
	tile.OpLoad: expensive, tile.OpExp: 12, tile.OpExp2: 12, tile.OpLog: 12, tile.OpLog2: 12, tile.OpSin: 16, tile.OpCos: 16,
	tile.OpErf: 16, tile.OpExtern: 16, tile.OpFDiv: 6, tile.OpFDivRN: 6, tile.OpSqrt: 6, tile.OpSqrtRN: 6, tile.OpRSqrt: 6,
	tile.OpRange: 0, tile.OpConst: 0, tile.OpSplat: 0, tile.OpMulHiU: 4,
}

func (p *plan) forward(b *tile.Block) {
	for _, v := range b.Args {
		p.block[v] = b
	}
	for i, op := range b.Ops {
		p.home[op], p.at[op] = b, i
		if op.Code == tile.OpMulHiU {
			p.products[[2]*tile.Value(op.Args)] = true
		}
		if op.Code == tile.OpFor {
			p.loops[op.Regions[0]] = op
		}
		c, ok := opCost[op.Code]
		if !ok {
			c = 1
		}
		for _, a := range op.Args {
			p.uses[a]++
			c = min(c+p.cost[a], 1000)
		}
		for _, v := range op.Results {
			p.block[v] = b
			if v.Type.IsTile() && !p.isRoot(op) {
				p.cost[v] = c
			}
		}
		for _, r := range op.Regions {
			p.forward(r)
		}
	}
}

// isRoot reports whether an operation is work that is done in its place.
func (p *plan) isRoot(op *tile.Op) bool {
	if p.isOutlined(op) {
		return true
	}
	switch op.Code {
	case tile.OpGather, tile.OpHistogram, tile.OpDot:
		return true
	case tile.OpHint, tile.OpLoad, tile.OpMap:
		return false
	}
	return op.Code.Effect() > tile.Reads
}

func (p *plan) backward(b *tile.Block) {
	for i := len(b.Ops) - 1; i >= 0; i-- {
		op := b.Ops[i]
		for _, r := range op.Regions {
			p.backward(r)
		}
		for _, v := range op.Results {
			if v.Type.IsTile() && !p.isRoot(op) {
				p.decide(op, v)
			}
		}
		p.use(op)
	}
}

// decide says whether a value is kept, once all of its users are known.
func (p *plan) decide(op *tile.Op, v *tile.Value) {
	if len(p.roots[v]) > 1 && p.cost[v] >= expensive && !p.inOneNest(v) || op.Code == tile.OpLoad && len(p.roots[v]) > 0 && !p.mayWait(op) {
		p.keep[v] = true
	}
}

// use adds what needs op to the roots of its operands.
func (p *plan) use(op *tile.Op) {
	for _, a := range op.Args {
		if !a.Type.IsTile() {
			continue
		}
		switch {
		case p.isRoot(op):
			p.addRoot(a, op)
		case len(op.Results) == 1 && p.keep[op.Results[0]]:
			p.addRoot(a, op.Results[0])
		default:
			for _, v := range op.Results {
				for _, r := range p.roots[v] {
					p.addRoot(a, r)
				}
			}
			if op.Code == tile.OpBroadcast && p.costly(a) || op.Code == tile.OpTrans && p.cost[a] >= expensive && !p.turnedForDot(op) && !p.woven[op] {
				p.addRoot(a, op) // not once for each repetition
			}
		}
		if p.block[a] != p.home[op] && p.cost[a] >= expensive {
			p.addRoot(a, op) // not once for each iteration
			p.addRoot(a, a)
		}
	}
}

// costly reports whether a value costs more than loads.
func (p *plan) costly(v *tile.Value) bool {
	return p.cost[v] >= expensive && v.Op != nil && v.Op.Code != tile.OpLoad && v.Op.Code != tile.OpExpandDims
}

// turnedForDot reports whether a transpose is an operand of a dot product alone, which reads it once, in the order in which it lies in memory.
func (p *plan) turnedForDot(trans *tile.Op) bool {
	v := trans.Results[0]
	if !p.squares || p.uses[v] != 1 || len(p.roots[v]) != 1 || v.Type.LogDim(v.Type.Rank()-1) < maxLaneBits || v.Type.LogDim(v.Type.Rank()-2) < maxLaneBits {
		return false
	}
	dot, ok := p.roots[v][0].(*tile.Op)
	return ok && dot.Code == tile.OpDot && (dot.Args[0] == v || dot.Args[1] == v)
}

func (p *plan) addRoot(v *tile.Value, r any) {
	for _, have := range p.roots[v] {
		if have == r {
			return
		}
	}
	if len(p.roots[v]) < maxRoots {
		p.roots[v] = append(p.roots[v], r)
	}
}

// mayWait reports whether a load may happen later, when the root that needs it is reached.
func (p *plan) mayWait(load *tile.Op) bool {
	if load.Attr.(tile.LoadAttr).Volatile || len(p.roots[load.Results[0]]) != 1 {
		return false
	}
	var root *tile.Op
	switch r := p.roots[load.Results[0]][0].(type) {
	case *tile.Op:
		root = r
	case *tile.Value:
		root = r.Op
	}
	b := p.home[load]
	if root == nil || p.home[root] != b {
		return false
	}
	for _, op := range b.Ops[p.at[load]+1 : p.at[root]+1] {
		if op == root && len(op.Regions) > 0 && op.Code != tile.OpReduce && op.Code != tile.OpScan {
			return true // its operands are read before its regions run
		}
		if !p.apart(load, op, root) {
			return false
		}
	}
	return true
}

// apart reports whether a load and what op writes are certainly different memory, given what the launch will check.
func (p *plan) apart(load, op, root *tile.Op) bool {
	switch op.Code {
	case tile.OpStore:
		if p.inPlace {
			return false
		}
	default:
		if op.Effect() == tile.Writes || isAtomic(op.Code) {
			return false
		}
		for _, r := range op.Regions {
			for _, inner := range r.Ops {
				if !p.apart(load, inner, nil) {
					return false
				}
			}
		}
		return true
	}
	from, fromOff := origin(load.Args[0])
	to, toOff := origin(op.Args[0])
	if from == nil || to == nil {
		return false
	}
	same := op == root && fromOff != nil && fromOff == toOff
	if from == to {
		return same
	}
	key := [2]*tile.Value{from, to}
	if old, ok := p.pairs[key]; ok {
		same = same && old
	}
	p.pairs[key] = same
	return true
}

// isAtomic reports whether an operation may order the memory accesses around it.
func isAtomic(c tile.Code) bool {
	switch c {
	case tile.OpAtomicRMW, tile.OpAtomicCAS, tile.OpAtomicLoad, tile.OpAtomicStore, tile.OpAtomicPoll:
		return true
	}
	return false
}

// origin gives the parameter that a pointer is derived from, and the offset that is all that is added to
// it; nil where they are not known.
func origin(v *tile.Value) (param, offset *tile.Value) {
	plain := true
	for {
		op := v.Op
		if op == nil {
			if !v.Type.IsPtr() || v.Block == nil || !v.Type.IsScalar() {
				return nil, nil
			}
			if !plain {
				offset = nil
			}
			return v, offset
		}
		switch op.Code {
		case tile.OpAddPtr:
			if offset != nil {
				plain = false
			}
			offset = op.Args[1]
		case tile.OpSplat, tile.OpHint, tile.OpBitcast:
		case tile.OpBroadcast, tile.OpExpandDims, tile.OpReshape, tile.OpTrans:
			if offset != nil {
				plain = false
			}
		default:
			return nil, nil
		}
		v = op.Args[0]
	}
}

// isOutlined reports whether an operation is left to the checked executor.
func (p *plan) isOutlined(op *tile.Op) bool {
	_, ok := p.outlined[op]
	return ok
}
