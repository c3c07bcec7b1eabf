package cache

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// usage gives the bytes that the entries take, counted by the test itself.
func usage(t *testing.T, c *Cache) int64 {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(c.root, "??", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			sum += (info.Size() + 4095) / 4096 * 4096
		}
	}
	return sum
}

// TestBound: the entries never take more than the limit, whatever their sizes.
func TestBound(t *testing.T) {
	for _, limit := range []int64{1 << 14, 1 << 17, 1 << 20} {
		c := Open(Options{Dir: t.TempDir(), MaxBytes: limit})
		var most int64
		for i := range 100 {
			size := (i * 7919) % min(int(limit/2)-overhead, 64<<10)
			if err := c.Put(keyOf(strconv.Itoa(i)), make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			if i%10 == 9 {
				used := usage(t, c)
				most = max(most, used)
				if used > limit {
					t.Fatalf("limit %d: %d bytes after %d values", limit, used, i+1)
				}
			}
		}
		if most < limit/2 {
			t.Errorf("limit %d: never more than %d bytes", limit, most)
		}
	}
}

// TestEvictionOrder: what was not used for the longest time goes first; a use counts, and so
// does a Put in an entry's place.
func TestEvictionOrder(t *testing.T) {
	c := Open(Options{Dir: t.TempDir(), MaxBytes: 1 << 20})
	const n = 20
	for i := range n {
		k := keyOf(strconv.Itoa(i))
		if err := c.Put(k, []byte("value")); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-time.Duration(n-i) * time.Hour)
		if err := os.Chtimes(c.path(k), used, used); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.Get(keyOf("3")); !ok {
		t.Fatal("a miss")
	}
	if err := c.Put(keyOf("5"), []byte("anew")); err != nil {
		t.Fatal(err)
	}
	c.evict(10)
	kept := map[int]bool{3: true, 5: true}
	for i := 12; i < n; i++ {
		kept[i] = true
	}
	for i := range n {
		if _, err := os.Stat(c.path(keyOf(strconv.Itoa(i)))); (err == nil) != kept[i] {
			t.Errorf("entry %d: %v, want kept %v", i, err, kept[i])
		}
	}
}

// TestEvictionAmortised: the directory is read once for each slack that is written.
func TestEvictionAmortised(t *testing.T) {
	c := Open(Options{Dir: t.TempDir(), MaxBytes: 800 * blockSize}) // a slack of 100 blocks
	restarts, last := 0, int64(0)
	for i := range 1000 {
		if err := c.Put(keyOf(strconv.Itoa(i)), nil); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(c.ledger())
		length := int64(0)
		if err == nil {
			length = info.Size()
		}
		if length < last {
			restarts++
		}
		last = length
	}
	if restarts != 10 {
		t.Errorf("1000 blocks led to %d evictions, want 10", restarts)
	}
}

// TestEvictStale: what a process left that ended while it wrote is removed, but not what is
// being written.
func TestEvictStale(t *testing.T) {
	c, path := planted(t, keyOf("k"), []byte("value"))
	shard := filepath.Dir(path)
	stale, fresh := filepath.Join(shard, tempPrefix+"1"), filepath.Join(shard, tempPrefix+"2")
	for _, p := range []string{stale, fresh} {
		if err := os.WriteFile(p, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * staleAfter)
	if err := os.Chtimes(stale, long, long); err != nil {
		t.Fatal(err)
	}
	c.evict(100)
	for p, want := range map[string]bool{stale: false, fresh: true, path: true} {
		if _, err := os.Stat(p); (err == nil) != want {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// TestEvictionKeepsUsed: an entry that is used while another process evicts stays.
func TestEvictionKeepsUsed(t *testing.T) {
	k := keyOf("k")
	c, path := planted(t, k, []byte("value"))
	found := c.files()
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].remove() {
		t.Errorf("found %v", found)
	}
	if _, ok := c.Get(k); !ok {
		t.Error("a miss")
	}
}

// TestProcessesEvict: processes that share a small cache keep it small together, and find nothing
// but whole values.
func TestProcessesEvict(t *testing.T) {
	dir := t.TempDir()
	const processes = 4
	var cmds []*exec.Cmd
	for i := range processes {
		cmds = append(cmds, startChild(t, "evict", dir, strconv.Itoa(i)))
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	c := Open(Options{Dir: dir, MaxBytes: evictLimit})
	const most = evictLimit + processes*blockSize // what each writes while another evicts is not seen
	if used := usage(t, c); used > most || used < evictLimit/2 {
		t.Errorf("%d bytes of %d", used, evictLimit)
	}
}

const evictLimit = 64 * blockSize

func evictChild() int {
	c := Open(Options{Dir: os.Args[1], MaxBytes: evictLimit})
	for i := range 400 {
		name := fmt.Sprint(i % 100) // all processes write the same values
		k := keyOf(name)
		if v, ok := c.Get(k); ok && string(v) != name {
			fmt.Fprintf(os.Stderr, "%q under %q\n", v, name)
			return 1
		}
		if err := c.Put(k, []byte(name)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}
