// Package dtype knows the element types of the language: their names, sizes, kinds,
// number formats and promotion rules.
//
// In: a type's name (Triton's, NumPy's or the language's attribute name). Out: a DType, a
// small comparable value. What always holds: a DType's facts are a table row; integers
// carry their signedness here (the tile IR does not); every conversion to a narrower float
// rounds once.
//
// A further type is a row here, and more elsewhere: docs/contributing.md lists where.
package dtype
