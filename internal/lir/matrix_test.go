package lir

import (
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/layout"
)

// TestMMAWords compares what a lane holds with the layouts.
func TestMMAWords(t *testing.T) {
	for m := range numMMAs {
		i := m.Info()
		a, b, sum := i.Words()
		d, err := layout.MMA{M: i.M, N: i.N, K: i.K, ElemBits: i.Bits}.Dot(1, i.M, i.N, i.K, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		perWord := max(1, 32/i.Bits)
		if d.A.Size(layout.Register) != a*perWord || d.B.Size(layout.Register) != b*perWord || d.C.Size(layout.Register) != sum {
			t.Errorf("%v: %d, %d, %d words; the layouts have %d, %d, %d elements", m, a, b, sum,
				d.A.Size(layout.Register), d.B.Size(layout.Register), d.C.Size(layout.Register))
		}
	}
}

// matrixKernel copies two pieces to shared memory and multiplies them.
func matrixKernel(m MMA, wait bool) *Func {
	f := NewFunc("multiply", 1, 32)
	f.Params = []Param{{Name: "p", Type: I64, Pointer: true, Align: 16}}
	b := NewBuilder(f)
	buffer := f.NewShared(1024, 16)
	p := b.Pure(OpParam, 0, I64, 0)
	at := b.Pure(OpShl, 0, I32, 0, b.Pure(OpThreadID, 0, I32, 0), b.I32(4))
	to, from := Mem{Space: Shared, Buffer: buffer}, Mem{Space: Global, Origin: 1}
	b.CopyAsync(to, from, 16, at, nil, b.Pure(OpAdd, 0, I64, 0, p, b.Pure(OpExtU, 0, I64, 0, at)))
	b.Emit(&Op{Code: OpCopyCommit})
	if wait {
		b.Emit(&Op{Code: OpCopyWait})
	}
	words := b.LoadMatrix(to, false, 4, at)
	more := b.LoadMatrix(to, true, 2, at)
	sum := make([]*Value, 4)
	for i := range sum {
		sum[i] = b.Const(F32, 0)
	}
	sum = b.MMA(m, words, more, sum)
	b.Store(from, p, nil, sum...)
	b.Return()
	Finish(f)
	return f
}

func TestMatrixOperations(t *testing.T) {
	f := matrixKernel(MMAF16, true)
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	text := f.String()
	for _, want := range []string{"copy_async 16 shared 0 [", "copy_commit", "copy_wait 0", "load_matrix.i32 shared 0", "load_matrix.transposed.i32", "mma.f16.f32 "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// What a thread has copied others read: there is a barrier after the copy. Of the two loads there is none in between.
	if n := strings.Count(text, "barrier"); n != 1 || strings.Index(text, "barrier") > strings.Index(text, "load_matrix") {
		t.Errorf("%d barriers, in\n%s", n, text)
	}
}

func TestMatrixOperationsRefused(t *testing.T) {
	f := matrixKernel(MMAS8, true)
	if err := Verify(f); err == nil || !strings.Contains(err.Error(), "has f32 where i32 is wanted") {
		t.Errorf("got %v", err)
	}
	f = matrixKernel(numMMAs, true)
	if err := Verify(f); err == nil || !strings.Contains(err.Error(), "is no matrix instruction") {
		t.Errorf("got %v", err)
	}
}
