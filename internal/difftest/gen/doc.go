// Package gen makes kernels: one for each operation of the language, element type, shape and
// option, from tables, and random ones. What each must give is what Triton's interpreter gave for
// it, or another judge where the interpreter is wrong (docs/triton-differences.md says where and
// why).
//
// In: the tables (rows_*.go): a row is an operation. Out: Cases, each a module's text, arguments
// and the bytes that the outputs must have afterwards. A back end joins by running Cases through
// a function of its own; an operation joins by a row.
//
// What always holds: cases are a function of the tables and of seeds, the same everywhere;
// testdata/expected.bin holds a result for each case under a hash of its text and inputs, so
// that a result is never compared with what another kernel gave.
//
// To look at it: go test ./internal/difftest/gen -v -run Checked/tl.maximum; -args -show NAME prints a
// kernel. make test-oracles runs all of it under the judges again and compares; with
// -update what has no result is judged, and expected.bin written. -seeds N runs N fresh random kernels against a live
// interpreter.
package gen
