package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

func programRows() []*Builtin {
	return []*Builtin{
		{Name: "program_id", Sig: "axis", Fn: langProgramID},
		{Name: "num_programs", Sig: "axis", Fn: langNumPrograms},
		{Name: "debug_barrier", Sig: "", Fn: langDebugBarrier},
	}
}

func langProgramID(g *gen, c *call) Value {
	return Tensor{g.b.ProgramID(gridAxis(g, c)), dtype.Int32}
}

func langNumPrograms(g *gen, c *call) Value {
	return Tensor{g.b.NumPrograms(gridAxis(g, c)), dtype.Int32}
}

func gridAxis(g *gen, c *call) int {
	axis := c.constInt(g, 0)
	if axis < 0 || axis > 2 {
		g.fail(c.at[0], "bad-axis", "%s takes axis 0, 1 or 2, not %d", c.name, axis)
	}
	return int(axis)
}

func langDebugBarrier(g *gen, c *call) Value {
	g.b.Op(tile.OpBarrier, nil, nil)
	return noValue
}
