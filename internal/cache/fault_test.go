package cache

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A fullDisk is a temporary file on a disk that has room for some more bytes.
type fullDisk struct {
	*os.File
	room       int
	closeFails bool
}

func (f *fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	if _, err := f.File.Write(b[:n]); err != nil {
		return 0, err
	}
	if n < len(b) {
		return n, &fs.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return n, nil
}

func (f *fullDisk) Close() error {
	err := f.File.Close()
	if f.closeFails {
		return &fs.PathError{Op: "close", Path: f.Name(), Err: syscall.EDQUOT}
	}
	return err
}

// TestFullDisk: wherever a write ends, nothing is left, nothing is found, and when there is room
// again values are kept again.
func TestFullDisk(t *testing.T) {
	k, value := keyOf("k"), []byte("value")
	size := len(value) + overhead
	for room := 0; room <= size; room++ {
		warnings := 0
		c := Open(Options{Dir: t.TempDir(), Warn: func(error) { warnings++ }})
		cause := syscall.ENOSPC
		if room == size {
			cause = syscall.EDQUOT
		}
		c.createTemp = func(dir string) (tempFile, error) {
			f, err := os.CreateTemp(dir, tempPrefix+"*")
			return &fullDisk{f, room, room == size}, err
		}
		for range 2 {
			var e *diag.Error
			if err := c.Put(k, value); !errors.As(err, &e) || e.Code != "cache-write" || !errors.Is(err, cause) {
				t.Fatalf("room for %d bytes: %v", room, err)
			}
		}
		if warnings != 1 {
			t.Errorf("%d warnings", warnings)
		}
		if v, ok := c.Get(k); ok {
			t.Fatalf("room for %d bytes: found %q", room, v)
		}
		if v, err := c.GetOrPut(k, func() ([]byte, error) { return value, nil }); err != nil || string(v) != "value" {
			t.Fatalf("room for %d bytes: %q, %v", room, v, err)
		}
		if left := c.files(); len(left) != 0 {
			t.Fatalf("room for %d bytes: left %v", room, left)
		}
		c.createTemp = createTemp
		expectMissThenHit(t, c, k)
	}
}

// TestFullDiskKeepsOldEntry: a value that cannot be replaced stays.
func TestFullDiskKeepsOldEntry(t *testing.T) {
	k := keyOf("k")
	c, _ := planted(t, k, []byte("old"))
	c.createTemp = func(dir string) (tempFile, error) {
		f, err := os.CreateTemp(dir, tempPrefix+"*")
		return &fullDisk{f, 20, false}, err
	}
	if err := c.Put(k, []byte("new")); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if v, ok := c.Get(k); !ok || string(v) != "old" {
		t.Errorf("%q, %v", v, ok)
	}
}
