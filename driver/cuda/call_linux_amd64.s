#include "textflag.h"
#include "go_asm.h"

GLOBL ·callInContextABI0(SB), NOPTR|RODATA, $8
DATA ·callInContextABI0(SB)/8, $callInContext(SB)

// callInContext takes a *block in DI, as C passes it, and returns a CUresult in AX. The frame keeps the stack
// aligned to 16 bytes at calls: it, the saved BP and the return address are 112 bytes.
TEXT callInContext(SB), NOSPLIT, $96
	MOVQ DI, 80(SP)
	MOVQ DI, R11
	MOVQ $0, 64(SP) // whether the context has been looked at
	CMPQ block_hopeful(R11), $0
	JNE  call

look:
	// The context that is current.
	MOVQ $1, 64(SP)
	MOVQ 80(SP), DI
	MOVQ block_get(DI), AX
	ADDQ $block_before, DI
	CALL AX
	MOVQ 80(SP), R11
	TESTL AX, AX
	JNE  done
	MOVQ block_before(R11), AX
	MOVQ block_context(R11), DI
	CMPQ AX, DI
	JEQ  call
	MOVQ block_set(R11), AX
	CALL AX
	MOVQ 80(SP), R11
	TESTL AX, AX
	JNE  done

call:
	MOVQ block_args+48(R11), AX
	MOVQ AX, 0(SP)
	MOVQ block_args+56(R11), AX
	MOVQ AX, 8(SP)
	MOVQ block_args+64(R11), AX
	MOVQ AX, 16(SP)
	MOVQ block_args+72(R11), AX
	MOVQ AX, 24(SP)
	MOVQ block_args+80(R11), AX
	MOVQ AX, 32(SP)
	MOVQ block_args+0(R11), DI
	MOVQ block_args+8(R11), SI
	MOVQ block_args+16(R11), DX
	MOVQ block_args+24(R11), CX
	MOVQ block_args+32(R11), R8
	MOVQ block_args+40(R11), R9
	MOVQ block_fn(R11), R10
	XORL AX, AX
	CALL R10
	CMPQ 64(SP), $0
	JNE  restore
	CMPL AX, $const_invalidContext
	JEQ  look
	CMPL AX, $const_invalidHandle
	JEQ  look
	RET

restore:
	// Another context that was current is so again. None needs none: the next call finds this one.
	MOVQ 80(SP), R11
	MOVQ block_before(R11), DI
	TESTQ DI, DI
	JEQ  done
	CMPQ DI, block_context(R11)
	JEQ  done
	MOVL AX, 72(SP)
	MOVQ block_set(R11), AX
	CALL AX
	MOVL 72(SP), AX

done:
	RET
