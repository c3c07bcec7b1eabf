package tile

import "strings"

// A descriptor stands for an array in memory: its address, sizes and strides. Loads and stores
// through one move a block of a fixed shape, the same for all of them, so the block is part of
// the type, as are the two things that a load does besides reading. Targets with a unit for
// such copies (TMA) keep descriptors; pass.Legalize makes pointers of them for the others.

// descFlags is 0 for what is no descriptor.
type descFlags uint8

const (
	isDesc descFlags = 1 << iota
	padNaN
	roundTF32
	endOfDescFlags
)

// maxDescRank is the largest rank of a descriptor, which is that of the hardware that knows them.
const maxDescRank = 5

// descSuffixes name the flags after the type's text.
var descSuffixes = []struct {
	flag descFlags
	name string
}{{padNaN, "nan"}, {roundTF32, "tf32"}}

// A DescKind says what a load through a descriptor does besides reading.
type DescKind struct {
	NaN  bool // what lies outside of the array reads as NaN, not as zero; floats only
	TF32 bool // what is read is rounded to TF32; f32 only
}

// DescOf gives the type of descriptors whose loads and stores move tiles of type block.
func DescOf(block Type, k DescKind) Type {
	block.desc = isDesc
	if k.NaN {
		block.desc |= padNaN
	}
	if k.TF32 {
		block.desc |= roundTF32
	}
	return block
}

// IsDesc reports whether t is a descriptor.
func (t Type) IsDesc() bool { return t.desc != 0 }

// DescKind gives what a load through a descriptor of type t does besides reading.
func (t Type) DescKind() DescKind { return DescKind{t.desc&padNaN != 0, t.desc&roundTF32 != 0} }

// Block gives the type of the tiles that move through a descriptor of type t.
func (t Type) Block() Type {
	t.desc = 0
	return t
}

func (t Type) descString() string {
	s := "desc<" + t.Block().String() + ">"
	for _, f := range descSuffixes {
		if t.desc&f.flag != 0 {
			s += f.name
		}
	}
	return s
}

// cutDesc takes desc<…> and its suffixes off a type's text; flags is 0 if there are none.
func cutDesc(s string) (rest string, flags descFlags) {
	inner, ok := strings.CutPrefix(s, "desc<")
	i := strings.LastIndexByte(inner, '>')
	if !ok || i < 0 {
		return s, 0
	}
	rest, suffix := inner[:i], inner[i+1:]
	flags = isDesc
	for _, f := range descSuffixes {
		if after, ok := strings.CutPrefix(suffix, f.name); ok {
			suffix, flags = after, flags|f.flag
		}
	}
	if suffix != "" {
		return s, 0
	}
	return rest, flags
}
