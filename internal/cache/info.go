package cache

import (
	"errors"
	"io/fs"
	"os"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A State says what a cache does.
type State string

// The states.
const (
	On       State = "on"
	ReadOnly State = "read-only" // values are found, but not kept
	Off      State = "off"
)

// Info describes a cache.
type Info struct {
	Dir      string // "" if it has none
	State    State
	Reason   string // why it is not On
	Entries  int
	Bytes    int64 // what the entries take on disk
	MaxBytes int64
}

// Info looks at the directory. Whether it can be written to is tried.
func (c *Cache) Info() Info {
	i := Info{Dir: c.root, State: On, MaxBytes: c.limit}
	for _, f := range c.files() {
		if !f.temp {
			i.Entries++
			i.Bytes += blocks(f.info.Size()) * blockSize
		}
	}
	if c.off != "" {
		i.State, i.Reason = Off, c.off
		return i
	}
	if err := c.probe(); err != nil {
		i.State, i.Reason = ReadOnly, err.Error()
	}
	return i
}

// probe tries to write to the directory. One that is not there is made when there is something
// to keep.
func (c *Cache) probe() error {
	f, err := c.createTemp(c.root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Clear removes the entries, also of a cache that is switched off. It gives how many there were
// and what they took on disk.
func (c *Cache) Clear() (entries int, bytes int64, err error) {
	if c.root == "" {
		return 0, 0, diag.New(diag.Driver, "cache-off", "there is no cache to clear: %s", c.off)
	}
	if e := c.checkRoot(); errors.Is(e, fs.ErrNotExist) {
		return 0, 0, nil
	} else if e != nil {
		return 0, 0, clearError(e)
	}
	for _, f := range c.files() {
		if e := os.Remove(f.path); e != nil {
			if !errors.Is(e, fs.ErrNotExist) {
				err = e
			}
			continue
		}
		if !f.temp {
			entries++
			bytes += blocks(f.info.Size()) * blockSize
		}
	}
	if e := os.Remove(c.ledger()); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = e
	}
	if err != nil {
		err = clearError(err)
	}
	return entries, bytes, err
}

func clearError(cause error) *diag.Error {
	e := diag.New(diag.Driver, "cache-clear", "the cache cannot be cleared: %s", cause)
	e.Cause = cause
	return e
}
