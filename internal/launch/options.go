package launch

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/target"
)

// Options are the compiler's options that a launch chooses; 0 takes the default.
type Options struct {
	NumWarps, NumStages, NumCTAs int
	ThreadsPerWarp               int  // 0 leaves it to the back end
	MaxRegisters                 int  // of a thread; 0 leaves it to the back end
	Debug                        bool // device_assert is compiled in
	Check                        bool // what goes wrong without a fault is looked for; implies Debug
	Strict                       bool // so is what does no harm; implies Check
	Unfused                      bool // x * y + z is rounded twice
}

// The defaults are Triton's.
const (
	defaultWarps  = 4
	defaultStages = 3
	defaultCTAs   = 1
)

// The bounds of the options, as KernelMetadata has them.
const (
	maxWarps  = 64
	maxStages = 64
	maxCTAs   = 16
	maxLanes  = 64
	maxRegs   = 255
)

// defaultOptions are those of the first configuration, then the language's, and what the
// environment adds.
func (k *Kernel) defaultOptions() Options {
	o := Options{Debug: k.def.Debug, Check: k.settings.Check, Strict: k.settings.Strict}
	if len(k.def.Configs) > 0 {
		c := &k.def.Configs[0]
		o.NumWarps, o.NumStages, o.NumCTAs, o.ThreadsPerWarp, o.MaxRegisters = c.NumWarps, c.NumStages, c.NumCTAs, c.ThreadsPerWarp, c.MaxRegisters
		o.Debug, o.Unfused = o.Debug || c.Debug, c.Unfused
	}
	o.NumWarps = firstNonZero(o.NumWarps, defaultWarps)
	o.NumStages = firstNonZero(o.NumStages, defaultStages)
	o.NumCTAs = firstNonZero(o.NumCTAs, defaultCTAs)
	return o
}

func firstNonZero(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

// options completes and checks options for a target that has the limits. What the environment asks of all launches holds for those that
// can be asked.
func (k *Kernel) options(o *Options, limits target.Limits) error {
	if (o.Check || o.Strict) && !limits.Checks {
		return diag.New(diag.Argument, "check", "the checker runs on the CPU only; on a device, debug compiles the kernel's assertions in")
	}
	o.NumWarps = firstNonZero(o.NumWarps, k.defaults.NumWarps)
	o.NumStages = firstNonZero(o.NumStages, k.defaults.NumStages)
	o.NumCTAs = firstNonZero(o.NumCTAs, k.defaults.NumCTAs)
	o.ThreadsPerWarp = firstNonZero(o.ThreadsPerWarp, k.defaults.ThreadsPerWarp)
	o.MaxRegisters = firstNonZero(o.MaxRegisters, k.defaults.MaxRegisters)
	if limits.Checks {
		o.Strict = o.Strict || k.defaults.Strict
		o.Check = o.Check || o.Strict || k.defaults.Check
	}
	o.Unfused = o.Unfused || k.defaults.Unfused
	o.Debug = o.Debug || o.Check || k.defaults.Debug
	warps := min(firstNonZero(limits.Warps, maxWarps), maxWarps)
	switch {
	case !isPowerUpTo(o.NumWarps, warps):
		return optionError("num-warps", "num_warps", o.NumWarps, "a power of two", warps)
	case o.NumStages < 1 || o.NumStages > maxStages:
		return optionError("num-stages", "num_stages", o.NumStages, "a number", maxStages)
	case !isPowerUpTo(o.NumCTAs, maxCTAs):
		return optionError("num-ctas", "num_ctas", o.NumCTAs, "a power of two", maxCTAs)
	case o.ThreadsPerWarp != 0 && !isPowerUpTo(o.ThreadsPerWarp, maxLanes):
		return optionError("threads-per-warp", "threads_per_warp", o.ThreadsPerWarp, "a power of two", maxLanes)
	case o.MaxRegisters < 0 || o.MaxRegisters > maxRegs:
		return optionError("maxnreg", "maxnreg", o.MaxRegisters, "a number", maxRegs)
	}
	return nil
}

// isPowerUpTo reports whether n is a power of two from 1 to limit.
func isPowerUpTo(n, limit int) bool { return n >= 1 && n <= limit && n&(n-1) == 0 }

func optionError(code, name string, n int, what string, limit int) error {
	if n < 1 {
		return diag.New(diag.Argument, code, "%s is less than 1; it must be %s from 1 to %d", name, what, limit)
	}
	return diag.New(diag.Argument, code, "%s is %d; it must be %s from 1 to %d", name, n, what, limit)
}
