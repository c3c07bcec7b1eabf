package cpu

import (
	"errors"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

func runSanitized(tb testing.TB, m *tile.Module, programs int32, args ...Arg) error {
	tb.Helper()
	p, err := Compile(m, Options{Sanitize: true})
	if err != nil {
		tb.Fatal(err)
	}
	return launchOn(p, programs, args...)
}

// The sanitizer changes nothing else: every operation runs under it, too.
func TestEveryOpIsSanitized(t *testing.T) {
	src, err := os.ReadFile("../../tile/testdata/every.tile")
	if err != nil {
		t.Fatal(err)
	}
	ops := len(parse(t, string(src)).Funcs[0].Body.Ops) - 1
	for i := range ops {
		m := parse(t, string(src))
		op := isolate(m, i)
		err := runOnce(t, m, Options{Sanitize: true})
		refuses := notPlanned[op.Code] == refused
		if refuses != errors.Is(err, diag.Unsupported) || !refuses && err != nil && !errors.Is(err, diag.Check) { // hints, assumptions and masks are false there
			t.Errorf("operation %d, %s: %v", i, op.Code, err)
		}
	}
}

// A garbageCase is a random program, and what it is given.
type garbageCase struct {
	m       *tile.Module
	load    *tile.Op // of the elements of which some are left out
	size    int      // of out
	in      []uint32
	loaded  uint64 // how many elements of in are
	n       uint64
	garbage uint64 // what the others are, when they are not 0
}

var garbageCases = rapid.Custom(func(t *rapid.T) garbageCase {
	c := garbageCase{in: make([]uint32, lanesOfRandom)}
	c.m, c.load, c.size = garbageProgram(t)
	for i := range c.in {
		c.in[i] = rapid.Uint32().Draw(t, "in")
	}
	c.loaded = rapid.SampledFrom([]uint64{0, lanesOfRandom / 2, lanesOfRandom}).Draw(t, "loaded")
	c.n = uint64(rapid.Uint32().Draw(t, "n"))
	c.garbage = uint64(rapid.Uint32().Draw(t, "garbage"))
	return c
})

// check runs the program with two values for the garbage, and under the sanitizer. It reports whether something was found, and whether the garbage
// made a difference.
func (c garbageCase) check(t rapid.TB) (found, differed bool) {
	t.Helper()
	launch := func(sanitize bool, garbage uint64) ([]uint32, error) {
		p, err := Compile(c.m, Options{Sanitize: sanitize})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]uint32, c.size)
		return out, launchOn(p, 1, arrayOf("out", out), Arg{Bits: c.n}, arrayOf("in", c.in), Arg{Bits: c.loaded}, Arg{Bits: garbage})
	}
	zero, err := launch(false, 0)
	if err != nil {
		t.Fatal(err)
	}
	other, err := launch(false, c.garbage)
	if err != nil {
		t.Fatal(err)
	}
	c.load.Args = c.load.Args[:2] // now it has no other value
	got, err := launch(true, 0)
	var d *diag.Error
	switch {
	case err == nil && !slices.Equal(zero, other):
		t.Fatalf("nothing was found\n%v\n%v\n%v", zero, other, c.m)
	case err == nil && !slices.Equal(zero, got):
		t.Fatalf("the sanitizer changes the result: %v, %v\n%v", zero, got, c.m)
	case err != nil && (!errors.As(err, &d) || d.Code != "uninitialised" || c.loaded == lanesOfRandom):
		t.Fatalf("%v\n%v", err, c.m)
	}
	return err != nil, !slices.Equal(zero, other)
}

// TestWhatDependsOnGarbageIsFound gives a random program two different values for the elements that a load leaves out. If
// that makes a difference, the sanitizer has to find it. If nothing was left out, there is nothing to find.
func TestWhatDependsOnGarbageIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { garbageCases.Draw(t, "case").check(t) })
	// Programs with findings and such in which garbage makes a difference are among those that are the same ones in every run.
	found, differed := 0, 0
	for seed := range 50 {
		f, d := garbageCases.Example(seed).check(t)
		if f {
			found++
		}
		if d {
			differed++
		}
	}
	t.Logf("%d programs with findings, %d with differences", found, differed)
	if found == 0 || differed == 0 {
		t.Errorf("%d programs with findings, %d with differences", found, differed)
	}
}

// garbageProgram builds a kernel of (out, n, in, loaded, garbage) that computes from n and from the first elements of in;
// the others are garbage. It gives the load and the number of elements that are stored.
func garbageProgram(t *rapid.T) (m *tile.Module, load *tile.Op, size int) {
	m = &tile.Module{}
	f := &tile.Func{Name: "random", Params: make([]tile.Param, 5)}
	m.Funcs = []*tile.Func{f}
	b := tile.NewBuilder(m, f)
	ptr := tile.PtrTo(randomScalar)
	f.Body = b.NewBlock(ptr, randomScalar, ptr, randomScalar, randomScalar)
	b.SetBlock(f.Body)
	args := f.Body.Args
	lanes := b.Range(0, lanesOfRandom)
	mask := b.CmpI(tile.LTS, lanes, b.Splat(args[3], randomTile))
	loaded := b.Load(pointers(b, args[2], randomTile), mask, b.Splat(args[4], randomTile), tile.LoadAttr{})
	r := &randomProgram{Builder: b, t: t, left: 40}
	r.add(args[1], lanes, loaded)
	r.add(b.OpWithRegions(tile.OpReduce, tile.AxisAttr{}, []*tile.Value{loaded},
		[]*tile.Block{combine(b, tile.I32, tile.OpAdd)}, randomScalar).Results...)
	r.ops()
	for _, v := range r.scope {
		if v.Type != randomTile || v == loaded {
			continue
		}
		at := b.AddPtr(args[0], b.Const(randomScalar, uint64(size)))
		b.Store(pointers(b, at, randomTile), v, nil, tile.StoreAttr{})
		size += lanesOfRandom
	}
	b.Op(tile.OpReturn, nil, nil)
	if err := tile.Verify(m); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	return m, loaded.Op, size
}

// What is in two arrays at once is watched as one piece of memory.
func TestOverlappingArraysRace(t *testing.T) {
	m := parse(t, `
func @k(%x: ptr<i32>, %y: ptr<i32>) -> () {
  %pid = program_id {axis = 0} : i32
  %p = addptr %y, %pid : ptr<i32>
  %q = addptr %x, %pid : ptr<i32>
  %v = load %q : i32
  %one = const 1 : i32
  %w = add %v, %one : i32
  store %p, %w
  return
}
`)
	memory := make([]int32, 9)
	if err := runSanitized(t, m, 8, arrayOf("x", memory[:8]), arrayOf("y", memory[:8])); err != nil {
		t.Error(err)
	}
	err := runSanitized(t, m, 8, arrayOf("x", memory[:8]), arrayOf("y", memory[1:]))
	wantCheck(t, err, "race")
}

// Stores of the same value race only where one is strict.
func TestStrict(t *testing.T) {
	m := parse(t, `
func @k(%x: ptr<i32>) -> () {
  %one = const 1 : i32
  store %x, %one
  return
}
`)
	for _, strict := range []bool{false, true} {
		p, err := Compile(m, Options{Sanitize: true, Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		err = launchOn(p, 2, arrayOf("x", make([]int32, 1)))
		if strict {
			wantCheck(t, err, "race")
		} else if err != nil {
			t.Error(err)
		}
	}
}
