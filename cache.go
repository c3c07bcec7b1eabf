package tegula

import "github.com/tegula-lang/tegula/internal/launch"

// CacheInfo describes the disk cache of compiled kernels.
type CacheInfo struct {
	Dir      string // "" if it has none
	State    string // "on", "read-only" or "off"
	Reason   string // why it is not on
	Entries  int
	Bytes    int64 // what the entries take on disk
	MaxBytes int64
}

// Cache looks at the disk cache. Whether it can be written to is tried.
func Cache() CacheInfo {
	i := launch.DiskCache().Info()
	return CacheInfo{i.Dir, string(i.State), i.Reason, i.Entries, i.Bytes, i.MaxBytes}
}

// ClearTimings removes what the tuner of the Python package has measured, which lies beside the compiled kernels. It gives how many
// measurements there were.
func ClearTimings() (n int, err error) { return launch.DiskCache().ClearTimings() }

// ClearCache removes all compiled kernels from the disk cache. It gives how many there were, and what
// they took on disk.
func ClearCache() (entries int, bytes int64, err error) { return launch.DiskCache().Clear() }
