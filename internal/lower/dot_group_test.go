package lower

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// groupTarget is a target whose warp groups multiply out of shared memory.
var groupTarget = func() Capabilities {
	c := matrixTarget
	c.GroupMMA, c.SMRegisters, c.SMShared, c.Signals = lir.GroupMMAs, 64<<10, 228<<10, true
	return c
}()

func TestDotInGroups(t *testing.T) {
	for _, c := range []struct {
		dotCase
		groups bool // warp groups do it
	}{
		{dotCase{1, 64, 64, 64, tile.F16, tile.F16, tile.F32, "tf32", false, false, 4, 0, 1, 0}, true},
		{dotCase{1, 64, 64, 64, tile.F16, tile.F16, tile.F32, "tf32", true, true, 4, 0, 1, 0}, true},
		{dotCase{1, 64, 16, 16, tile.F16, tile.F16, tile.F32, "tf32", false, false, 4, 0, 1, 0}, true},
		{dotCase{1, 64, 8, 32, tile.BF16, tile.BF16, tile.F32, "tf32", false, true, 4, 2, 1, 0}, true},
		{dotCase{1, 128, 32, 32, tile.F16, tile.F16, tile.F32, "tf32", false, false, 4, 3, 3, 0}, true},
		{dotCase{1, 128, 64, 64, tile.F16, tile.F16, tile.F32, "tf32", false, false, 8, 5, 3, 2}, true},
		{dotCase{1, 256, 32, 16, tile.F16, tile.F16, tile.F32, "tf32", true, false, 8, 2, 2, 0}, true},
		{dotCase{1, 64, 128, 32, tile.F16, tile.F16, tile.F32, "tf32", false, false, 8, 4, 2, 0}, true},
		{dotCase{1, 64, 128, 64, tile.F16, tile.F16, tile.F32, "tf32", true, true, 8, 1, 4, 0}, true},
		{dotCase{1, 64, 32, 128, tile.F16, tile.F16, tile.F32, "tf32", false, true, 4, 2, 2, 0}, true},
		{dotCase{1, 64, 512, 16, tile.F16, tile.F16, tile.F32, "tf32", false, false, 8, 0, 1, 0}, true},
		{dotCase{2, 64, 32, 16, tile.F16, tile.F16, tile.F32, "tf32", false, false, 4, 3, 3, 0}, true},
		{dotCase{1, 64, 32, 32, tile.F16, tile.F16, tile.F16, "tf32", false, false, 4, 3, 3, 0}, true},
		{dotCase{1, 64, 32, 32, tile.F32, tile.F32, tile.F32, "tf32", false, true, 4, 3, 3, 0}, true},
		{dotCase{1, 64, 32, 32, tile.F32, tile.F32, tile.F32, "tf32", true, false, 4, 2, 2, 0}, true},
		{dotCase{1, 64, 32, 64, tile.I8, tile.I8, tile.I32, "ieee", false, true, 4, 3, 3, 0}, true},
		{dotCase{1, 64, 32, 32, tile.I8, tile.I8, tile.I32, "ieee, unsigned", false, false, 4, 0, 3, 0}, true},
		{dotCase{1, 64, 32, 64, tile.F8E4M3, tile.F8E5M2, tile.F32, "tf32, max_imprecise = 1073741824", false, true, 4, 3, 3, 0}, true},
		{dotCase{1, 64, 32, 128, tile.F8E4M3, tile.F8E4M3, tile.F32, "tf32, max_imprecise = 64", false, true, 4, 2, 3, 0}, true},
		{dotCase{1, 128, 256, 64, tile.F8E5M2, tile.F8E4M3, tile.F32, "tf32", false, true, 4, 0, 1, 0}, true},
		{dotCase{1, 64, 32, 32, tile.F32, tile.F32, tile.F32, "ieee", false, true, 4, 0, 1, 0}, false},
		{dotCase{1, 32, 32, 32, tile.F16, tile.F16, tile.F32, "tf32", false, true, 4, 0, 1, 0}, false},
		{dotCase{1, 64, 32, 32, tile.F16, tile.F16, tile.F32, "tf32", false, true, 2, 0, 1, 0}, false},
		{dotCase{1, 64, 64, 32, tile.F16, tile.F16, tile.F32, "tf32", false, true, 8, 0, 1, 0}, false},
	} {
		f := c.lower(t, groupTarget)
		if got := uses(f, lir.OpGroupMMA) > 0; got != c.groups {
			t.Errorf("%v: warp groups: %v\n%v", c.dotCase, got, f)
		}
		if c.stages > 1 && c.loop > 0 && uses(f, lir.OpCopyAsync) == 0 && c.a.Bits() == 16 {
			t.Errorf("%v: no asynchronous copies", c.dotCase)
		}
		c.run(t, f)
	}
}

// TestSumsFlow: a loop that only adds waits for the instruction of the iteration before, not for its own.
func TestSumsFlow(t *testing.T) {
	f := dotCase{1, 128, 64, 64, tile.F16, tile.F16, tile.F32, "tf32", false, false, 8, 5, 3, 0}.lower(t, groupTarget)
	f.Body.Walk(func(op *lir.Op) {
		if op.Code != lir.OpFor {
			return
		}
		var waits []int64
		for _, o := range op.Regions[0].Ops {
			if o.Code == lir.OpGroupWait {
				waits = append(waits, o.Imm)
			}
		}
		if len(waits) != 1 || waits[0] != 1 {
			t.Errorf("the loop waits for all but %v\n%v", waits, f)
		}
	})
}

// TestAcrossK: operands of 32 bits that lie across k are copied in wide pieces, and loaded step by step while the steps of the iteration before are at work.
func TestAcrossK(t *testing.T) {
	for _, c := range []dotCase{
		{1, 64, 64, 32, tile.F32, tile.F32, tile.F32, "tf32", false, false, 4, 4, 3, 0},
		{1, 64, 128, 16, tile.F32, tile.F32, tile.F32, "tf32", false, false, 4, 4, 3, 0},
		{1, 128, 32, 32, tile.F32, tile.F32, tile.F32, "tf32", true, true, 8, 4, 3, 0},
	} {
		f := c.lower(t, groupTarget)
		f.Body.Walk(func(op *lir.Op) {
			if op.Code != lir.OpFor {
				return
			}
			instructions := 0
			var waits []int64
			for _, o := range op.Regions[0].Ops {
				switch o.Code {
				case lir.OpCopyAsync:
					if o.Imm != 16 {
						t.Errorf("%v: copies of %d bytes", c, o.Imm)
					}
				case lir.OpGroupMMA:
					instructions++
				case lir.OpGroupWait:
					waits = append(waits, o.Imm)
				}
			}
			steps := max(c.m, c.n) / (16 * c.warps) * c.k / 8
			if instructions != steps || len(waits) != steps+1 || slices.Max(waits[:steps]) != int64(steps-1) || slices.Min(waits) != int64(steps-1) {
				t.Errorf("%v: %d instructions, want %d; waits for all but %v\n%v", c, instructions, steps, waits, f)
			}
		})
		c.run(t, f)
	}
}

// TestRandomGroupDots runs products of random shapes and types in warp groups.
func TestRandomGroupDots(t *testing.T) {
	types := [][2]tile.Elem{
		{tile.F16, tile.F32}, {tile.F16, tile.F16}, {tile.BF16, tile.F32}, {tile.F32, tile.F32}, {tile.I8, tile.I32}, {tile.F8E5M2, tile.F32},
	}
	rapid.Check(t, func(r *rapid.T) {
		size := func(name string, least, most int) int { return 1 << rapid.IntRange(least, most).Draw(r, name) }
		e := rapid.SampledFrom(types).Draw(r, "types")
		c := dotCase{
			batch: size("batch", 0, 1), m: size("m", 6, 8), n: size("n", 3, 7), k: size("k", 3, 7), a: e[0], b: e[0], c: e[1], attr: "tf32",
			transA: rapid.Bool().Draw(r, "transA"), transB: rapid.Bool().Draw(r, "transB"),
			warps: size("warps", 2, 3), loop: rapid.IntRange(0, 3).Draw(r, "loop"), stages: rapid.IntRange(1, 4).Draw(r, "stages"),
			outer: rapid.IntRange(0, 2).Draw(r, "outer"),
		}
		for c.batch*c.m*c.n*c.k > 1<<16 {
			switch {
			case c.k > 16:
				c.k /= 2
			case c.n > 8:
				c.n /= 2
			default:
				c.m /= 2
			}
		}
		c.run(t, c.lower(t, groupTarget))
	})
}
