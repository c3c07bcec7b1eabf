package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
)

// version names the directory of entries in the format of entry.go, laid out as in doc.go.
const version = "v1"

// touchAfter is how old an entry's time of last use becomes before a use renews it, so that
// most uses write nothing.
const touchAfter = 10 * time.Minute

// A Cache is a directory of entries. It is safe for concurrent use.
type Cache struct {
	root   string // of the entries; "" if there is no directory
	limit  int64
	warn   func(error)
	off    string // why the cache neither reads nor writes; "" if it does
	silent bool   // it is off on purpose, so Put does not complain

	unwritable atomic.Pointer[diag.Error] // why there is no use in trying to write again
	warned     sync.Once
	flights    flights

	createTemp func(dir string) (tempFile, error) // os.CreateTemp, but for tests of full disks
}

// A tempFile is an entry that is being written.
type tempFile interface {
	io.WriteCloser
	Name() string
}

// Open gives the cache of a directory, which need not be there yet. It never fails: Reason says
// why a cache is off.
func Open(o Options) *Cache {
	c := &Cache{limit: o.MaxBytes, warn: o.Warn, createTemp: createTemp}
	if c.limit <= 0 {
		c.limit = DefaultMaxBytes
	}
	var problem error
	if c.root, problem = rootOf(o); problem == nil {
		problem = c.checkRoot()
	}
	switch {
	case o.Off:
		c.off, c.silent = "it is switched off", true
	case problem != nil && !errors.Is(problem, fs.ErrNotExist):
		c.off = problem.Error()
	}
	return c
}

// rootOf gives the directory of the entries.
func rootOf(o Options) (string, error) {
	switch {
	case o.Problem != "":
		return "", errors.New(o.Problem)
	case o.Dir == "":
		return "", errors.New("it has no directory")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", fmt.Errorf("there is no finding %s: %s", o.Dir, err)
	}
	return filepath.Join(dir, version), nil
}

func createTemp(dir string) (tempFile, error) { return os.CreateTemp(dir, tempPrefix+"*") }

// checkRoot reports an error unless the directory of the entries is one, and this user's.
func (c *Cache) checkRoot() error {
	info, err := os.Lstat(c.root)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", c.root)
	case !trusted(info):
		return fmt.Errorf("others may write to %s: it must belong to this user or to root, and not be writable by everybody", c.root)
	}
	return nil
}

// Reason says why the cache neither reads nor writes; it is "" if it does.
func (c *Cache) Reason() string { return c.off }

// Get gives the value that was put under a key, if there is one. The caller owns it.
func (c *Cache) Get(k Key) ([]byte, bool) {
	if c.off != "" {
		return nil, false
	}
	path := c.path(k)
	value, info, err := readEntry(path, k)
	if err == nil {
		c.touch(path, info)
		return value, true
	}
	if !errors.Is(err, fs.ErrNotExist) {
		discard(path, info)
	}
	return nil, false
}

// Put keeps a value under a key, in place of one that is there. If it cannot, the error says
// why; Get then misses, and nothing else follows.
func (c *Cache) Put(k Key, value []byte) error {
	err := c.put(k, value)
	if err == nil {
		return nil
	}
	if c.warn != nil {
		c.warned.Do(func() { c.warn(err) })
	}
	return err
}

func (c *Cache) put(k Key, value []byte) error {
	if c.silent {
		return nil
	}
	if c.off != "" {
		return diag.New(diag.Driver, "cache-off", "compiled kernels cannot be kept: %s", c.off)
	}
	if most := min(maxValue, c.limit/2); len(value) > int(most)-overhead {
		return diag.New(diag.Driver, "cache-too-large", "a compiled kernel of %d bytes is not kept: the most is half of the cache's %d bytes, and %d", len(value), c.limit, maxValue)
	}
	if e := c.unwritable.Load(); e != nil {
		return e
	}
	err := c.reserve(int64(len(value) + overhead))
	if err == nil {
		err = c.write(k, value)
	}
	if err == nil {
		return nil
	}
	e := diag.New(diag.Driver, "cache-write", "compiled kernels cannot be kept: %s", err)
	e.Cause = err
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, readOnlyDisk) {
		c.unwritable.Store(e)
	}
	return e
}

// write writes an entry to a file of its own and gives it its name.
func (c *Cache) write(k Key, value []byte) error {
	path := c.path(k)
	f, err := c.createTemp(filepath.Dir(path))
	if err != nil {
		if err = makeShard(filepath.Dir(path)); err != nil {
			return err
		}
		if f, err = c.createTemp(filepath.Dir(path)); err != nil {
			return err
		}
	}
	header, sum := encodeEntry(k, value)
	for _, part := range [][]byte{header, value, sum} {
		if err == nil {
			_, err = f.Write(part)
		}
	}
	if e := f.Close(); err == nil {
		err = e // a full disk may be noticed only now
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// makeShard makes a directory for entries, also where something else has its name.
func makeShard(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil || info.IsDir() {
		return err
	}
	if err := os.Remove(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o700)
}

// path is where the entry of a key is.
func (c *Cache) path(k Key) string {
	name := k.String()
	return filepath.Join(c.root, name[:shardName], name[shardName:])
}

// touch notes that an entry was used.
func (c *Cache) touch(path string, info fs.FileInfo) {
	now := time.Now()
	if age := now.Sub(info.ModTime()); age.Abs() < touchAfter || c.unwritable.Load() != nil {
		return
	}
	_ = os.Chtimes(path, now, now) // it is evicted sooner if this fails
}

// discard removes what stands in an entry's place and is none, unless another process has
// replaced it since it was read.
func discard(path string, read fs.FileInfo) {
	now, err := os.Lstat(path)
	if err != nil {
		return
	}
	if read == nil && !now.Mode().IsRegular() || read != nil && os.SameFile(read, now) {
		_ = os.Remove(path) // a Put replaces it all the same
	}
}
