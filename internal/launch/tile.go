package launch

import (
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

// FromTile makes a Kernel of one that came as tile IR: the module's first function. Arguments bind to its parameters as they do to
// those of a source; numbers have the types that the parameters have.
func FromTile(m *tile.Module, lineText func(file string, line int) string) *Kernel {
	f := m.Funcs[0]
	d := Definition{Fn: &sema.Func{Name: f.Name}, Tile: m, LineText: lineText}
	for _, group := range compiler.TileParams(f) {
		i := group[0]
		p := Param{Name: f.Params[i].Name}
		if t := f.Body.Args[i].Type; t.IsScalar() && !t.IsPtr() {
			p.Type = sema.ScalarType(t.Elem().DType())
		}
		d.Params = append(d.Params, p)
	}
	return New(d)
}

// Fixed gives the type of a parameter of a kernel that came as tile IR: it is in the code. A kernel of a source has none.
func (k *Kernel) Fixed(i int) (spec sema.ArgSpec, ok bool) {
	if k.def.Tile == nil {
		return spec, false
	}
	f := k.def.Tile.Funcs[0]
	t := f.Body.Args[compiler.TileParams(f)[i][0]].Type
	if t.IsTile() || t.IsDesc() {
		return spec, false
	}
	spec.Type = sema.ScalarType(t.Elem().DType())
	for range t.PtrDepth() {
		spec.Type = sema.PointerTo(spec.Type)
	}
	return spec, true
}
