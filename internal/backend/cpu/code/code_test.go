//go:build linux && amd64

package code

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// count makes code that adds 1 to *arg n times.
func count(t testing.TB, n int64) *Code {
	t.Helper()
	none := amd64.Inst{A: amd64.None, B: amd64.None, C: amd64.None, K: amd64.None}
	var a amd64.Assembler
	emit := func(set func(i *amd64.Inst)) {
		i := none
		set(&i)
		a.Emit(&i)
	}
	loop := a.NewLabel()
	emit(func(i *amd64.Inst) { i.Op, i.A, i.Imm = amd64.MOVI, amd64.RCX, n })
	a.Bind(loop)
	emit(func(i *amd64.Inst) {
		i.Op, i.A, i.HasMem, i.M = amd64.MOV, amd64.RAX, true, amd64.At(amd64.RDI, 0)
	})
	emit(func(i *amd64.Inst) { i.Op, i.A, i.Imm = amd64.ADDI, amd64.RAX, 1 })
	emit(func(i *amd64.Inst) {
		i.Op, i.A, i.HasMem, i.M = amd64.MOVst, amd64.RAX, true, amd64.At(amd64.RDI, 0)
	})
	emit(func(i *amd64.Inst) { i.Op, i.A, i.Imm = amd64.ADDI, amd64.RCX, -1 })
	emit(func(i *amd64.Inst) { i.Op, i.CC, i.Target = amd64.JCC, amd64.CCNE, loop })
	emit(func(i *amd64.Inst) { i.Op = amd64.RET })
	text, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Code runs while other goroutines collect garbage and grow their stacks.
func TestCallBesideTheCollector(t *testing.T) {
	c := count(t, 2000)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			n := new(int64)
			for range 200 {
				c.Call(unsafe.Pointer(n))
			}
			if *n != 200*2000 {
				t.Errorf("counted to %d", *n)
			}
		})
	}
	for range 10 {
		runtime.GC()
	}
	wg.Wait()
}

func TestNoCode(t *testing.T) {
	if _, err := New(nil); err == nil {
		t.Error("no code is taken for code")
	}
}

func BenchmarkCall(b *testing.B) {
	c := count(b, 1)
	n := new(int64)
	for b.Loop() {
		c.Call(unsafe.Pointer(n))
	}
}
