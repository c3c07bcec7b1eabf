package launch

import (
	"context"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// A recipe is how a variant was launched the first time, put as what has to hold of a launch's arguments, one after
// another, for it to be the same variant's. Who launches in a loop so pays for a comparison of each argument, and
// neither makes Values nor keys. Each variant has one at most, so that launches that take turns make no new ones.
type recipe struct {
	variant    *variant
	on         *onDevice
	facts      facts       // that matter
	asked      Options     // as the launch chose them
	positional []step      // those given by position
	named      []namedStep // those given by name, in the order in which they were
	args       []driver.Arg
	limit      driver.Grid // the most programs along each axis
	frames     sync.Pool   // of *Again
}

// A step says what has to hold of an argument, and where it goes. Steps are small: between launches the driver has the caches.
type step struct {
	value *Value // what the argument is, if it is a constant
	mask  uint64 // of an integer
	code  code   // as the key says it; 0 if the argument is a constant
	slot  int16  // of the compiled kernel's arguments, or -1
	as    packing
}

type namedStep struct {
	name string
	step
}

// noRecipe is that of variants whose first launch cannot be repeated so.
var noRecipe = &recipe{}

// maxRecipeGrid is the most programs of a launch that is repeated: more are looked at in full.
const maxRecipeGrid = math.MaxInt32

// An Again is a launch that is expected to be like one before. It is used as
//
//	if a := k.Again(stream); a != nil {
//		ok := a.Int(n) && a.Buffer(b) && …
//		ok, err = a.Launch(ctx, grid)
//		a.End()
//	}
//
// in the order of the arguments. Where it is not, which false says, nothing has happened, and a Call does the launch and finds
// what is wrong with it.
type Again struct {
	Options // as this launch chooses them

	kernel      *Kernel
	recipe      *recipe
	next, named int // steps that were taken
	hosted      bool
	launch      driver.Launch
}

// Again begins a launch like the latest one; nil if there is none on the stream's device.
func (k *Kernel) Again(s driver.Stream) *Again {
	r := k.latest.Load()
	if r == nil || r.on.index != s.Device || r.on.backend != s.Backend || s.Handle == 0 {
		return nil
	}
	a, _ := r.frames.Get().(*Again)
	if a == nil {
		a = &Again{kernel: k, recipe: r}
		a.launch.Args = slices.Clone(r.args)
	}
	return a
}

// End makes the memory ready for another launch.
func (a *Again) End() {
	if a.hosted {
		for i := range a.launch.Args {
			a.launch.Args[i].Host = nil
		}
	}
	a.Options, a.next, a.named, a.hosted, a.launch.Stdout = Options{}, 0, 0, false, nil
	a.recipe.frames.Put(a)
}

// positional gives the step of the next argument that is given by position; nil if there is none.
func (a *Again) positional() *step {
	i := a.next
	if i >= len(a.recipe.positional) {
		return nil
	}
	a.next = i + 1
	return &a.recipe.positional[i]
}

// Buffer takes an array in a device's memory, that was not given back.
func (a *Again) Buffer(b *driver.Buffer) bool {
	s := a.positional()
	if s == nil || b.Place != a.recipe.on.place || a.recipe.facts.add(codeArray|code(b.DType), b.Address) != s.code {
		return false
	}
	if s.slot >= 0 {
		arg := &a.launch.Args[s.slot]
		if arg.Bits = b.Address; b.Host != nil {
			arg.Host, a.hosted = b.Host, true
		}
	}
	return true
}

// Int takes an integer.
func (a *Again) Int(n int64) bool {
	return a.number(KindInt, intType(n), codeInt, uint64(n))
}

// Float takes a floating-point number, of type float32.
func (a *Again) Float(f float64) bool {
	return a.number(KindFloat, dtype.Float32, codeOther, math.Float64bits(f))
}

// Bool takes an int1.
func (a *Again) Bool(b bool) bool {
	bits := uint64(0)
	if b {
		bits = 1
	}
	return a.number(KindBool, dtype.Int1, codeOther, bits)
}

// number takes the next argument that is given by position.
func (a *Again) number(kind Kind, d dtype.DType, class code, bits uint64) bool {
	s := a.positional()
	if s == nil {
		return false
	}
	if s.code == 0 {
		v := s.value
		return kind == v.Kind && d == v.DType && bits == v.Bits && !v.Fixed
	}
	return a.take(s, class|code(d), bits)
}

// Named takes an argument given by name.
func (a *Again) Named(name string, v *Value) bool {
	i := a.named
	if i >= len(a.recipe.named) || a.recipe.named[i].name != name {
		return false
	}
	a.named = i + 1
	s := &a.recipe.named[i].step
	if s.code == 0 {
		return v.Kind == s.value.Kind && v.DType == s.value.DType && v.Bits == s.value.Bits && v.Fixed == s.value.Fixed &&
			(v.Kind != KindStr || v.str() == s.value.str())
	}
	return v.code != 0 && v.code&codeClass != codeArray && a.take(s, v.code, v.Bits)
}

// take compares a number with what has to hold of it, and puts it where it goes.
func (a *Again) take(s *step, c code, bits uint64) bool {
	if a.recipe.facts.add(c, bits) != s.code {
		return false
	}
	if s.slot >= 0 {
		a.launch.Args[s.slot].Bits = s.as.number(bits, s.mask)
	}
	return true
}

// Launch submits the launch if it is like the one before.
func (a *Again) Launch(ctx context.Context, s driver.Stream, stdout io.Writer, grid []int) (bool, error) {
	r := a.recipe
	if a.next != len(r.positional) || a.named != len(r.named) || a.Options != r.asked || len(grid) == 0 || len(grid) > 3 || a.kernel.hooked() {
		return false, nil
	}
	a.launch.Grid = driver.Grid{1, 1, 1}
	programs := 1
	for axis, n := range grid {
		if n < 1 || n > int(r.limit[axis]) {
			return false, nil
		}
		a.launch.Grid[axis] = uint32(n)
		programs *= min(n, maxRecipeGrid+1)
		if programs > maxRecipeGrid {
			return false, nil
		}
	}
	if live := r.variant.live; live != nil {
		if err := live.check(a.kernel.name); err != nil {
			return true, err
		}
	}
	if !r.variant.used.Load() {
		r.variant.used.Store(true)
	}
	a.launch.Stdout = stdout
	return true, r.variant.resident.kernel.Launch(ctx, s, &a.launch)
}

// remember notes how the call was made, for launches like it. asked are the options that it chose.
func (c *Call) remember(v *variant, on *onDevice, asked Options) {
	k := c.bound.kernel
	r := v.recipe.Load()
	if r == nil {
		if r = c.recipe(v, on, asked); r == nil {
			r = noRecipe
		}
		v.recipe.Store(r)
	}
	if r != noRecipe && k.latest.Load() != r {
		k.latest.Store(r)
	}
}

// recipe makes the recipe of a launch, nil if it has arguments that are more than a number or a buffer.
func (c *Call) recipe(v *variant, on *onDevice, asked Options) *recipe {
	r := &recipe{variant: v, on: on, facts: on.facts, asked: asked, args: slices.Clone(c.launch.Args), limit: driver.Grid{v.maxX, math.MaxInt32, math.MaxInt32}}
	for i := range r.args {
		r.args[i].Host = nil
	}
	for axis := range r.limit {
		r.limit[axis] = min(r.limit[axis], on.limits.Grid[axis], math.MaxInt32)
	}
	k := c.bound.kernel
	given := make([]bool, len(k.params))
	for i := range c.next {
		s, ok := c.step(v, on, i)
		if !ok {
			return nil
		}
		r.positional, given[i] = append(r.positional, s), true
	}
	for _, i := range c.byName {
		s, ok := c.step(v, on, i)
		if !ok || s.code&codeClass == codeArray {
			return nil
		}
		r.named, given[i] = append(r.named, namedStep{k.params[i].Name, s}), true
	}
	for i, f := range k.fillers {
		if !given[i] && f.from == fromHeuristic {
			return nil // it may have another value
		}
	}
	return r
}

// step gives what has to hold of the argument of parameter i.
func (c *Call) step(v *variant, on *onDevice, i int) (step, bool) {
	k, value := c.bound.kernel, &c.bound.values[i]
	s := step{slot: -1}
	for slot := range v.args {
		a := &v.args[slot]
		if a.param != i {
			continue
		}
		if s.slot >= 0 || len(a.path) > 0 || slot > math.MaxInt16 {
			return s, false
		}
		s.slot, s.as, s.mask = int16(slot), a.as, a.mask
	}
	switch value.Kind {
	case KindNone, KindBool, KindInt, KindFloat, KindStr:
	case KindArray:
		if value.Place != on.place {
			return s, false
		}
	default:
		return s, false
	}
	if k.params[i].Constexpr || value.Fixed || value.Kind == KindNone || value.Kind == KindStr {
		s.value = &Value{Kind: value.Kind, DType: value.DType, Bits: value.Bits, Fixed: value.Fixed}
		if value.Kind == KindStr {
			s.value.SetStr(string(append([]byte(nil), value.str()...)))
		}
		return s, s.slot < 0 && value.Kind != KindArray
	}
	if k.special[i] || value.code == 0 || s.as == packOther && s.slot >= 0 || value.Kind == KindFloat && s.slot >= 0 && s.as != packFloat32 ||
		value.Kind != KindFloat && s.as == packFloat32 {
		return s, false
	}
	s.code = on.facts.add(value.code, value.Bits)
	return s, true
}
