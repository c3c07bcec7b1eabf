package cuda

import (
	"fmt"
	"strconv"

	"github.com/tegula-lang/tegula/internal/lir"
)

// wgmma multiplies matrices that lie in shared memory as matrix descriptors say (PTX ISA, "Asynchronous warpgroup level matrix instructions",
// "Matrix Descriptor"): the address in units of 16 bytes, two distances, and the swizzling. In an operand with its elements along k next to each
// other, the stride is between groups of eight rows; there is no other distance, as an instruction takes 32 bytes of a row. In the others
// the stride is between groups of eight rows, that are along k here, and the leading distance that between panels of columns.

// groupTypes are how an instruction names its types.
var groupTypes = map[lir.MMA]string{
	lir.MMAF16: "f32.f16.f16", lir.MMABF16: "f32.bf16.bf16", lir.MMATF32: "f32.tf32.tf32",
	lir.MMAS8: "s32.s8.s8", lir.MMAU8: "s32.u8.u8",
	lir.MMAE4M3: "f32.e4m3.e4m3", lir.MMAE4M3E5M2: "f32.e4m3.e5m2", lir.MMAE5M2E4M3: "f32.e5m2.e4m3", lir.MMAE5M2: "f32.e5m2.e5m2",
}

// groupMatrices gives the matrix instructions of warp groups that an architecture has.
func (a Arch) groupMatrices() lir.MMASet {
	if a.Name != "90a" {
		return 0
	}
	return lir.GroupMMAs
}

// mostN is how many columns of a sum an instruction has at the most.
const mostN = 256

// swizzleModes are the descriptor's, by the bytes of a row.
var swizzleModes = map[int]uint32{128: 1, 64: 2, 32: 3}

// A descriptor is that of an operand of which all but the address is known.
type descriptor struct {
	e     *emitter
	t     lir.GroupTile
	bytes int    // of an element
	units string // a register with the address of the tile, in units of 16 bytes, and the leading distance
	rest  string // the other half
}

func (e *emitter) descriptor(t lir.GroupTile, m *lir.Mem, addr *lir.Value, bits int) *descriptor {
	const unit = 16
	leading := t.Panel() / unit
	if t.AlongK {
		leading = 1
	}
	constant := (int64(e.f.Shared[m.Buffer].Offset)+m.Offset)/unit | int64(leading)<<16
	d := &descriptor{e: e, t: t, bytes: bits / 8, units: e.fresh(words), rest: e.fresh(words)}
	base := e.base("shared")
	sum := e.fresh(words)
	e.ins("add.u32 ", sum, ", ", base, ", ", e.use(addr))
	shifted := e.fresh(words)
	e.ins("shr.u32 ", shifted, ", ", sum, ", 4")
	e.ins("add.u32 ", d.units, ", ", shifted, ", ", strconv.FormatInt(constant, 10))
	rest := uint32(8*t.Swizzle/unit) | swizzleModes[t.Swizzle]<<30
	e.ins("mov.u32 ", d.rest, ", ", strconv.FormatUint(uint64(rest), 10))
	return d
}

// at gives the descriptor of a part of the tile.
func (d *descriptor) at(outer, k int) string {
	r, sum := d.e.fresh(doubles), d.e.fresh(words)
	d.e.ins("add.u32 ", sum, ", ", d.units, ", ", strconv.Itoa(d.t.At(outer, k, d.bytes)/16))
	d.e.ins("mov.b64 ", r, ", {", sum, ", ", d.rest, "}")
	return r
}

func (d *descriptor) transposed() string {
	if d.t.AlongK {
		return ", 0"
	}
	return ", 1"
}

// groupMMA writes the instructions step by step along k, and for each step those of all rows and columns.
func (e *emitter) groupMMA(op *lir.Op) {
	g := op.Group
	info := g.Kind.Info()
	aIn, sum := op.Split()
	b := e.descriptor(g.B, op.Mem, op.Args[0], info.Bits)
	var a *descriptor
	var aWords []string
	if op.From != nil {
		a = e.descriptor(g.A, op.From, aIn[0], info.Bits)
	} else {
		for _, v := range aIn {
			aWords = append(aWords, e.reg(v))
		}
	}
	regs := e.accumulators(op.Results, sum)
	add, fresh := e.truth(true), ""
	if len(sum) == 0 {
		fresh = e.truth(false)
	}
	n := min(g.N, mostN)
	perBlock, perInstruction := len(regs)/(g.M/lir.GroupRows), n/2
	shape := fmt.Sprintf("wgmma.mma_async.sync.aligned.m%dn%dk%d.%s ", lir.GroupRows, n, info.K, groupTypes[g.Kind])
	e.ins("wgmma.fence.sync.aligned")
	for k := 0; k < g.K; k += info.K {
		scale := add
		if k == 0 && len(sum) == 0 {
			scale = fresh
		}
		for row := range g.M / lir.GroupRows {
			from, transposed := "", ""
			if a != nil {
				from, transposed = a.at(row*g.RowStep, g.FirstK+k), a.transposed()
			} else {
				per := len(aWords) / (g.M / lir.GroupRows) / (g.K / info.K)
				at := (row*(g.K/info.K) + k/info.K) * per
				from = tuple(aWords[at : at+per])
			}
			transposed += b.transposed()
			for column := 0; column < g.N; column += n {
				first := row*perBlock + column/n*perInstruction
				tail := ", " + scale
				switch {
				case info.Sum == lir.I32:
				case info.Bits == 16:
					tail += ", 1, 1" + transposed
				default:
					tail += ", 1, 1"
				}
				e.ins(shape, tuple(regs[first:first+perInstruction]), ", ", from, ", ", b.at(column, g.FirstK+k), tail)
			}
		}
	}
	e.ins("wgmma.commit_group.sync.aligned")
}

// truth gives a predicate of a constant.
func (e *emitter) truth(x bool) string {
	r, n := e.fresh(predicates), "0"
	if x {
		n = "1"
	}
	e.ins("setp.ne.b32 ", r, ", ", n, ", 0")
	return r
}

// accumulators gives the results of an instruction that changes registers in place their registers: those in which the loop carries them, or those
// of what is added to, if nobody else needs that, else others. What is added to is copied there if need be.
func (e *emitter) accumulators(results, sum []*lir.Value) []string {
	regs := make([]string, len(results))
	var to []string
	var from []*lir.Value
	for i, v := range results {
		switch carried := e.carriedIn[v]; {
		case carried != nil:
			regs[i] = e.names[carried.ID]
		case i < len(sum) && e.inPlace[sum[i]]:
			regs[i] = e.names[sum[i].ID]
		default:
			regs[i] = e.fresh(classOf(v.Type))
		}
		if i < len(sum) {
			to, from = append(to, regs[i]), append(from, sum[i])
		}
	}
	e.moves(to, from)
	e.alias(results, regs)
	return regs
}

func (e *emitter) groupWait(op *lir.Op) {
	e.ins("wgmma.wait_group.sync.aligned ", strconv.FormatInt(op.Imm, 10))
	e.accumulators(op.Results, op.Args)
}

// inPlaces gives the values whose only use is by an operation that may take over their register: one of the same block, so that it happens as
// often as the value comes about. A branch takes over what its second arm gives as it is, if only its arms need it. A register that another value has
// too is nobody's to take over.
func inPlaces(f *lir.Func) map[*lir.Value]bool {
	uses := make([]int, f.NumValues())
	any := false
	f.Body.Walk(func(op *lir.Op) {
		any = any || op.Code == lir.OpGroupMMA
		for _, a := range op.Args {
			uses[a.ID]++
		}
		if renames(op) { // each counts for the other as a use elsewhere
			uses[op.Args[0].ID]++
			uses[op.Results[0].ID]++
		}
	})
	if !any {
		return nil
	}
	found := map[*lir.Value]bool{}
	var block func(b *lir.Block)
	block = func(b *lir.Block) {
		own := map[*lir.Value]bool{}
		for _, v := range b.Args {
			own[v] = true
		}
		for _, op := range b.Ops {
			if op.Code == lir.OpGroupMMA || op.Code == lir.OpGroupWait {
				for _, a := range op.Args {
					if own[a] && uses[a.ID] == 1 {
						found[a] = true
					}
				}
			}
			if op.Code == lir.OpIf {
				inside := map[*lir.Value]int{}
				for _, r := range op.Regions {
					r.Walk(func(o *lir.Op) {
						for _, a := range o.Args {
							inside[a]++
						}
					})
				}
				for _, a := range op.Regions[1].Terminator().Args {
					if own[a] && uses[a.ID] == inside[a] {
						found[a] = true
					}
				}
			}
			for _, v := range op.Results {
				own[v] = true
			}
			for _, r := range op.Regions {
				block(r)
			}
		}
	}
	block(f.Body)
	return found
}

// carriedIns gives, of sums that a loop carries on while they may not be done, the arguments of the loop's body as which they come back: copies at the
// body's end would have to wait for them. Nobody may need what came in any more when the new sum begins.
func carriedIns(f *lir.Func) map[*lir.Value]*lir.Value {
	found := map[*lir.Value]*lir.Value{}
	f.Body.Walk(func(op *lir.Op) {
		if op.Code != lir.OpFor {
			return
		}
		body := op.Regions[0]
		begins := map[*lir.Op]int{}
		for i, o := range body.Ops {
			if o.Code == lir.OpGroupMMA {
				begins[o] = i
			}
		}
		if len(begins) == 0 {
			return
		}
		last := lastUses(body)
		for i, y := range body.Terminator().Args {
			at, ok := begins[y.Op]
			if arg := body.Args[1+i]; ok && last[arg] <= at {
				found[y] = arg
			}
		}
	})
	return found
}

// lastUses gives for values the number of the last of a block's operations that needs them, or what may lie in their register, in it or in its regions.
// What a product multiplies is needed until it is done, so beyond the begin of its sums.
func lastUses(b *lir.Block) map[*lir.Value]int {
	home := map[*lir.Value]*lir.Value{}
	for i, y := range b.Terminator().Args {
		home[y] = b.Args[1+i]
	}
	last := map[*lir.Value]int{}
	for i := len(b.Ops) - 1; i >= 0; i-- {
		op := b.Ops[i]
		use := func(v *lir.Value, at int) { last[v] = max(last[v], at) }
		for _, v := range op.Args {
			use(v, i)
		}
		if op.Code == lir.OpGroupMMA {
			multiplied, _ := op.Split()
			for _, v := range multiplied {
				use(v, i+1)
			}
		}
		for k, v := range takenOver(op) {
			r := op.Results[k]
			if op.Code == lir.OpGroupMMA && home[r] != nil && home[r] == origin(v) {
				continue // the new sum itself
			}
			use(v, last[r])
		}
		for _, r := range op.Regions {
			r.Walk(func(o *lir.Op) {
				for _, v := range o.Args {
					use(v, i)
				}
			})
		}
	}
	return last
}

// takenOver gives the values whose registers an operation's results may have, in their order.
func takenOver(op *lir.Op) []*lir.Value {
	switch {
	case op.Code == lir.OpGroupWait || renames(op):
		return op.Args
	case op.Code == lir.OpGroupMMA:
		_, sum := op.Split()
		return sum
	case op.Code == lir.OpIf:
		return op.Regions[1].Terminator().Args
	}
	return nil
}

// origin gives the first of the values that may lie in one's register.
func origin(v *lir.Value) *lir.Value {
	for v.Op != nil {
		from := takenOver(v.Op)
		if len(from) == 0 {
			break
		}
		v = from[v.Index]
	}
	return v
}
