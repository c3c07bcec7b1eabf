package xpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

const sums = `func @sums(%p: ptr<f32>) -> () {
  %i = range {start = 0, end = 64} : 64xi32
  %q = splat %p : 64xptr<f32>
  %a = addptr %q, %i : 64xptr<f32>
  %x = load %a : 64xf32
  %s = reduce %x {axis = 0} : f32 (%l: f32, %r: f32) {
    %t = fadd %l, %r : f32
    yield %t
  }
  store %p, %s
  return
}
`

func parse(t *testing.T, text string) *tile.Module {
	t.Helper()
	m, err := tile.Parse("k.tile", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The size of the sub-groups is an option that the module requires and the metadata record.
func TestSubGroupSize(t *testing.T) {
	for asked, want := range map[int]int{0: 32, 16: 16, 32: 32} {
		k, err := Compile(parse(t, sums), Options{Warps: 2, CTAs: 1, Lanes: asked})
		if err != nil {
			t.Fatal(err)
		}
		validate(t, k.SPIRV)
		m := &driver.KernelMetadata{}
		k.Complete(m)
		mode := map[int]string{16: "35 16", 32: "35 32"}[want]
		if m.ThreadsPerWarp != want || !strings.Contains(k.Text(), mode) {
			t.Errorf("asked for %d: %d\n%s", asked, m.ThreadsPerWarp, k.Text())
		}
	}
	for _, asked := range []int{1, 8, 64} {
		_, err := Compile(parse(t, sums), Options{Warps: 2, CTAs: 1, Lanes: asked})
		if !errors.Is(err, diag.Unsupported) || !strings.Contains(err.Error(), "16 or 32") {
			t.Errorf("asked for %d: %v", asked, err)
		}
	}
}

// In front of each branch stands a barrier of the sub-group, if its lanes exchanged values before: see keepTogether.
func TestBranchesAfterExchanges(t *testing.T) {
	k, err := Compile(parse(t, sums), Options{Warps: 1, CTAs: 1})
	if err != nil {
		t.Fatal(err)
	}
	exchanged := false
	for _, line := range strings.Split(k.Text(), "\n") {
		switch {
		case strings.Contains(line, "OpGroupNonUniform"):
			exchanged = true
		case strings.Contains(line, "OpControlBarrier"):
			exchanged = false
		case strings.Contains(line, "OpBranchConditional") && exchanged:
			t.Errorf("a branch comes after an exchange without a barrier\n%s", k.Text())
		}
	}
	if !strings.Contains(k.Text(), "OpControlBarrier") {
		t.Errorf("there is no barrier\n%s", k.Text())
	}
}

// Every way to flip a float's sign that compilers know is written with the hidden sign, in functions with barriers: see hideSigns.
func TestHiddenSigns(t *testing.T) {
	for name, make := range map[string]func(b *lir.Builder, x, h *lir.Value) *lir.Value{
		"neg": func(b *lir.Builder, x, _ *lir.Value) *lir.Value { return b.Pure(lir.OpFNeg, 0, lir.F32, 0, x) },
		"x · -1": func(b *lir.Builder, x, _ *lir.Value) *lir.Value {
			return b.Pure(lir.OpFMul, uint8(lir.Nearest), lir.F32, 0, x, b.Const(lir.F32, 0xbf800000))
		},
		"x / -1": func(b *lir.Builder, x, _ *lir.Value) *lir.Value {
			return b.Pure(lir.OpFDiv, uint8(lir.Nearest), lir.F32, 0, x, b.Const(lir.F32, 0xbf800000))
		},
		"-0 - x": func(b *lir.Builder, x, _ *lir.Value) *lir.Value {
			return b.Pure(lir.OpFSub, uint8(lir.Nearest), lir.F32, 0, b.Const(lir.F32, 1<<31), x)
		},
		"bits of f16": func(b *lir.Builder, _, h *lir.Value) *lir.Value {
			return b.Pure(lir.OpXor, 0, lir.I16, 0, b.Pure(lir.OpBitcast, 0, lir.I16, 0, h), b.Const(lir.I16, 0x8000))
		},
		"bits that are set": func(b *lir.Builder, x, _ *lir.Value) *lir.Value {
			return b.Pure(lir.OpOr, 0, lir.I32, 0, b.Pure(lir.OpBitcast, 0, lir.I32, 0, x), b.Const(lir.I32, 1<<31))
		},
	} {
		f := lir.NewFunc("signs", 4, 32)
		f.Params = []lir.Param{{Name: "p", Type: lir.I64, Pointer: true, Align: 16}, {Name: "x", Type: lir.F32}, {Name: "h", Type: lir.F16}}
		b := lir.NewBuilder(f)
		p, x, h := b.Pure(lir.OpParam, 0, lir.I64, 0), b.Pure(lir.OpParam, 0, lir.F32, 1), b.Pure(lir.OpParam, 0, lir.F16, 2)
		v := make(b, x, h)
		b.Emit(&lir.Op{Code: lir.OpBarrier})
		b.Store(lir.Mem{Space: lir.Global}, p, nil, v)
		b.Return()
		e := &emitter{module: newModule(), f: f, ids: map[*lir.Value]id{}, files: map[string]id{}}
		e.function()
		if e.signs == 0 {
			t.Errorf("%s: the sign is not hidden", name)
		}
		text := disassemble(e.bytes())
		if strings.Contains(text, "OpFNegate") || strings.Contains(text, "OpFSub") || strings.Contains(text, "OpFMul") || strings.Contains(text, "OpFDiv") {
			t.Errorf("%s\n%s", name, text)
		}
		validate(t, e.bytes())
	}
}
