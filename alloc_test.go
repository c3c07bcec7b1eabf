package tegula_test

import (
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/fake"
)

// number keeps the compiler from knowing the arguments: numbers that it knows, and small ones,
// cost no allocation anyhow.
var number = 100_000

// pair is a type that only reflection knows.
type pair int32

// The launch of a compiled variant allocates nothing, with its arguments, grid and options: what the
// caller writes in the call does not escape. This fails when something on the way keeps an
// argument or calls a method of one; setValue says more.
func TestContractCachedLaunchAllocatesNothing(t *testing.T) {
	skipUnderRace(t)
	f := newFake(t, fake.Options{Discard: true})
	s := f.Stream(0)
	mod := load(t, `
@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, eps = 1e-5, BLOCK: tl.constexpr = 128, ACT: tl.constexpr = "none"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if ACT == "none":
        tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n) + eps, mask=i < n)

@triton.jit
def many(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s):
    tl.store(a, tl.load(b) + tl.load(c) + tl.load(d) + tl.load(e) + f + g + h + i + j + k + l + m + n + o + p + q + r + s)

@triton.jit
def typed(x_ptr, n: tl.int64, m: tl.uint8):
    if x_ptr is not None:
        tl.store(x_ptr, n + m)
`)
	var b [5]*tegula.Buffer
	for i := range b {
		var err error
		if b[i], err = tegula.NewBuffer(s, tegula.FP32, 64); err != nil {
			t.Fatal(err)
		}
	}
	add, many, typed := mod.Kernel("add"), mod.Kernel("many"), mod.Kernel("typed")
	prepared, err := add.Prepare(s, tegula.Grid{1}, b[0], b[1], b[2], number)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	ctx := t.Context()
	for name, launch := range map[string]func() error{
		"4 arguments": func() error {
			return add.Launch(ctx, s, tegula.Grid{number / 128, 2}, b[0], b[1], b[2], number)
		},
		"19 arguments": func() error {
			n := number
			return many.Launch(ctx, s, tegula.Grid{n}, b[0], b[1], b[2], b[3], b[4], float32(n), float64(n), n, n, int64(n), int32(n), n, n, n, n, n, n, n, n > 1)
		},
		"a constant": func() error {
			return add.Launch(ctx, s, tegula.Grid{number}, b[0], b[1], b[2], number, tegula.Const("BLOCK", 1024<<(number&1)))
		},
		"names and a text": func() error {
			return add.Launch(ctx, s, tegula.Grid{number}, b[0], b[1], tegula.Arg("n", number), tegula.Arg("out_ptr", b[2]), tegula.Const("ACT", "none"))
		},
		"options": func() error {
			return add.Launch(ctx, s, tegula.Grid{number}, b[0], b[1], b[2], number, tegula.NumWarps(8), tegula.NumStages(2))
		},
		"types of the caller's": func() error {
			return add.Launch(ctx, s, tegula.Grid{number}, b[0], b[1], b[2], pair(number))
		},
		"declared types": func() error { return typed.Launch(ctx, s, tegula.Grid{number}, b[0], number, 200) },
		"None":           func() error { return typed.Launch(ctx, s, tegula.Grid{number}, nil, number, 200) },
		"a function's grid": func() error {
			return add.Launch(ctx, s, tegula.GridFunc(func(a tegula.Args) tegula.Grid {
				return a.Grid(tegula.Cdiv(a.Int("n"), a.Int("BLOCK")), a.Len("x_ptr"))
			}), b[0], b[1], b[2], number)
		},
		"prepared": func() error { return prepared.Launch(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			once := func() {
				if e := launch(); e != nil {
					err = e
				}
				number++
			}
			for range 32 { // compile each variant that comes
				once()
			}
			if n := testing.AllocsPerRun(200, once); n != 0 || err != nil {
				t.Errorf("%v allocations, error %v", n, err)
			}
		})
	}
}

// Slices of this process do not escape either; a launch on the CPU allocates what its executor does
// and no more.
func TestCachedLaunchOfSlices(t *testing.T) {
	skipUnderRace(t)
	mod := load(t, "@triton.jit\ndef k(x_ptr, n):\n    pass\n")
	k, x := mod.Kernel("k"), make([]float32, 64)
	ctx := t.Context()
	p, err := k.Prepare(tegula.CPU(), tegula.Grid{1}, x, number)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	alone := testing.AllocsPerRun(200, func() {
		if err := p.Launch(ctx); err != nil {
			t.Error(err)
		}
	})
	whole := testing.AllocsPerRun(200, func() {
		number++
		if err := k.Launch(ctx, tegula.CPU(), tegula.Grid{1}, x, number|16); err != nil {
			t.Error(err)
		}
	})
	if whole > alone {
		t.Errorf("%v allocations, of which the executor makes %v", whole, alone)
	}
}

// skipUnderRace skips a test that counts allocations: under the race detector sync.Pool forgets at random.
func skipUnderRace(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector sync.Pool forgets at random, so launches allocate")
	}
}
