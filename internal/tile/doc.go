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
// fit its row of the operation table; every value has an ID, dense within its function,
// so that side tables are slices; every operation has a location. Analyses are side
// tables, never attributes.
//
// To look at it: tegula compile … --emit tile.
package tile
