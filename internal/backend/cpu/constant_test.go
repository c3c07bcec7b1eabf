package cpu

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// notFolded are the elementwise operations without effects that passes leave to the target.
var notFolded = []tile.Code{
	tile.OpExp, tile.OpExp2, tile.OpLog, tile.OpLog2, tile.OpSin, tile.OpCos, tile.OpRSqrt, tile.OpErf, tile.OpFMA,
	tile.OpExtern, tile.OpAddPtr, tile.OpIntToPtr, tile.OpPtrToInt,
}

// TestFoldingIsRunning compares what passes compute of constants with what the executor computes: for each
// elementwise operation, attribute and types, on the corners of the types.
func TestFoldingIsRunning(t *testing.T) {
	folded := make(map[tile.Code]int)
	for c := tile.OpConst; c.String() != tile.BadOp.String(); c++ {
		if !c.IsElementwise() || c.Effect() != tile.Pure {
			continue
		}
		for _, attr := range attributesOf(c) {
			for _, types := range operandsOf(c) {
				for e := tile.I1; e <= tile.F64; e++ {
					folded[c] += compareFolding(t, c, attr, types, e)
				}
			}
		}
	}
	for _, c := range notFolded {
		if folded[c] != 0 {
			t.Errorf("%s is folded %d times", c, folded[c])
		}
		folded[c] = 1
	}
	for c, n := range folded {
		if n == 0 {
			t.Errorf("%s is never folded", c)
		}
	}
}

// attributesOf gives the attributes that an operation may have.
func attributesOf(c tile.Code) []tile.Attr {
	var attrs []tile.Attr
	switch c {
	case tile.OpCmpI:
		for p := tile.EQ; p <= tile.GEU; p++ {
			attrs = append(attrs, tile.CmpIAttr{Pred: p})
		}
	case tile.OpCmpF:
		for p := tile.OEQ; p <= tile.UNO; p++ {
			attrs = append(attrs, tile.CmpFAttr{Pred: p})
		}
	case tile.OpFMin, tile.OpFMax, tile.OpClamp:
		attrs = append(attrs, tile.NaNAttr{}, tile.NaNAttr{Propagate: true})
	case tile.OpFTrunc:
		attrs = append(attrs, tile.RoundAttr{}, tile.RoundAttr{Mode: tile.TowardsZero})
	case tile.OpExtern:
	default:
		attrs = append(attrs, nil)
	}
	return attrs
}

// operandsOf gives lists of operand types, of which the operation takes some: equal ones, or an i1 and equal ones.
func operandsOf(c tile.Code) [][]tile.Elem {
	var lists [][]tile.Elem
	for e := tile.I1; e <= tile.F64; e++ {
		lists = append(lists, []tile.Elem{e}, []tile.Elem{e, e}, []tile.Elem{e, e, e})
		if c == tile.OpSelect {
			lists = append(lists, []tile.Elem{tile.I1, e, e})
		}
	}
	return lists
}

// compareFolding gives how many elements were folded; 0 if there is no such operation.
func compareFolding(t *testing.T, c tile.Code, attr tile.Attr, types []tile.Elem, result tile.Elem) int {
	if tile.Verify(constantModule(c, attr, types, result, [][]uint64{make([]uint64, len(types))})) != nil {
		return 0
	}
	rows := cornerRows(types)
	consts := constantModule(c, attr, types, result, rows)
	pass.Run(consts, pass.Options{Passes: []pass.Pass{pass.Canonicalize}})
	got := runRows(t, c, attr, types, result, rows)
	n := 0
	for i, v := range consts.Funcs[0].Body.Terminator().Args {
		if v.Op.Code != tile.OpConst {
			continue
		}
		n++
		want := v.Op.Attr.(tile.ConstAttr).Bits
		if d := result.DType(); got[i] == want || result.IsFloat() && math.IsNaN(d.Decode(got[i])) && math.IsNaN(d.Decode(want)) {
			continue
		}
		t.Fatalf("%s %+v of %s %#x: the executor gives the %s %#x, passes give %#x", c, attr, types, rows[i], result, got[i], want)
	}
	return n
}

// constantModule makes the operation on the constants of each row.
func constantModule(c tile.Code, attr tile.Attr, types []tile.Elem, result tile.Elem, rows [][]uint64) *tile.Module {
	f := &tile.Func{Name: "f", Body: &tile.Block{}}
	m := &tile.Module{Funcs: []*tile.Func{f}}
	b := tile.NewBuilder(m, f)
	b.SetBlock(f.Body)
	var results []*tile.Value
	for _, row := range rows {
		args := make([]*tile.Value, len(row))
		for k, bits := range row {
			args[k] = b.Const(tile.Scalar(types[k]), bits)
		}
		results = append(results, b.Op(c, attr, args, tile.Scalar(result)).Result())
		f.Results = append(f.Results, tile.Scalar(result))
	}
	b.Op(tile.OpReturn, nil, results)
	return m
}

// runRows runs the operation on a tile of all rows, whose number is a power of two.
func runRows(t *testing.T, c tile.Code, attr tile.Attr, types []tile.Elem, result tile.Elem, rows [][]uint64) []uint64 {
	var tiles []tile.Type
	var args []Arg
	for k, e := range types {
		tiles = append(tiles, tileOf(e, len(rows)))
		column := make([]byte, len(rows)*e.Bytes())
		for i, row := range rows {
			putBits(column, i, e.Bytes(), row[k])
		}
		args = append(args, bytesArray(column, e))
	}
	out := make([]byte, len(rows)*result.Bytes())
	m := kernelOf(t, tiles, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		return []*tile.Value{b.Op(c, attr, in, tileOf(result, len(rows))).Result()}
	})
	run(t, m, append(args, bytesArray(out, result))...)
	got := make([]uint64, len(rows))
	for i := range got {
		for k := range result.Bytes() {
			got[i] |= uint64(out[i*result.Bytes()+k]) << (8 * k)
		}
	}
	return got
}

func putBits(b []byte, i, size int, bits uint64) {
	for k := range size {
		b[i*size+k] = byte(bits >> (8 * k))
	}
}

// bytesArray gives bytes as an array of elements.
func bytesArray(b []byte, e tile.Elem) Arg {
	return Arg{Array: &Array{Name: fmt.Sprint(e), Base: unsafe.Pointer(&b[0]), Bytes: int64(len(b)), ElemBytes: e.Bytes(), Keep: b}}
}

// cornerRows gives all combinations of the types' corners, filled up to a power of two.
func cornerRows(types []tile.Elem) [][]uint64 {
	rows := [][]uint64{nil}
	for _, e := range types {
		var longer [][]uint64
		for _, row := range rows {
			for _, bits := range corners(e, len(types)) {
				longer = append(longer, append(row[:len(row):len(row)], bits))
			}
		}
		rows = longer
	}
	for len(rows)&(len(rows)-1) != 0 {
		rows = append(rows, rows[0])
	}
	return rows
}

// corners gives numbers of a type at which operations do something else; fewer for three operands.
func corners(e tile.Elem, operands int) []uint64 {
	mask := ^uint64(0) >> (64 - e.Bits())
	top := uint64(1) << (e.Bits() - 1)
	var all []uint64
	switch {
	case e == tile.I1:
		return []uint64{0, 1}
	case e.IsInt():
		all = []uint64{0, 1, top, mask, top - 1, 3, uint64(e.Bits() - 1), uint64(e.Bits()), top + 1, mask - 1, 7, 100}
	default:
		d := e.DType()
		all = []uint64{0, top, d.Encode(1), d.Encode(-2.5), d.EncodeRTZ(math.Inf(1)), d.Encode(math.NaN()), 1, top - 1,
			d.EncodeRTZ(math.Inf(-1)), mask, d.Encode(0.5), d.Encode(-1), d.Encode(7), d.Encode(1.5), d.Encode(1e9), d.Encode(-0.7), top | 1}
	}
	if operands == 3 {
		return all[:8]
	}
	return all
}
