package native

import "github.com/tegula-lang/tegula/internal/backend/cpu"

// A Dual is a kernel as machine code, and as a program of the checked executor for launches that Run has ErrOverlap for.
type Dual struct {
	Native  *Program
	Checked func() (*cpu.Program, error) // makes it
}
