package main

import (
	"math"
	"regexp"
	"testing"

	"github.com/tegula-lang/tegula"
)

// sizes finds what could make a large array: no test of a parser should need gigabytes.
var sizes = regexp.MustCompile(`[0-9_]{6}|<<|\*|0[xX]|[eE]`)

func FuzzValue(f *testing.F) {
	for _, text := range []string{"x=1", "x=-1.5", "x=zeros(fp32, 2, 3)", "x=full(True, i1, (2, 3))", "x=arange(u8, 9)", "x=rand(bf16, 5, seed=3)",
		"x=@none.npy", "x=@none.npy:bf16", "x=tl.float16", "x=(1, [2, 'a'])", "x=cdiv(7, 2)", "x=lambda: 1", "=", "x"} {
		f.Add(text)
	}
	mod, err := tegula.LoadFile("testdata/one.py")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if sizes.MatchString(text) {
			return
		}
		args, err := parseArguments(mod, new(tegula.Arena), nil, []string{text}, func(string) {})
		if err == nil && len(args.names) != 1 {
			t.Errorf("%q: %v", text, args.names)
		}
	})
}

func TestGenerators(t *testing.T) {
	mod, err := tegula.LoadFile("testdata/one.py")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"zeros(fp32, 2, 3)":           "fp32[2, 3]  0 0 0 0 0 0",
		"zeros(float16)":              "fp16[]  0",
		"zeros(tl.bfloat16, (2, 0))":  "bf16[2, 0]  ",
		"full(1.5, bf16, 3)":          "bf16[3]  1.5 1.5 1.5",
		"full(-1, i8, 2)":             "i8[2]  -1 -1",
		"full(True, bool, 2)":         "i1[2]  True True",
		"full(2**64 - 1, u64, 1)":     "u64[1]  18446744073709551615",
		"full(float('inf'), fp64, 1)": "fp64[1]  +Inf",
		"arange(i32, 10)":             "i32[10]  0 1 2 3 4 5 6 7 …",
		"arange(fp8e4nv, 4)":          "fp8e4nv[4]  0 1 2 3",
	} {
		v, err := parseValue(mod, new(tegula.Arena), text, valueNames(new(tegula.Arena)))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := summary(v.(*tegula.Array)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// rand and randn give what the kernel language's own functions give. The last bits of normal
// numbers may differ.
func TestRandom(t *testing.T) {
	mod, err := tegula.LoadFile("testdata/random.py")
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	for _, normal := range []bool{false, true} {
		for _, seed := range []int64{0, 7, 1 << 40} {
			name := map[bool]string{false: "rand", true: "randn"}[normal]
			made, err := generators[name](new(tegula.Arena))([]any{tegula.FP32, int64(n)}, map[string]any{"seed": seed})
			if err != nil {
				t.Fatal(err)
			}
			got := made.(*tegula.Array).Float64s()
			want := make([]float32, n)
			err = mod.Kernel("random").Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, want, seed, n,
				tegula.Const("NORMAL", normal), tegula.Const("BLOCK", 256))
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			for i := range want {
				if diff := math.Abs(got[i] - float64(want[i])); diff > 2e-6 || diff > 0 && !normal {
					t.Fatalf("%s, seed %d, element %d: %v, want %v", name, seed, i, got[i], want[i])
				}
			}
		}
	}
}

// Chunks, dtypes and lengths do not change the numbers.
func TestRandomPrefix(t *testing.T) {
	long, err := generators["randn"](new(tegula.Arena))([]any{tegula.FP32, int64(100_001)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers := long.(*tegula.Array).Float64s()
	for _, d := range []tegula.DType{tegula.FP32, tegula.BF16, tegula.FP64} {
		short, err := generators["randn"](new(tegula.Arena))([]any{d, int64(1), int64(1030)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range short.(*tegula.Array).Float64s() {
			if want := d.Decode(d.Encode(numbers[i])); x != want {
				t.Fatalf("%s, element %d: %v, want %v", d, i, x, want)
			}
		}
	}
}
