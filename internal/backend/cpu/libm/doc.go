// Package libm has the functions of CUDA's math library that Go's math package lacks, or has less
// accurately than CUDA documents ("Mathematical Functions" in the CUDA C++ Programming Guide gives
// the largest error of each in units of the last place).
//
// In: float64 arguments. Out: float64 results. What always holds: an error of at most 1 unit of
// the last place of float64, or what CUDA documents where that is more; special cases are those
// of C's library. A caller that wants float32 rounds the result, which leaves it wrong by little
// more than half a unit; where the float64 result would be much dearer there is a function for
// float32 of its own (Pow32, Gamma32).
//
// Most functions are computed with twice float64's digits (dd.go), as sums of series that the
// literature has, and rounded once. They cost about a microsecond. Bessel functions between their
// zeros need more digits still and use math/big.
//
// To look at it: testdata/values.tsv has values of each function with 50 digits of precision, made
// by testdata/values.py with mpmath; TestValues prints the largest error of each function under
// go test -v.
package libm
