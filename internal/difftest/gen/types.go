package gen

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// typeSets are the sets that rows name. bf16 and float8 are in none that computes: the interpreter
// cannot judge them there, and rows say who does.
var typeSets = map[string]string{
	"sints":  "i8 i16 i32 i64",
	"uints":  "u8 u16 u32 u64",
	"ints":   "i8 i16 i32 i64 u8 u16 u32 u64",
	"words":  "i32 i64 u32 u64",
	"floats": "fp16 fp32 fp64",
	"fp8":    "fp8e4nv fp8e5 fp8e4b15 fp8e4b8 fp8e5b16",
	"all":    "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e4nv fp8e5 fp8e4b15 fp8e4b8 fp8e5b16 bf16 fp16 fp32 fp64",
}

// Columns are the element types, in the order of the table of docs/language.md.
var Columns = typesOf("all")

// typesOf reads a list of sets and names; a judge may stand behind a colon.
func typesOf(list string) []typeJudge {
	var out []typeJudge
	for _, word := range strings.Fields(list) {
		name, judge, _ := strings.Cut(word, ":")
		for _, t := range strings.Fields(or(typeSets[name], name)) {
			d := dtype.Lookup(t)
			if d == dtype.Invalid {
				panic(fmt.Sprintf("gen: %q is no type", t))
			}
			out = append(out, typeJudge{d, judge})
		}
	}
	return out
}

// sumType gives the type of a sum: integers narrower than 32 bits are added in 32.
func sumType(d dtype.DType) dtype.DType {
	switch {
	case !d.IsInt() || d.Bits() >= 32:
		return d
	case d.IsSigned():
		return dtype.Int32
	}
	return dtype.Uint32
}

// wideType gives the type of an extremum: it is taken in 32 bits at least.
func wideType(d dtype.DType) dtype.DType {
	switch {
	case d.Bits() >= 32:
		return d
	case d.IsFloat():
		return dtype.Float32
	}
	return dtype.Int32
}

// promoted gives the type of a sum of two tiles: fp64 wins, then fp32, then fp16; bf16 and an
// integer are added in fp32; of two integers the wider, and of two equally wide ones the unsigned.
func promoted(a, b dtype.DType) dtype.DType {
	for _, d := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16} {
		if a == d || b == d {
			return d
		}
	}
	switch {
	case a == dtype.BFloat16 || b == dtype.BFloat16:
		return dtype.Float32
	case a.Bits() > b.Bits() || a.Bits() == b.Bits() && !a.IsSigned():
		return a
	}
	return b
}
