package target

import (
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A Backend compiles tile IR for one kind of device. It is safe for concurrent use.
type Backend interface {
	// Policy says what about arguments can change the code.
	Policy() Policy
	// Version is part of every binary's identity. It changes when the same input makes other code;
	// a backend that is part of the compiler may leave it to the compiler's own version.
	Version() string
	// Keeps reports whether binaries are kept on disk: that they are bytes, and that reading them
	// back is faster than making them anew.
	Keeps() bool
	// Compile makes code of a verified module.
	Compile(j Job) (*driver.Binary, error)
	// Emits names the stages after tile IR that Emit can give.
	Emits() []string
	// Emit gives the text of a stage.
	Emit(stage string, j Job) ([]byte, error)
}

// A Policy says which facts about arguments can change a backend's code. Others are not looked
// at, and make no variants of a kernel.
type Policy struct {
	EqualOne     bool  // an integer is 1
	Divisibility int64 // an integer or an address is a multiple of this power of two; 0: does not matter
}

// A Job is what a backend compiles.
type Job struct {
	Module *tile.Module // the backend may keep it, but not change it
	Target Target
	// Metadata is the backend's to complete and to put into the binary: the name, the target, the
	// options and the layout of the arguments are there; shared memory and the backend's own section
	// are not. Threads per warp are those that were asked for, 0 if the backend is to choose.
	Metadata *driver.KernelMetadata
	// Check looks for what goes wrong without a fault, where the target can; Strict also for what does
	// no harm.
	Check, Strict bool
	// Unfused has every product and sum of floats rounded for itself, where the target could round once.
	Unfused bool
	// MaxRegisters is how many registers a thread may take, where that can be said; 0 leaves it to the back end.
	MaxRegisters int
	Settings     Settings
	// LineText gives a line of a source file, for diagnostics at run time; "" if unknown. It may be
	// nil.
	LineText func(file string, line int) string
}
