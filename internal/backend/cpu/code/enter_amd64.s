//go:build linux

#include "textflag.h"

// func enter(entry uintptr, arg unsafe.Pointer) int64
//
// The code may change every register but SP and BP. Functions of the assembler's calling convention need
// to keep none, and their callers restore what Go expects in R14 and X15. The code pushes nothing, so that
// while it runs SP points to the address that it returns to: that is how the runtime finds its way from a
// fault in the code to this function and on to its caller (see doc.go).
TEXT ·enter(SB), NOSPLIT, $0-24
	MOVQ entry+0(FP), AX
	MOVQ arg+8(FP), DI
	CALL AX
	MOVQ AX, ret+16(FP)
	RET

// func clear()
TEXT ·clear(SB), NOSPLIT, $0-0
	VZEROUPPER
	RET

// func vendor() (b, d, c uint32)
TEXT ·vendor(SB), NOSPLIT, $0-12
	XORL AX, AX
	CPUID
	MOVL BX, b+0(FP)
	MOVL DX, d+4(FP)
	MOVL CX, c+8(FP)
	RET
