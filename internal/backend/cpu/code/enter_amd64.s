//go:build linux

#include "textflag.h"

// func enter(entry uintptr, arg unsafe.Pointer)
//
// The code may change every register but SP, BP and R14. Functions of the assembler's calling
// convention need to keep none, and their callers restore what Go expects in R14 and X15.
TEXT ·enter(SB), NOSPLIT, $0-16
	MOVQ entry+0(FP), AX
	MOVQ arg+8(FP), DI
	CALL AX
	RET
