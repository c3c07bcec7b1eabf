// Package bridge is the compiler and the launcher for Python: what python/bridge exports to the C extension.
//
// In: requests of the extension, as messages (wire.go, serve.go): a kernel's source, a launch's arguments,
// a signature. Out: answers: the table of a kernel's parameters, a variant laid out flat, the text of a stage,
// or the description of an error (errors.go). What a kernel's globals mean, Python is asked (env.go, host.go).
//
// What always holds: rules about arguments, facts and keys are those of internal/launch, which the extension
// only repeats for variants that it was told of. The package never touches a Python object; it has the
// addresses of those that a kernel of Python's keeps alive. Nothing panics on a bad message. Requests may come from any
// thread, and while one waits for Python none of the package's locks is held.
//
// How to look at it: the tests play the interpreter; python/src/bridge.h lists the messages.
package bridge
