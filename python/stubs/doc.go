// Command stubs writes the files of the Python package that tell what tl holds: the table that
// tegula.language makes its names from, and the type stubs for editors.
//
// In: sema's catalog, what each parameter and result is (types.go), a line on each name
// (names.txt) and the classes' stubs (classes.pyi). Out: files below python/tegula/language.
//
// What always holds: a name that the compiler knows is in the table and in the stubs, with the
// compiler's own parameters. A test fails when the files are not what the command would write:
//
//	go run ./python/stubs
package main
