// Package mlir is tile IR in the words of Triton's compiler: MLIR text in the dialects tt, arith, math,
// scf and llvm, as Triton 3.9 reads and prints it (".ttir").
//
// In: a verified module. Out: the text of one that means the same, which Triton's reader takes. And the way back: a
// text as Triton prints it after its first passes, and the module that it means.
//
// What always holds: every operation is printed in the form that Triton's own printer uses; what those
// dialects cannot say is refused by name and place, nothing is left out but hints, which they attach to
// operations. What is read is a verified module, or an error with a line; text of any kind ends in one of the two, within bounds.
//
// To look at it: tegula compile FILE --sig … --emit ttir. The judge in the tests is Triton, which compiles
// the text to PTX.
package mlir
