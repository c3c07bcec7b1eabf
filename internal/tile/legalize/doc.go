// Package legalize rewrites the operations that only some targets have a unit for into those that
// all targets have: descriptors into pointers and masks, dots of scaled formats into dots.
//
// In: a verified tile.Module, and what the target takes as it is. Out: the module itself if it has
// nothing to rewrite, else a copy that computes the same. It is as plain as what it was made of:
// the caller runs the passes over it again, which take invariant address arithmetic out of
// loops.
//
// What always holds: the result is a verified module; a descriptor that control flow carries
// becomes the values that it is made of, in one place each; every operation keeps its location.
//
// To look at it: the golden files in testdata show modules before and after.
package legalize
