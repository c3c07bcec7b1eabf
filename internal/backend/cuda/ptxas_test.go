//go:build oracle

package cuda_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest"
)

// ptxas gives the path of NVIDIA's assembler, which comes with Triton.
func ptxas(t *testing.T) string {
	path := difftest.Ptxas()
	if path == "" {
		t.Skip("TEGULA_ORACLE_PYTHON names no Python with Triton; make test-oracles sets it")
	}
	return path
}

var (
	spills    = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	registers = regexp.MustCompile(`Used (\d+) registers`)
)

// TestExamples: ptxas accepts the examples for all architectures, and nothing is spilled.
func TestExamples(t *testing.T) {
	assembler, dir := ptxas(t), t.TempDir()
	for _, arch := range []string{"75", "80", "86", "89", "90a", "100a", "120"} {
		for _, e := range examples {
			path := filepath.Join(dir, e.name+arch+".ptx")
			if err := os.WriteFile(path, e.compile(t, arch), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(assembler, "-v", "-arch=sm_"+arch, path, "-o", path+".cubin").CombinedOutput()
			if err != nil {
				t.Errorf("%s for sm_%s: %v\n%s", e.name, arch, err, out)
				continue
			}
			m := spills.FindSubmatch(out)
			if m == nil || string(m[1]) != "0" || string(m[2]) != "0" {
				t.Errorf("%s for sm_%s spills:\n%s", e.name, arch, out)
			}
			if r := registers.FindSubmatch(out); r != nil {
				t.Logf("sm_%s %s: %s registers", arch, e.name, r[1])
			}
		}
	}
}

// complements have one of what a branch knows: alone, narrowed, and merged with another logic operation.
const complements = `
import triton
import triton.language as tl

@triton.jit
def known(x, out):
    pid = tl.program_id(0)
    if pid != 5:
        y = tl.load(x)
    else:
        y = %s
    tl.store(out, y)
`

// TestComplementsOfWhatIsKnown: ptxas knows the operand, and yet what is stored is its complement.
func TestComplementsOfWhatIsKnown(t *testing.T) {
	assembler, dir := ptxas(t), t.TempDir()
	for expr, want := range map[string]uint32{"~pid": ^uint32(5), "~pid & 0xff00": 0xff00, "(~pid).to(tl.uint16).to(tl.int32)": 0xfffa, "~pid | 7": ^uint32(0), "(~pid ^ 16)": ^uint32(21)} {
		path := filepath.Join(dir, "known.ptx")
		assemble(t, path, fmt.Sprintf(complements, expr), "90a", "i32")
		code, err := exec.Command(filepath.Join(filepath.Dir(assembler), "nvdisasm"), "-c", path+".cubin").Output()
		if err != nil {
			t.Fatal(err)
		}
		// Either it is still to be done, or done: its result is a constant. What ptxas gets wrong shows neither.
		undone, done := "RZ, 0x5, RZ, 0x33,", fmt.Sprintf(", (-0x%x|0x%x) ;", -want, want)
		if !strings.Contains(string(code), undone) && !regexp.MustCompile(done).Match(code) {
			t.Errorf("%s is not %#x:\n%s", expr, want, code)
		}
	}
}

// TestAtomicsWithoutResults: ptxas takes atomics whose results nobody wants, of all orders; of some types it crashed on them.
func TestAtomicsWithoutResults(t *testing.T) {
	dir := t.TempDir()
	for _, arch := range []string{"80", "90a", "100a"} {
		for _, typ := range []string{"bf16", "fp16", "fp32", "fp64", "i32", "u64"} {
			var text strings.Builder
			text.WriteString("import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x, out):\n    i = tl.arange(0, 128)\n    v = tl.load(x + i)\n")
			for _, sem := range []string{"relaxed", "acquire", "release", "acq_rel"} {
				fmt.Fprintf(&text, "    tl.atomic_add(out + i %% 7, v, mask=i < 99, sem='%s')\n    tl.atomic_add(out + 9, tl.max(v, 0), sem='%[1]s')\n", sem)
			}
			assemble(t, filepath.Join(dir, typ+arch+".ptx"), text.String(), arch, typ)
		}
	}
}

// assemble compiles the only kernel of a source, of arrays x and out of a type, and has ptxas make path.cubin of it.
func assemble(t *testing.T, path, source, arch, typ string) {
	t.Helper()
	mod, err := tegula.Load("kernel.py", []byte(source))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	k, err := mod.Kernel(mod.EntryKernels()[0]).Compile(tegula.CompileOptions{Target: "cuda:" + arch, Signature: "x=*" + typ + ":16, out=*" + typ + ":16"})
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	ptx, err := k.Emit("ptx")
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if err := os.WriteFile(path, ptx, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(ptxas(t), "-arch=sm_"+arch, path, "-o", path+".cubin").CombinedOutput(); err != nil {
		t.Errorf("%s for sm_%s: %v\n%s", typ, arch, err, out)
	}
}
