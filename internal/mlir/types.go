package mlir

import (
	"strconv"

	"github.com/tegula-lang/tegula/internal/tile"
)

// elemNames are MLIR's names of element types; those that it lacks have none.
var elemNames = map[tile.Elem]string{
	tile.I1: "i1", tile.I8: "i8", tile.I16: "i16", tile.I32: "i32", tile.I64: "i64",
	tile.F8E4M3: "f8E4M3FN", tile.F8E5M2: "f8E5M2", tile.F8E4M3FZ: "f8E4M3FNUZ", tile.F8E5M2FZ: "f8E5M2FNUZ",
	tile.BF16: "bf16", tile.F16: "f16", tile.F32: "f32", tile.F64: "f64",
}

// typeText gives a type's text, "" for one that the dialects do not have.
func typeText(t tile.Type) string {
	if t.IsDesc() {
		if k := t.DescKind(); k.TF32 {
			return ""
		}
		block := blockText(t)
		if block == "" {
			return ""
		}
		return "!tt.tensordesc" + block
	}
	elem := elemNames[t.Elem()]
	if elem == "" {
		return ""
	}
	switch t.PtrDepth() {
	case 0:
	case 1:
		elem = "!tt.ptr<" + elem + ">"
	default:
		return "" // pointers to pointers are none of tt's types
	}
	if t.IsScalar() {
		return elem
	}
	return "tensor<" + dims(t) + elem + ">"
}

// blockText gives what stands in a descriptor's angle brackets, with them.
func blockText(t tile.Type) string {
	elem := elemNames[t.Elem()]
	if elem == "" {
		return ""
	}
	return "<" + dims(t.Block()) + elem + ">"
}

// dims gives 64x32x.
func dims(t tile.Type) string {
	var b []byte
	for i := range t.Rank() {
		b = strconv.AppendInt(b, int64(t.Dim(i)), 10)
		b = append(b, 'x')
	}
	return string(b)
}
