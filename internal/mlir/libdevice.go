package mlir

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

// irregular are the functions whose names in libdevice follow no rule, by name and the first operand's type.
var irregular = map[string]map[tile.Elem]string{
	"abs":          {tile.F32: "fabsf", tile.F64: "fabs", tile.I32: "abs", tile.I64: "llabs"},
	"mulhi":        {tile.I32: "mulhi", tile.I64: "mul64hi"},
	"umulhi":       {tile.I32: "umulhi", tile.I64: "umul64hi"},
	"isnan":        {tile.F32: "isnanf", tile.F64: "isnand"},
	"isinf":        {tile.F32: "isinff", tile.F64: "isinfd"},
	"signbit":      {tile.F32: "signbitf", tile.F64: "signbitd"},
	"fast_dividef": {tile.F32: "fast_fdividef"},
	"rsqrt_rn":     {tile.F32: "frsqrt_rn"},
	"saturatef":    {tile.F32: "saturatef"},
	"finitef":      {tile.F32: "finitef"},
	"isfinited":    {tile.F64: "isfinited"},
	"rcp64h":       {tile.F64: "rcp64h"},
	"double2hiint": {tile.F64: "double2hiint"},
	"double2loint": {tile.F64: "double2loint"},
	"clz":          {tile.I32: "clz", tile.I64: "clzll"},
	"ffs":          {tile.I32: "ffs", tile.I64: "ffsll"},
	"popc":         {tile.I32: "popc", tile.I64: "popcll"},
	"brev":         {tile.I32: "brev", tile.I64: "brevll"},
}

// symbol gives libdevice's name of the function that an OpExtern calls.
func symbol(op *tile.Op) string { return "__nv_" + libdeviceName(op) }

func libdeviceName(op *tile.Op) string {
	name := op.Attr.(tile.ExternAttr).Name
	first := op.Args[0].Type.Elem()
	last := op.Args[len(op.Args)-1].Type.Elem()
	if is, ok := irregular[name]; ok {
		return is[first]
	}
	switch base, rounding, rounded := strings.Cut(name, "_r"); {
	case strings.HasPrefix(name, "fast_") || strings.Contains(name, "2") && !strings.HasPrefix(name, "atan2") && !isBase2(name) ||
		strings.Contains(name, "_as_") || !first.IsFloat() && !last.IsFloat():
		return name // the types are in it
	case rounded && base == "fma":
		return pick(first, "fmaf_r", "fma_r") + rounding
	case rounded:
		return pick(first, "f", "d") + name
	case name == "pow" && last == tile.I32:
		return pick(first, "powif", "powi")
	}
	if first == tile.F32 || last == tile.F32 {
		return name + "f"
	}
	return name
}

// isBase2 tells exp2 and log2 from conversions, whose 2 means to.
func isBase2(name string) bool { return name == "exp2" || name == "log2" }

func pick(e tile.Elem, single, double string) string {
	if e == tile.F32 {
		return single
	}
	return double
}
