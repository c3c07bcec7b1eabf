package tile

import (
	"slices"
	"testing"
)

// TestWritten follows pointers that are written through back to parameters.
func TestWritten(t *testing.T) {
	for ops, want := range map[string][]bool{
		`%y = load %p : f32 store %q, %y`:                                                     {false, true},
		`%a = select %c, %p, %q : ptr<f32> store %a, %x`:                                      {true, true},
		`%b = splat %p : 4xptr<f32> %v = splat %x : 4xf32 store %b, %v`:                       {true, false},
		`%a = atomic_rmw %q, %x {fadd} : f32`:                                                 {false, true},
		`%n = ptrtoint %p : i64 %a = inttoptr %n : ptr<f32> store %a, %x`:                     {false, false},
		`%d = make_desc %p, %i, %j : desc<4xf32> %v = splat %x : 4xf32 desc_store %d, %v, %i`: {true, false},
		`%r, %s = for %i, %i, %i, %p, %q : ptr<f32>, ptr<f32> (%k: i32, %a: ptr<f32>, %b: ptr<f32>) {
			%y = load %a : f32
			store %b, %y
			%e = addptr %a, %i : ptr<f32>
			%f = addptr %b, %i : ptr<f32>
			yield %e, %f
		}`: {false, true},
		`%r = if %c : ptr<f32> { yield %p } else { yield %q } store %r, %x`:                                        {true, true},
		`%r = while %q : ptr<f32> (%a: ptr<f32>) { condition %c, %a } do (%b: ptr<f32>) { yield %b } store %r, %x`: {false, true},
	} {
		m, err := Parse("t.tile", []byte(`func @f(%p: ptr<f32>, %q: ptr<f32>, %i: i32, %j: i64, %x: f32, %c: i1) -> () { `+ops+` return }`))
		if err != nil {
			t.Errorf("%s: %v", ops, err)
			continue
		}
		if got := m.Funcs[0].Written()[:2]; !slices.Equal(got, want) {
			t.Errorf("%s\n got: %v\nwant: %v", ops, got, want)
		}
	}
}
