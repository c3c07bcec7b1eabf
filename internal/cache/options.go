package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// DefaultMaxBytes is the limit unless TEGULA_CACHE_MAX_BYTES says another.
const DefaultMaxBytes = 1 << 30

// The environment variables that FromEnv reads.
const (
	envSwitch   = "TEGULA_CACHE"
	envDir      = "TEGULA_CACHE_DIR"
	envMaxBytes = "TEGULA_CACHE_MAX_BYTES"
)

// Options say where a cache is and how large it may become.
type Options struct {
	Dir      string // made when the first value is kept
	MaxBytes int64  // the limit; 0 takes DefaultMaxBytes
	Off      bool   // switched off on purpose

	// Problem says why there can be no cache; it is off then, too, but Put tells.
	Problem string
	// Warn is told the first error of keeping a value, once; it may be nil.
	Warn func(error)
}

// FromEnv gives the options that the environment asks for. What cannot be understood is a
// Problem: a cache that is off is slow, one in the wrong place or of the wrong size is worse.
func FromEnv() Options {
	var o Options
	switch s := os.Getenv(envSwitch); s {
	case "", "on", "1":
	case "off", "0":
		o.Off = true
	default:
		o.Problem = fmt.Sprintf("%s is %q; it may be on or off", envSwitch, s)
		return o
	}
	if s := os.Getenv(envMaxBytes); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n <= 0 {
			o.Problem = fmt.Sprintf("%s is %q; it must be a positive number of bytes, such as %d", envMaxBytes, s, DefaultMaxBytes)
			return o
		}
		o.MaxBytes = n
	}
	if o.Dir = os.Getenv(envDir); o.Dir != "" {
		return o
	}
	base, err := os.UserCacheDir()
	if err != nil {
		o.Problem = fmt.Sprintf("there is no directory for it: %s; %s may name one", err, envDir)
		return o
	}
	o.Dir = filepath.Join(base, "tegula")
	return o
}
