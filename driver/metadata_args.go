package driver

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// pointerBytes is the size of an address, on every target.
const pointerBytes = 8

// LayOut gives arguments, of which name, type and the rest are known, their size, alignment and
// offset: those that the members of a C struct have.
func LayOut(args []MetadataArg) error {
	offset := 0
	for i := range args {
		a := &args[i]
		size := sizeOf(a.Type)
		if size == 0 {
			return diag.New(diag.Argument, "dtype", "argument '%s' has the type %q, which is none", a.Name, a.Type)
		}
		offset = (offset + size - 1) / size * size
		a.Size, a.Align, a.Offset = size, size, offset
		offset += size
	}
	return nil
}

// sizeOf gives the size of a type of a signature, which is also its alignment; 0 if there is no
// such type.
func sizeOf(name string) int {
	elem := strings.TrimLeft(name, "*")
	d := dtype.Lookup(elem)
	if d < dtype.Int1 || d.String() != elem || len(name)-len(elem) > maxPointerDepth {
		return 0
	}
	if elem != name {
		return pointerBytes
	}
	return d.Bytes()
}

// divisible reports whether being divisible can be said of values of a type.
func divisible(name string) bool {
	return strings.HasPrefix(name, "*") || dtype.Lookup(name).IsInt()
}

// ArgBytes gives the size of the memory that the arguments lie in.
func (m *KernelMetadata) ArgBytes() int {
	if len(m.Args) == 0 {
		return 0
	}
	last := &m.Args[len(m.Args)-1]
	return last.Offset + last.Size
}
