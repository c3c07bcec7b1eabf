// Package native compiles kernels to machine code for this processor.
//
// In: a verified tile.Module. Out: a Program, whose Run runs the code for every program instance of a grid, in
// parallel. What cannot be compiled yet is refused whole, by name, at its line; such a kernel runs on the
// checked executor, whose meaning this package has to have everywhere else.
//
// # Calling the code
//
// Program.ABI gives what other languages need to call a program without entering Go. The code is one function of the System V
// calling convention for x86-64,
//
//	int64_t entry(void *frame);
//
// which keeps the registers that the convention keeps, leaves the direction flag clear, the upper halves of
// vector registers zero and MXCSR as it was (it computes with round to nearest and without flushing subnormal numbers, whatever the
// caller has), and uses no stack. All that it works on lies in the frame: ABI.FrameBytes bytes at a multiple of ABI.FrameAlign. One frame
// serves one call at a time; threads that run programs at once have a frame each. The frame begins with
//
//	offset  type        before the call                                     after it
//	 0      int32_t[3]  the first program's ids (axes 0, 1, 2)              the ids of the program to run next
//	12      int32_t     0; else the call goes on with the launch of the     as it was
//	                    last call on this frame, whose arrays are as they
//	                    were but for what programs have stored
//	16      int32_t[3]  the grid, each from 1 on                            as it was
//	32      int64_t     how many programs to run, 1 or more: axis 0         how many of them are left
//	                    counts fastest, then 1, then 2
//	40      8 bytes     0                                                   0
//	48      int64_t     fuel: about how many instructions to run            what is left, below 0 if it was used up
//	                    before returning early; INT64_MAX for no bound
//	56      uint64_t    0                                                   0 when it has finished, else not to be changed
//	64      8 bytes     the arguments, one after another: pointers, and     as they were
//	        each        scalars in their first bytes, zero-extended
//
// What follows need not be set. The function returns
//
//	0  when the programs have run;
//	1  when the fuel is used up: set the fuel and call again with the same frame, and the code goes on where it was.
//
// and, if ABI.NeedsGo is set, other values, which ask for what only Program.Run can do. Such programs are not for other callers.
//
// A caller in a loop over the grid may ask for all programs in one call, or give each thread a part. Before a launch
// it has to look at ABI.Overlaps: for each pair of parameters, the arrays (their first to their last byte) may not
// overlap, but may begin at the same address if Same is set; if they do overlap, the code gives other results than the kernel means, and
// the launch has to go through Program.Run, which knows what to do.
//
// A caller in C that wants to survive bad addresses has to have its own handler for SIGSEGV, as any C function does.
// Go callers go through Run, which makes errors of them.
//
// # Pauses
//
// Code that runs long would keep Go's collector waiting and could not be cancelled. So it counts what it does against the fuel at the back edges
// of the kernel's own loops, of long loops over tiles, and between programs, and pauses when the fuel is used up: all
// registers are saved in the frame, and loaded again by the next call.
//
// # What the checked executor does
//
// An operation that this package has no code for becomes a kernel of the checked executor, a service: the code writes its operands to the frame and
// pauses with the service's number, Go runs the kernel on the frame, and the code goes on (outline.go).
//
// # Threads
//
// The caller of Run works itself; helpers (pool.go) join it if there is enough to do, which a program's earlier runs tell by the
// fuel that they used.
package native
