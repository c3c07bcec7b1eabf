package cuda_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden shows what becomes of a few kernels.
func TestGolden(t *testing.T) {
	for _, e := range examples[:3] {
		t.Run(e.name, func(t *testing.T) {
			path := filepath.Join("testdata", e.name+".ptx")
			got := e.compile(t, "90a")
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

// TestSize: the code does not grow with the tile.
func TestSize(t *testing.T) {
	for _, e := range examples[:4] {
		small := e
		small.sig = strings.ReplaceAll(e.sig, "BLOCK=1024", "BLOCK=16384")
		large := e
		large.sig = strings.ReplaceAll(e.sig, "BLOCK=1024", "BLOCK=131072")
		a, b := len(small.compile(t, "90a")), len(large.compile(t, "90a"))
		if b > 2*a+1000 {
			t.Errorf("%s: %d bytes for a block of 16384, %d for one of 131072", e.name, a, b)
		}
	}
}

const kernels = `
import triton
import triton.language as tl

@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

@triton.jit
def shared(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    j = tl.load(x + i)
    tl.store(y + i, tl.gather(j, j, 0))

@triton.jit
def placed(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    j = tl.load(x + i)
    tl.store(y + i + tl.program_id(0) * tl.num_programs(1), tl.gather(j, j, 0))

@triton.jit
def café(x, y, n, BLOCK: tl.constexpr):
    tl.device_assert(n > 0, "no elements")
    tl.device_print("n is", n)

@triton.jit
def cached(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, cache_modifier=".cg")
    b = tl.load(x + BLOCK + i, eviction_policy="evict_last", volatile=True)
    tl.store(y + i, a + b, cache_modifier=".cs")
`

func compile(t *testing.T, kernel, target, sig string) (string, *driver.KernelMetadata, error) {
	t.Helper()
	mod, err := tegula.Load("kernels.py", []byte(kernels))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	k, err := mod.Kernel(kernel).Compile(tegula.CompileOptions{Target: target, Signature: sig})
	if err != nil {
		return "", nil, err
	}
	ptx, err := k.Emit("ptx")
	if err != nil {
		return "", nil, err
	}
	text, err := k.Emit("metadata")
	if err != nil {
		t.Fatal(err)
	}
	m, err := driver.ParseKernelMetadata(text)
	return string(ptx), m, err
}

// TestAccesses: what is known of alignment decides how wide accesses are.
func TestAccesses(t *testing.T) {
	for sig, want := range map[string]string{
		"*fp32:16, *fp32:16, i32:16, BLOCK=1024": `ld\.global\.v4\.b32`,
		"*fp16:16, *fp16:16, i32:16, BLOCK=1024": `ld\.global\.v4\.b32`,
		"*i8:16, *i8:16, i32:16, BLOCK=2048":     `ld\.global\.v4\.b32`,
		"*fp64:16, *fp64:16, i32:16, BLOCK=1024": `ld\.global\.v2\.b64`,
		"*fp32, *fp32, i32:16, BLOCK=1024":       `ld\.global\.b32`,
		"*fp32:16, *fp32:16, i32, BLOCK=1024":    `ld\.global\.b32`, // the mask may end anywhere
	} {
		ptx, _, err := compile(t, "copy", "cuda:90a", sig)
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		if !regexp.MustCompile(want).MatchString(ptx) {
			t.Errorf("%s: no %s in\n%s", sig, want, ptx)
		}
	}
}

// TestUnfused: a product and the sum that it is used in are rounded once, unless that is not wanted.
func TestUnfused(t *testing.T) {
	mod, err := tegula.Load("f.py", []byte("import triton\nimport triton.language as tl\n@triton.jit\ndef f(x):\n    v = tl.load(x)\n    tl.store(x, v * v + 1)\n"))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for unfused, want := range map[bool][]string{false: {"mul.f32", "add.f32"}, true: {"mul.rn.f32", "add.rn.f32"}} {
		k, err := mod.Kernel("f").Compile(tegula.CompileOptions{Target: "cuda:80", Signature: "*fp32", Unfused: unfused})
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		ptx, err := k.Emit("ptx")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(ptx), w) {
				t.Errorf("unfused %t: no %s in\n%s", unfused, w, ptx)
			}
		}
	}
}

// TestClusters: a program of several CTAs numbers its threads through all of them, and they meet in the memory of the first.
func TestClusters(t *testing.T) {
	mod, err := tegula.Load("kernels.py", []byte(kernels))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	options := tegula.CompileOptions{Target: "cuda:90a", Signature: "*i32:16, *i32:16, i32, BLOCK=1024", NumCTAs: 4, NumWarps: 2}
	k, err := mod.Kernel("placed").Compile(options)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	ptx, err := k.Emit("ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".reqntid 64\n", "%cluster_ctarank", "mad.lo.u32", "%clusterid.x", "%nclusterid.y", "mapa.shared::cluster.u32", "st.shared::cluster", "ld.shared::cluster",
		"barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n    ret;",
	} {
		if !strings.Contains(string(ptx), want) {
			t.Errorf("no %q in\n%s", want, ptx)
		}
	}
	if regexp.MustCompile(`bar\.sync|\[shared|%n?ctaid\.|ld\.shared\.|st\.shared\.`).Match(ptx) {
		t.Errorf("a CTA of its own in\n%s", ptx)
	}
	text, err := k.Emit("metadata")
	if err != nil {
		t.Fatal(err)
	}
	m, err := driver.ParseKernelMetadata(text)
	if err != nil || m.NumCTAs != 4 || m.NumWarps != 2 || m.Backends.CUDA.Cluster != [3]int{4, 1, 1} {
		t.Errorf("%+v, %v", m, err)
	}
	options.Target = "cuda:89"
	if k, err = mod.Kernel("placed").Compile(options); err == nil {
		_, err = k.Emit("ptx")
	}
	if !errors.Is(err, tegula.ErrUnsupported) || !strings.Contains(err.Error(), "sm_89 has no clusters") {
		t.Errorf("cuda:89: %v", err)
	}
}

// TestRegisters: a launch may say how many registers a thread takes at most.
func TestRegisters(t *testing.T) {
	mod, err := tegula.Load("kernels.py", []byte(kernels))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for n, says := range map[int]bool{0: false, 40: true} {
		k, err := mod.Kernel("copy").Compile(tegula.CompileOptions{Target: "cuda:80", Signature: "*fp32:16, *fp32:16, i32, BLOCK=1024", MaxRegisters: n})
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		ptx, err := k.Emit("ptx")
		if err != nil || strings.Contains(string(ptx), ".maxnreg 40\n") != says {
			t.Errorf("%d registers: %v\n%s", n, err, ptx)
		}
	}
	if _, err := mod.Kernel("copy").Compile(tegula.CompileOptions{Target: "cuda:80", Signature: "*fp32, *fp32, i32, BLOCK=1024", MaxRegisters: 256}); err == nil || !strings.Contains(err.Error(), "maxnreg is 256; it must be a number from 1 to 255") {
		t.Errorf("256 registers: %v", err)
	}
}

// TestPrint: values lie as the members of a C struct do, where vprintf reads them.
func TestPrint(t *testing.T) {
	mod, err := tegula.Load("p.py", []byte("import triton\nimport triton.language as tl\n@triton.jit\ndef f(x):\n    tl.device_print(\"v\", tl.load(x))\n"))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for elem, want := range map[string][]string{
		"fp32": {"print.*\\[24\\]", `st\.local\.b32 \[print\w+\+8\]`, `st\.local\.b64 \[print\w+\+16\]`}, "i8": {"print.*\\[16\\]", `st\.local\.b32 \[print\w+\+12\]`},
	} {
		k, err := mod.Kernel("f").Compile(tegula.CompileOptions{Target: "cuda:80", Signature: "*" + elem})
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		ptx, err := k.Emit("ptx")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !regexp.MustCompile(w).Match(ptx) {
				t.Errorf("%s: no %s in\n%s", elem, w, ptx)
			}
		}
	}
}

// TestArguments: more than four kilobytes of arguments need a later PTX, and there is an end to it.
func TestArguments(t *testing.T) {
	for n, want := range map[int]string{500: ".version 8.0", 600: ".version 8.1", 4200: ""} {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("a", i)
		}
		text := "import triton\nimport triton.language as tl\n@triton.jit\ndef f(out, " + strings.Join(names, ", ") + "):\n    tl.store(out, a0 + " + names[n-1] + ")\n"
		mod, err := tegula.Load("f.py", []byte(text))
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		k, err := mod.Kernel("f").Compile(tegula.CompileOptions{Target: "cuda:90a", Signature: "*i64" + strings.Repeat(", i64", n)})
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		ptx, err := k.Emit("ptx")
		if want == "" {
			if !errors.Is(err, tegula.ErrOutOfResources) || !strings.Contains(err.Error(), "33608 bytes of arguments; a launch has at most 32764") {
				t.Errorf("%d arguments: %v", n, err)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(string(ptx), want) {
			t.Errorf("%d arguments: %v, %.30s", n, err, ptx)
		}
	}
}

func TestCaches(t *testing.T) {
	ptx, _, err := compile(t, "cached", "cuda:80", "*fp32:16, *fp32:16, i32, BLOCK=512")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, want := range []string{"ld.global.cg.v4.b32", "ld.volatile.global.v4.b32", "st.global.cs.v4.b32"} {
		if !strings.Contains(ptx, want) {
			t.Errorf("no %s in\n%s", want, ptx)
		}
	}
}

func TestMetadata(t *testing.T) {
	_, m, err := compile(t, "shared", "cuda:90a", "*i32:16, *i32:16, i32, BLOCK=1024")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	c := m.Backends.CUDA
	if m.Shared != 4096 || m.ThreadsPerWarp != 32 || c == nil || c.DynamicShared != 4096 || c.Entry != "shared" || c.PTX != "8.0" {
		t.Errorf("%+v, %+v", m, c)
	}
}

func TestNames(t *testing.T) {
	ptx, m, err := compile(t, "café", "cuda:75", "*i32, *i32, i32, BLOCK=1024")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if entry := m.Backends.CUDA.Entry; entry != "caf$e9" || !strings.Contains(ptx, ".entry "+entry+"(") {
		t.Errorf("the entry is %s in\n%s", entry, ptx)
	}
}

func TestRefuses(t *testing.T) {
	for target, want := range map[string]string{
		"cuda:70":  "cuda:70 is not supported; the oldest architecture is cuda:75",
		"cuda:90a": "bytes of shared memory are needed here, and there are 232448",
	} {
		_, _, err := compile(t, "shared", target, "*i32:16, *i32:16, i32, BLOCK=131072")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
		if target == "cuda:90a" && !errors.Is(err, tegula.ErrOutOfResources) {
			t.Errorf("%s: %v", target, err)
		}
	}
}
