package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

func (l *lowerer) extern(op *tile.Op, args []*lir.Value) *lir.Value {
	l.refuse("the library function")
	return nil
}
func (x real) exp2Wide() real    { x.l.refuse("exp2 of f64"); return x }
func (x real) expWide() real     { x.l.refuse("exp of f64"); return x }
func (x real) log() real         { x.l.refuse("log"); return x }
func (x real) log2() real        { return x.un(lir.OpLog2, 0) }
func (x real) sin(cos bool) real { x.l.refuse("sin"); return x }
func (x real) erf() real         { x.l.refuse("erf"); return x }
func (x real) fmod(y real) real  { x.l.refuse("fmod"); return x }
