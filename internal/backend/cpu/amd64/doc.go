// Package amd64 encodes machine instructions of x86-64 with AVX-512 (F, BW, DQ and VL) or AVX2 (with FMA, F16C, BMI1 and BMI2).
//
// In: a list of Insts whose registers are physical, labels, constants. Out: bytes that run at
// any address. The package knows nothing of tiles, nor of register allocation; but an Inst may
// hold virtual registers (from FirstVirtual on) until an allocator has replaced them, and
// Uses and Def say which registers it reads and writes.
//
// Instructions are rows of a table (table.go): how operands are encoded, prefix, map, opcode.
// Vector instructions are EVEX encoded, or VEX where Inst.VEX asks for it and where there is no other form; operations on mask registers are
// VEX, the rest legacy.
// Branches have 32-bit displacements; constants lie behind the code and are addressed
// relative to the instruction pointer.
//
// What always holds: what String prints for an instruction is what objdump prints for its
// bytes (tested for every row where binutils is there).
package amd64
