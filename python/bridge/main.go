// Command bridge is the compiler and the launcher as a shared library, which the C extension tegula._native
// loads. It is built with -buildmode=c-shared; without cgo it is empty.
//
// In and out: the functions that export.go exports, whose messages internal/bridge reads and writes; the
// contract between the two sides is python/src/bridge.h.
//
// What always holds: no memory of one side is kept by the other beyond a call, but for answers, which C
// frees; no panic crosses over.
package main

func main() {}
