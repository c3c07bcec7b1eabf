package cuda

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lower"
)

// warpSize is that of every NVIDIA GPU.
const warpSize = 32

// An Arch is what code can be compiled for.
type Arch struct {
	Name   string // as ptxas has it, without sm_: 90a
	Number int    // the compute capability: 90
}

// DefaultArch is taken where a target says none: what every GPU since 2020 runs.
const DefaultArch = "80"

// Architectures are the names of what there is, the oldest first: a is what runs on no other, f what runs on those of its family.
var Architectures = []string{
	"75", "80", "86", "87", "88", "89", "90", "90a", "100", "100a", "100f", "101", "101a", "101f", "103", "103a", "103f", "110", "110a", "110f",
	"120", "120a", "120f", "121", "121a", "121f",
}

// nextArch is less than those of the generations to come, and more than those of Architectures. A device of one is taken for what it says.
const nextArch = 130

// Named reports whether a text names an architecture: one of Architectures, a later one, or an earlier one, which ParseArch refuses.
func Named(s string) bool {
	n, err := strconv.ParseUint(strings.TrimRight(s, "af"), 10, 10)
	return slices.Contains(Architectures, s) || err == nil && len(s) <= 4 && (n >= 10 && n < minArch || n >= nextArch && n < 1000)
}

// minArch is the oldest architecture.
const minArch = 75

// ParseArch reads an architecture's name; "" is the default.
func ParseArch(name string) (Arch, error) {
	if name == "" {
		name = DefaultArch
	}
	n, err := strconv.Atoi(strings.TrimRight(name, "af"))
	if err != nil || n < minArch {
		return Arch{}, diag.New(diag.Unsupported, "architecture", "cuda:%s is not supported; the oldest architecture is cuda:%d", name, minArch)
	}
	return Arch{Name: name, Number: n}, nil
}

// versions are the PTX versions that architectures need, the newest first. Others than these are in an older one's.
var versions = []struct {
	from    int
	version string
}{
	{121, "8.8"}, {120, "8.7"}, {103, "8.8"}, {100, "8.6"}, {90, "8.0"}, {89, "8.1"}, {0, "7.8"},
}

// PTX gives the version of PTX.
func (a Arch) PTX() string {
	if strings.HasSuffix(a.Name, "f") {
		return "8.8"
	}
	for _, v := range versions {
		if a.Number >= v.from {
			return v.version
		}
	}
	return ""
}

// sharedMax is the largest shared memory of a CTA, in bytes, by compute capability.
var sharedMax = map[int]int{
	75: 64 << 10, 80: 163 << 10, 86: 99 << 10, 87: 163 << 10, 88: 99 << 10, 89: 99 << 10, 90: 227 << 10,
	100: 227 << 10, 101: 227 << 10, 103: 227 << 10, 110: 227 << 10, 120: 99 << 10, 121: 99 << 10,
}

// threadsPerSM gives how many threads are on an SM at once.
func (a Arch) threadsPerSM() int {
	switch {
	case a.Number < 80:
		return 1024
	case a.Number == 80 || a.Number >= 90 && a.Number < 120:
		return 2048
	}
	return 1536
}

// can gives what the architecture's threads can do.
func (a Arch) can() lower.Capabilities {
	shared := sharedMax[a.Number]
	if shared == 0 {
		shared = 99 << 10 // an architecture after these: what all have
	}
	return lower.Capabilities{
		Redux: a.Number >= 80, Directed: true, F8: a.Number >= 89, BF16: a.Number >= 80, BF16Add: a.Number >= 90, MinMaxNaN: a.Number >= 80,
		MMA: a.matrices(), LoadMatrix: true, CopyAsync: a.Number >= 80,
		GroupMMA: a.groupMatrices(), Signals: a.Number >= 90,
		SharedMax: shared, SMRegisters: registersPerSM, SMShared: 228 << 10,
	}
}
