package amd64

import "fmt"

// A Reg is a register: general, vector, mask, or virtual.
type Reg int32

// The registers. Z0 stands for xmm0, ymm0 and zmm0 alike; an instruction's length says which.
const (
	None Reg = -1

	RAX Reg = iota - 1
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15

	Z0 Reg = 16
	K0 Reg = 48
	T0 Reg = 56 // of the tiles tmm0 to tmm7

	// FirstVirtual is the first number that an allocator has to replace.
	FirstVirtual Reg = 64
)

// A Class is a kind of register.
type Class uint8

// The classes.
const (
	General Class = iota
	Vector
	Mask
)

func (r Reg) num() int {
	switch {
	case r >= T0:
		return int(r - T0)
	case r >= K0:
		return int(r - K0)
	case r >= Z0:
		return int(r - Z0)
	}
	return int(r)
}

var (
	names64 = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	names32 = [16]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}
	names16 = [16]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"}
	names8  = [16]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"}
)

// name gives a register as an operand of some bytes.
func (r Reg) name(size int) string {
	switch {
	case r >= FirstVirtual:
		return fmt.Sprintf("v%d", int(r-FirstVirtual))
	case r >= T0:
		return fmt.Sprintf("tmm%d", r.num())
	case r >= K0:
		return fmt.Sprintf("k%d", r.num())
	case r >= Z0:
		return fmt.Sprintf("%cmm%d", map[int]byte{16: 'x', 32: 'y', 64: 'z'}[max(size, 16)], r.num())
	}
	switch size {
	case 1:
		return names8[r]
	case 2:
		return names16[r]
	case 4:
		return names32[r]
	}
	return names64[r]
}
