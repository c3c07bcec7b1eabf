package lower

import (
	"context"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
	"github.com/tegula-lang/tegula/internal/tile"
)

// anyView draws a view of a tile of 2^n elements in which everything is held by someone.
func anyView(t *rapid.T, l *lowerer, n, lanes, warps int, mix bool) *view {
	vectors := make([]uint32, max(n, lanes+warps)+rapid.IntRange(0, 1).Draw(t, "replicas"))
	for i := range n {
		vectors[i] = 1 << i
	}
	for range rapid.IntRange(0, 4).Draw(t, "sums") {
		i, j := rapid.IntRange(0, max(n-1, 0)).Draw(t, "i"), rapid.IntRange(0, max(n-1, 0)).Draw(t, "j")
		if mix && i != j {
			vectors[i] ^= vectors[j]
		}
	}
	order := rapid.Permutation(vectors).Draw(t, "order")
	return l.intern(view{lane: order[:lanes], warp: order[lanes : lanes+warps], regs: order[lanes+warps:]})
}

// convertKernel reads each element's number into a view, converts it to another, and writes each thread's registers.
func convertKernel(l *lowerer, e tile.Elem, n int, from, to *view) *lir.Func {
	b := l.b
	typ, _ := tile.Scalar(e).WithShape(1 << n)
	v := &tile.Value{Type: typ}
	l.vals = []held{{}}
	t := l.typeOf(v.Type)
	put, get := b.Pure(lir.OpParam, 0, lir.I64, 0), b.Pure(lir.OpParam, 0, lir.I64, 1)
	size := stored(t).Bytes()
	var regs []*lir.Value
	for r := range from.size() {
		at := b.Pure(lir.OpExtU, 0, lir.I64, 0, l.shl(l.join(l.part(from), from.threadBits(), b.I32(int(from.at(r))), from.at(r)), log2(size)))
		x := b.Load(lir.Mem{Space: lir.Global, Origin: 1}, stored(t), 1, b.Pure(lir.OpAdd, 0, lir.I64, 0, put, at), nil, nil)[0]
		regs = append(regs, l.fromMemory(x, t))
	}
	l.vals[0] = held{in: from, regs: regs}
	for r, x := range l.eval(v, to) {
		at := l.shl(b.Pure(lir.OpAdd, 0, lir.I32, 0, l.shl(l.thread(), len(to.regs)), b.I32(r)), log2(size))
		b.Store(lir.Mem{Space: lir.Global, Origin: 2}, b.Pure(lir.OpAdd, 0, lir.I64, 0, get, b.Pure(lir.OpExtU, 0, lir.I64, 0, at)), nil, l.toMemory(x))
	}
	b.Return()
	lir.Finish(b.Func)
	return b.Func
}

// convertCase is a kernel that converts a tile of 1<<n elements; f is nil if there is no way for it.
type convertCase struct {
	l        *lowerer
	f        *lir.Func
	e        tile.Elem
	n, warps int
	from, to *view
	relayed  bool // the tile is larger than shared memory
}

var convertCases = rapid.Custom(func(t *rapid.T) convertCase {
	c := convertCase{n: rapid.IntRange(0, 10).Draw(t, "bits"), warps: rapid.IntRange(0, 2).Draw(t, "warps")}
	c.e = rapid.SampledFrom([]tile.Elem{tile.I1, tile.I8, tile.F16, tile.F32, tile.I64}).Draw(t, "elem")
	f := lir.NewFunc("convert", 1<<c.warps, 32)
	f.Params = []lir.Param{{Name: "put", Type: lir.I64, Pointer: true}, {Name: "get", Type: lir.I64, Pointer: true}}
	c.l = &lowerer{o: Options{Warps: 1 << c.warps, WarpSize: 32}, b: lir.NewBuilder(f), memo: []map[asked][]*lir.Value{{}}}
	c.l.views.known = map[string]*view{}
	mix := rapid.Bool().Draw(t, "mix")
	c.from, c.to = anyView(t, c.l, c.n, 5, c.warps, mix), anyView(t, c.l, c.n, 5, c.warps, mix)
	typ, _ := tile.Scalar(c.e).WithShape(1 << c.n)
	c.l.o.Can.SharedMax = rapid.SampledFrom([]int{0, 128, 512, 2048}).Draw(t, "shared")
	c.relayed = !c.l.hasRoomFor(typ)
	if c.relayed && c.l.relayed(typ, c.from, c.to) == nil {
		return c // the threads of both sides leave no rounds
	}
	c.f = convertKernel(c.l, c.e, c.n, c.from, c.to)
	return c
})

func TestConvert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := convertCases.Draw(t, "case")
		f, warps := c.f, c.warps
		if f == nil {
			return
		}
		if limit := c.l.o.Can.SharedMax; f.SharedBytes > limit && limit > 0 {
			t.Fatalf("%d bytes of shared memory, of %d\n%v", f.SharedBytes, limit, f)
		}
		if err := lir.Verify(f); err != nil {
			t.Fatal(err)
		}
		e, n, from, to := c.e, c.n, c.from, c.to
		size := stored(c.l.typeOf(tile.Scalar(e))).Bytes()
		number := func(at []byte) uint64 {
			var word [8]byte
			copy(word[:], at[:size])
			return binary.LittleEndian.Uint64(word[:])
		}
		want := func(x uint32) uint64 {
			if e == tile.I1 {
				return uint64(x^x>>1^x>>3^x>>4&1) & 1
			}
			return uint64(x) * 0x0101010101010101 & (^uint64(0) >> (64 - 8*size))
		}
		in, out := make([]byte, size<<n), make([]byte, size*to.size()*32<<warps)
		for x := range uint32(1) << n {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], want(x))
			copy(in[int(x)*size:], word[:size])
		}
		if _, err := sim.Run(context.Background(), f, sim.Launch{Grid: [3]uint32{1, 1, 1}, Args: []sim.Arg{{Array: in}, {Array: out}}}); err != nil {
			t.Fatalf("%v\n%v", err, f)
		}
		for thread := range 32 << warps {
			own := uint32(0)
			for i, x := range append(append([]uint32(nil), to.lane...), to.warp...) {
				if thread>>i&1 != 0 {
					own ^= x
				}
			}
			for r := range to.size() {
				if got := number(out[(thread*to.size()+r)*size:]); got != want(own^to.at(r)) {
					t.Fatalf("register %d of thread %d is %#x, not %#x\n%+v to %+v\n%v", r, thread, got, want(own^to.at(r)), from, to, f)
				}
			}
		}
	})
	// Both ways are taken, in cases that are the same ones in every run.
	shuffles, inRounds := 0, 0
	for seed := range 200 {
		switch c := convertCases.Example(seed); {
		case c.f == nil:
		case c.relayed && c.f.SharedBytes > 0:
			inRounds++
		case uses(c.f, lir.OpShuffle) > 0:
			shuffles++
		}
	}
	t.Log(shuffles, inRounds)
	if shuffles == 0 {
		t.Error("nothing was shuffled")
	}
	if inRounds == 0 {
		t.Error("nothing went in rounds")
	}
}
