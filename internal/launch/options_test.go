package launch

import (
	"errors"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/target"
)

// What a launch asks for has to be there; what the environment asks of all launches holds where it is.
func TestOptionsOfTargets(t *testing.T) {
	cpu, cuda := target.Target{Backend: "cpu"}.Limits(), target.Target{Backend: "cuda"}.Limits()
	for name, test := range map[string]struct {
		asked, environment Options
		limits             target.Limits
		want               Options
		says               string
	}{
		"the checker on the CPU":             {asked: Options{Check: true}, limits: cpu, want: Options{Check: true, Debug: true}},
		"the checker elsewhere":              {asked: Options{Check: true}, limits: cuda, says: "CPU only"},
		"the environment's on the CPU":       {environment: Options{Check: true}, limits: cpu, want: Options{Check: true, Debug: true}},
		"the environment's elsewhere":        {environment: Options{Check: true}, limits: cuda},
		"assertions":                         {asked: Options{Debug: true}, limits: cuda, want: Options{Debug: true}},
		"as many warps as a block can have":  {asked: Options{NumWarps: 32}, limits: cuda, want: Options{NumWarps: 32}},
		"more warps than a block can have":   {asked: Options{NumWarps: 64}, limits: cuda, says: "from 1 to 32"},
		"more warps than the metadata holds": {asked: Options{NumWarps: 128}, limits: cpu, says: "from 1 to 64"},
	} {
		k := &Kernel{defaults: test.environment}
		k.defaults.NumWarps, k.defaults.NumStages, k.defaults.NumCTAs = defaultWarps, defaultStages, defaultCTAs
		got := test.asked
		err := k.options(&got, test.limits)
		if test.says != "" {
			if !errors.Is(err, diag.Argument) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		test.want.NumWarps, test.want.NumStages, test.want.NumCTAs = firstNonZero(test.want.NumWarps, defaultWarps), defaultStages, defaultCTAs
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A configuration may set the compiler's options among its values, and those of other devices' compilers, which say nothing here.
func TestOptionsOfConfigurations(t *testing.T) {
	k := kernelFrom(t, `
@triton.autotune(configs=[triton.Config({"BLOCK": 16, "waves_per_eu": 2, "kpack": 2, "matrix_instr_nonkdim": 16, "threads_per_warp": 32,
                                         "num_stages": 5, "debug": True, "enable_fp_fusion": False}, num_warps=8)], key=[])
@triton.jit
def k(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, BLOCK)
`, "k")
	var got Options
	if err := k.options(&got, target.Limits{}); err != nil {
		t.Fatal(err)
	}
	if want := (Options{NumWarps: 8, NumStages: 5, NumCTAs: 1, ThreadsPerWarp: 32, Debug: true, Unfused: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := args(Array(dtype.Int32, make([]byte, 4))).launch(t.Context(), k); err != nil {
		t.Error(diag.Detail(err))
	}
}
