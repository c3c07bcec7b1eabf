// Package diag holds errors as values: a category, a stable code, a message and,
// where there is one, a place in a source file.
//
// In: a category, a message, a position. Out: an error that prints as
//
//	kernel.py:12:9: CompileError: name 'y' is not defined
//	    z = x + y
//	            ^
//
// and answers errors.Is for its category.
//
// What always holds: each error has exactly one category out of the closed list
// below; a category's name never changes; the package imports no other room.
package diag
