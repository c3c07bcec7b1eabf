package cpu

import "testing"

// TestPointersToBools steps through an array of bools, which are bytes.
func TestPointersToBools(t *testing.T) {
	m := parse(t, `func @f(%p: ptr<i1>, %out: ptr<i8>) -> () {
  %i = range {start = 0, end = 4} : 4xi32
  %two = const 2 : 4xi32
  %j = mul %i, %two : 4xi32
  %ps = splat %p : 4xptr<i1>
  %at = addptr %ps, %j : 4xptr<i1>
  %bytes = bitcast %at : 4xptr<i8>
  %x = load %bytes : 4xi8
  %outs = splat %out : 4xptr<i8>
  %to = addptr %outs, %i : 4xptr<i8>
  store %to, %x
  return
}`)
	x, out := []bool{true, false, false, true, true, true, false, false}, make([]uint8, 4)
	run(t, m, arrays(x, out)...)
	for i, got := range out {
		if (got == 1) != x[2*i] {
			t.Errorf("element %d is %d", 2*i, got)
		}
	}
}
