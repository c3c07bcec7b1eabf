// Package cfg makes structured control flow of a graph of blocks that jump to each other.
//
// In: the blocks of a function, with conditional and unconditional jumps, in tile IR otherwise. Out: one block
// that does the same by OpIf and OpWhile.
//
// What always holds: every operation of a block that can be reached is in the result once, none is copied. The
// way is that of Bahmann, Reissmann, Jahre and Meyer, "Perfect Reconstructability of Control Flow from Demand
// Dependence Graphs" (TACO 2015), which MLIR's own lifting follows: strongly connected parts become loops whose end
// says whether they go on, branches become ifs that end where their sides meet, and where there are several
// such places, a number says which one is meant. What the numbers cost is for the passes to take away again.
//
// To look at it: tegula compile FILE.ttir --sig … --emit tile for a kernel that returns early.
package cfg
