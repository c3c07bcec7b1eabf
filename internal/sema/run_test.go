package sema

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// arrayArg gives a slice as an argument.
func arrayArg[T any](name string, s []T) cpu.Arg {
	size := int(unsafe.Sizeof(*new(T)))
	return cpu.Arg{Array: &cpu.Array{Name: name, Base: unsafe.Pointer(unsafe.SliceData(s)), Bytes: int64(size * len(s)), ElemBytes: size, Keep: s}}
}

// run runs one instance of a kernel.
func run(t *testing.T, p *cpu.Program, args ...cpu.Arg) {
	t.Helper()
	if err := p.Run(context.Background(), cpu.Launch{Grid: [3]int32{1, 1, 1}, Args: args, Threads: 1}); err != nil {
		t.Fatal(err)
	}
}

// outcomeOf runs two instances of a module's kernel on small arrays, for a short time, and gives the arrays
// afterwards. ok is false where there is nothing to compare with: the kernel needs much memory or time, or is refused
// or stopped. An error that is the executor's own fault is failure.
func outcomeOf(m *tile.Module) (arrays [][]uint32, ok bool, failure error) {
	const most = 4 << 20
	p, err := cpu.Compile(m, cpu.Options{})
	if err != nil || p.FrameBytes() > most {
		return nil, false, ownFault(err)
	}
	args := make([]cpu.Arg, len(m.Funcs[0].Body.Args))
	for i, a := range m.Funcs[0].Body.Args {
		switch {
		case a.Type.IsPtr():
			array := make([]uint32, 1024)
			for j := range array {
				array[j] = uint32(j % 7)
			}
			arrays = append(arrays, array)
			args[i] = arrayArg(a.Name, array)
		case a.Type.IsFloat():
			args[i].Bits = uint64(math.Float32bits(0.5))
		default:
			args[i].Bits = 16 // as anySpec says
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	err = p.Run(ctx, cpu.Launch{Grid: [3]int32{2, 1, 1}, Args: args, Threads: 1})
	return arrays, err == nil, ownFault(err)
}

// ownFault gives an error that only a mistake in the executor explains.
func ownFault(err error) error {
	var e *diag.Error
	switch {
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return nil
	case errors.As(err, &e) && e.Code != "internal" && e.Code != "":
		return nil
	}
	return err
}

// promises reports whether the meaning of a module depends on what its author promised.
func promises(m *tile.Module) bool {
	found := false
	m.Funcs[0].Body.Walk(func(op *tile.Op) { found = found || op.Code == tile.OpHint || op.Code == tile.OpAssume })
	return found
}

// throughTheRest takes what was compiled for a spec through the passes and the checked executor. It fails for what
// the verifier or the executor find wrong with this compiler's work, and where the passes change what a kernel does.
func throughTheRest(s Spec, plain *tile.Module) error {
	want, comparable, err := outcomeOf(plain)
	if err != nil {
		return fmt.Errorf("before the passes: %w", err)
	}
	again, err := Compile(s)
	if err != nil {
		return fmt.Errorf("compiled a second time: %w", err)
	}
	passed := again.Module
	pass.Run(passed, pass.Options{Debug: s.Debug})
	if err := tile.Verify(passed); err != nil {
		return fmt.Errorf("after the passes: %w", err)
	}
	got, ran, err := outcomeOf(passed)
	switch {
	case err != nil:
		return fmt.Errorf("after the passes: %w", err)
	case !comparable || !ran || promises(plain):
		return nil
	}
	for i := range want {
		if !slices.EqualFunc(got[i], want[i], sameWord) {
			return fmt.Errorf("the passes change array %d:\n%v\nwant\n%v\n%s", i, got[i], want[i], tile.Printer{}.String(passed))
		}
	}
	return nil
}

// sameWord compares the bits of a number that may be a float: any NaN equals any other.
func sameWord(a, b uint32) bool {
	return a == b || isNaN32(a) && isNaN32(b)
}

func isNaN32(bits uint32) bool { return math.Float32frombits(bits) != math.Float32frombits(bits) }
