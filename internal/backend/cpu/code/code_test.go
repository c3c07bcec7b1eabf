//go:build linux && amd64

package code

import (
	"errors"
	"runtime"
	"sync"
	"syscall"
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
				if _, err := c.Call(unsafe.Pointer(n)); err != nil {
					t.Error(err)
				}
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
		_, _ = c.Call(unsafe.Pointer(n))
	}
}

// faulting makes code that reads from, or writes to the address that its argument holds.
func faulting(t *testing.T, op amd64.Op) *Code {
	t.Helper()
	none := amd64.Inst{A: amd64.None, B: amd64.None, C: amd64.None, K: amd64.None}
	var a amd64.Assembler
	load, access, ret := none, none, none
	load.Op, load.A, load.HasMem, load.M = amd64.MOV, amd64.RAX, true, amd64.At(amd64.RDI, 0)
	access.Op, access.A, access.HasMem, access.M = op, amd64.RCX, true, amd64.At(amd64.RAX, 0)
	ret.Op = amd64.RET
	a.Emit(&load)
	a.Emit(&access)
	a.Emit(&ret)
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

// Accesses to no memory are errors, on any goroutine, however deep its stack, and the code runs again afterwards.
func TestFault(t *testing.T) {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(page)
	readOnly := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(page))))
	read, write := faulting(t, amd64.MOV), faulting(t, amd64.MOVst)
	try := func(c *Code, addr uint64) {
		arg := &addr
		_, err := c.Call(unsafe.Pointer(arg))
		var f *Fault
		if !errors.As(err, &f) {
			t.Errorf("%#x: %v", addr, err)
		} else if addr == readOnly && uint64(f.Addr) != addr {
			t.Errorf("%#x: reported as %#x", addr, f.Addr)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				try(read, 8)
				try(read, 1<<63)
				try(read, 1<<40)
				try(write, readOnly)
				deep(20, func() { try(write, readOnly) })
				runtime.GC()
				if _, err := read.Call(unsafe.Pointer(&readOnly)); err != nil {
					t.Errorf("a good address: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func deep(n int, f func()) {
	var room [1 << 9]byte
	if n > 0 {
		deep(n-1, f)
	} else {
		f()
	}
	runtime.KeepAlive(&room)
}
