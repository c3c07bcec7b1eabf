package native

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tegula-lang/tegula/internal/diag"
)

// endingAt gives memory of n bytes behind which there is none.
func endingAt(t *testing.T, n int) []byte {
	t.Helper()
	const page = 4096
	b, err := unix.Mmap(-1, 0, n+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mprotect(b[n:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return b[:n]
}

// Faults on several threads at once are errors of their launches, which name the kernel, the first program and the array; launches beside
// them and after them work.
func TestFaultsOnManyThreads(t *testing.T) {
	p := compileText(t, vectorAdd)
	const whole, size = 16, 1024 // programs before the one that faults, elements of each
	x, short := floats(2*whole*size, 1), endingAt(t, 4*whole*size)
	copy(short, floats(whole*size, 2).data)
	want := make([]byte, len(short))
	launch := func(programs int32, threads int, out []byte) error {
		y := Arg{Base: unsafe.Pointer(unsafe.SliceData(short)), Bytes: int64(len(short))}
		args := nativeArgs([]input{x, {}, {data: out}, {bits: uint64(programs) * size}})
		args[1] = y
		return p.Run(context.Background(), Launch{Grid: [3]int32{programs, 1, 1}, Args: args, Threads: threads})
	}
	if err := launch(whole, 1, want); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for range 10 {
				out := make([]byte, 2*len(short))
				if i%2 == 0 {
					if err := launch(whole, 4, out); err != nil || !bytes.Equal(out[:len(want)], want) {
						t.Errorf("a launch beside those that fail: %v", err)
					}
					continue
				}
				err := launch(2*whole, 4, out)
				if !errors.Is(err, diag.Driver) {
					t.Errorf("%v is not an error of the category DriverError", err)
					continue
				}
				var e *diag.Error
				if !strings.Contains(err.Error(), "vector_add, program (16, 0, 0)") || !errors.As(err, &e) || len(e.Notes) == 0 || !strings.Contains(e.Notes[0].Msg, "bytes after its end") {
					t.Errorf("%v", err)
				}
				if !bytes.Equal(out[:len(want)], want) {
					t.Error("programs before the first that fails have not run")
				}
			}
		})
	}
	all.Wait()
}
