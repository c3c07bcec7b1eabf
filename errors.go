package tegula

import "github.com/tegula-lang/tegula/internal/diag"

// An Error is an error of the compiler or of a launch. Error gives one line; Detail the source
// line with a caret and the notes too.
type Error = diag.Error

// An ErrorList is several errors that were found in one go.
type ErrorList = diag.List

// A Category is a class of errors; errors.Is tells whether an error belongs to one.
type Category = diag.Category

// A Place is a range of a source line.
type Place = diag.Place

// A Note is a further place or remark of an Error.
type Note = diag.Note

// The categories.
var (
	ErrSyntax         = diag.Syntax         // the file is not Python
	ErrCompile        = diag.Compile        // the kernel means nothing for these arguments
	ErrUnsupported    = diag.Unsupported    // it means something, but this version cannot do it
	ErrGrid           = diag.Grid           // the grid is none
	ErrArgument       = diag.Argument       // an argument is missing, unknown or of the wrong type
	ErrGlobalChanged  = diag.GlobalChanged  // a global that the compiled kernel depends on has changed
	ErrSchema         = diag.Schema         // kernel metadata is not as its schema says
	ErrOutOfResources = diag.OutOfResources // the device is too small for the kernel
	ErrStream         = diag.Stream         // the stream is null, or another device's
	ErrDriver         = diag.Driver         // the device's driver failed
	ErrCheck          = diag.Check          // the kernel did what it must not: an access out of bounds, say
)

// Detail gives the full text of any error: with source lines, carets and notes where the error
// has them. Unlike Error it ends with a newline; of a nil error it is "".
func Detail(err error) string { return diag.Detail(err) }
