package cpu

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// notPlanned are the operations that no planner is for, and why. All others run.
var notPlanned = map[tile.Code]string{
	tile.OpYield:     "what the region is part of reads its operands",
	tile.OpCondition: "as OpYield",
	tile.OpReturn:    "as OpYield",

	tile.OpMakeDesc:    "legalize makes pointers and masks of descriptors",
	tile.OpDescLoad:    "as OpMakeDesc",
	tile.OpDescStore:   "as OpMakeDesc",
	tile.OpDescReduce:  "as OpMakeDesc",
	tile.OpDescGather:  "as OpMakeDesc",
	tile.OpDescScatter: "as OpMakeDesc",
	tile.OpDotScaled:   "legalize makes a dot of it",

	tile.OpInlineAsm: refused,
}

const refused = "refused as Unsupported: it is another processor's code"

func TestEveryOpIsPlanned(t *testing.T) {
	for c := tile.BadOp + 1; c.String() != tile.BadOp.String(); c++ {
		why, listed := notPlanned[c]
		planned := planners[c] != nil
		switch {
		case !planned && !listed:
			t.Errorf("the checked executor does not run %s", c)
		case planned && listed:
			t.Errorf("%s is planned, and the list says: %s", c, why)
		}
	}
}

// A message can name every access to memory.
func TestAccessesHaveNames(t *testing.T) {
	for c := tile.OpLoad; c <= tile.OpAtomicPoll; c++ {
		if accessName[c] == "" {
			t.Errorf("%s has no name", c)
		}
	}
}

// Every operation of the module that has them all (internal/tile writes it) runs, each in a kernel
// of its own with the operations that it depends on.
func TestEveryOpRuns(t *testing.T) {
	src, err := os.ReadFile("../../tile/testdata/every.tile")
	if err != nil {
		t.Fatal(err)
	}
	ops := len(parse(t, string(src)).Funcs[0].Body.Ops) - 1
	for i := range ops {
		m := parse(t, string(src))
		op := isolate(m, i)
		err := runOnce(t, m, Options{})
		var d *diag.Error
		switch {
		case notPlanned[op.Code] == refused:
			if !errors.As(err, &d) || d.Category != diag.Unsupported {
				t.Errorf("%s: %v, want Unsupported", op.Code, err)
			}
		case err != nil && !(op.Code == tile.OpAssume && errors.Is(err, diag.Check)): // it does not hold there
			t.Errorf("operation %d, %s: %v", i, op.Code, err)
		}
	}
}

// isolate reduces a module's kernel to one of its operations, what that one depends on, and a print
// of its results.
func isolate(m *tile.Module, at int) *tile.Op {
	f := m.Funcs[0]
	all := f.Body.Ops
	op := all[at]
	needed := map[*tile.Op]bool{op: true}
	for _, o := range slices.Backward(all[:at+1]) {
		if !needed[o] {
			continue
		}
		need := func(o *tile.Op) {
			for _, v := range o.Args {
				needed[v.Op] = true // of no operation for an argument
			}
		}
		need(o)
		for _, r := range o.Regions {
			r.Walk(need)
		}
	}
	b := tile.NewBuilder(m, f)
	b.SetBlock(f.Body)
	f.Body.Ops = nil
	for _, o := range all[:at+1] {
		if needed[o] {
			f.Body.Ops = append(f.Body.Ops, o)
		}
	}
	for _, v := range op.Results {
		if !v.Type.IsDesc() {
			b.Op(tile.OpPrint, tile.PrintAttr{}, []*tile.Value{v})
		}
	}
	b.Op(tile.OpReturn, nil, nil)
	return op
}

// runOnce runs one program instance of that module's kernel. Memory holds 0, 1, 2 …, so that what
// polls for these ends.
func runOnce(t *testing.T, m *tile.Module, o Options) error {
	t.Helper()
	p, err := Compile(m, o)
	if err != nil {
		return err
	}
	memory := make([]int32, 128)
	for i := range memory {
		memory[i] = int32(i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	scalar := Arg{Bits: 1}
	args := []Arg{arrayOf("ptr", memory), scalar, scalar, scalar, {Bits: 0}, arrayOf("pointers", make([]uint64, 1))}
	return p.Run(ctx, Launch{Grid: [3]int32{1, 1, 1}, Args: args})
}
