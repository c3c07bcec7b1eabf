package native

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

var update = flag.Bool("update", false, "write the golden files")

// An elementKernel is a kernel that applies an operation to tiles of elements, or to scalars, each program to its own.
type elementKernel struct {
	*tile.Builder
	f *tile.Func
	m *tile.Module
	i *tile.Value
}

// newElementKernel begins a kernel for tiles of n elements, or for scalars if n is 0.
func newElementKernel(n int64) *elementKernel {
	m := &tile.Module{}
	f := &tile.Func{Name: "f"}
	m.Funcs = []*tile.Func{f}
	k := &elementKernel{Builder: tile.NewBuilder(m, f), f: f, m: m}
	f.Body = k.NewBlock()
	k.SetBlock(f.Body)
	if n == 0 {
		k.i = k.ProgramID(0)
	} else {
		k.i = k.Range(0, n)
	}
	return k
}

// pointers gives the addresses of a new array's elements.
func (k *elementKernel) pointers(e tile.Elem) *tile.Value {
	k.f.Params = append(k.f.Params, tile.Param{})
	p := k.f.Body.AddArg(k.f, tile.PtrTo(tile.Scalar(e)), "")
	if k.i.Type.IsTile() {
		p = k.Splat(p, k.i.Type)
	}
	return k.AddPtr(p, k.i)
}

func (k *elementKernel) load(e tile.Elem) *tile.Value {
	return k.Load(k.pointers(e), nil, nil, tile.LoadAttr{})
}

// finish stores a value and gives the module.
func (k *elementKernel) finish(v *tile.Value) (*tile.Module, error) {
	k.Store(k.pointers(v.Type.Elem()), v, nil, tile.StoreAttr{})
	k.Op(tile.OpReturn, nil, nil)
	return k.m, tile.Verify(k.m)
}

// elementOps gives every elementwise operation on every type, by what it prints as, as functions that write it.
func elementOps() map[string]func(k *elementKernel) *tile.Value {
	ops := map[string]func(k *elementKernel) *tile.Value{}
	ints := []tile.Elem{tile.I1, tile.I8, tile.I16, tile.I32, tile.I64}
	var floats []tile.Elem
	for _, e := range elems {
		if e.IsFloat() {
			floats = append(floats, e)
		}
	}
	same := func(codes []tile.Code, types []tile.Elem, arity int) {
		for _, c := range codes {
			for _, e := range types {
				ops[fmt.Sprintf("%s %s", c, e)] = func(k *elementKernel) *tile.Value {
					args := make([]*tile.Value, arity)
					for i := range args {
						args[i] = k.load(e)
					}
					var attr tile.Attr
					switch c {
					case tile.OpFMin, tile.OpFMax, tile.OpClamp:
						attr = tile.NaNAttr{}
					}
					return k.Op(c, attr, args, args[0].Type).Results[0]
				}
			}
		}
	}
	same(intCodes, ints[1:], 2)
	same([]tile.Code{tile.OpAnd, tile.OpOr, tile.OpXor}, ints[:1], 2)
	same([]tile.Code{tile.OpAbsI}, ints[1:], 1)
	same(append([]tile.Code{tile.OpFDivRN, tile.OpFRem, tile.OpFMin, tile.OpFMax}, floatCodes...), floats, 2)
	same([]tile.Code{tile.OpFMA, tile.OpClamp}, floats, 3)
	same(append([]tile.Code{tile.OpExp, tile.OpExp2, tile.OpLog, tile.OpLog2, tile.OpSin, tile.OpCos, tile.OpSqrt, tile.OpRSqrt, tile.OpErf}, floatUnary...), floats, 1)
	cast := func(c tile.Code, from, to tile.Elem) {
		ops[fmt.Sprintf("%s %s to %s", c, from, to)] = func(k *elementKernel) *tile.Value { return k.Cast(c, k.load(from), tile.Scalar(to)) }
	}
	for _, from := range ints {
		for _, to := range ints {
			switch {
			case to.Bits() < from.Bits():
				cast(tile.OpTrunc, from, to)
			case to.Bits() > from.Bits():
				cast(tile.OpExtS, from, to)
				cast(tile.OpExtU, from, to)
			}
		}
		for _, to := range floats {
			cast(tile.OpSToF, from, to)
			cast(tile.OpUToF, from, to)
			cast(tile.OpFToS, to, from)
			cast(tile.OpFToU, to, from)
			if from.Bits() == to.Bits() {
				cast(tile.OpBitcast, from, to)
				cast(tile.OpBitcast, to, from)
			}
		}
	}
	for _, from := range floats {
		for _, to := range floats {
			if to.Bits() > from.Bits() {
				cast(tile.OpFExt, from, to)
			}
			for _, r := range []tile.Round{tile.NearestEven, tile.TowardsZero} {
				if to.Bits() < from.Bits() {
					ops[fmt.Sprintf("%s %s to %s %s", tile.OpFTrunc, from, to, r)] = func(k *elementKernel) *tile.Value { return k.FTrunc(k.load(from), to, r) }
				}
			}
		}
	}
	for _, fn := range tile.ExternFuncs() {
		for _, form := range fn.Forms {
			ops[fmt.Sprintf("extern %s %s", form.Symbol, form)] = func(k *elementKernel) *tile.Value {
				in, out := form.Elems()
				args := make([]*tile.Value, len(in))
				for i, e := range in {
					args[i] = k.load(e)
				}
				return k.Extern(form.Symbol, args[0].Type.WithElem(out), args...)
			}
		}
	}
	return ops
}

// leftToExecutor is a golden file: the elementwise operations that there is no code for, with any set of instructions.
const leftToExecutor = "testdata/executor.txt"

// needOwnCode skips sets of instructions that have avx512's code for everything but products of matrices.
func needOwnCode(t *testing.T) {
	t.Helper()
	needNative(t)
	if f := options().Features; f == AMX || f == Pairs {
		t.Skip("but for products, the code is that of avx512")
	}
}

// Whatever is not in the golden file has code; what has code now does not stay in it.
func TestWhatHasCode(t *testing.T) {
	needOwnCode(t)
	var left []string
	for name, write := range elementOps() {
		k := newElementKernel(64)
		m, err := k.finish(write(k))
		if err != nil {
			continue // the language has no such operation
		}
		p, err := Compile(m, options())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.ABI().NeedsGo {
			left = append(left, name)
		}
	}
	golden(t, leftToExecutor, strings.Join(slices.Sorted(slices.Values(left)), "\n")+"\n")
}

// golden compares text with a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	have := map[string]bool{}
	for l := range strings.Lines(string(want)) {
		have[l] = true
	}
	for l := range strings.Lines(got) {
		if !have[l] {
			t.Errorf("not in %s: %s", path, l)
		}
		delete(have, l)
	}
	for l := range have {
		t.Errorf("only in %s: %s", path, l)
	}
}

// approximate are the operations whose results are within a bound of the executor's, which TestFunctionsAgainstTheExecutor holds them to, and in
// types that it does not name are rounded from those.
func approximate(name string) bool {
	words := strings.Fields(name)
	call := words[0]
	if call == "extern" {
		call += " " + words[1]
	}
	for _, f := range functions {
		if f.call == call || "extern "+f.call == call {
			return f.ulps > 0
		}
	}
	return slices.Contains([]string{"extern fast_expf", "extern fast_exp10f", "extern fast_logf", "extern fast_log2f", "extern fast_log10f", "extern fast_cosf", "extern fast_tanf"}, call)
}

// Whatever is exact gives the executor's bits: every elementwise operation on every type, on tiles and on scalars.
func TestOperationsAgainstTheExecutor(t *testing.T) {
	needOwnCode(t)
	const n = 256
	for name, write := range elementOps() {
		if approximate(name) {
			continue
		}
		for _, shape := range []struct {
			of          string
			tile, count int64
			grid        int32
		}{{"tiles", n, n, 1}, {"scalars", 0, n / 4, n / 4}} {
			k := newElementKernel(shape.tile)
			v := write(k)
			m, err := k.finish(v)
			if err != nil {
				continue // the language has no such operation
			}
			t.Run(name+" of "+shape.of, func(t *testing.T) {
				sameElements(t, m, v.Type.Elem(), [3]int32{shape.grid, 1, 1}, int(shape.count))
			})
		}
	}
}

// sameElements compares what a kernel makes of n elements of each of its arrays, of which the last is the result's.
func sameElements(t *testing.T, m *tile.Module, e tile.Elem, grid [3]int32, n int) {
	t.Helper()
	var in []input
	for i, p := range m.Funcs[0].Body.Args {
		of := p.Type.Pointee().Elem()
		data := fillFor(of, n, uint64(i)+1)
		if of.Bits() == 1 {
			for k := range data {
				data[k] &= 1
			}
		}
		in = append(in, input{data: data})
	}
	got, want := bothRun(t, m, grid, in)
	out := len(in) - 1
	for i := range n {
		a, b := elementAt(got[out].data, e, i), elementAt(want[out].data, e, i)
		if a == b || e.IsFloat() && math.IsNaN(e.DType().Decode(a)) && math.IsNaN(e.DType().Decode(b)) {
			continue
		}
		if e == tile.F8E4B15 && a&0x7f == 0x7e && b&0x7f == 0x7e {
			continue // it has no NaN, and which sign one has that is computed is open
		}
		var args []string
		for k := range out {
			arg := m.Funcs[0].Body.Args[k].Type.Pointee().Elem()
			args = append(args, fmt.Sprintf("%#x", elementAt(in[k].data, arg, i)))
		}
		t.Fatalf("of %s: native %#x, checked %#x", strings.Join(args, ", "), a, b)
	}
}
