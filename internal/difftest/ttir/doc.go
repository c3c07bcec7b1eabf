// Package ttir compares the types of the tile IR that the front end makes with those of Triton's own IR (TTIR) for the
// same kernel: those of what is loaded, stored, reduced, multiplied, carried by loops, and of all arithmetic on tiles.
//
// In: a tile.Module as sema made it, before the passes, and the operations that testdata/ttir.py lists of Triton's
// module. Out: lines of both in one notation. The two are compared as sets: the one has functions where the other has
// what was called in place, and either may compute a thing twice.
//
// What always holds: an operation that has no name here fails the comparison; one that is left out on purpose is in a table
// with the reason.
//
// To look at it: make test-oracles, or with its environment go test -tags oracle ./internal/difftest/ttir -v.
package ttir
