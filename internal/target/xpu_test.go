package target_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
)

// TestXPUPolicy: the facts that the policy for SYCL devices asks for make other code, and those that it does not ask for make none. An access has at most
// 16 bytes, of elements of at least one.
func TestXPUPolicy(t *testing.T) {
	xpu, err := target.Target{Backend: "xpu"}.Compiler()
	if err != nil {
		t.Fatal(err)
	}
	policy := xpu.Policy()
	if want := (target.Policy{EqualOne: true, Divisibility: 16}); policy != want {
		t.Fatalf("%+v", policy)
	}
	for _, elem := range []string{"i8", "f16", "f32", "f64"} {
		module := func(address, stride int64) []byte {
			m, err := tile.Parse("k.tile", fmt.Appendf(nil, policyKernel, elem))
			if err != nil {
				t.Fatal(err)
			}
			m.Funcs[0].Params[0].Divisibility, m.Funcs[0].Params[1].Divisibility = address, stride
			b, err := xpu.Compile(target.Job{Module: m, Target: target.Target{Backend: "xpu"}, Metadata: &driver.KernelMetadata{NumWarps: 4, NumCTAs: 1, NumStages: 1}})
			if err != nil {
				t.Fatal(err)
			}
			return b.Image
		}
		known := module(policy.Divisibility, policy.Divisibility)
		for _, c := range []struct {
			address, stride int64
			same            bool
		}{{1, 16, false}, {16, 1, false}, {32, 16, true}, {16, 32, true}, {64, 64, true}} {
			if same := bytes.Equal(known, module(c.address, c.stride)); same != c.same {
				t.Errorf("%s: with an address divisible by %d and a stride divisible by %d the code is the same: %t", elem, c.address, c.stride, same)
			}
		}
	}
}

// policyKernel copies rows whose distance is a parameter.
const policyKernel = `func @rows(%%p: ptr<%[1]s>, %%stride: i32) -> () {
  %%pid = program_id {axis = 0} : i32
  %%row = mul %%pid, %%stride : i32
  %%i = range {start = 0, end = 4096} : 4096xi32
  %%r = splat %%row : 4096xi32
  %%o = add %%r, %%i : 4096xi32
  %%q = splat %%p : 4096xptr<%[1]s>
  %%a = addptr %%q, %%o : 4096xptr<%[1]s>
  %%x = load %%a : 4096x%[1]s
  store %%a, %%x
  return
}
`
