// Package schema reads, writes and describes JSON documents of one Go type, strictly.
//
// In: a Go struct whose tags say what its fields may hold; a JSON text, or a value. Out: the
// value, or a SchemaError that names the field by its path, what was expected and what was
// found; the text; the JSON Schema (draft 2020-12) of all texts.
//
// What always holds:
//
//   - The reader and the JSON Schema come from the same tags, so they cannot disagree. The reader
//     is stricter in what a JSON Schema cannot say: names occur once in an object, an integer is
//     written as one (4, not 4.0), and a document's own Check.
//   - A value that Parse gives is complete: a field is optional only if it is a pointer, and then
//     absence is nil. There is no null, no default and no field that is silently ignored.
//   - What Encode gives, Parse reads, and it is the same text for the same value.
//   - Nothing panics on a text, and memory is bounded by a multiple of its size, which is bounded too.
//
// # Tags
//
//	json:"name"                the field's name
//	doc:"…"                    its description in the JSON Schema
//	schema:"min=0,max=7"       an integer's range, or that of an array's integers
//	schema:"pow2,min=1,max=8"  which only powers of two are in
//	schema:"version=1"         the version of the document; it is looked at before all else
//	schema:"enum=a|b"          what a string may be
//	schema:"format=name"       a format, of those that the Document has, that a string must have
//	schema:"minitems=1"        the fewest elements of a slice; an array has exactly its length
//	schema:"rest"              takes the members that no other field is for, each an object
//
// To look at it: Document.Schema.
package schema
