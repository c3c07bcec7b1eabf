package sema

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// hostRows are the functions of the module triton that kernels call.
func hostRows() []*Builtin {
	return []*Builtin{
		{Name: "triton.cdiv", Sig: "x, y", Fn: langHostCdiv},
		{Name: "triton.next_power_of_2", Sig: "n", Fn: langNextPowerOf2},
	}
}

// langHostCdiv is the language's cdiv, for constants too.
func langHostCdiv(g *gen, c *call) Value {
	fn, _ := stdFunc("cdiv")
	return g.callFunc(fn, c.args, nil, c.node)
}

// langNextPowerOf2 gives 0 for 0 and below, as the host's does for 0.
func langNextPowerOf2(g *gen, c *call) Value {
	n := c.constInt(g, 0)
	if n > 1<<62 {
		g.fail(c.at[0], "out-of-range", "%d is too large", n)
	}
	if n <= 0 {
		return int64(0)
	}
	return int64(1) << bits.Len64(uint64(n-1))
}

// constantRows are functions of constants alone, some of which Triton keeps private but public
// kernels use.
func constantRows() []*Builtin {
	return []*Builtin{
		{Name: "_log2", Sig: "i", Fn: langLog2Floor},
		{Name: "_is_power_of_two", Sig: "i", Fn: langIsPowerOfTwo},
		{Name: "get_int_dtype", Sig: "bitwidth, signed", Fn: langIntDType},
		{Name: "_get_int_dtype", Sig: "bitwidth, signed", Fn: langIntDType},
		{Name: "_unwrap_if_constexpr", Sig: "o", Fn: func(g *gen, c *call) Value { return c.args[0] }},
	}
}

func langLog2Floor(g *gen, c *call) Value {
	return int64(bits.Len64(uint64(max(c.constInt(g, 0), 1))) - 1)
}

func langIsPowerOfTwo(g *gen, c *call) Value {
	n := c.constInt(g, 0)
	return n != 0 && n&(n-1) == 0
}

func langIntDType(g *gen, c *call) Value {
	width, signed := c.constInt(g, 0), c.constBool(g, 1)
	for _, d := range allDTypes() {
		if d.IsInt() && int64(d.Bits()) == width && (d.IsSigned() == signed || d.IsBool()) {
			return ScalarType(d)
		}
	}
	g.fail(c.at[0], "bad-argument", "there is no integer type of %d bits", width)
	return pyval.None
}
