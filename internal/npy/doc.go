// Package npy reads and writes NumPy's .npy files (format versions 1, 2 and 3).
//
// In: a file, or an Array. Out: an Array in C order with little-endian elements (big-endian and
// Fortran-ordered files are rearranged), or the file.
//
// The types are the language's. NumPy itself has neither bfloat16 nor float8; files that
// ml_dtypes writes say '<V2' for bfloat16, '<f1' for float8_e5m2 and '<V1' for every other
// float8, so that reading '<V1' needs the type from the caller. What is written for any float8 is
// '|V1', which NumPy reads as raw bytes.
//
// An Arena makes arrays that lie alone in the address space: code that runs past one faults.
//
// What always holds: what a file claims is checked before memory is taken for it. The header
// is at most MaxHeader bytes, the rank at most MaxRank, and a file of known size must be
// exactly as long as its header says. Bad input is an ArgumentError with one of the codes
// npy-*; nothing panics.
package npy
