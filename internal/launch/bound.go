package launch

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// Bound is the arguments of a launch, complete with defaults and what was filled in.
type Bound struct {
	kernel *Kernel
	values []Value
	err    error // the first that Fail was told
	grid   [3]int
}

// Lookup finds an argument. The error names the parameters there are.
func (b *Bound) Lookup(name string) (*Value, error) {
	if b == nil || b.kernel == nil {
		return nil, errNoArgs
	}
	i, ok := b.kernel.index[name]
	if !ok {
		return nil, b.kernel.unknown(name)
	}
	return &b.values[i], nil
}

// Vars gives the arguments by name, as Python values.
func (b *Bound) Vars() map[string]pyval.Value { return b.kernel.vars(b.values) }

// Fail notes why something that was asked of the arguments could not be given. Err gives the first
// that was noted.
func (b *Bound) Fail(err error) {
	if b != nil && b.err == nil {
		b.err = err
	}
}

// Err gives the first error that Fail was told.
func (b *Bound) Err() error { return b.err }

// errNoArgs is the error of arguments that are those of no launch, or of one that is over.
var errNoArgs = diag.New(diag.Argument, "no-arguments", "these are the arguments of no launch; they are good until the function that was given them returns")

// Scratch copies the dimensions of a grid to memory of the arguments' own, if there is enough.
func (b *Bound) Scratch(dims []int) []int {
	if b == nil {
		return append([]int(nil), dims...)
	}
	return append(b.grid[:0], dims...)
}
