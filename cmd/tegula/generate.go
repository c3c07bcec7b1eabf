package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"sync"
	"unsafe"

	"github.com/tegula-lang/tegula"
)

// A generator makes a function that VALUEs may call; its arrays are in an arena.
type generator func(*tegula.Arena) tegula.Func

// generators are the functions that VALUEs may call.
var generators = map[string]generator{
	"zeros":  generate(0, "zeros(DTYPE, DIM…)", nil, func(call) (filler, error) { return nil, nil }),
	"full":   generate(1, "full(V, DTYPE, DIM…)", nil, func(c call) (filler, error) { return constant(c.dtype, c.leading[0]) }),
	"arange": generate(0, "arange(DTYPE, N)", nil, counting),
	"rand":   generate(0, "rand(DTYPE, DIM…, seed=0)", floats, func(c call) (filler, error) { return random(c.seed, uniform4), nil }),
	"randn":  generate(0, "randn(DTYPE, DIM…, seed=0)", floats, func(c call) (filler, error) { return random(c.seed, normal4), nil }),
}

// A call is a generator's arguments.
type call struct {
	form    string
	leading []any // the arguments before the dtype
	dtype   tegula.DType
	dims    []int
	seed    uint64
}

// A filler writes the elements from..to of an array.
type filler func(a *tegula.Array, from, to int)

// floats says that a generator makes floats only, and takes a seed.
var floats = tegula.DType.IsFloat

// generate makes the function of a generator. It has leading arguments before the dtype. accepts
// is not nil for random ones, and says which dtypes they can make.
func generate(leading int, form string, accepts func(tegula.DType) bool, prepare func(call) (filler, error)) generator {
	return func(arena *tegula.Arena) tegula.Func {
		return func(args []any, kwargs map[string]any) (any, error) {
			c := call{form: form}
			if err := c.bind(args, kwargs, leading, accepts != nil); err != nil {
				return nil, err
			}
			if accepts != nil && !accepts(c.dtype) {
				return nil, fmt.Errorf("%s makes floats, not %s", form, c.dtype)
			}
			fill, err := prepare(c)
			if err != nil {
				return nil, err
			}
			a, err := arena.NewArray(c.dtype, c.dims...)
			if err == nil && fill != nil {
				inParallel(a, fill)
			}
			return a, err
		}
	}
}

// bind reads the arguments.
func (c *call) bind(args []any, kwargs map[string]any, leading int, seeded bool) error {
	for name, v := range kwargs {
		n, ok := v.(int64)
		if name != "seed" || !seeded || !ok {
			return fmt.Errorf("%s takes no such keyword argument: %s=%v", c.form, name, v)
		}
		c.seed = uint64(n)
	}
	if len(args) < leading+1 {
		return fmt.Errorf("%s: too few arguments", c.form)
	}
	c.leading = args[:leading]
	d, ok := args[leading].(tegula.DType)
	if !ok {
		return fmt.Errorf("%s: %v is no element type", c.form, args[leading])
	}
	c.dtype = d
	for _, arg := range args[leading+1:] {
		if err := c.addDim(arg); err != nil {
			return err
		}
	}
	return nil
}

// addDim adds a dimension, or a tuple of them.
func (c *call) addDim(arg any) error {
	switch arg := arg.(type) {
	case int64:
		if arg < 0 || arg > math.MaxInt {
			return fmt.Errorf("%s: %d is no size of a dimension", c.form, arg)
		}
		c.dims = append(c.dims, int(arg))
		return nil
	case tegula.Tuple:
		for _, d := range arg {
			if _, nested := d.(tegula.Tuple); nested {
				return fmt.Errorf("%s: a shape holds integers", c.form)
			}
			if err := c.addDim(d); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s: %v is no size of a dimension", c.form, arg)
}

// constant fills with one number.
func constant(d tegula.DType, v any) (filler, error) {
	bits, err := encode(d, v)
	if err != nil {
		return nil, err
	}
	return func(a *tegula.Array, from, to int) {
		for i := from; i < to; i++ {
			put(a, i, bits)
		}
	}, nil
}

// counting fills with 0, 1, 2 …
func counting(c call) (filler, error) {
	if len(c.dims) != 1 {
		return nil, fmt.Errorf("%s takes one size", c.form)
	}
	if n := c.dims[0]; n > 0 {
		if _, err := encode(c.dtype, int64(n-1)); err != nil {
			return nil, err
		}
		if c.dtype.IsFloat() && overflows(c.dtype, float64(n-1)) {
			return nil, fmt.Errorf("%s does not hold %d", c.dtype, n-1)
		}
	}
	bits := func(i int) uint64 { return uint64(i) }
	if d := c.dtype; d.IsFloat() {
		bits = func(i int) uint64 { return d.Encode(float64(i)) }
	}
	return func(a *tegula.Array, from, to int) {
		for i := from; i < to; i++ {
			put(a, i, bits(i))
		}
	}, nil
}

// random makes numbers by four, one counter for each four.
func random(seed uint64, four func(seed uint64, counter uint32, out *[4]float32)) filler {
	return floating(func(from int, out []float32) {
		var last [4]float32
		for i := 0; i < len(out); i += 4 {
			counter := uint32((from + i) / 4)
			if len(out)-i >= 4 {
				four(seed, counter, (*[4]float32)(out[i:]))
				continue
			}
			four(seed, counter, &last)
			copy(out[i:], last[:])
		}
	})
}

// floating stores what make gives for the elements from an index on, in float32, in the array's
// type. The index is a multiple of four.
func floating(fill func(from int, out []float32)) filler {
	return func(a *tegula.Array, from, to int) {
		if a.DType == tegula.FP32 {
			fill(from, unsafe.Slice((*float32)(unsafe.Pointer(&a.Data[4*from])), to-from))
			return
		}
		var buffer [1024]float32
		for ; from < to; from += len(buffer) {
			part := buffer[:min(len(buffer), to-from)]
			fill(from, part)
			for i, x := range part {
				put(a, from+i, a.DType.Encode(float64(x)))
			}
		}
	}
}

// encode gives the bits of a number in a type that must hold it.
func encode(d tegula.DType, v any) (uint64, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return encode(d, int64(1))
		}
		return encode(d, int64(0))
	case int64:
		if d.IsFloat() {
			return d.Encode(float64(v)), nil
		}
		lo, hi := int64(0), int64(math.MaxInt64)
		if d.IsSigned() {
			lo, hi = math.MinInt64>>(64-d.Bits()), math.MaxInt64>>(64-d.Bits())
		} else if d.Bits() < 64 {
			hi = 1<<d.Bits() - 1
		}
		if v < lo || v > hi {
			return 0, fmt.Errorf("%s does not hold %d", d, v)
		}
		return uint64(v), nil
	case *big.Int:
		if d == tegula.U64 && v.IsUint64() {
			return v.Uint64(), nil
		}
		if f, _ := new(big.Float).SetInt(v).Float64(); d.IsFloat() && !math.IsInf(f, 0) && !overflows(d, f) {
			return d.Encode(f), nil
		}
		return 0, fmt.Errorf("%s does not hold %v", d, v)
	case float64:
		if d.IsFloat() {
			return d.Encode(v), nil
		}
		return 0, fmt.Errorf("%s does not hold the float %v", d, v)
	}
	return 0, fmt.Errorf("%v is no number", v)
}

// overflows reports whether a number is larger than a float type can hold: then twice the number is the same there.
func overflows(d tegula.DType, v float64) bool {
	bits := d.Encode(v)
	return v != 0 && d.Decode(bits) != v && bits == d.Encode(2*v)
}

// put writes an element's bits.
func put(a *tegula.Array, i int, bits uint64) {
	switch a.DType.Bytes() {
	case 1:
		a.Data[i] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(a.Data[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(a.Data[4*i:], uint32(bits))
	case 8:
		binary.LittleEndian.PutUint64(a.Data[8*i:], bits)
	}
}

// inParallel fills an array on all processors. Chunks begin at multiples of four.
func inParallel(a *tegula.Array, fill filler) {
	n := a.Len()
	chunk := max(1<<14, n/runtime.GOMAXPROCS(0)/4*4+4)
	var wg sync.WaitGroup
	for from := 0; from < n; from += chunk {
		wg.Go(func() { fill(a, from, min(n, from+chunk)) })
	}
	wg.Wait()
}
