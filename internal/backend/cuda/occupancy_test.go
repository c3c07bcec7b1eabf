package cuda_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/tegula-lang/tegula"
)

// TestRegisterLimit: kernels whose threads wait for each other leave room for others, as long as what they hold has room itself.
func TestRegisterLimit(t *testing.T) {
	text, err := os.ReadFile("../../../examples/softmax.py")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := tegula.Load("examples/softmax.py", text)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	limit := regexp.MustCompile(`\n\.maxnreg (\d+)\n`)
	for _, c := range []struct {
		block, warps int
		want         string
	}{
		{1024, 1, ""},     // nobody waits
		{1024, 4, "64"},   // room for 1,024 threads
		{4096, 16, "40"},  // for three programs
		{16384, 16, "64"}, // for two
		{16384, 8, "128"}, // 64 elements of a row a thread: for 512 threads
		{4096, 2, "128"},  // likewise
		{32768, 16, ""},   // a program alone
		{65536, 16, "40"}, // in parts: nothing is held
	} {
		k, err := mod.Kernel("softmax").Compile(tegula.CompileOptions{Target: "cuda:90a", NumWarps: c.warps,
			Signature: fmt.Sprintf("*fp32:16, *fp32:16, i32:16, i32:16, i32:16, BLOCK=%d", c.block)})
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		ptx, err := k.Emit("ptx")
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		got := ""
		if m := limit.FindSubmatch(ptx); m != nil {
			got = string(m[1])
		}
		if got != c.want {
			t.Errorf("rows of %d, %d warps: a limit of %q registers, not %q", c.block, c.warps, got, c.want)
		}
	}
}
