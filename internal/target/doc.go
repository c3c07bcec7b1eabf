// Package target knows what code can be compiled for: the names of targets, and for each
// backend its specialisation policy and its compiler.
//
// In: a name such as "cpu" or "cuda:90a"; tile IR. Out: a Target; a driver.Binary with its
// metadata, or the text of a stage.
//
// What always holds: nothing else in the compiler or the launcher names a backend. A new
// backend is a row of the table in this package, or is registered. A target that is known but has
// no compiler yet answers with an Unsupported error that names it.
package target
