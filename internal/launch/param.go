package launch

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// A ParamKind says how a parameter may be given.
type ParamKind uint8

// The kinds of parameters.
const (
	Ordinary       ParamKind = iota // by position or by name
	PositionalOnly                  // before a "/"
	KeywordOnly                     // after a "*"
	Variadic                        // *args: takes the remaining positional arguments as a tuple
)

// A Param is a parameter of a kernel.
type Param struct {
	Name      string
	Kind      ParamKind
	Constexpr bool
	Type      sema.Type                   // of an annotation such as tl.int64; zero if there is none
	Default   func() (pyval.Value, error) // nil if there is none
	Place     diag.Place

	NoSpecialize bool // do_not_specialize names it
	NoAlign      bool // do_not_specialize_on_alignment names it
}

// isSpecial reports whether an argument's type and value are not all that decides what is known
// of it.
func (p *Param) isSpecial() bool {
	return p.Constexpr || p.declared() || p.NoSpecialize || p.NoAlign || p.Kind == Variadic
}
