// Package code makes machine code callable: memory that is first writable, then executable, never
// both, and a way into it without cgo.
//
// In: bytes for this machine, position independent. Out: a Code, whose Call runs them with one
// argument in rdi and gives what they leave in rax; or a Fault. The code keeps rsp and rbp, pushes nothing, and
// returns with ret.
//
// What always holds. The code runs on the calling goroutine's stack, of which it uses the return
// address and nothing else, so no stack has to grow under it. While it runs, the goroutine can not be
// preempted and a garbage collection waits for it: the code returns every now and then (package native says how).
// Signals are handled by Go as usual, on their own stack; a sample that the profiler takes
// in the code counts as external code. docs/rationale.md says what a call costs and what else was tried.
//
// # Faults
//
// A memory fault in code that is not Go's makes Go's signal handler look at the top of the stack: a Go address there is taken for the
// return address of a call to nowhere, and the handler goes on as if the function at that address had called the runtime's
// sigpanic. As the code pushes nothing, that function is enter, whose frame the runtime can unwind, move and leave. SetPanicOnFault
// makes the panic one that can be recovered, whatever the address is.
//
// This holds in a Go program and in one that embeds Go (a c-shared library) as long as Go's handlers for SIGSEGV and SIGBUS are
// in place. On a thread that C code entered the code from, no Go function is on the stack: the signal goes to the handler that was there
// before Go, or ends the process.
package code
