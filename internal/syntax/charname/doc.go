// Package charname finds the characters that \N{…} escapes name.
//
// In: a name of the Unicode character database, or one of its aliases, in any
// case. Out: the character. The names are those of the Unicode version of
// golang.org/x/text; they lie compressed in the binary (names.gz, made by gen.go)
// and are unpacked when the first one is asked for. A name once given to a
// character is never changed, so a newer version knows all names of an older one.
//
// What always holds: nothing is unpacked for a file without such an escape; a name that is unknown is an answer,
// not an error. How to look at it: zcat names.gz; go generate makes it anew.
package charname
