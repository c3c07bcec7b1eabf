package native

import (
	"testing"

	"golang.org/x/sys/unix"
)

// between gives n bytes of memory, at the end of what there is or at its beginning.
func between(t *testing.T, n int, end bool) []byte {
	t.Helper()
	const page = 4096
	room := (n + page - 1) / page * page
	b, err := unix.Mmap(-1, 0, room+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{b[:page], b[page+room:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if end {
		return b[page+room-n : page+room]
	}
	return b[page : page+n]
}
