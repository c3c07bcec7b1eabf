// Package pass simplifies tile IR and says what is known of its values.
//
// In: a tile.Module that tile.Verify accepts. Out: the same module, rewritten in place,
// that computes the same with fewer and simpler operations; and Facts, what the analyses
// that back ends ask for know of each value: AnalyzeAxes (contiguity, divisibility and
// constancy along each dimension) and AnalyzeRanges (bounds of integers). A further analysis
// gives the rules of a lattice; flow.go does the walking.
//
// The passes, one file each; Default lists them in order:
//
//   - canonicalize folds constants, applies exact identities, moves elementwise work in
//     front of splats and broadcasts, resolves branches and loops that are decided;
//   - cse merges equal operations, and loads with no write between them;
//   - licm moves loop-invariant operations in front of their loop;
//   - bounds is canonicalize once more, which now also knows the ranges of integers;
//   - dce removes what no effect depends on, including carried values of loops (in debug
//     builds it keeps accesses, which a checked run reports if they are out of bounds);
//   - renumber makes the value IDs dense again.
//
// What always holds, for every pass:
//
//   - a verified module stays a verified module;
//   - integer results are the same bits; float results are the same values: nothing is
//     reassociated, -0 and NaN are respected (which NaN is not: payloads are nobody's);
//   - an operation that may stop a checked run (a division by what may be 0, an access of
//     memory, a gather) is never run where the given program would not run it, nor before an
//     assertion that it comes after; stores, atomics, volatile loads and prints keep their order
//     and number, and so do assertions and assumptions but for those that hold whatever is assumed;
//   - time is linear in the number of operations but for a small factor of the nesting of
//     loops; no pass depends on the size of a tile.
//
// To look at it: Options.After sees the module after each pass; the golden files in
// testdata show each pass's text before (x.tile) and after (x.out, which go test -update writes).
// docs/contributing.md says what a further pass needs.
package pass
