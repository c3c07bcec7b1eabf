package native

import "github.com/tegula-lang/tegula/internal/tile"

func (g *generator) dot(op *tile.Op) { g.refuse("%s", op.Code) }
