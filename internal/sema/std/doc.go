// Package std holds the part of the language's library that is written in the language itself.
//
// In: a function's name. Out: the name and text of the file that defines it. What always holds: a name is
// defined once, at the start of a line, in one of the files; the files use no name but Python's builtins, tl and
// each other's. To look at it: read the files; package sema's tests compare them with Triton.
package std
