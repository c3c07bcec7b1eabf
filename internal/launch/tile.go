package launch

import (
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

// FromTile makes a Kernel of one that came as tile IR: the module's first function. Arguments bind to its parameters as they do to
// those of a source; numbers have the types that the parameters have.
func FromTile(m *tile.Module, lineText func(file string, line int) string) *Kernel {
	f := m.Funcs[0]
	d := Definition{Fn: &sema.Func{Name: f.Name}, Tile: m, LineText: lineText}
	for i := range f.Params {
		p := Param{Name: f.Params[i].Name}
		if t := f.Body.Args[i].Type; t.IsScalar() && !t.IsPtr() {
			p.Type = sema.ScalarType(t.Elem().DType())
		}
		d.Params = append(d.Params, p)
	}
	return New(d)
}
