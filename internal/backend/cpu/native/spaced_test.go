package native

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// spacedKernel copies n elements: of those of x whose numbers are in an array, or which are step apart, to neighbours, or the other way round.
func spacedKernel(e tile.Elem, step int, stores bool) *tile.Module {
	m := &tile.Module{}
	f := &tile.Func{Name: "spaced"}
	m.Funcs = []*tile.Func{f}
	b := tile.NewBuilder(m, f)
	f.Body = b.NewBlock()
	b.SetBlock(f.Body)
	param := func(t tile.Type) *tile.Value {
		f.Params = append(f.Params, tile.Param{})
		return f.Body.AddArg(f, t, "")
	}
	i32 := tile.Scalar(tile.I32)
	far, near := param(tile.PtrTo(tile.Scalar(e))), param(tile.PtrTo(tile.Scalar(e)))
	index, n := param(tile.PtrTo(i32)), param(i32)
	const block = 64
	number := b.Range(0, block)
	t := number.Type
	at := b.Binary(tile.OpAdd, b.Splat(b.Binary(tile.OpMul, b.ProgramID(0), b.Const(i32, block)), t), number)
	mask := b.CmpI(tile.LTS, at, b.Splat(n, t))
	pointers := func(base, off *tile.Value) *tile.Value {
		pt, _ := base.Type.WithShape(block)
		return b.AddPtr(b.Splat(base, pt), off)
	}
	where := b.Binary(tile.OpMul, at, b.Const(t, uint64(uint32(step))))
	if step == 0 {
		where = b.Load(pointers(index, at), mask, nil, tile.LoadAttr{})
	}
	from, to := pointers(far, where), pointers(near, at)
	if stores {
		from, to = to, from
	}
	b.Store(to, b.Load(from, mask, nil, tile.LoadAttr{}), mask, tile.StoreAttr{})
	b.Op(tile.OpReturn, nil, nil)
	return m
}

// Elements that are a constant apart, or anywhere, are read and written wherever they lie, and nothing between, before and behind them is written or has to be there.
func TestSpacedElements(t *testing.T) {
	needNative(t)
	r := rand.New(rand.NewPCG(3, 9))
	for _, e := range []tile.Elem{tile.I8, tile.I16, tile.BF16, tile.F16, tile.F8E5M2, tile.F32, tile.I64} {
		for _, step := range []int{0, 1, 2, 3, 4, 5, 8, -1, -2, -4} {
			for _, stores := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v,%d,%v", e, step, stores), func(t *testing.T) {
					p, err := Compile(spacedKernel(e, step, stores), options())
					if err != nil {
						t.Fatal(err)
					}
					for _, n := range []int{64, 128, 1, 15, 49, 100} {
						checkSpaced(t, p, r, e.Bytes(), step, n, stores)
					}
				})
			}
		}
	}
}

func checkSpaced(t *testing.T, p *Program, r *rand.Rand, size, step, n int, stores bool) {
	t.Helper()
	elems := 1024
	numbers, index := make([]int, n), make([]byte, 4*n)
	anywhere := r.Perm(elems)
	lowest, highest := 0, 0
	for i := range numbers {
		numbers[i] = i * step
		if step == 0 {
			numbers[i] = anywhere[i] - elems/2
		}
		lowest, highest = min(lowest, numbers[i]), max(highest, numbers[i])
		for k := range 4 {
			index[4*i+k] = byte(numbers[i] >> (8 * k))
		}
	}
	whole := (highest + 1 - lowest) * size
	for where := range 4 { // memory ends behind the last element, or begins with the first one; or one byte on
		end, odd := where&1 != 0, where>>1
		far := between(t, whole+odd, end)
		if end {
			far = far[:whole]
		} else {
			far = far[odd:]
		}
		near := make([]byte, n*size)
		for i := range far {
			far[i] = finite(r)
		}
		for i := range near {
			near[i] = finite(r)
		}
		wantFar, wantNear := bytes.Clone(far), bytes.Clone(near)
		for i, k := range numbers {
			x, y := wantFar[(k-lowest)*size:][:size], wantNear[i*size:][:size]
			if stores {
				copy(x, y)
			} else {
				copy(y, x)
			}
		}
		base := pointerTo(far[-lowest*size:])
		args := []Arg{{Base: base}, {Base: pointerTo(near)}, {Base: pointerTo(index)}, {Bits: uint64(n)}}
		if err := p.Run(context.Background(), Launch{Grid: [3]int32{2, 1, 1}, Args: args, Threads: 1}); err != nil {
			t.Fatalf("%d elements, memory ends %v: %v", n, end, err)
		}
		if !bytes.Equal(far, wantFar) || !bytes.Equal(near, wantNear) {
			t.Fatalf("%d elements, memory ends %v: % x, want % x", n, end, near, wantNear)
		}
	}
}

// finite gives a byte that is no part of a NaN, whose bits a conversion may change, in whatever type.
func finite(r *rand.Rand) byte { return byte(r.IntN(0x3c)) }

// Strips of elements a few bytes apart are moved as a whole.
func TestSpacedElementsAreOneInstruction(t *testing.T) {
	needNative(t)
	if s, _ := isaOf(options().Features); s.selects != nil {
		t.Skip("for AVX-512")
	}
	for _, e := range []tile.Elem{tile.I8, tile.BF16, tile.F16, tile.F32} {
		for _, step := range []int{2, 4} {
			if step*e.Bytes() > 8 {
				continue
			}
			for _, stores := range []bool{false, true} {
				o := options()
				var slow []string
				o.see = func(i *amd64.Inst) {
					if text := i.String(); strings.Contains(text, "gather") || strings.Contains(text, "scatter") || strings.Contains(text, "tzcnt") {
						slow = append(slow, text)
					}
				}
				if _, err := Compile(spacedKernel(e, step, stores), o); err != nil || len(slow) > 0 {
					t.Errorf("%v, %d apart, stored %v: %v, %v", e, step, stores, err, slow)
				}
			}
		}
	}
}
