package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula"
)

// cacheCmd is tegula cache.
type cacheCmd struct {
	Info  cacheInfoCmd  `cmd:"" help:"Say where the cache is and what is in it."`
	Clear cacheClearCmd `cmd:"" help:"Remove all compiled kernels from the cache, and what autotune has measured."`
}

// Help is the long text of tegula help cache.
func (*cacheCmd) Help() string {
	return `Compiled kernels are kept on disk, where that is faster than to compile them again: for GPUs, not for the CPU. The directory is
TEGULA_CACHE_DIR, or tegula in the user's cache directory; TEGULA_CACHE=off switches the cache off; TEGULA_CACHE_MAX_BYTES is its limit.`
}

// cacheInfoCmd is tegula cache info.
type cacheInfoCmd struct{}

// Run describes the cache.
func (cacheInfoCmd) Run(c *console) error {
	i := tegula.Cache()
	state := i.State
	if i.Reason != "" {
		state += ": " + i.Reason
	}
	dir := i.Dir
	if dir == "" {
		dir = "none"
	}
	_, err := fmt.Fprintf(c.out, "directory  %s\nstate      %s\nentries    %d, %s of at most %s\n", dir, state, i.Entries, size(i.Bytes), size(i.MaxBytes))
	return err
}

// cacheClearCmd is tegula cache clear.
type cacheClearCmd struct{}

// Run removes what is in the cache.
func (cacheClearCmd) Run(c *console) error {
	entries, bytes, err := tegula.ClearCache()
	if err != nil {
		return err
	}
	timings, err := tegula.ClearTimings()
	if err != nil {
		return err
	}
	if timings > 0 {
		c.note("removed %d entries, %s, and %d measurements of autotune", entries, size(bytes), timings)
		return nil
	}
	c.note("removed %d entries, %s", entries, size(bytes))
	return nil
}

// size gives a number of bytes in the largest unit that it has one of.
func size(bytes int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if bytes < 1<<10 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	n, unit := float64(bytes)/1024, 0
	for n >= 1024 && unit < len(units)-1 {
		n, unit = n/1024, unit+1
	}
	return threeDigits(n) + " " + units[unit]
}

// threeDigits gives a number with three significant digits, or all those before the point, and no exponent.
func threeDigits(x float64) string {
	decimals := 0
	if x > 0 {
		decimals = min(max(0, 2-int(math.Floor(math.Log10(x)))), 9)
	}
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
