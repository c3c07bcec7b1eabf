package cudacpp_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// An example is a kernel of examples/ with a usual signature.
type example struct {
	name, file, sig string
	warps           int
}

const matmulSig = "M=i32:16, N=i32:16, K=i32:16, stride_am=i32:16, stride_ak=1, stride_bk=i32:16, stride_bn=1, stride_cm=i32:16, stride_cn=1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=8"

var examples = []example{
	{"vector_add", "vector_add.py", "x_ptr=*fp32:16, y_ptr=*fp32:16, out_ptr=*fp32:16, n=i32:16, BLOCK=1024", 4},
	{"softmax", "softmax.py", "x_ptr=*fp32:16, out_ptr=*fp32:16, x_stride=i32:16, out_stride=i32:16, n_cols=i32:16, BLOCK=1024", 4},
	{"matmul", "matmul.py", "a_ptr=*fp16:16, b_ptr=*fp16:16, c_ptr=*fp16:16, " + matmulSig, 4},
	{"matmul", "matmul.py", "a_ptr=*fp32:16, b_ptr=*fp32:16, c_ptr=*fp32:16, " + matmulSig, 4},
	{"layer_norm", "layer_norm.py", "x_ptr=*fp16:16, weight_ptr=*fp16:16, bias_ptr=*fp16:16, out_ptr=*fp16:16, mean_ptr=*fp32:16, rstd_ptr=*fp32:16, stride=i32:16, n_cols=i32:16, eps=fp32, BLOCK=1024", 4},
	{"dropout", "dropout.py", "x_ptr=*fp32:16, out_ptr=*fp32:16, n=i32:16, p=fp32, seed=i32, BLOCK=1024", 4},
	{"attention", "attention.py", "q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16, out_ptr=*fp16:16, lse_ptr=*fp32:16, scale=fp32, n_ctx=i32:16, HEAD_DIM=64, BLOCK_M=64, BLOCK_N=64, CAUSAL=True", 4},
}

func (e example) text(t testing.TB, arch string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("../../../examples", e.file))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := tegula.Load("examples/"+e.file, src)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	k, err := mod.Kernel(e.name).Compile(tegula.CompileOptions{Target: "cuda:" + arch, Signature: e.sig, NumWarps: e.warps})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	text, err := k.Emit("cuda")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	return text
}

// TestGolden shows what becomes of a few kernels.
func TestGolden(t *testing.T) {
	for _, e := range examples[:3] {
		t.Run(e.name, func(t *testing.T) {
			path := filepath.Join("testdata", e.name+".cu")
			got := e.text(t, "90a")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestSame: the same input gives the same text.
func TestSame(t *testing.T) {
	for _, e := range examples {
		if a, b := e.text(t, "80"), e.text(t, "80"); string(a) != string(b) {
			t.Errorf("%s is another text the second time", e.name)
		}
	}
}

const kernels = `
import triton
import triton.language as tl

@triton.jit
def names(float, x, r, n, BLOCK: tl.constexpr):
    int = tl.arange(0, BLOCK)
    load = tl.load(float + int, mask=int < n)
    tl.store(x + int, load + r, mask=int < n)

@triton.jit
def café(x, n):
    tl.device_print("n is", n)

@triton.jit
def wraps(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(y + i, v * v + v // (v - 3))

@triton.jit
def rounds(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(y + i, tl.div_rn(v, 3.0) + tl.fma(v, v, v), cache_modifier=".cs")

@triton.jit
def adds(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + 1)

@triton.jit
def swaps(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(x + BLOCK + i)
    for k in range(n):
        a, b = b, a
    tl.store(x + i, a)
    tl.store(x + BLOCK + i, b)
`

func textOf(t *testing.T, kernel, sig string) string {
	t.Helper()
	mod, err := tegula.Load("kernels.py", []byte(kernels))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	k, err := mod.Kernel(kernel).Compile(tegula.CompileOptions{Target: "cuda:80", Signature: sig})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	text, err := k.Emit("cuda")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	return string(text)
}

// TestText looks for what shows how something is written.
func TestText(t *testing.T) {
	for _, c := range []struct{ kernel, sig, want string }{
		{"names", "*fp32:16, *fp32:16, fp32, i32, BLOCK=128", "names(float* float_1, float* x, float r_1, int n)"},
		{"names", "*fp32:16, *fp32:16, fp32, i32, BLOCK=128", "const float load_1 = "},
		{"café", "*fp32, i32", `void __launch_bounds__(128) caf$e9(float* x, int n)`},
		{"café", "*fp32, i32", `printf("`},
		{"wraps", "*i32:16, *i32:16, BLOCK=128", "(unsigned)v * v"},
		{"wraps", "*i32:16, *i32:16, BLOCK=128", `asm("div.s32 %0, %1, %2;"`},
		{"rounds", "*fp32:16, *fp32:16, BLOCK=128", "__fdiv_rn(v, 3.0f)"},
		{"rounds", "*fp32:16, *fp32:16, BLOCK=128", "__fmaf_rn(v, v, v)"},
		{"rounds", "*fp32:16, *fp32:16, BLOCK=128", `st.global.cs`},
		{"rounds", "*fp32:16, *fp32:16, BLOCK=128", "// 25: tl.store(y + i, tl.div_rn"},
		{"adds", "*i32:16, *i32:16, BLOCK=512", "] = (unsigned)loaded[r] + 1;"},
		{"swaps", "*fp32:16, i32, BLOCK=512", "b_next[r] = a[r];"},
	} {
		if text := textOf(t, c.kernel, c.sig); !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in\n%s", c.kernel, c.want, text)
		}
	}
}

// TestShown: docs/cuda-cpp.md shows the first example as it is.
func TestShown(t *testing.T) {
	page, err := os.ReadFile("../../../docs/cuda-cpp.md")
	if err != nil {
		t.Fatal(err)
	}
	_, kernel, _ := strings.Cut(string(examples[0].text(t, "90a")), "extern \"C\" __global__")
	if !strings.Contains(string(page), kernel) {
		t.Errorf("docs/cuda-cpp.md does not show\n%s", kernel)
	}
}
