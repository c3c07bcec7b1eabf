package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/lir"
)

// matrixKernel copies, loads and multiplies, by one instruction.
func matrixKernel(m lir.MMA, async bool) *lir.Func {
	f := lir.NewFunc("multiply", 1, 32)
	f.Params = []lir.Param{{Name: "p", Type: lir.I64, Pointer: true, Align: 16}}
	b := lir.NewBuilder(f)
	shared := lir.Mem{Space: lir.Shared, Buffer: f.NewShared(4096, 16)}
	global := lir.Mem{Space: lir.Global, Origin: 1, Offset: 32}
	p := b.Pure(lir.OpParam, 0, lir.I64, 0)
	thread := b.Pure(lir.OpThreadID, 0, lir.I32, 0)
	at := b.Pure(lir.OpShl, 0, lir.I32, 0, thread, b.I32(4))
	if async {
		low := b.Pure(lir.OpCmp, 6, lir.I1, 0, thread, b.I32(16))
		for i, bytes := range []int{4, 8, 16} {
			to := shared
			to.Offset = int64(i * 512)
			b.CopyAsync(to, global, bytes, at, low, p)
			b.CopyAsync(to, global, bytes, at, nil, p)
		}
		b.Emit(&lir.Op{Code: lir.OpCopyCommit})
		b.Emit(&lir.Op{Code: lir.OpCopyWait, Imm: 1})
		b.Emit(&lir.Op{Code: lir.OpCopyWait})
	}
	var words []*lir.Value
	for _, n := range []int{1, 2, 4} {
		words = append(words, b.LoadMatrix(shared, n == 2, n, at)...)
	}
	info := m.Info()
	nA, nB, nSum := info.Words()
	if info.Operand() == lir.F64 {
		words = b.Load(global, lir.F64, 2, p, nil, nil)
	}
	sum := make([]*lir.Value, nSum)
	for i := range sum {
		sum[i] = b.Const(info.Sum, 0)
	}
	b.Store(global, p, nil, b.MMA(m, words[:nA], words[len(words)-nB:], sum)...)
	b.Return()
	lir.Finish(f)
	return f
}

// everyMatrix lists the instructions.
func everyMatrix() (list []lir.MMA) {
	for m := range matrixSpellings {
		list = append(list, lir.MMA(m))
	}
	return list
}

func TestMatrixSpellings(t *testing.T) {
	for _, m := range everyMatrix() {
		f := matrixKernel(m, true)
		if err := lir.Verify(f); err != nil {
			t.Fatal(err)
		}
		text := string(newEmitter(f, Arch{"90a", 90}).module())
		info := m.Info()
		wants := []string{
			fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.", info.M, info.N, info.K),
			"cp.async.ca.shared.global [", "cp.async.cg.shared.global [", ", 16, %r", "+32], 8;", "cp.async.wait_group 1;",
		}
		if m != lir.MMAF64 {
			wants = append(wants, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {")
		}
		if m == lir.MMAF16 {
			wants = append(wants, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {")
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", m, want, text)
			}
		}
	}
}

// TestMatricesAccepted gives them to ptxas, for the architectures that have them.
func TestMatricesAccepted(t *testing.T) {
	ptxas := difftest.Ptxas()
	if ptxas == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton's ptxas")
	}
	for _, name := range []string{"75", "80", "89", "90a", "100a", "120a"} {
		arch, err := ParseArch(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range everyMatrix() {
			if !arch.can().MMA.Has(m) {
				continue
			}
			path := filepath.Join(t.TempDir(), "k.ptx")
			if err := os.WriteFile(path, newEmitter(matrixKernel(m, arch.can().CopyAsync), arch).module(), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(ptxas, "-arch=sm_"+name, path, "-o", os.DevNull).CombinedOutput(); err != nil {
				t.Errorf("sm_%s %v: %v\n%s", name, m, err, out)
			}
		}
	}
}
