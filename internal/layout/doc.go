// Package layout says which thread holds which element of a tile, and how to get from one such arrangement to another.
//
// In: shapes, how many lanes and warps there are, what is known of addresses. Out: a Layout, a linear map over F2 from
// the bits of (register, lane, warp, block) to the bits of an element's row-major number; and plans that carry a tile
// from one layout to another (Plan: nothing, other registers, shuffles, shared memory). The idea is that of "Linear Layouts" (arXiv 2505.23819).
//
// All dimensions are powers of two, so an element number is a string of bits and the shape operations of the language
// are maps of bits: reshape and expand_dims change nothing, trans permutes bits, a reduction or a slice leaves bits out
// (Project), a broadcast adds some (Spread).
//
// What always holds: every element has a holder (a Layout reaches every element number); a Layout is an immutable value
// and equal ones are ==; nothing here knows an instruction, and time does not depend on the size of the tile.
package layout
