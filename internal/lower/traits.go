package lower

import "github.com/tegula-lang/tegula/internal/tile"

// traits are what is known of a function's values before it is lowered: which of them are computed anew for each who asks.
type traits struct {
	price   []int // by ID: of computing an element anew; what is held costs nothing
	users   [][]*tile.Op
	writes  []*tile.Op
	order   map[*tile.Op]int
	home    map[*tile.Op]*tile.Block
	needed  map[*tile.Op][]*tile.Op // roots that need a value which waits
	views   map[*tile.Op]int        // see viewsOf
	origin  map[*tile.Value]int
	turns   map[*tile.Value]uint64
	strides map[*tile.Value][]number // along each dimension; nil if there are none
	terms   map[*tile.Value]bool     // see onlyAddedUp
	body    *tile.Block
	loops   map[*tile.Block]*tile.Op // by region
}

// What may be computed anew: integers, truth values and addresses up to a price; large tiles of numbers up to another, unless only one
// operation needs them.
const (
	cheap      = 16
	affordable = 40
)

func traitsOf(f *tile.Func) *traits {
	t := &traits{
		price: make([]int, f.NumValues()), users: make([][]*tile.Op, f.NumValues()),
		order: map[*tile.Op]int{}, home: map[*tile.Op]*tile.Block{}, needed: map[*tile.Op][]*tile.Op{}, views: map[*tile.Op]int{},
		origin: map[*tile.Value]int{}, turns: map[*tile.Value]uint64{}, strides: map[*tile.Value][]number{}, terms: map[*tile.Value]bool{}, body: f.Body, loops: map[*tile.Block]*tile.Op{},
	}
	t.block(f.Body)
	return t
}

func (t *traits) block(b *tile.Block) {
	for _, op := range b.Ops {
		t.order[op], t.home[op] = len(t.order), b
		for _, a := range op.Args {
			t.users[a.ID] = append(t.users[a.ID], op)
		}
		if e := op.Effect(); e == tile.Writes {
			t.writes = append(t.writes, op)
		}
		for _, r := range op.Regions {
			t.loops[r] = op
			t.block(r)
		}
		for _, v := range op.Results {
			t.price[v.ID] = t.priceOf(op)
			if !t.lazy(v) {
				t.price[v.ID] = 0
			}
		}
	}
}

// dear lists the integer operations that take several instructions.
var dear = map[tile.Code]int{
	tile.OpDivS: 20, tile.OpDivU: 20, tile.OpRemS: 20, tile.OpRemU: 20, tile.OpMulHiU: 3,
}

func (t *traits) priceOf(op *tile.Op) int {
	p := 1
	switch {
	case moves(op.Code) || op.Code == tile.OpConst || op.Code == tile.OpRange:
		p = 0
	case dear[op.Code] != 0:
		p = dear[op.Code]
	}
	for _, a := range op.Args {
		p += t.price[a.ID]
	}
	return min(p, 1<<20)
}

// moves reports whether an operation is a map of element numbers.
func moves(c tile.Code) bool {
	switch c {
	case tile.OpReshape, tile.OpExpandDims, tile.OpHint, tile.OpBroadcast, tile.OpTrans, tile.OpSplit, tile.OpSplat:
		return true
	}
	return false
}

// lazy reports whether a tile is computed anew for each who asks, however large it is.
func (t *traits) lazy(v *tile.Value) bool {
	op := v.Op
	if op == nil {
		return false
	}
	if moves(op.Code) || op.Code == tile.OpConst || op.Code == tile.OpRange {
		return true
	}
	pure := op.Code.IsElementwise() && op.Effect() == tile.Pure
	return pure && !v.Type.IsFloat() && t.price[v.ID] <= cheap
}

// waits reports whether a large tile can be computed when those who need it ask for a part.
func (t *traits) waits(op *tile.Op) bool {
	switch {
	case t.viewsOf(op) > manyViews:
		return false
	case op.Code == tile.OpLoad:
		return t.mayWait(op)
	case op.Code == tile.OpJoin || op.Code == tile.OpCat:
		return true
	case !op.Code.IsElementwise() || op.Effect() != tile.Pure:
		return false
	}
	return len(t.roots(op)) <= 1 || t.whole(op) <= affordable
}

// manyViews bounds in how many views what an operation is computed from may be asked for.
const manyViews = 4

// viewsOf gives in how many views what an operation is computed from is asked for, if all of it waits: each split asks for two. The exchanges of a
// sorting network double it.
func (t *traits) viewsOf(op *tile.Op) int {
	if n, ok := t.views[op]; ok {
		return n
	}
	n := 1
	for _, a := range op.Args {
		in := a.Op
		if in == nil || !a.Type.IsTile() {
			continue
		}
		switch {
		case moves(in.Code):
			n = max(n, t.viewsOf(in))
		case in.Code == tile.OpJoin || in.Code == tile.OpCat || in.Code.IsElementwise():
			if asked := t.viewsOf(in); asked <= manyViews { // or it is held
				n = max(n, asked)
			}
		}
	}
	if op.Code == tile.OpSplit {
		n = min(2*n, 2*manyViews)
	}
	t.views[op] = n
	return n
}

// whole gives the price of computing a large tile anew, with what it is made of.
func (t *traits) whole(op *tile.Op) int {
	p := 1
	switch op.Code {
	case tile.OpExp, tile.OpExp2, tile.OpFDiv, tile.OpSqrt, tile.OpRSqrt, tile.OpLoad:
		p = 4
	case tile.OpLog, tile.OpLog2, tile.OpSin, tile.OpCos, tile.OpErf, tile.OpExtern, tile.OpFDivRN, tile.OpSqrtRN, tile.OpFRem:
		p = 16
	}
	for _, a := range op.Args {
		if a.Op != nil && a.Type.IsTile() && (a.Op.Code.IsElementwise() || moves(a.Op.Code)) && p <= affordable {
			p += t.whole(a.Op)
		}
	}
	return p
}

// roots gives the operations that an element-wise result is needed for, through others that wait.
func (t *traits) roots(op *tile.Op) []*tile.Op {
	if r, ok := t.needed[op]; ok {
		return r
	}
	t.needed[op] = nil
	seen := map[*tile.Op]bool{}
	var list []*tile.Op
	add := func(r *tile.Op) {
		if !seen[r] {
			seen[r] = true
			list = append(list, r)
		}
	}
	for _, v := range op.Results {
		for _, u := range t.users[v.ID] {
			through := moves(u.Code) || u.Code == tile.OpJoin || u.Code == tile.OpCat || u.Code.IsElementwise() && u.Effect() <= tile.Reads
			if !through {
				add(u)
				continue
			}
			for _, r := range t.roots(u) {
				add(r)
			}
		}
	}
	t.needed[op] = list
	return list
}

// oneRoot reports whether a single operation, beside op, needs its result.
func (t *traits) oneRoot(op *tile.Op) bool {
	roots := t.roots(op)
	return len(roots) == 1 && t.home[roots[0]] == t.home[op]
}

// transposed reports whether who needs a value wants it in another order.
func (t *traits) transposed(v *tile.Value) bool {
	for _, u := range t.users[v.ID] {
		if u.Code == tile.OpTrans {
			return true
		}
		if moves(u.Code) || u.Code.IsElementwise() {
			for _, r := range u.Results {
				if t.transposed(r) {
					return true
				}
			}
		}
	}
	return false
}

// mayWait reports whether a load gives the same when it happens later: nothing writes what it reads, unless it is what this
// element is needed for. Arrays of different parameters do not overlap, or are accessed at the same offsets.
func (t *traits) mayWait(load *tile.Op) bool {
	if load.Attr.(tile.LoadAttr).Volatile {
		return false
	}
	from := t.originOf(load.Args[0])
	for _, w := range t.writes {
		if t.order[w] < t.order[load] && t.home[w] == t.home[load] && len(t.home[load].Args) == 0 {
			continue // it has happened, and no loop comes back to it
		}
		to := -1
		if len(w.Args) > 0 && w.Args[0].Type.IsPtr() {
			to = t.originOf(w.Args[0])
		}
		if from >= 0 && to >= 0 && from != to {
			continue
		}
		if w.Code != tile.OpStore || w.Args[0] != load.Args[0] || !t.last(w, load) {
			return false
		}
	}
	return true
}

// last reports whether a store is the last operation that needs a load.
func (t *traits) last(store, load *tile.Op) bool {
	for _, r := range t.roots(load) {
		if t.home[r] != t.home[store] || t.order[r] > t.order[store] {
			return false
		}
	}
	return t.home[load] == t.home[store]
}
