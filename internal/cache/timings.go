package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// timings is the directory, below a cache's, of what the tuner of the Python package has measured (python/tegula/runtime/tuned.py writes it).
const timings = "tuned"

// ClearTimings removes what the tuner has measured. It gives how many measurements there were.
func (c *Cache) ClearTimings() (n int, err error) {
	if c.root == "" {
		return 0, nil
	}
	dir := filepath.Dir(c.root)
	if info, e := os.Lstat(dir); e != nil || !info.IsDir() || !trusted(info) {
		return 0, nil // Clear says why
	}
	files, _ := filepath.Glob(filepath.Join(quoteGlob(dir), timings, "[0-9a-f][0-9a-f]", "*.json*"))
	for _, path := range files {
		switch e := os.Remove(path); {
		case e == nil && filepath.Ext(path) == ".json": // others are of a writer that was stopped
			n++
		case e != nil && !errors.Is(e, fs.ErrNotExist):
			err = clearError(e)
		}
	}
	return n, err
}

// quoteGlob keeps the characters of a path from being a pattern's.
func quoteGlob(path string) string {
	var out []byte
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}
