package gen

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// A Case is one launch of a generated kernel, which is called kernel.
type Case struct {
	Name   string // row/type/shape/option
	Type   dtype.DType
	Second dtype.DType // Invalid if the row has none
	Source string      // the module
	Grid   []int
	Args   []Arg
	Judge  string // who says what is right: "" is Triton's interpreter
	Tol    difftest.Tolerance
	// Open says that the language leaves some of the result open, though programs rely on what everybody
	// gives, as the zeros of masked-off loads: checkers may refuse it.
	Open bool
}

// An Arg is an argument: an array, or an integer.
type Arg struct {
	Name  string
	DType dtype.DType
	Dims  []int
	Data  []byte // an array's elements
	Out   bool   // Data is compared after the launch
	Int   int64  // where Data is nil

	// Block is set for an array that is passed as a descriptor with blocks of this shape; Strides are
	// then in elements.
	Block   []int
	Strides []int
	PadNaN  bool
}

// TritonType gives the argument's type as Triton's signatures have it.
func (a *Arg) TritonType() string {
	switch {
	case a.Block != nil:
		return "tensordesc<" + a.DType.String() + strings.ReplaceAll(fmt.Sprint(a.Block), " ", ",") + ">"
	case a.Data != nil:
		return "*" + a.DType.String()
	}
	return "i32"
}

// hash tells the case from every other: by its text, its grid and its inputs, and by who judges.
func (c *Case) hash() uint64 {
	h := fnv.New64a()
	word := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	number := func(list ...int) {
		for _, n := range list {
			h.Write(binary.AppendVarint(nil, int64(n)))
		}
	}
	word(c.Source)
	word(c.Judge)
	number(c.Grid...)
	for _, a := range c.Args {
		word(a.Name)
		number(int(a.DType), int(a.Int), len(a.Dims), len(a.Block))
		number(a.Dims...)
		number(a.Block...)
		number(a.Strides...)
		word(string(a.Data))
		if a.PadNaN {
			word("nan")
		}
	}
	return h.Sum64()
}

// outputs gives the arrays that are compared.
func (c *Case) outputs() []*Arg {
	var out []*Arg
	for i := range c.Args {
		if c.Args[i].Out {
			out = append(out, &c.Args[i])
		}
	}
	return out
}

// Clone gives a copy whose arrays may be written.
func (c *Case) Clone() *Case {
	d := *c
	d.Args = append([]Arg(nil), c.Args...)
	for i := range d.Args {
		if d.Args[i].Data != nil {
			d.Args[i].Data = aligned(len(d.Args[i].Data))
			copy(d.Args[i].Data, c.Args[i].Data)
		}
	}
	return &d
}
