// Package tile is the tile IR: typed SSA over tiles, with structured control flow
// and no target in it.
//
// In: calls of a Builder (or the text that Print gives, through Parse). Out: a Module
// that Verify accepts.
//
// A Type is a scalar or a tile (a shape of powers of two and an element type). Integers
// carry no sign; operations do. Pointers are element types. Control flow is for, while
// and if with regions that yield values; there are no gotos and no block arguments but
// those of regions.
//
// What always holds in a verified module: every operand is defined before its use in the
// same or an enclosing block; every operation's operands, results, attribute and regions
// fit its row of the operation table and its rule; every value has an ID below its
// function's NumValues and of its own, so that side tables are slices; no function calls
// itself (sema inlines all calls so far; OpCall is for functions marked noinline). Analyses
// are side tables, never attributes. Operations that sema makes have a
// location; those of IR text may have none.
//
// A further operation needs a Code, a row in opTable (ops.go) and a rule (rules.go); a
// further attribute a struct (attr.go) and its fields (fields.go). The printer and the
// parser follow from these, TestEveryOpHasEveryOp says what is missing, and go test -update
// rewrites testdata/every.tile. docs/contributing.md goes on from there.
//
// To look at it: tegula compile … --emit tile, or a Printer, whose Note puts an analysis's
// facts beside the values:
//
//	func @add(%x: ptr<f32> {div = 16}, %n: i32) -> () {
//	  %pid = program_id {axis = 0} : i32
//	  %0 = const 1024 : i32
//	  %1 = mul %pid, %0 : i32
//	  %2 = range {start = 0, end = 1024} : 1024xi32
//	  %3 = splat %1 : 1024xi32
//	  %offs = add %3, %2 : 1024xi32
//	  ...
package tile
