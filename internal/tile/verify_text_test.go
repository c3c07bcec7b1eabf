package tile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

// around puts operations into a function whose parameters have the types that the broken
// operations of these tests need.
func around(ops string) string {
	return `func @f(%i: i32, %j: i64, %x: f32, %h: f16, %b: i1, %p: ptr<f32>, %pb: ptr<i1>, %t: 4x8xf32, %u: 8xi32, %m: 8xi1, %q: 8xptr<i32>) -> () {
` + ops + `
  return
}`
}

// TestVerifyText holds operations that the text form can say and the verifier refuses.
func TestVerifyText(t *testing.T) {
	for _, tt := range []struct{ ops, want string }{
		// Counts.
		{`%r = add %i : i32`, "add has 2 operands, not 1"},
		{`%r = load %p, %b, %x, %x : f32`, "load has 1 to 3 operands, not 4"},
		{`reduce {axis = 0} { yield }`, "reduce has at least 1 operands, not 0"},
		{`add %i, %i`, "add has 1 results, not 0"},
		{`%r = store %p, %x : f32`, "store has 0 results, not 1"},

		// Elementwise arithmetic.
		{`%r = add %x, %x : f32`, "operand 0 is f32; add takes integers"},
		{`%r = add %p, %p : ptr<f32>`, "operand 0 is ptr<f32>; add takes integers"},
		{`%r = add %i, %j : i32`, "operand 1 is i64, not i32"},
		{`%r = add %i, %i : i64`, "the result is i64, not i32"},
		{`%r = add %u, %i : 8xi32`, "operand 1 is i32, not 8xi32"},
		{`%r = fadd %i, %i : i32`, "operand 0 is i32; fadd takes floats"},
		{`%r = fdiv.rn %h, %h : f16`, "operand 0 is f16; fdiv.rn takes f32"},
		{`%r = fma %x, %x, %h : f32`, "operand 2 is f16, not f32"},
		{`%r = clamp %x, %h, %x : f32`, "operand 1 is f16, not f32"},
		{`%r = absi %x : f32`, "operand 0 is f32; absi takes integers"},
		{`%r = exp %i : i32`, "operand 0 is i32; exp takes floats"},
		{`%r = extern %x, %t {name = "pow"} : f32`, "operands and results have the shapes of f32 and 4x8xf32; extern wants one"},
		{`%r = extern %x {name = ""} : f32`, `there is no library function ""`},
		{`%r = extern %x {name = "no_such_function"} : f32`, `there is no library function "no_such_function"`},
		{`%r = extern %x, %x {name = "tanh"} : f32`, "the library function tanh is from (f32) to f32, or (f64) to f64"},
		{`%r = extern %h {name = "tanh"} : f16`, "the library function tanh is from (f32) to f32, or (f64) to f64"},
		{`%r = extern %p {name = "abs"} : ptr<f32>`, "the library function abs is from (f32) to f32, or (f64) to f64, or (i32) to i32, or (i64) to i64"},
		{`%r = extern %i, %i {name = "umulhi"} : i64`, "the library function umulhi is from (i32, i32) to i32, or (i64, i64) to i64"},

		// Comparisons and selection.
		{`%r = cmpi %x, %x {eq} : i1`, "operand 0 is f32; cmpi takes integers or pointers"},
		{`%r = cmpi %p, %p {lts} : i1`, "pointers have no sign; the predicate is lts"},
		{`%r = cmpi %u, %u {eq} : i1`, "the result is i1, not 8xi1"},
		{`%r = cmpf %i, %i {oeq} : i1`, "operand 0 is i32; cmpf takes floats"},
		{`%r = select %i, %x, %x : f32`, "the condition is i32, neither i1 nor i1"},
		{`%r = select %m, %t, %t : 4x8xf32`, "the condition is 8xi1, neither i1 nor 4x8xi1"},
		{`%r = select %b, %x, %h : f32`, "operand 2 is f16, not f32"},

		// Conversions.
		{`%r = trunc %i : i64`, "the result i64 is not narrower than i32"},
		{`%r = trunc %x : i16`, "operand 0 is f32; trunc takes integers"},
		{`%r = exts %j : i32`, "the result i32 is not wider than i64"},
		{`%r = extu %i : f64`, "the result is f64; extu gives integers"},
		{`%r = ftrunc %h : f32`, "the result f32 is not a float of fewer bits, or of another format of equal bits, than f16"},
		{`%r = ftrunc %x : f32`, "the result f32 is not a float of fewer bits, or of another format of equal bits, than f32"},
		{`%r = fext %x : f32`, "the result f32 is not wider than f32"},
		{`%r = stof %t : f32`, "operand 0 is 4x8xf32; stof takes integers"},
		{`%r = stof %u : f32`, "operands and results have the shapes of 8xi32 and f32; stof wants one"},
		{`%r = ftos %x : f32`, "the result is f32; ftos gives integers"},
		{`%r = bitcast %x : i64`, "f32 and i64 do not have the same width"},
		{`%r = bitcast %p : i64`, "ptr<f32> to i64; inttoptr and ptrtoint convert pointers"},
		{`%r = inttoptr %i : ptr<f32>`, "operand 0 is i32; inttoptr takes i64"},
		{`%r = ptrtoint %p : i32`, "the result is i32; ptrtoint gives i64"},

		// Shapes.
		{`%r = splat %u : 8x8xi32`, "8xi32 to 8x8xi32; splat makes a tile of a scalar"},
		{`%r = splat %i : 8xi64`, "i32 to 8xi64; splat makes a tile of a scalar"},
		{`%r = broadcast %x : f32`, "operand 0 is f32, not a tile"},
		{`%r = broadcast %u : 8x8xi32`, "8xi32 to 8x8xi32; broadcast keeps the rank and the element"},
		{`%r = broadcast %t : 8x8xf32`, "4x8xf32 to 8x8xf32; dimension 0 is neither 1 nor 8"},
		{`%r = expand_dims %t {axis = 3} : 4x8x1xf32`, "no dimension can go before axis 3 of 4x8xf32"},
		{`%r = expand_dims %t {axis = 0} : 4x8x1xf32`, "the result is 4x8x1xf32, not 1x4x8xf32"},
		{`%r = reshape %t : 4x4xf32`, "4x8xf32 to 4x4xf32; reshape keeps the elements"},
		{`%r = trans %t {order = [1, 1]} : 8x8xf32`, "the order [1 1] is no permutation"},
		{`%r = trans %t {order = [0, 2]} : 4x8xf32`, "the order [0 2] is no permutation"},
		{`%r = trans %t {order = [1, 0, 2]} : 8x4xf32`, "the order has values beyond rank 2"},
		{`%r = trans %t {order = [1, 0]} : 4x8xf32`, "the result is 4x8xf32, not 8x4xf32"},
		{`%r = cat %t, %t {axis = 2} : 4x16xf32`, "axis 2 of 4x8xf32"},
		{`%r = cat %x, %x {axis = 0} : 2xf32`, "axis 0 of f32"},
		{`%r = cat %t, %t {axis = 1} : 8x8xf32`, "the result is 8x8xf32, not 4x16xf32"},
		{`%r = join %t, %u : 4x8x2xf32`, "operand 1 is 8xi32, not 4x8xf32"},
		{`%r = join %x, %x : 1xf32`, "the result is 1xf32, not 2xf32"},
		{`%r, %s = split %u : 4xi32, 4xi32`, "operand 0 is 8xi32; its last dimension must be 2"},
		{`%r, %s = split %x : f32, f32`, "operand 0 is f32; its last dimension must be 2"},
		{`%r = range {start = 0, end = 16} : 8xi32`, "the result is 8xi32, not 16xi32"},
		{`%r = range {start = 0, end = 16} : 16xi64`, "the result is 16xi64, not 16xi32"},
		{`%r = range {start = 8, end = 8} : 1xi32`, "8 to 8 is no range of i32"},
		{`%r = range {start = 2147483647, end = 2147483649} : 2xi32`, "2147483647 to 2147483649 is no range of i32"},
		{`%r = gather %t, %u {axis = 0} : 8xf32`, "the index 8xi32 has not the shape of 4x8xf32 outside axis 0"},
		{`%r = gather %u, %m {axis = 1} : 8xi32`, "axis 1 of 8xi32"},
		{`%r = gather %t, %t {axis = 0} : 4x8xf32`, "operand 1 is 4x8xf32; gather takes integers"},
		{`%r = gather %u, %u {axis = 0} : 8xf32`, "the result is 8xf32, not 8xi32"},
		{`%r = histogram %t : 8xi32`, "operand 0 is 4x8xf32, not a 1-D tile of i32"},
		{`%r = histogram %u, %u : 8xi32`, "operand 1 is 8xi32, not 8xi1"},
		{`%r = histogram %u : 8xi64`, "the result is 8xi64, not a 1-D tile of i32"},
		{`%r = hint %t {divisible, values = [1]} : 4x8xf32`, "the hint's value 1 is 0; there is one positive value per dimension"},
		{`%r = hint %i {constant, values = [1, 2]} : i32`, "the hint's value 1 is 2; there is one positive value per dimension"},
		{`%r = hint %i {constant, values = [1]} : i64`, "the result is i64, not i32"},
		{`assume %m`, "operand 0 is 8xi1, not i1"},
		{`%r = program_id {axis = 3} : i32`, "axis 3; programs have the axes 0, 1 and 2"},
		{`%r = num_programs {axis = 0} : i64`, "the result is i64, not i32"},

		// Memory.
		{`%r = addptr %i, %i : i32`, "operand 0 is i32; addptr takes pointers"},
		{`%r = addptr %p, %x : ptr<f32>`, "operand 1 is f32; addptr takes integers"},
		{`%r = addptr %p, %u : ptr<f32>`, "operand 1 is 8xi32; its shape is not that of ptr<f32>"},
		{`%r = load %i : i32`, "operand 0 is i32; load takes pointers"},
		{`%r = load %pb : i1`, "operand 0 is ptr<i1>; an i1 has no form in memory"},
		{`%r = load %p : i32`, "the result is i32, not f32"},
		{`%r = load %q, %b : 8xi32`, "operand 1 is i1, not 8xi1"},
		{`%r = load %p, %b, %h : f32`, "operand 2 is f16, not f32"},
		{`%r = load %p {cache = wb} : f32`, "a load has no cache wb"},
		{`store %p, %i`, "operand 1 is i32, not f32"},
		{`store %q, %u, %b`, "operand 2 is i1, not 8xi1"},
		{`store %p, %x {cache = ca}`, "a store has no cache ca"},
		{`%r = atomic_rmw %p, %x : f32`, "the atomic add does not work on f32"},
		{`%r = atomic_rmw %q, %u {fadd} : 8xi32`, "the atomic fadd does not work on 8xi32"},
		{`%r = atomic_rmw %p, %x, %m {fadd} : f32`, "operand 2 is 8xi1, not i1"},
		{`%r = atomic_cas %q, %u, %u {xchg} : 8xi32`, "the kind is xchg; atomic_cas has none"},
		{`%r = atomic_cas %p, %x, %i : f32`, "operand 2 is i32, not f32"},

		// Dot.
		{`%r = dot %t, %t, %t {ieee} : 4x8xf32`, "the shapes of 4x8xf32 · 4x8xf32 + 4x8xf32 do not fit"},
		{`%r = dot %x, %x, %x {ieee} : f32`, "f32 · f32 + f32; dot takes three matrices, or batches of them"},
		{`%k = trans %t {order = [1, 0]} : 8x4xf32
		  %a = const 0 : 4x4xf16
		  %r = dot %t, %k, %a {ieee} : 4x4xf16`, "f32 does not accumulate in f16"},
		{`%k = const 1 : 4x4xi8
		  %a = const 0 : 4x4xi64
		  %r = dot %k, %k, %a {ieee} : 4x4xi64`, "integers accumulate in i32, not i64"},
		{`%k = const 1 : 4x4xi8
		  %l = const 1 : 4x4xf16
		  %r = dot %k, %l, %l {ieee} : 4x4xf16`, "the operands' elements are i8 and f16"},
		{`%k = const 1 : 4x4xf16
		  %r = dot %k, %k, %k {ieee, unsigned} : 4x4xf16`, "the operands 4x4xf16 have no sign to leave out"},
		{`%k = const 1 : 4x4xf16
		  %r = dot %k, %k, %k {ieee, max_imprecise = -1} : 4x4xf16`, "max_imprecise is -1; the least is 0"},

		// Atomics that read or write only.
		{`%r = atomic_load %p : f32`, "the order is acq_rel; atomic_load is acquire or relaxed"},
		{`%r = atomic_load %p {xchg, sem = acquire} : f32`, "the kind is xchg; atomic_load has none"},
		{`%r = atomic_load %p, %m {sem = acquire} : f32`, "operand 1 is 8xi1, not i1"},
		{`%r = atomic_load %p {sem = acquire} : i32`, "the result is i32, not f32"},
		{`%r = atomic_load %i {sem = acquire} : i32`, "operand 0 is i32; atomic_load takes pointers"},
		{`atomic_store %p, %x {sem = acquire}`, "the order is acquire; atomic_store is release or relaxed"},
		{`atomic_store %p, %i {sem = release}`, "operand 1 is i32, not f32"},
		{`atomic_store %i, %i {sem = release}`, "operand 0 is i32; atomic_store takes pointers"},
		{`%r = atomic_poll %p, %x {sem = acquire} : i1`, "operand 0 is ptr<f32>; atomic_poll waits for integers"},
		{`%r = atomic_poll %i, %i {sem = acquire} : i1`, "operand 0 is i32; atomic_poll takes pointers"},
		{`%r = atomic_poll %q, %u, %i {sem = acquire} : 8xi1`, "operand 2 is i32, not i64"},
		{`%r = atomic_poll %q, %u, %j {sem = acquire} : 8xi32`, "the result is 8xi32, not 8xi1"},

		// Descriptors.
		{`%r = make_desc %p, %i, %j : 4x8xf32`, "the result is 4x8xf32, not a descriptor"},
		{`%r = make_desc %p, %i, %j : desc<4x8xf32>`, "make_desc has 5 operands here, not 3"},
		{`%r = make_desc %p, %i, %j : desc<8xf16>`, "operand 0 is ptr<f32>, not ptr<f16>"},
		{`%r = make_desc %p, %j, %j : desc<8xf32>`, "operand 1 is i64, not i32"},
		{`%r = make_desc %p, %i, %i : desc<8xf32>`, "operand 2 is i32, not i64"},
		{`%d = make_desc %p, %i, %j : desc<8xf32> %r = bitcast %d : i64`, "bitcast does not work on desc<8xf32>"},
		{`%r = splat %i : desc<8xi32>`, "splat does not work on desc<8xi32>"},
		{`%r = desc_load %p, %i : 8xf32`, "operand 0 is ptr<f32>, not a descriptor"},
		{`%d = make_desc %p, %i, %j : desc<8xf32> %r = desc_load %d, %i, %i : 8xf32`, "desc_load has 2 operands here, not 3"},
		{`%d = make_desc %p, %i, %j : desc<8xf32> %r = desc_load %d, %j : 8xf32`, "operand 1 is i64, not i32"},
		{`%d = make_desc %p, %i, %j : desc<8xf32> %r = desc_load %d, %i : 4xf32`, "the result is 4xf32, not 8xf32"},
		{`%d = make_desc %p, %i, %j : desc<8xf32> desc_store %d, %t, %i`, "operand 1 is 4x8xf32, not 8xf32"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<4x8xf32> desc_store %d, %t, %i`, "desc_store has 4 operands here, not 3"},
		{`desc_store %t, %t, %i`, "operand 0 is 4x8xf32, not a descriptor"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<4x8xf32> desc_reduce %d, %t, %i, %i`, "a descriptor has no atomic add of 4x8xf32"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<4x8xf32> desc_reduce %d, %t, %i, %i {xchg}`, "a descriptor has no atomic xchg of 4x8xf32"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<4x8xf32> %r = desc_gather %d, %u, %i : 8x8xf32`, "desc_gather takes a descriptor of single rows, not desc<4x8xf32>"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<1x8xf32> %r = desc_gather %d, %i, %i : 8x8xf32`, "operand 1 is i32, not a 1-D tile of i32"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<1x8xf32> %r = desc_gather %d, %u, %j : 8x8xf32`, "operand 2 is i64, not i32"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<1x8xf32> %r = desc_gather %d, %u, %i : 1x8xf32`, "the result is 1x8xf32, not 8x8xf32"},
		{`%d = make_desc %p, %i, %i, %j, %j : desc<1x8xf32> desc_scatter %d, %t, %u, %i`, "operand 1 is 4x8xf32, not 8x8xf32"},
		{`desc_scatter %t, %t, %u, %i`, "operand 0 is 4x8xf32, not a descriptor"},

		// Scaled dots.
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16
		  %r = dot_scaled %k, %l, %x {a = bf16, b = bf16} : f32`, "4x32xbf16 · 32x8xbf16 + f32; dot_scaled takes three matrices, or batches of them"},
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16
		  %r = dot_scaled %k, %l, %t {a = bf16, b = e5m2} : 4x8xf32`, "operand 1 is 32x8xbf16, not 32x8xf8e5m2"},
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16
		  %r = dot_scaled %k, %l, %t {a = bf16, b = bf16, pack_n} : 4x8xf32`, "only pairs of e2m1 are packed along m or n"},
		{`%k = const 0 : 4x32xi8 %l = const 0 : 32x8xbf16
		  %r = dot_scaled %k, %l, %t {a = e2m1, b = bf16} : 4x8xf32`, "the shapes of 4x32xi8 · 32x8xbf16 + 4x8xf32 do not fit"},
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16 %c = const 0 : 4x8xf64
		  %r = dot_scaled %k, %l, %c {a = bf16, b = bf16} : 4x8xf64`, "operand 2 is 4x8xf64; dot_scaled accumulates in f32, f16 or bf16"},
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16
		  %r = dot_scaled %k, %l, %t {a = bf16, b = bf16, scale_a} : 4x8xf32`, "dot_scaled has 4 operands here, not 3"},
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16
		  %r = dot_scaled %k, %l, %t, %u {a = bf16, b = bf16, scale_a} : 4x8xf32`, "operand 3 is 8xi32; scales are i8, powers of two, or f8e4m3"},
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16 %s = const 0 : 4x1xi8
		  %r = dot_scaled %k, %l, %t, %s {a = bf16, b = bf16, scale_b} : 4x8xf32`, "operand 3 is 4x1xi8; it has a row for each of the 2^3 rows or columns of 32x8xbf16"},
		{`%k = const 0 : 4x32xbf16 %l = const 0 : 32x8xbf16 %s = const 0 : 4x4xi8
		  %r = dot_scaled %k, %l, %t, %s {a = bf16, b = bf16, scale_a} : 4x8xf32`, "operand 3 is 4x4xi8; a scale is for 16 or 32 elements along k, of which there are 2^5"},

		// Regions.
		{`%r = reduce %t {axis = 2} : 4xf32 (%c: f32, %d: f32) { yield %c }`, "axis 2 of 4x8xf32"},
		{`%r = reduce %x {axis = 0} : f32 (%c: f32, %d: f32) { yield %c }`, "operand 0 is f32, not a tile"},
		{`%r = reduce %t {axis = 1} : 8xf32 (%c: f32, %d: f32) { yield %c }`, "result 0 is 8xf32, not 4xf32"},
		{`%r = reduce %t, %u {axis = 0} : 8xf32 (%c: f32, %d: f32) { yield %c }`, "operand 1 is 8xi32; its shape is not that of 4x8xf32"},
		{`%r, %s = reduce %u {axis = 0} : i32, i32 (%c: i32, %d: i32) { yield %c }`, "2 results of 1 operands"},
		{`%r = reduce %u {axis = 0} : i32 (%c: i32) { yield %c }`, "region 0 takes 2 values, not 1"},
		{`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: f32) { yield %c }`, "region 0 takes i32 at 1, not f32"},
		{`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { store %p, %x yield %c }`, "store in a function that is applied to elements, which only computes"},
		{`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { %l = load %p : f32 yield %c }`, "load in a function that is applied to elements, which only computes"},
		{`%r = scan %u {axis = 0} : 8xi32 (%c: i32, %d: i32) { if %b { print %c {prefix = ""} yield } else { yield } yield %c }`, "print in a function that is applied to elements, which only computes"},
		{`%r = map %u : 8xi32 (%c: i32) { %k = range {start = 0, end = 4} : 4xi32 yield %c }`, "range of 4xi32 in a function that is applied to elements, which computes scalars"},
		{`%r = map %u : 8xi32 (%c: i32) { %k = reduce %u {axis = 0} : i32 (%e: i32, %f: i32) { yield %e } yield %k }`, "reduce in a function that is applied to elements, which computes scalars"},
		{`%r = reduce %u {axis = 0} : i32 (%c: i32, %d: i32) { yield %x }`, "the region yields i32 at 0, not f32"},
		{`%r = scan %u {axis = 0} : i32 (%c: i32, %d: i32) { yield %c }`, "result 0 is i32, not 8xi32"},
		{`%r = map %u, %t : 8xi32 (%c: i32, %d: f32) { yield %c }`, "operands and results have the shapes of 8xi32 and 4x8xf32; map wants one"},
		{`%r = map %u : 8xi64 (%c: i32) { yield %c }`, "the region yields i64 at 0, not i32"},
		{`for %x, %x, %x (%k: f32) { yield }`, "the bounds are f32; for counts with a scalar integer"},
		{`for %i, %i, %j (%k: i32) { yield }`, "operand 2 is i64, not i32"},
		{`for %i, %i, %i {unroll = -1} (%k: i32) { yield }`, "num_stages is 0, unroll -1; the least is 0"},
		{`for %i, %i, %i, %x (%k: i32, %l: f32) { yield %l }`, "the loop carries 1 values, not 0"},
		{`%r = for %i, %i, %i, %x : f32 (%k: i32, %l: f32) { yield }`, "the region yields 1 values, not 0"},
		{`%r = for %i, %i, %i, %x : f32 (%k: i64, %l: f32) { yield %l }`, "region 0 takes i32 at 0, not i64"},
		{`for %i, %i, %i (%k: i32) { return }`, "return here; the block ends in one yield"},
		{`for %i, %i, %i (%k: i32) { }`, "the block does not end in yield"},
		{`for %i, %i, %i (%k: i32) { yield barrier yield }`, "yield here; the block ends in one yield"},
		{`while { yield } do { yield }`, "yield here; the block ends in one condition"},
		{`while { condition %i } do { yield }`, "operand 0 is i32, not i1"},
		{`%r = while : i32 { condition %b, %x } do (%k: i32) { yield }`, "the region yields i32 at 0, not f32"},
		{`while %i (%k: i32) { condition %b } do { yield }`, "the region yields 1 values, not 0"},
		{`%r = if %m : i32 { yield %i } else { yield %i }`, "operand 0 is 8xi1, not i1"},
		{`%r = if %b : i32 { yield %i } else { yield %j }`, "the region yields i32 at 0, not i64"},
		{`if %b (%k: i32) { yield } else { yield }`, "region 0 takes 0 values, not 1"},

		// Scopes.
		{`if %b { %k = const 1 : i32 yield } else { %l = add %k, %k : i32 yield }`,
			"operand 0: the value is defined in a region that does not enclose this use"},
		{`for %i, %i, %i (%k: i32) { yield } %l = add %k, %k : i32`,
			"operand 0: the value is defined in a region that does not enclose this use"},
		{`%r = if %b : i32 { yield %r } else { yield %i }`,
			"operand 0: the value is used before its definition, or is not of this function"},

		// Functions and effects.
		{`return %i return`, "return here; the block ends in one return"},
		{`yield`, "yield here; the block ends in one return"},
		{`call {callee = "g"}`, "there is no function @g"},
		{`call {callee = "f"}`, "the function takes 11 values, not 0"},
		{`assert %i {msg = ""}`, "the condition is i32, not i1"},
		{`assert %b, %m {msg = ""}`, "operand 1 is 8xi1, not i1"},
		{`print %i {prefix = "", signed = 0x2}`, "1 operands and signs 0x2; there are at most 64 operands, each with a bit"},
		{`%r = inline_asm %i {asm = "", constraints = "", pack = 0} : i32`, "pack is 0; the least is 1"},
		{`inline_asm %i {asm = "", constraints = "", pack = 1}`, "inline_asm has at least 1 result"},
		{`%r = inline_asm %i {asm = "", constraints = "", pack = 1} : 8xi32`, "operands and results have the shapes of i32 and 8xi32; inline_asm wants one"},
		{`barrier loc #7`, "location 7 is not in the table"},
	} {
		_, err := Parse("t.tile", []byte(around(tt.ops)))
		var e *diag.Error
		if !errors.As(err, &e) || !errors.Is(err, diag.Syntax) {
			t.Errorf("%s\nthe error is %v", tt.ops, err)
			continue
		}
		var v *VerifyError
		if !errors.As(err, &v) {
			t.Errorf("%s\nis no text: %v", tt.ops, err)
			continue
		}
		if v.Msg != tt.want {
			t.Errorf("%s\n got: %s\nwant: %s", tt.ops, v.Msg, tt.want)
		}
		if v.Func != "f" || e.Place.Line < 2 {
			t.Errorf("%s\nthe error is in %q, at %v", tt.ops, v.Func, e.Place)
		}
	}
}

// TestVerifyFunctions holds broken functions and modules that the text form can say.
func TestVerifyFunctions(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, "the module has no function"},
		{`loc #1 = "f":1:2`, "the module has no function"},
		{`func @"" () -> () { return }`, "function 0 has no name"},
		{`func @f() -> () { return } func @f() -> () { return }`, "two functions have this name"},
		{`func @f() -> () { }`, "the block does not end in return"},
		{`func @f() -> (i32) { return }`, "the function returns 1 values, not 0"},
		{`func @f(%x: f32) -> (i32) { return %x }`, "the function returns i32 at 0, not f32"},
		{`func @f(%x: i32 {div = 3}) -> () { return }`, "parameter 0: divisibility 3 is no power of two"},
		{`func @f(%x: i32 {div = -8}) -> () { return }`, "parameter 0: divisibility -8 is no power of two"},
		{`func @f() -> () loc #1 { return }`, "location 1 is not in the table"},
		{`func @f() -> () { call {callee = "f"} return }`, "@f may call itself"},
		{`func @f() -> () { call {callee = "g"} return }
		  func @g() -> () { call {callee = "h"} return }
		  func @h() -> () { call {callee = "g"} return }`, "@h may call itself"},
		{`func @f() -> () { %r = call {callee = "g"} : i64 return }
		  func @g() -> (i32) { %r = const 1 : i32 return %r }`, "the function gives i32 at 0, not i64"},
		{`func @f(%x: f32) -> () { call %x {callee = "g"} return }
		  func @g(%x: i32) -> () { return }`, "the function takes i32 at 0, not f32"},
		{`func @f() -> () { return }
		  loc #1 = "f":1:2 <- #1`, "location 1: its parent 1 does not come before it"},
	} {
		_, err := Parse("t.tile", []byte(tt.text))
		var v *VerifyError
		if !errors.As(err, &v) || v.Msg != tt.want {
			t.Errorf("%s\n got: %v\nwant: %s", tt.text, err, tt.want)
		}
	}
}

// TestVerifyCallTree checks that calls without recursion pass, shared callees too.
func TestVerifyCallTree(t *testing.T) {
	text := `func @f() -> () { call {callee = "g"} call {callee = "h"} call {callee = "g"} return }
func @g() -> () { call {callee = "h"} return }
func @h() -> () { return }`
	if _, err := Parse("t.tile", []byte(text)); err != nil {
		t.Error(err)
	}
}

func TestVerifyErrorText(t *testing.T) {
	text := `func @"my kernel"(%a: i32, %b: i64) -> () {
  %c = add %a, %b : i32 loc #1
  return
}
loc #1 = "kernel.py":12:7-15`
	_, m := parse("t.tile", []byte(text))
	got := fmt.Sprint(Verify(m))
	want := `invalid tile IR: kernel.py:12:7: @"my kernel": operand 1 is i64, not i32: %c = add %a, %b : i32`
	if got != want {
		t.Errorf("\n got: %s\nwant: %s", got, want)
	}
	_, err := Parse("t.tile", []byte(text))
	got = diag.Detail(err)
	want = `t.tile:2:8: SyntaxError: operand 1 is i64, not i32
      %c = add %a, %b : i32 loc #1
           ^~~
`
	if got != want {
		t.Errorf("\n got: %s\nwant: %s", got, want)
	}
}

// TestVerifyNesting checks that regions as deep as the limit pass and deeper ones do not.
func TestVerifyNesting(t *testing.T) {
	nest := func(depth int) string {
		return "func @f(%b: i1) -> () {" + strings.Repeat("if %b {", depth) +
			strings.Repeat("yield } else { yield }", depth) + "return }"
	}
	if _, err := Parse("t.tile", []byte(nest(MaxNesting))); err != nil {
		t.Error(err)
	}
	_, err := Parse("t.tile", []byte(nest(MaxNesting+1)))
	if err == nil || !strings.Contains(err.Error(), "regions lie more than 256 deep") {
		t.Errorf("the error is %v", err)
	}
}
