package tile

import "testing"

func TestCommutes(t *testing.T) {
	for text, want := range map[string]bool{
		`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { %e = add %c, %d : i32 yield %e }`:                                                            true,
		`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { %e = maxs %d, %c : i32 yield %e }`:                                                           true,
		`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { %e = sub %c, %d : i32 yield %e }`:                                                            false,
		`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { %e = add %c, %c : i32 yield %e }`:                                                            false,
		`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { yield %c }`:                                                                                  false,
		`%r, %s = reduce %u, %u {axis = 0} : i32, i32 (%a: i32, %b1: i32, %c: i32, %d: i32) { %e = add %a, %c : i32 %f = xor %b1, %d : i32 yield %e, %f }`: true,
		`%r, %s = reduce %u, %u {axis = 0} : i32, i32 (%a: i32, %b1: i32, %c: i32, %d: i32) { %e = add %a, %b1 : i32 %f = xor %c, %d : i32 yield %e, %f }`: false,
	} {
		m, err := Parse("t.tile", []byte(around(text)))
		if err != nil {
			t.Fatal(err)
		}
		if got := Commutes(m.Funcs[0].Body.Ops[0].Regions[0]); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
