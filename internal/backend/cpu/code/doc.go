// Package code makes machine code callable: memory that is first writable, then executable, never
// both, and a way into it without cgo.
//
// In: bytes for this machine, position independent. Out: a Code, whose Call runs them with one
// argument in rdi. The code keeps rsp, rbp and r14, and returns with ret.
//
// What always holds. The code runs on the calling goroutine's stack, of which it uses the return
// address and nothing else, so no stack has to grow under it. While it runs, the goroutine can not be
// preempted and a garbage collection waits for it: callers hand out work in pieces of well under a
// millisecond. Signals are handled by Go as usual, on their own stack; a sample that the profiler takes
// in the code counts as external code. docs/rationale.md says what a call costs and what else was tried.
package code
