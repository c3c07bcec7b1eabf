// Package exact tells constants apart by type and bits, as Python's == does not: 1, 1.0 and True
// differ, as do 0.0 and -0.0; a NaN is the same as itself.
//
// In: a constant of pyval or sema. Out: bytes, the same for two constants only if a compiler
// cannot tell them apart.
//
// There are two sorts of sameness for what has an identity, such as functions and objects.
// AppendIdentity tells them by it, which is cheap and right within a process. AppendContent
// tells functions by their source and other objects by their type alone; it means the same in
// every process, and whoever uses it must learn in another way what an object did to the code.
//
// What always holds: no encoding is the beginning of another, so encodings that stand one after
// another cannot run together.
package exact
