package xpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// validate has spirv-val judge a module.
func validate(t *testing.T, image []byte) {
	t.Helper()
	validator, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("no spirv-val")
	}
	file := filepath.Join(t.TempDir(), "k.spv")
	if err := os.WriteFile(file, image, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(validator, "--target-env", "spv1.4", file).CombinedOutput(); err != nil {
		t.Errorf("%s\n%s", out, disassemble(image))
	}
}

// every makes a function that has each operation.
func every() *lir.Func {
	f := lir.NewFunc("every", 4, 32)
	f.Params = []lir.Param{{Name: "p", Type: lir.I64, Pointer: true, Align: 16}, {Name: "n", Type: lir.I32}, {Name: "x", Type: lir.F32}, {Name: "d", Type: lir.F64}, {Name: "h", Type: lir.F16}}
	b := lir.NewBuilder(f)
	var get [5]*lir.Value
	for i, p := range f.Params {
		get[i] = b.Pure(lir.OpParam, 0, p.Type, int64(i))
	}
	p, n, x, d, h := get[0], get[1], get[2], get[3], get[4]
	keep := func(v *lir.Value) {
		m := lir.Mem{Space: lir.Global, Volatile: true}
		if v.Type == lir.I1 {
			v = b.Pure(lir.OpExtU, 0, lir.I32, 0, v)
		}
		b.Store(m, p, nil, v)
	}
	thread := b.Pure(lir.OpThreadID, 0, lir.I32, 0)
	long := b.Pure(lir.OpExtS, 0, lir.I64, 0, n)
	for axis := range int64(3) {
		keep(b.Pure(lir.OpProgramID, 0, lir.I32, axis))
		keep(b.Pure(lir.OpNumPrograms, 0, lir.I32, axis))
	}
	for c := lir.OpAdd; c <= lir.OpXor; c++ {
		keep(b.Pure(c, 0, lir.I32, 0, n, thread))
		keep(b.Pure(c, 0, lir.I64, 0, long, p))
	}
	for c := lir.OpShl; c <= lir.OpShrU; c++ {
		keep(b.Pure(c, 0, lir.I32, 0, n, thread))
		keep(b.Pure(c, 0, lir.I64, 0, long, n))
	}
	for c := lir.OpMinS; c <= lir.OpMaxU; c++ {
		keep(b.Pure(c, 0, lir.I32, 0, n, thread))
	}
	for _, v := range []*lir.Value{n, long} {
		keep(b.Pure(lir.OpPopCount, 0, lir.I32, 0, v))
		keep(b.Pure(lir.OpCLZ, 0, lir.I32, 0, v))
		keep(b.Pure(lir.OpBitRev, 0, v.Type, 0, v))
	}
	keep(b.Pure(lir.OpPrmt, 0, lir.I32, 0, n, thread, n))
	for pred := tile.EQ; pred <= tile.GEU; pred++ {
		keep(b.Pure(lir.OpCmp, uint8(pred), lir.I1, 0, n, thread))
	}
	for pred := tile.OEQ; pred <= tile.UNO; pred++ {
		keep(b.Pure(lir.OpFCmp, uint8(pred), lir.I1, 0, x, b.Const(lir.F32, 0x3f800000)))
	}
	bf := b.Pure(lir.OpFTrunc, uint8(lir.Nearest), lir.BF16, 0, x)
	for _, v := range []*lir.Value{x, d, h, bf} {
		for _, c := range []lir.Code{lir.OpFAdd, lir.OpFSub, lir.OpFMul} {
			keep(b.Pure(c, uint8(lir.Nearest), v.Type, 0, v, v))
		}
		keep(b.Pure(lir.OpFMA, uint8(lir.Nearest), v.Type, 0, v, v, v))
		keep(b.Pure(lir.OpFNeg, 0, v.Type, 0, v))
		keep(b.Pure(lir.OpFAbs, 0, v.Type, 0, v))
	}
	for _, v := range []*lir.Value{x, d} {
		keep(b.Pure(lir.OpFDiv, uint8(lir.Nearest), v.Type, 0, v, v))
		keep(b.Pure(lir.OpFMin, 1, v.Type, 0, v, v))
		keep(b.Pure(lir.OpFMax, 0, v.Type, 0, v, v))
		keep(b.Pure(lir.OpSqrt, uint8(lir.Nearest), v.Type, 0, v))
		keep(b.Pure(lir.OpRcp, uint8(lir.Nearest), v.Type, 0, v))
		for r := lir.Nearest; r <= lir.Down; r++ {
			keep(b.Pure(lir.OpFRound, uint8(r), v.Type, 0, v))
			keep(b.Pure(lir.OpFToS, uint8(r), lir.I32, 0, v))
			keep(b.Pure(lir.OpFToU, uint8(r), lir.I64, 0, v))
			keep(b.Pure(lir.OpSToF, uint8(r), v.Type, 0, long))
			keep(b.Pure(lir.OpUToF, uint8(r), v.Type, 0, n))
		}
		keep(b.Pure(lir.OpFTrunc, uint8(lir.Zero), lir.F16, 0, v))
	}
	for c := lir.OpRSqrt; c <= lir.OpTanh; c++ {
		keep(b.Pure(c, 0, lir.F32, 0, x))
	}
	keep(b.Pure(lir.OpTrunc, 0, lir.I8, 0, n))
	keep(b.Pure(lir.OpTrunc, 0, lir.I1, 0, n))
	keep(b.Pure(lir.OpFExt, 0, lir.F64, 0, bf))
	keep(b.Pure(lir.OpFExt, 0, lir.F32, 0, h))
	keep(b.Pure(lir.OpBitcast, 0, lir.I16, 0, h))
	keep(b.Pure(lir.OpBitcast, 0, lir.I16, 0, bf))
	keep(b.Pure(lir.OpPackF16, 0, lir.I32, 0, x, x))
	some := b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, n, thread)
	keep(b.Pure(lir.OpSelect, 0, lir.F32, 0, some, x, b.Const(lir.F32, 0)))
	keep(b.Pure(lir.OpExtS, 0, lir.I32, 0, some))

	shared := f.NewShared(4096, 16)
	local := f.NewLocal(64, 16)
	for _, m := range []lir.Mem{{Space: lir.Shared, Buffer: shared}, {Space: lir.Local, Buffer: local}} {
		b.Store(m, b.I32(16), nil, x, x, x, x)
		b.Emit(&lir.Op{Code: lir.OpBarrier})
		for _, v := range b.Load(m, lir.F32, 4, b.I32(16), nil, nil) {
			keep(v)
		}
	}
	for _, v := range b.Load(lir.Mem{Space: lir.Global, Pred: true, Else: true, Offset: 64}, lir.I8, 16, p, some, bytes(b, 16)) {
		keep(v)
	}
	b.Store(lir.Mem{Space: lir.Global, Pred: true}, p, some, h, h)
	for _, a := range []struct {
		kind tile.Atomic
		v    *lir.Value
	}{{tile.AtomicAdd, n}, {tile.AtomicXchg, x}, {tile.AtomicFAdd, x}, {tile.AtomicFAdd, d}, {tile.AtomicFAdd, h}, {tile.AtomicFAdd, bf}, {tile.AtomicFMax, x}, {tile.AtomicFMin, d}, {tile.AtomicMaxU, long}} {
		m := &lir.Mem{Space: lir.Global, Pred: true, Kind: a.kind, Scope: tile.ScopeGPU, Sem: tile.AcqRel}
		keep(b.Emit(&lir.Op{Code: lir.OpAtomicRMW, Mem: m, Args: []*lir.Value{p, some, a.v}}, a.v.Type)[0])
	}
	keep(b.Emit(&lir.Op{Code: lir.OpAtomicCAS, Mem: &lir.Mem{Space: lir.Global}, Args: []*lir.Value{p, n, thread}}, lir.I32)[0])
	b.Emit(&lir.Op{Code: lir.OpFence})
	b.Emit(&lir.Op{Code: lir.OpWarpSync})
	for mode := lir.ShuffleIdx; mode <= lir.ShuffleDown; mode++ {
		keep(b.Emit(&lir.Op{Code: lir.OpShuffle, Mod: uint8(mode), Args: []*lir.Value{x, thread}}, lir.F32)[0])
	}
	keep(b.Emit(&lir.Op{Code: lir.OpBallot, Args: []*lir.Value{some}}, lir.I32)[0])
	keep(b.Emit(&lir.Op{Code: lir.OpRedux, Mod: uint8(tile.AtomicMaxS), Args: []*lir.Value{n}}, lir.I32)[0])

	sum := b.For(false, b.I32(0), n, b.I32(1), []*lir.Value{x}, func(i *lir.Value, c []*lir.Value) []*lir.Value {
		even := b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, b.Pure(lir.OpAnd, 0, lir.I32, 0, i, b.I32(1)), b.I32(0))
		return b.If(even, func() []*lir.Value { return []*lir.Value{b.Pure(lir.OpFAdd, 0, lir.F32, 0, c[0], x)} },
			func() []*lir.Value { return []*lir.Value{c[0]} })
	})
	keep(sum[0])
	left := b.While([]*lir.Value{n, x}, func(c []*lir.Value) (*lir.Value, []*lir.Value) {
		return b.Pure(lir.OpCmp, uint8(tile.GTS), lir.I1, 0, c[0], b.I32(0)), []*lir.Value{c[1], c[0]}
	}, func(v []*lir.Value) []*lir.Value {
		return []*lir.Value{b.Pure(lir.OpSub, 0, lir.I32, 0, v[1], b.I32(1)), v[0]}
	})
	keep(left[1])
	b.Emit(&lir.Op{Code: lir.OpPrint, Args: []*lir.Value{n, long}, Text: &lir.Text{Format: "n %d long %lld\n"}})
	b.Emit(&lir.Op{Code: lir.OpAssert, Args: []*lir.Value{some}, Text: &lir.Text{Format: "100% sure"}})
	b.Return()
	lir.Finish(f)
	return f
}

func bytes(b *lir.Builder, n int) []*lir.Value {
	values := make([]*lir.Value, n)
	for i := range values {
		values[i] = b.Const(lir.I8, uint64(i))
	}
	return values
}

func TestEvery(t *testing.T) {
	f := every()
	if err := lir.Verify(f); err != nil {
		t.Fatal(err)
	}
	m, err := emit(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, m.bytes())
}

// The text says each instruction's name, and the module survives being cut at none.
func TestDisassemble(t *testing.T) {
	m, err := emit(every(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text := disassemble(m.bytes())
	for _, want := range []string{"OpEntryPoint 6 %", `"every"`, " = OpGroupNonUniformShuffle %", "OpControlBarrier %", " = OpTypeVector %"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %s", want)
		}
	}
	if unknown := regexp.MustCompile(`Op[0-9]+`).FindString(text); unknown != "" {
		t.Errorf("%s has no name", unknown)
	}
}
