// Package layout says which thread holds which element of a tile, and how to get from one such arrangement to another.
//
// In: shapes, how many lanes and warps there are, what is known of addresses. Out: a Layout, a linear map over F2 from
// the bits of (register, lane, warp, block) to the bits of an element's row-major number; and plans that carry a tile
// from one layout to another (Plan: nothing, other registers, shuffles, shared memory). The idea is that of "Linear
// Layouts" (arXiv 2505.23819).
//
// All dimensions are powers of two, so an element number is a string of bits and the shape operations of the language
// are maps of bits: reshape and expand_dims change nothing, trans permutes bits, a reduction or a slice leaves bits out
// (Project), a broadcast adds some (Spread). A layout is told by what each bit of a register's, a lane's or a warp's
// number does to the element. On a machine with warps of 8 lanes, of an 8×8 tile,
//
//	register (0,1) | lane (0,2) (1,0) (2,0) | warp (0,4) (4,0)
//
// says that registers 0 and 1 are neighbours in a row, that lane 1 is two columns further, lanes 2 and 4 one row and two,
// warp 1 four columns, warp 2 four rows. Where several bits are set, the vectors' exclusive or counts. Drawn as
// thread:register:
//
//	 0:0  0:1  1:0  1:1  8:0  8:1  9:0  9:1
//	 2:0  2:1  3:0  3:1 10:0 10:1 11:0 11:1
//	 4:0  4:1  5:0  5:1 12:0 12:1 13:0 13:1
//	 6:0  6:1  7:0  7:1 14:0 14:1 15:0 15:1
//	16:0 16:1 17:0 17:1 24:0 24:1 25:0 25:1
//	18:0 18:1 19:0 19:1 26:0 26:1 27:0 27:1
//	20:0 20:1 21:0 21:1 28:0 28:1 29:0 29:1
//	22:0 22:1 23:0 23:1 30:0 30:1 31:0 31:1
//
// What always holds: every element has a holder (a Layout reaches every element number); a Layout is an immutable value
// and equal ones are ==; accesses of shared memory in a plan have no bank conflicts; nothing here knows an instruction
// but by its shape, and time does not depend on the size of the tile.
//
// To look at it: String, Describe and Table print layouts, String a conversion. docs/layouts.md goes on from here.
package layout
