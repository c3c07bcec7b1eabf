package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// entryOf gives the file of an entry.
func entryOf(k Key, value []byte) []byte {
	header, sum := encodeEntry(k, value)
	return append(append(bytes.Clone(header), value...), sum...)
}

func keyOf(name string) Key { return NewKey().Str("name", name).Sum() }

// planted gives a cache that holds one entry, and the entry's file.
func planted(t *testing.T, k Key, value []byte) (*Cache, string) {
	t.Helper()
	c := Open(Options{Dir: t.TempDir()})
	if err := c.Put(k, value); err != nil {
		t.Fatal(err)
	}
	return c, c.path(k)
}

// expectHealed checks that a file that is no entry is a miss, is gone after it, and is replaced.
func expectHealed(t *testing.T, c *Cache, k Key, what string, i int) {
	t.Helper()
	if value, ok := c.Get(k); ok {
		t.Fatalf("%s %d: a hit, %q", what, i, value)
	}
	if _, err := os.Lstat(c.path(k)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s %d: the file is still there (%v)", what, i, err)
	}
	want := []byte("compiled again")
	if err := c.Put(k, want); err != nil {
		t.Fatalf("%s %d: %v", what, i, err)
	}
	if value, ok := c.Get(k); !ok || !bytes.Equal(value, want) {
		t.Fatalf("%s %d: after the next Put, %q, %v", what, i, value, ok)
	}
}

func TestCorruptionAtEveryByte(t *testing.T) {
	k, value := keyOf("k"), []byte("forty-two bytes that a kernel compiled to.")
	c, path := planted(t, k, value)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole, entryOf(k, value)) {
		t.Fatalf("the file is %q", whole)
	}
	for i := range whole {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			bad := bytes.Clone(whole)
			bad[i] ^= flip
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			expectHealed(t, c, k, "byte", i)
		}
	}
}

func TestTruncationAtEveryLength(t *testing.T) {
	k, value := keyOf("k"), []byte("forty-two bytes that a kernel compiled to.")
	c, path := planted(t, k, value)
	whole := entryOf(k, value)
	for n := range whole {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		expectHealed(t, c, k, "length", n)
	}
	for n := 1; n <= 2; n++ {
		if err := os.WriteFile(path, append(bytes.Clone(whole), make([]byte, n)...), 0o600); err != nil {
			t.Fatal(err)
		}
		expectHealed(t, c, k, "longer by", n)
	}
}

// TestForeign: what stands in an entry's place and is no entry of this key.
func TestForeign(t *testing.T) {
	k := keyOf("k")
	other := entryOf(keyOf("other"), []byte("value"))
	later := entryOf(k, []byte("value"))
	later[len(magic)-1]++
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, entryOf(k, []byte("value")), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"another key's entry":     func(path string) error { return os.WriteFile(path, other, 0o600) },
		"another version's entry": func(path string) error { return os.WriteFile(path, later, 0o600) },
		"an empty file":           func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a text":                  func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("text\n"), 100), 0o600) },
		"a directory":             func(path string) error { return os.Mkdir(path, 0o700) },
		"a link to an entry":      func(path string) error { return os.Symlink(outside, path) },
		"a link to itself":        func(path string) error { return os.Symlink(path, path) },
		"a link to nothing":       func(path string) error { return os.Symlink(path+"x", path) },
		"a sparse file":           func(path string) error { return sparse(path, 1<<40) },
		"a sparse entry":          func(path string) error { return sparse(path, 1<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			c, path := planted(t, k, []byte("value"))
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := plant(path); err != nil {
				t.Skip(err)
			}
			expectHealed(t, c, k, name, 0)
		})
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("the file that a link led to: %v", err)
	}
}

func sparse(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// FuzzDecodeEntry: whatever is accepted is what encoding makes, to the byte.
func FuzzDecodeEntry(f *testing.F) {
	k := keyOf("k")
	for _, value := range []string{"", "v", "a longer value"} {
		whole := entryOf(k, []byte(value))
		f.Add(whole)
		f.Add(whole[:len(whole)-1])
		f.Add(append(whole, 0))
	}
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, file []byte) {
		value, err := decodeEntry(k, file)
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Fatalf("%v is no errDamaged", err)
			}
			return
		}
		if !bytes.Equal(entryOf(k, value), file) {
			t.Fatalf("%q is accepted as the entry of %q", file, value)
		}
	})
}
