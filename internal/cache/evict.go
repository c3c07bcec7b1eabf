package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Room is counted in blocks, as file systems give it out.
const blockSize = 4096

// blocks gives the blocks that a file takes.
func blocks(size int64) int64 { return (size + blockSize - 1) / blockSize }

// slackFraction is the part of the limit that is written between two evictions, which read the
// whole directory.
const slackFraction = 8

// staleAfter is when a file that is being written must have been left by a process that ended.
const staleAfter = time.Hour

// reserve makes sure that a file of the given size fits below the limit.
//
// How much was written since the last eviction is what the length of the ledger says, one byte
// for each block: appending is atomic, so processes share it without a lock. When it has
// reached the slack, whoever manages to remove the ledger evicts, down to the slack below the
// limit; then as much again may be written unseen. An evictor that is interrupted leaves more
// than it should until the next one. A ledger that is lost, or appends that overwrite each other
// on a network's file system, delay the next one.
func (c *Cache) reserve(size int64) error {
	written, err := c.log(blocks(size))
	if err != nil {
		return err
	}
	slack := max(c.limit/slackFraction/blockSize, 1)
	if written < slack {
		return nil
	}
	if err := os.Remove(c.ledger()); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another evicts
		}
		return err
	}
	c.evict(c.limit/blockSize - slack - blocks(size))
	return nil
}

func (c *Cache) ledger() string { return filepath.Join(c.root, "ledger") }

// log adds to the ledger and gives its length.
func (c *Cache) log(n int64) (int64, error) {
	const flags = os.O_WRONLY | os.O_APPEND | os.O_CREATE | asIs
	f, err := os.OpenFile(c.ledger(), flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := c.makeRoot(); err != nil {
			return 0, err
		}
		f, err = os.OpenFile(c.ledger(), flags, 0o600)
	}
	if err != nil {
		return 0, err
	}
	_, err = f.Write(make([]byte, n))
	info, statErr := f.Stat()
	if err := errors.Join(err, statErr, f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// makeRoot makes the directory of the entries, and sees to it that nobody else made it.
func (c *Cache) makeRoot() error {
	if err := os.MkdirAll(c.root, 0o700); err != nil {
		return err
	}
	return c.checkRoot()
}

// evict removes the entries that were not used for the longest time, until the rest takes no
// more than the given number of blocks. What cannot be removed stays.
func (c *Cache) evict(most int64) {
	var entries []file
	var total int64
	for _, f := range c.files() {
		switch {
		case !f.temp:
			entries = append(entries, f)
			total += blocks(f.info.Size())
		case time.Since(f.info.ModTime()) > staleAfter:
			_ = os.Remove(f.path)
		}
	}
	slices.SortFunc(entries, func(a, b file) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range entries {
		if total <= most {
			return
		}
		if f.remove() {
			total -= blocks(f.info.Size())
		}
	}
}

// The names of files below the root: two hexadecimal digits for a directory, the remaining ones
// of the key for an entry.
const (
	shardName  = 2
	entryName  = 2*len(Key{}) - shardName
	tempPrefix = "tmp-"
)

// A file is one that this package made.
type file struct {
	path string
	info fs.FileInfo
	temp bool // it is being written
}

// remove removes the file, unless it was used or replaced since it was found. It reports whether
// the file is gone.
func (f file) remove() bool {
	now, err := os.Lstat(f.path)
	if err == nil {
		if !now.ModTime().Equal(f.info.ModTime()) {
			return false
		}
		err = os.Remove(f.path)
	}
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// files finds the entries, and those that are being written. What cannot be read is left out.
func (c *Cache) files() []file {
	var found []file
	shards, _ := os.ReadDir(c.root)
	for _, shard := range shards {
		if !shard.IsDir() || !isHex(shard.Name(), shardName) {
			continue
		}
		dir := filepath.Join(c.root, shard.Name())
		names, _ := os.ReadDir(dir)
		for _, name := range names {
			temp := strings.HasPrefix(name.Name(), tempPrefix)
			if !temp && !isHex(name.Name(), entryName) {
				continue
			}
			if info, err := name.Info(); err == nil && info.Mode().IsRegular() {
				found = append(found, file{filepath.Join(dir, name.Name()), info, temp})
			}
		}
	}
	return found
}

// isHex reports whether s is n hexadecimal digits, as Key.String writes them.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
