package tile

import (
	"errors"
	"testing"
)

// TestReadOnly writes through parameters that are read-only, as far as their use can be followed.
func TestReadOnly(t *testing.T) {
	for ops, want := range map[string]string{
		`store %p, %x`:                    "store writes through the parameter p, which is read-only",
		`store %q, %x`:                    "",
		`%y = load %p : f32 store %q, %y`: "",
		`%a = addptr %p, %i : ptr<f32> %b = splat %a : 4xptr<f32> %d = reshape %b : 2x2xptr<f32> %v = splat %x : 2x2xf32 store %d, %v`: "store writes through the parameter p, which is read-only",
		`%a = bitcast %p : ptr<i32> %o = atomic_rmw %a, %i {add} : i32`:                                                                "atomic_rmw writes through the parameter p, which is read-only",
		`%o = atomic_load %p {sem = acquire} : f32`:                                                                                    "",
		`%d = make_desc %p, %i, %j : desc<4xf32> %v = splat %x : 4xf32 desc_store %d, %v, %i`:                                          "desc_store writes through the parameter p, which is read-only",
		`%a = select %c, %p, %q : ptr<f32> store %a, %x`:                                                                               "",
	} {
		_, err := Parse("t.tile", []byte(`func @f(%p: ptr<f32> {readonly}, %q: ptr<f32>, %i: i32, %j: i64, %x: f32, %c: i1) -> () { `+ops+` return }`))
		var v *VerifyError
		got := ""
		if errors.As(err, &v) {
			got = v.Msg
		} else if err != nil {
			t.Errorf("%s: %v", ops, err)
		}
		if got != want {
			t.Errorf("%s\n got: %s\nwant: %s", ops, got, want)
		}
	}
	_, err := Parse("t.tile", []byte("func @f(%i: i32 {readonly}) -> () { return }"))
	var v *VerifyError
	if !errors.As(err, &v) || v.Msg != "parameter 0 is i32; only what a pointer points to is read-only" {
		t.Errorf("the error is %v", err)
	}
}
