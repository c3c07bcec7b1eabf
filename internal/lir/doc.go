// Package lir is the per-thread IR that all SIMT targets share: typed SSA of scalars with structured control flow, run by
// all threads of a CTA.
//
// In: calls of a Builder, which folds constants, merges equal operations and moves invariant ones out of loops as they
// are made. Out: a Func that Verify accepts, after Finish has removed dead operations, put barriers where threads meet
// in memory, and given shared buffers their places.
//
// # The machine
//
// A program instance is a CTA of Warps × WarpSize threads, or a cluster of CTAs that have so many together; thread t is lane t%WarpSize
// of warp t/WarpSize. Where CTAs are spoken of here, a cluster does the same: its threads meet at barriers, and its shared memory is
// one, that of its first CTA. Every thread runs the
// function. Conditions of If, While and For bounds need not be the same in all threads, except where the region holds an
// operation that threads do together: Barrier needs all threads of the CTA, Shuffle, Vote, Redux and WarpSync all of
// their warp. What a thread reads from Shared memory that another wrote is ordered by barriers only.
//
// # Types
//
// I1 is a truth value and lies in no memory. I8 to I64 have no sign; operations do. Arithmetic is on I32 and I64 (I16 and
// I8 are loaded, stored, extended, truncated, selected and cast; Op tables say what takes what), on F32 and F64, and
// where a target has it on F16 and BF16. Numbers of 8-bit float formats are I8 and are converted by operations. An address in Global memory is
// an I64; in Shared and Local memory it is an I32, a number of bytes from the beginning of the Buffer that the access names.
//
// # The binary interface
//
// A kernel's parameters are the metadata's Args, one for one in that order, and nothing else: no hidden ones. A pointer is an
// I64, a truth value an I8 (0 or 1), an 8-bit float an I8, everything else has its own type. The grid of CTAs is the
// program grid, x first: ProgramID axis 0 is x; of clusters, they lie along x. The block is (WarpSize·Warps/CTAs, 1, 1) threads. Shared memory is one piece of
// SharedBytes bytes, 128-byte aligned, all of it asked for at launch (CUDA's dynamic shared memory: the metadata's Shared and
// DynamicShared are both SharedBytes). A Buffer lies Offset bytes from its beginning; buffers whose lives do not meet overlap.
//
// # What always holds
//
// In a verified function every operand is a constant or is defined before its use in the same or an enclosing block; every operation
// fits its row of the table (op.go); the last operation of a block, and only that, ends it. Operations keep the location of the tile
// operation that they were made for.
//
// To look at it: tegula compile … --target cuda:90a --emit lir
package lir
