package launch

import (
	"runtime"
	"testing"
	"weak"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// A call that ended keeps nothing alive: neither arrays nor constants.
func TestCallKeepsNothing(t *testing.T) {
	k := kernelOf(Param{Name: "a"}, Param{Name: "rest", Kind: Variadic})
	var c *Call
	pointers := func() []weak.Pointer[[1 << 12]byte] {
		var list []weak.Pointer[[1 << 12]byte]
		memory := func() []byte {
			b := new([1 << 12]byte)
			list = append(list, weak.Make(b))
			return b[:]
		}
		c = k.Begin()
		c.Next().SetHost(dtype.Int8, memory(), nil)
		c.Next().SetHost(dtype.Int8, memory(), nil)
		*c.Next() = tupleOf(Array(dtype.Int8, memory()))
		if err := c.Bind(); err != nil {
			t.Fatal(err)
		}
		c.End()
		return list
	}()
	runtime.GC()
	runtime.GC()
	for i, p := range pointers {
		if p.Value() != nil {
			t.Errorf("array %d is alive", i)
		}
	}
	runtime.KeepAlive(c)
}

// Calls are used again: nothing of one shows in another.
func TestCallsAreUsedAgain(t *testing.T) {
	large := kernelOf(Param{Name: "a"}, Param{Name: "b"}, Param{Name: "c"}, Param{Name: "rest", Kind: Variadic})
	small := kernelOf(Param{Name: "a"}, Param{Name: "b"})
	for range 4 {
		r := args(Int(1), Int(2), Int(3), Int(4), Int(5))
		r.options = Options{NumWarps: 8, Debug: true}
		if got, _, err := bindAll(large, r); err != nil || pyval.Repr(got[3]) != "(4, 5)" {
			t.Fatalf("%v, %v", got, err)
		}
		c := args(Int(7)).begin(small)
		if c.Options != (Options{}) || c.Stdout != nil || c.Note != nil || c.Meta != nil {
			t.Errorf("%+v", c.Options)
		}
		checkError(t, c.Bind(), diag.Argument, "missing-argument", "k misses its argument 'b'")
		c.End()
	}
}

// However an argument is given twice, it is an error that names it.
func TestArgumentTwice(t *testing.T) {
	k := kernelOf(Param{Name: "a"}, Param{Name: "b"})
	for name, collect := range map[string]func(*Call){
		"position, then name": func(c *Call) { c.Next().SetInt(1); c.Named("a").SetInt(2) },
		"name, then position": func(c *Call) { c.Named("a").SetInt(2); c.Next().SetInt(1) },
		"name, then name":     func(c *Call) { c.Named("a").SetInt(2); c.Named("a").SetInt(1) },
	} {
		t.Run(name, func(t *testing.T) {
			c := k.Begin()
			defer c.End()
			collect(c)
			c.Next().SetInt(3)
			checkError(t, c.Bind(), diag.Argument, "duplicate-argument", "argument 'a' of k is given twice")
		})
	}
}

// Options out of range are refused by name, also where they would be cut to valid ones.
func TestOptionsRefused(t *testing.T) {
	k := kernelFrom(t, stores, "store")
	for name, test := range map[string]struct {
		options   Options
		code, msg string
	}{
		"no warps":        {Options{NumWarps: -1}, "num-warps", "num_warps is less than 1; it must be a power of two from 1 to 64"},
		"three warps":     {Options{NumWarps: 3}, "num-warps", "num_warps is 3; it must be a power of two from 1 to 64"},
		"too many warps":  {Options{NumWarps: 128}, "num-warps", "num_warps is 128"},
		"a cut number":    {Options{NumWarps: 256 + 4}, "num-warps", "num_warps is 260"},
		"no stages":       {Options{NumStages: -1}, "num-stages", "num_stages is less than 1; it must be a number from 1 to 64"},
		"too many stages": {Options{NumStages: 65}, "num-stages", "num_stages is 65"},
		"no lanes":        {Options{ThreadsPerWarp: -1}, "threads-per-warp", "threads_per_warp is less than 1; it must be a power of two from 1 to 64"},
		"24 lanes":        {Options{ThreadsPerWarp: 24}, "threads-per-warp", "threads_per_warp is 24; it must be a power of two from 1 to 64"},
		"no CTAs":         {Options{NumCTAs: -1}, "num-ctas", "num_ctas is less than 1"},
		"three CTAs":      {Options{NumCTAs: 3}, "num-ctas", "num_ctas is 3; it must be a power of two from 1 to 16"},
	} {
		t.Run(name, func(t *testing.T) {
			r := args(Array(dtype.Int32, make([]byte, 4)), Int(5))
			r.options = test.options
			checkError(t, r.launch(t.Context(), k), diag.Argument, test.code, test.msg)
		})
	}
}
