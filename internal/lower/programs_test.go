package lower

import (
	"fmt"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
)

// TestReverseOrder: programs are numbered from the last one along an axis if their loops are the longer the higher the number, and if programs have nothing to
// do with each other.
func TestReverseOrder(t *testing.T) {
	const kernel = `
func @k(%%x: ptr<i32>, %%n: i32, %%m: i32) -> () {
  %%pid = program_id {axis = 0} : i32
  %%y = program_id {axis = 1} : i32
  %%grid = num_programs {axis = 0} : i32
  %%zero = const 0 : i32
  %%one = const 1 : i32
  %%minus = const -2 : i32
  %%block = const 128 : i32
%s
  %%sum = for %%from, %%to, %%one, %%zero : i32 (%%i: i32, %%s: i32) {
    %%at = addptr %%x, %%i : ptr<i32>
    %s
    %%t = add %%s, %%v : i32
    yield %%t
  }
  %%out = addptr %%x, %%pid : ptr<i32>
  %%out.1 = addptr %%out, %%y : ptr<i32>
  store %%out.1, %%sum
  return
}
`
	const load = "%v = load %at : i32"
	for _, c := range []struct{ name, bounds, read, want string }{
		{"to the number", "%from = add %zero, %zero : i32\n  %to = add %pid, %one : i32", load, "x"},
		{"to the diagonal", "%from = add %zero, %zero : i32\n  %a = mul %pid, %block : i32\n  %b = add %a, %block : i32\n  %to = mins %b, %n : i32", load, "x"},
		{"in blocks", "%from = add %zero, %zero : i32\n  %a = add %pid, %n : i32\n  %to = divs %a, %block : i32", load, "x"},
		{"of the other axis", "%from = add %zero, %zero : i32\n  %to = mul %n, %y : i32", load, "y"},
		{"of both", "%from = add %zero, %zero : i32\n  %to = add %pid, %y : i32", load, "xy"},
		{"from what falls", "%from = sub %zero, %pid : i32\n  %to = add %n, %zero : i32", load, "x"},
		{"down", "%from = add %zero, %zero : i32\n  %to = sub %n, %pid : i32", load, ""},
		{"down by a factor", "%from = add %zero, %zero : i32\n  %to = mul %pid, %minus : i32", load, ""},
		{"from the number", "%from = add %pid, %zero : i32\n  %to = add %n, %zero : i32", load, ""},
		{"alike", "%from = add %pid, %zero : i32\n  %to = add %pid, %n : i32", load, ""},
		{"by the grid's size", "%from = add %zero, %zero : i32\n  %to = mul %grid, %block : i32", load, ""},
		{"known when it runs", "%from = add %zero, %zero : i32\n  %a = addptr %x, %pid : ptr<i32>\n  %to = load %a : i32", load, ""},
		{"volatile", "%from = add %zero, %zero : i32\n  %to = add %pid, %one : i32", "%v = load %at {volatile} : i32", ""},
		{"atomic", "%from = add %zero, %zero : i32\n  %to = add %pid, %one : i32", "%v = atomic_rmw %at, %one : i32", ""},
		{"printing", "%from = add %zero, %zero : i32\n  %to = add %pid, %one : i32", "%v = load %at : i32\n    print %v {prefix = \"v\"}", ""},
	} {
		f := lowered(t, fmt.Sprintf(kernel, "  "+c.bounds, c.read), Options{Warps: 1, WarpSize: 32})
		got := ""
		for axis, name := range "xyz" {
			f.Body.Walk(func(op *lir.Op) {
				if op.Code == lir.OpSub && op.Args[1].Op != nil && op.Args[1].Op.Code == lir.OpProgramID && op.Args[1].Op.Imm == int64(axis) && isLast(op.Args[0], axis) {
					got += string(name)
				}
			})
		}
		if got != c.want {
			t.Errorf("%s: turned along %q, not %q\n%v", c.name, got, c.want, f)
		}
	}
}

// isLast reports whether a value is the number of the last program.
func isLast(v *lir.Value, axis int) bool {
	op := v.Op
	if op == nil || op.Code != lir.OpAdd || !op.Args[1].IsConstBits(0xffffffff) {
		return false
	}
	n := op.Args[0].Op
	return n != nil && n.Code == lir.OpNumPrograms && n.Imm == int64(axis)
}
