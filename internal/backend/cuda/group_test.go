package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// groupKernel adds up products of tiles in shared memory in a loop, by warp groups, and stores the sum.
func groupKernel(m lir.MMA, n int, inRegisters, fresh bool) *lir.Func {
	f := lir.NewFunc("multiply", 8, 32)
	f.Params = []lir.Param{{Name: "p", Type: lir.I64, Pointer: true, Align: 16}, {Name: "n", Type: lir.I32}}
	b := lir.NewBuilder(f)
	info := m.Info()
	k := 128 * 8 / info.Bits
	a := lir.GroupTile{Rows: 64, Columns: k, Swizzle: 128, AlongK: true}
	tile := lir.GroupTile{Rows: n, Columns: k, Swizzle: 128, AlongK: true}
	if info.Bits == 16 {
		tile = lir.GroupTile{Rows: k, Columns: n, Swizzle: min(128, 2*n)}
	}
	from := lir.Mem{Space: lir.Shared, Buffer: f.NewShared(64*128, 1024)}
	mem := lir.Mem{Space: lir.Shared, Buffer: f.NewShared(n*128, 1024)}
	p := b.Pure(lir.OpParam, 0, lir.I64, 0)
	g := lir.GroupMMA{Kind: m, M: 64, N: n, K: k, A: a, B: tile, RowStep: 64}
	zero := b.I32(0)
	first := b.Load(lir.Mem{Space: lir.Global, Origin: 1}, lir.I32, 4, p, nil, nil)
	sums := make([]*lir.Value, g.Sums())
	for i := range sums {
		sums[i] = b.Const(info.Sum, 0)
	}
	b.Emit(&lir.Op{Code: lir.OpProxyFence})
	sums = b.For(false, zero, b.Pure(lir.OpParam, 0, lir.I32, 1), b.I32(1), sums, func(_ *lir.Value, sums []*lir.Value) []*lir.Value {
		if fresh {
			sums = nil
		}
		var out []*lir.Value
		if inRegisters {
			g.A = lir.GroupTile{}
			var words []*lir.Value
			for len(words) < g.WordsOfA() {
				words = append(words, first...)
			}
			out = b.GroupMMA(g, mem, zero, nil, words, sums)
		} else {
			out = b.GroupMMA(g, mem, zero, &from, []*lir.Value{zero}, sums)
		}
		b.GroupWait(1, nil)
		return out
	})
	for i, x := range b.GroupWait(0, sums) {
		b.Store(lir.Mem{Space: lir.Global, Origin: 1, Offset: int64(4 * i)}, p, nil, x)
	}
	b.Return()
	lir.Finish(f)
	return f
}

func TestGroupSpellings(t *testing.T) {
	arch := Arch{"90a", 90}
	for _, c := range []struct {
		mma    lir.MMA
		n      int
		inRegs bool
		wants  []string
	}{
		{lir.MMAF16, 64, false, []string{"wgmma.fence.sync.aligned;", "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {", ", 1, 1, 0, 1;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 1;", ".align 1024 .b8 shared"}},
		{lir.MMABF16, 16, true, []string{"m64n16k16.f32.bf16.bf16 {", ", 1, 1, 1;"}},
		{lir.MMATF32, 32, true, []string{"m64n32k8.f32.tf32.tf32 {", ", 1, 1;"}},
		{lir.MMAS8, 256, false, []string{"m64n256k32.s32.s8.s8 {"}},
		{lir.MMAE4M3E5M2, 128, false, []string{"m64n128k32.f32.e4m3.e5m2 {", ", 1, 1;"}},
	} {
		f := groupKernel(c.mma, c.n, c.inRegs, false)
		if err := lir.Verify(f); err != nil {
			t.Fatal(err)
		}
		text := string(newEmitter(f, arch).module())
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", c.mma, want, text)
			}
		}
	}
}

// TestFreshSums: what was in the registers before counts for nothing, but only in the first instruction.
func TestFreshSums(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		text := string(newEmitter(groupKernel(lir.MMAF16, 64, false, fresh), Arch{"90a", 90}).module())
		none := regexp.MustCompile(`setp\.ne\.b32 (%p\d+), 0, 0;`).FindStringSubmatch(text)
		if (none != nil) != fresh {
			t.Fatalf("fresh %v:\n%s", fresh, text)
		}
		if fresh && strings.Count(text, ", "+none[1]+", 1, 1, 0, 1;") != 1 {
			t.Errorf("not one instruction without a sum before\n%s", text)
		}
	}
}

// TestSumsStayInPlace: a sum that a loop carries is not moved while the instruction is not done.
func TestSumsStayInPlace(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		text := string(newEmitter(groupKernel(lir.MMAF16, 64, false, fresh), Arch{"90a", 90}).module())
		_, after, _ := strings.Cut(text, "wgmma.commit_group")
		loop, _, _ := strings.Cut(after, "bra ")
		if strings.Contains(loop, "mov.b32") {
			t.Errorf("sums are moved in\n%s", loop)
		}
	}
}

// TestSharedRegistersAreNotTakenOver: neither a product nor a branch nor a loop's next sum may change the register of a value that is used once, while
// another reading of its bits lies there too and is needed later.
func TestSharedRegistersAreNotTakenOver(t *testing.T) {
	for _, by := range []string{"product", "branch", "loop", "branch in a loop", "loop, alone"} {
		f := lir.NewFunc("shared", 4, 32)
		f.Params = []lir.Param{{Name: "p", Type: lir.I64, Pointer: true, Align: 16}, {Name: "n", Type: lir.I32}}
		b := lir.NewBuilder(f)
		from := lir.Mem{Space: lir.Shared, Buffer: f.NewShared(64*128, 1024)}
		mem := lir.Mem{Space: lir.Shared, Buffer: f.NewShared(64*128, 1024)}
		g := lir.GroupMMA{Kind: lir.MMAF16, M: 64, N: 16, K: 64, RowStep: 64,
			A: lir.GroupTile{Rows: 64, Columns: 64, Swizzle: 128, AlongK: true}, B: lir.GroupTile{Rows: 16, Columns: 64, Swizzle: 128, AlongK: true}}
		zero, n := b.I32(0), b.Pure(lir.OpParam, 0, lir.I32, 1)
		p := b.Pure(lir.OpParam, 0, lir.I64, 0)
		to := lir.Mem{Space: lir.Global, Origin: 1}
		multiply := func(sums []*lir.Value) []*lir.Value {
			return b.GroupMMA(g, mem, zero, &from, []*lir.Value{zero}, sums)
		}
		var read *lir.Value // lies where a sum does
		again := func(x *lir.Value) *lir.Value {
			read = b.Pure(lir.OpBitcast, 0, lir.I32, 0, x)
			return read
		}
		sums := make([]*lir.Value, g.Sums())
		switch by {
		case "product", "branch":
			for i := range sums {
				x := b.Pure(lir.OpAdd, 0, lir.I32, 0, n, b.I32(i+1))
				sums[i] = b.Pure(lir.OpBitcast, 0, lir.F32, 0, x)
				if i == 0 {
					read = x
				}
			}
			if by == "product" {
				sums = b.GroupWait(0, multiply(sums))
			} else {
				c := b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, n, b.I32(5))
				sums = b.If(c, func() []*lir.Value { return b.GroupWait(0, multiply(nil)) }, func() []*lir.Value { return sums })
			}
			b.Store(to, p, nil, b.Pure(lir.OpXor, 0, lir.I32, 0, read, n))
		default:
			for i := range sums {
				sums[i] = b.Const(lir.F32, 0)
			}
			sums = b.For(false, zero, n, b.I32(1), sums, func(i *lir.Value, sums []*lir.Value) []*lir.Value {
				sums = b.GroupWait(0, sums)
				switch by {
				case "loop":
					again(sums[0])
				case "branch in a loop":
					c := b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, i, b.I32(5))
					sums = b.If(c, func() []*lir.Value { return b.GroupWait(0, multiply(nil)) }, func() []*lir.Value { return sums })
					again(sums[0])
				}
				out := multiply(sums)
				if read != nil {
					b.Store(to, p, nil, b.Pure(lir.OpXor, 0, lir.I32, 0, read, n))
				}
				return out
			})
			sums = b.GroupWait(0, sums)
		}
		for i, x := range sums {
			b.Store(lir.Mem{Space: lir.Global, Origin: 1, Offset: int64(4 * i)}, p, nil, x)
		}
		b.Return() // and the order stays: lir.Finish would move other readings to where they are needed
		if err := lir.Verify(f); err != nil {
			t.Fatal(err)
		}
		e := newEmitter(f, Arch{"90a", 90})
		text := string(e.module())
		if read == nil {
			if _, loop, _ := strings.Cut(text, "wgmma.fence"); strings.Contains(strings.SplitN(loop, "bra ", 2)[0], "mov.b32") {
				t.Errorf("%s: sums are moved in\n%s", by, text)
			}
			continue
		}
		lies := e.names[read.ID]
		_, after, ok := strings.Cut(text, "wgmma.mma_async")
		if !ok {
			t.Fatalf("%s: no product in\n%s", by, text)
		}
		into, _, _ := strings.Cut(text[strings.LastIndex(text, "wgmma.mma_async"):], "}")
		if regexp.MustCompile(regexp.QuoteMeta(lies)+`\b`).MatchString(into) || by == "branch" && regexp.MustCompile(`mov\.\w+ `+regexp.QuoteMeta(lies)+`,`).MatchString(after) {
			t.Errorf("%s: %s, that is needed later, is changed in\n%s", by, lies, text)
		}
	}
}

// TestGroupsAccepted gives them to ptxas, which does not have to wait more often than is said.
func TestGroupsAccepted(t *testing.T) {
	ptxas := difftest.Ptxas()
	if ptxas == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton's ptxas")
	}
	arch := Arch{"90a", 90}
	for m := range lir.MMAF64 {
		if !arch.can().GroupMMA.Has(m) {
			continue
		}
		for _, n := range []int{16, 64, 256} {
			for _, inRegs := range []bool{false, true} {
				name := fmt.Sprintf("%v, n %d, registers %v", m, n, inRegs)
				path := filepath.Join(t.TempDir(), "k.ptx")
				if err := os.WriteFile(path, newEmitter(groupKernel(m, n, inRegs, n == 64), arch).module(), 0o644); err != nil {
					t.Fatal(err)
				}
				out, err := exec.Command(ptxas, "-arch=sm_90a", path, "-o", os.DevNull).CombinedOutput()
				if err != nil || strings.Contains(string(out), "serialized") {
					t.Errorf("%s: %v\n%s", name, err, out)
				}
			}
		}
	}
}

func TestOnlyHopperHasGroups(t *testing.T) {
	for name, want := range map[string]bool{"80": false, "90": false, "90a": true, "100a": false, "120": false} {
		a, err := ParseArch(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.can().GroupMMA != 0; got != want {
			t.Errorf("sm_%s: %v", name, got)
		}
	}
}
