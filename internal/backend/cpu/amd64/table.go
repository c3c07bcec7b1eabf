package amd64

// An Op is a row of the table.
type Op uint16

// form says where operands are encoded.
type form uint8

const (
	formRVM   form = iota // A = reg, B = vvvv, C or memory = rm
	formRM                // A = reg, B or memory = rm
	formMR                // A = reg is stored to rm: B or memory; or A = reg to the register B
	formVM                // A = vvvv, B or memory = rm, the opcode extension in reg
	formNone              // no operands
	formGRM               // general: A = reg (read and written, or only written), B or memory = rm
	formGRV               // general, VEX: A = reg, B = rm, C = vvvv
	formGMR               // general store: A = reg, memory
	formM                 // general: A = rm, the opcode extension in reg
	formMI                // general: A = rm with an immediate of 8 or 32 bits
	formMov               // general: A in the opcode, an immediate of 64 bits
	formMem               // general: memory, the opcode extension in reg
	formMemI              // general: memory with an immediate of 32 bits
	formLabel             // general: A = reg, the address of Target
	formJump
)

// A tuple says by what an 8-bit displacement is multiplied.
type tuple uint8

const (
	full    tuple = iota // the vector, or one element where it is repeated
	half                 // half the vector
	quarter              // a quarter of the vector
	element              // one element
)

type flags uint32

const (
	imm8    flags = 1 << iota
	readsA        // the destination is a source, too
	keepsA        // A is not written
	vex           // VEX, not EVEX
	vexL1         // VEX.L = 1
	maskDst       // A is a mask
	maskSrc       // B (and C) are masks
	genDst        // the rm register of formMR, or the reg of formRM is general
	genSrc        // the rm register of formRM is general
	narrow        // the rm register is half as long as the vector
	narrow4       // … a quarter as long
	longer        // the destination is half as long as the vector
	vsib          // the index is a vector
	writesK       // the mask is cleared, as gathers do
	writesB       // formMR to a register: B is written
	byteOp        // the operand is a byte
	lock          // with the lock prefix
	both          // there is a VEX form, too, which Inst.VEX asks for
	vexW0         // whose W is 0
	onlyVEX       // there is a VEX form alone
	kVVVV         // K is a vector in vvvv: in VEX forms
	kImm          // K is a vector in the immediate
	tiled         // on tiles: A = reg, B or memory = rm, C = vvvv
)

// row describes an instruction.
type row struct {
	name  string
	form  form
	pp    uint8 // 0: none, 1: 66, 2: F3, 3: F2
	mm    uint8 // 1: 0F, 2: 0F38, 3: 0F3A; 0: one-byte opcodes
	w     uint8
	opc   uint8
	ext   uint8 // opcode extension
	tuple tuple
	size  uint8 // bytes of an element, or of a general operand
	flags flags
}

func (r *row) dst() Class {
	switch {
	case r.flags&maskDst != 0:
		return Mask
	case r.flags&genDst != 0:
		return General
	}
	return Vector
}

// The instructions. D and Q end the names of those on elements of 32 and 64 bits.
const (
	BadOp Op = iota

	VMOVUPS
	VMOVUPD
	VMOVUPSst
	VMOVUPDst
	VMOVDQU8
	VMOVDQU16
	VMOVDQU8st
	VMOVDQU16st
	VMOVAPS
	VMOVNTPSst
	VMOVSSst
	VMOVSDst
	VMOVDfromG
	VMOVQfromG
	VMOVDtoG
	VMOVQtoG
	VPBROADCASTD
	VPBROADCASTQ
	VPBROADCASTDfromG
	VPBROADCASTQfromG

	VADDPS
	VADDPD
	VSUBPS
	VSUBPD
	VMULPS
	VMULPD
	VDIVPS
	VDIVPD
	VMINPS
	VMINPD
	VMAXPS
	VMAXPD
	VSQRTPS
	VSQRTPD
	VFMADD231PS
	VFMADD231PD
	VFMADD213PS
	VFMADD213PD
	VFNMADD231PS
	VFNMADD231PD
	VFMSUB231PD
	VCMPPS
	VCMPPD
	VRNDSCALEPS
	VRNDSCALEPD
	VSCALEFPS
	VSCALEFPD
	VREDUCEPS
	VRANGEPS
	VRANGEPD
	VGETEXPPS
	VGETEXPPD
	VGETMANTPS
	VGETMANTPD

	VPADDD
	VPADDQ
	VPSUBD
	VPSUBQ
	VPMULLD
	VPMULLQ
	VPMULUDQ
	VPANDD
	VPANDQ
	VPORD
	VPORQ
	VPXORD
	VPXORQ
	VPANDND
	VPMINSD
	VPMINSQ
	VPMINUD
	VPMINUQ
	VPMAXSD
	VPMAXSQ
	VPMAXUD
	VPMAXUQ
	VPABSD
	VPABSQ
	VPSLLVD
	VPSLLVQ
	VPSRLVD
	VPSRLVQ
	VPSRAVD
	VPSRAVQ
	VPSLLD
	VPSLLQ
	VPSRLD
	VPSRLQ
	VPSRAD
	VPSRAQ
	VPCMPD
	VPCMPQ
	VPCMPUD
	VPCMPUQ
	VPTESTMD
	VPTESTMQ
	VPTESTMB
	VPBLENDMD
	VPBLENDMQ
	VPTERNLOGD
	VMOVSHDUP
	VMOVSLDUP

	VCVTDQ2PS
	VCVTUDQ2PS
	VCVTTPS2DQ
	VCVTTPS2UDQ
	VCVTQQ2PD
	VCVTUQQ2PD
	VCVTQQ2PS
	VCVTUQQ2PS
	VCVTTPD2QQ
	VCVTTPD2UQQ
	VCVTTPS2QQ
	VCVTTPS2UQQ
	VCVTPS2PD
	VCVTPD2PS
	VCVTDQ2PD
	VCVTUDQ2PD
	VCVTTPD2DQ
	VCVTTPD2UDQ
	VCVTPH2PS
	VCVTPS2PH
	VPMOVZXBD
	VPMOVZXWD
	VPMOVSXBD
	VPMOVSXWD
	VPMOVSXDQ
	VPMOVZXDQ
	VPMOVDW
	VPMOVDB
	VPMOVQD
	VPMOVM2B
	VPMOVB2M
	VALIGND
	VALIGNQ
	VEXTRACTI64X4
	VINSERTI64X4
	VPERMW
	VPERMB
	VINSERTI32X4
	VDPBF16PS
	VPDPWSSD
	VPDPBUSD
	VPMADDWD
	VCVTNEPS2BF16
	VUNPCKLPS
	VUNPCKHPS
	VUNPCKLPD
	VUNPCKHPD
	VSHUFF32X4
	VSHUFF64X2
	VPGATHERDD
	VPGATHERQD
	VPGATHERDQ
	VPGATHERQQ
	VPSCATTERDD
	VPSCATTERQD
	VPSCATTERDQ
	VPSCATTERQQ

	LDTILECFG
	TILERELEASE
	TILEZERO
	TILELOADD
	TILESTORED
	TDPBF16PS
	TDPBSSD
	TDPBUUD

	KMOV
	KMOVld
	KMOVst
	KMOVQld
	KMOVQst
	KMOVfromG
	KMOVtoG
	KAND
	KANDN
	KNOT
	KOR
	KXNOR
	KXOR
	KSHIFTR
	KSHIFTL
	KUNPCK
	KORTEST
	VZEROUPPER

	VPAND
	VPANDN
	VPOR
	VPXOR
	VMOVDQU
	VMOVDQUst
	VMOVQ
	VMOVQst
	VMASKMOVPS
	VMASKMOVPD
	VMASKMOVPSst
	VMASKMOVPDst
	VBLENDVPS
	VBLENDVPD
	VROUNDPS
	VROUNDPD
	VCMPPSV
	VCMPPDV
	VPCMPEQD
	VPCMPEQQ
	VPCMPGTD
	VPCMPGTQ
	VMOVMSKPS
	VMOVMSKPD
	VPTEST
	VEXTRACTI128
	VINSERTI128
	VPERM2I128
	VPERMD
	VPERMQ
	VPALIGNR
	VSHUFPS
	VPSHUFD
	VPBLENDD
	VPACKSSDW
	VPACKSSWB
	VPACKUSDW
	VPACKUSWB
	VCVTPS2DQ
	VCVTPD2DQ

	MOV
	MOVL
	MOVI
	MOVst
	MOVLst
	MOVWst
	MOVBst
	MOVZXB
	MOVZXW
	MOVSXB
	MOVSXW
	MOVSXD
	LEA
	ADD
	ADDL
	SUB
	SUBL
	AND
	ANDL
	OR
	ORL
	XOR
	XORL
	CMP
	CMPL
	TEST
	TESTL
	IMUL
	IMULL
	TZCNT
	ADDI
	ADDLI
	ANDI
	ANDLI
	ORLI
	XORLI
	CMPI
	CMPLI
	SHLI
	SHLLI
	SHRI
	SHRLI
	SARI
	SARLI
	SHLX
	SHLXL
	SHRX
	SHRXL
	SARX
	SARXL
	NEG
	NEGL
	MUL
	MULL
	DIV
	DIVL
	IDIV
	IDIVL
	CDQ
	CQO
	SETCC
	CMOV
	CMOVL
	CMPMI
	SUBMI
	MOVMI
	STMXCSR
	LDMXCSR
	PREFETCHW
	PREFETCHT1
	LEALabel
	XADD
	XADDL
	XCHG
	XCHGL
	CMPXCHG
	CMPXCHGL
	XADDW
	XADDB
	XCHGW
	XCHGB
	CMPXCHGW
	CMPXCHGB
	JCC
	JMP
	JMPR
	CALLR
	RET
	SFENCE

	numOps
)

var table = [numOps]row{
	VMOVUPS:           {"vmovups", formRM, 0, 1, 0, 0x10, 0, full, 4, both},
	VMOVUPD:           {"vmovupd", formRM, 1, 1, 1, 0x10, 0, full, 8, both},
	VMOVUPSst:         {"vmovups", formMR, 0, 1, 0, 0x11, 0, full, 4, both},
	VMOVUPDst:         {"vmovupd", formMR, 1, 1, 1, 0x11, 0, full, 8, both},
	VMOVDQU8:          {"vmovdqu8", formRM, 3, 1, 0, 0x6f, 0, full, 1, 0},
	VMOVDQU16:         {"vmovdqu16", formRM, 3, 1, 1, 0x6f, 0, full, 2, 0},
	VMOVDQU8st:        {"vmovdqu8", formMR, 3, 1, 0, 0x7f, 0, full, 1, 0},
	VMOVDQU16st:       {"vmovdqu16", formMR, 3, 1, 1, 0x7f, 0, full, 2, 0},
	VMOVAPS:           {"vmovaps", formRM, 0, 1, 0, 0x28, 0, full, 4, both},
	VMOVNTPSst:        {"vmovntps", formMR, 0, 1, 0, 0x2b, 0, full, 4, both},
	VMOVSSst:          {"vmovss", formMR, 2, 1, 0, 0x11, 0, element, 4, both},
	VMOVSDst:          {"vmovsd", formMR, 3, 1, 1, 0x11, 0, element, 8, both},
	VMOVDfromG:        {"vmovd", formRM, 1, 1, 0, 0x6e, 0, element, 4, genSrc | both},
	VMOVQfromG:        {"vmovq", formRM, 1, 1, 1, 0x6e, 0, element, 8, genSrc | both},
	VMOVDtoG:          {"vmovd", formMR, 1, 1, 0, 0x7e, 0, element, 4, genDst | writesB | keepsA | both},
	VMOVQtoG:          {"vmovq", formMR, 1, 1, 1, 0x7e, 0, element, 8, genDst | writesB | keepsA | both},
	VPBROADCASTD:      {"vpbroadcastd", formRM, 1, 2, 0, 0x58, 0, element, 4, narrow4 | both},
	VPBROADCASTQ:      {"vpbroadcastq", formRM, 1, 2, 1, 0x59, 0, element, 8, narrow4 | both | vexW0},
	VPBROADCASTDfromG: {"vpbroadcastd", formRM, 1, 2, 0, 0x7c, 0, element, 4, genSrc},
	VPBROADCASTQfromG: {"vpbroadcastq", formRM, 1, 2, 1, 0x7c, 0, element, 8, genSrc},

	VADDPS:       {"vaddps", formRVM, 0, 1, 0, 0x58, 0, full, 4, both},
	VADDPD:       {"vaddpd", formRVM, 1, 1, 1, 0x58, 0, full, 8, both},
	VSUBPS:       {"vsubps", formRVM, 0, 1, 0, 0x5c, 0, full, 4, both},
	VSUBPD:       {"vsubpd", formRVM, 1, 1, 1, 0x5c, 0, full, 8, both},
	VMULPS:       {"vmulps", formRVM, 0, 1, 0, 0x59, 0, full, 4, both},
	VMULPD:       {"vmulpd", formRVM, 1, 1, 1, 0x59, 0, full, 8, both},
	VDIVPS:       {"vdivps", formRVM, 0, 1, 0, 0x5e, 0, full, 4, both},
	VDIVPD:       {"vdivpd", formRVM, 1, 1, 1, 0x5e, 0, full, 8, both},
	VMINPS:       {"vminps", formRVM, 0, 1, 0, 0x5d, 0, full, 4, both},
	VMINPD:       {"vminpd", formRVM, 1, 1, 1, 0x5d, 0, full, 8, both},
	VMAXPS:       {"vmaxps", formRVM, 0, 1, 0, 0x5f, 0, full, 4, both},
	VMAXPD:       {"vmaxpd", formRVM, 1, 1, 1, 0x5f, 0, full, 8, both},
	VSQRTPS:      {"vsqrtps", formRM, 0, 1, 0, 0x51, 0, full, 4, both},
	VSQRTPD:      {"vsqrtpd", formRM, 1, 1, 1, 0x51, 0, full, 8, both},
	VFMADD231PS:  {"vfmadd231ps", formRVM, 1, 2, 0, 0xb8, 0, full, 4, readsA | both},
	VFMADD231PD:  {"vfmadd231pd", formRVM, 1, 2, 1, 0xb8, 0, full, 8, readsA | both},
	VFMADD213PS:  {"vfmadd213ps", formRVM, 1, 2, 0, 0xa8, 0, full, 4, readsA | both},
	VFMADD213PD:  {"vfmadd213pd", formRVM, 1, 2, 1, 0xa8, 0, full, 8, readsA | both},
	VFNMADD231PS: {"vfnmadd231ps", formRVM, 1, 2, 0, 0xbc, 0, full, 4, readsA | both},
	VFNMADD231PD: {"vfnmadd231pd", formRVM, 1, 2, 1, 0xbc, 0, full, 8, readsA | both},
	VFMSUB231PD:  {"vfmsub231pd", formRVM, 1, 2, 1, 0xba, 0, full, 8, readsA | both},
	VCMPPS:       {"vcmpps", formRVM, 0, 1, 0, 0xc2, 0, full, 4, imm8 | maskDst},
	VCMPPD:       {"vcmppd", formRVM, 1, 1, 1, 0xc2, 0, full, 8, imm8 | maskDst},
	VRNDSCALEPS:  {"vrndscaleps", formRM, 1, 3, 0, 0x08, 0, full, 4, imm8},
	VRNDSCALEPD:  {"vrndscalepd", formRM, 1, 3, 1, 0x09, 0, full, 8, imm8},
	VSCALEFPS:    {"vscalefps", formRVM, 1, 2, 0, 0x2c, 0, full, 4, 0},
	VSCALEFPD:    {"vscalefpd", formRVM, 1, 2, 1, 0x2c, 0, full, 8, 0},
	VREDUCEPS:    {"vreduceps", formRM, 1, 3, 0, 0x56, 0, full, 4, imm8},
	VRANGEPS:     {"vrangeps", formRVM, 1, 3, 0, 0x50, 0, full, 4, imm8},
	VRANGEPD:     {"vrangepd", formRVM, 1, 3, 1, 0x50, 0, full, 8, imm8},
	VGETEXPPS:    {"vgetexpps", formRM, 1, 2, 0, 0x42, 0, full, 4, 0},
	VGETEXPPD:    {"vgetexppd", formRM, 1, 2, 1, 0x42, 0, full, 8, 0},
	VGETMANTPS:   {"vgetmantps", formRM, 1, 3, 0, 0x26, 0, full, 4, imm8},
	VGETMANTPD:   {"vgetmantpd", formRM, 1, 3, 1, 0x26, 0, full, 8, imm8},

	VPADDD:     {"vpaddd", formRVM, 1, 1, 0, 0xfe, 0, full, 4, both},
	VPADDQ:     {"vpaddq", formRVM, 1, 1, 1, 0xd4, 0, full, 8, both},
	VPSUBD:     {"vpsubd", formRVM, 1, 1, 0, 0xfa, 0, full, 4, both},
	VPSUBQ:     {"vpsubq", formRVM, 1, 1, 1, 0xfb, 0, full, 8, both},
	VPMULLD:    {"vpmulld", formRVM, 1, 2, 0, 0x40, 0, full, 4, both},
	VPMULLQ:    {"vpmullq", formRVM, 1, 2, 1, 0x40, 0, full, 8, 0},
	VPMULUDQ:   {"vpmuludq", formRVM, 1, 1, 1, 0xf4, 0, full, 8, both},
	VPANDD:     {"vpandd", formRVM, 1, 1, 0, 0xdb, 0, full, 4, 0},
	VPANDQ:     {"vpandq", formRVM, 1, 1, 1, 0xdb, 0, full, 8, 0},
	VPORD:      {"vpord", formRVM, 1, 1, 0, 0xeb, 0, full, 4, 0},
	VPORQ:      {"vporq", formRVM, 1, 1, 1, 0xeb, 0, full, 8, 0},
	VPXORD:     {"vpxord", formRVM, 1, 1, 0, 0xef, 0, full, 4, 0},
	VPXORQ:     {"vpxorq", formRVM, 1, 1, 1, 0xef, 0, full, 8, 0},
	VPANDND:    {"vpandnd", formRVM, 1, 1, 0, 0xdf, 0, full, 4, 0},
	VPMINSD:    {"vpminsd", formRVM, 1, 2, 0, 0x39, 0, full, 4, both},
	VPMINSQ:    {"vpminsq", formRVM, 1, 2, 1, 0x39, 0, full, 8, 0},
	VPMINUD:    {"vpminud", formRVM, 1, 2, 0, 0x3b, 0, full, 4, both},
	VPMINUQ:    {"vpminuq", formRVM, 1, 2, 1, 0x3b, 0, full, 8, 0},
	VPMAXSD:    {"vpmaxsd", formRVM, 1, 2, 0, 0x3d, 0, full, 4, both},
	VPMAXSQ:    {"vpmaxsq", formRVM, 1, 2, 1, 0x3d, 0, full, 8, 0},
	VPMAXUD:    {"vpmaxud", formRVM, 1, 2, 0, 0x3f, 0, full, 4, both},
	VPMAXUQ:    {"vpmaxuq", formRVM, 1, 2, 1, 0x3f, 0, full, 8, 0},
	VPABSD:     {"vpabsd", formRM, 1, 2, 0, 0x1e, 0, full, 4, both},
	VPABSQ:     {"vpabsq", formRM, 1, 2, 1, 0x1f, 0, full, 8, 0},
	VPSLLVD:    {"vpsllvd", formRVM, 1, 2, 0, 0x47, 0, full, 4, both},
	VPSLLVQ:    {"vpsllvq", formRVM, 1, 2, 1, 0x47, 0, full, 8, both},
	VPSRLVD:    {"vpsrlvd", formRVM, 1, 2, 0, 0x45, 0, full, 4, both},
	VPSRLVQ:    {"vpsrlvq", formRVM, 1, 2, 1, 0x45, 0, full, 8, both},
	VPSRAVD:    {"vpsravd", formRVM, 1, 2, 0, 0x46, 0, full, 4, both},
	VPSRAVQ:    {"vpsravq", formRVM, 1, 2, 1, 0x46, 0, full, 8, 0},
	VPSLLD:     {"vpslld", formVM, 1, 1, 0, 0x72, 6, full, 4, imm8 | both},
	VPSLLQ:     {"vpsllq", formVM, 1, 1, 1, 0x73, 6, full, 8, imm8 | both},
	VPSRLD:     {"vpsrld", formVM, 1, 1, 0, 0x72, 2, full, 4, imm8 | both},
	VPSRLQ:     {"vpsrlq", formVM, 1, 1, 1, 0x73, 2, full, 8, imm8 | both},
	VPSRAD:     {"vpsrad", formVM, 1, 1, 0, 0x72, 4, full, 4, imm8 | both},
	VPSRAQ:     {"vpsraq", formVM, 1, 1, 1, 0x72, 4, full, 8, imm8},
	VPCMPD:     {"vpcmpd", formRVM, 1, 3, 0, 0x1f, 0, full, 4, imm8 | maskDst},
	VPCMPQ:     {"vpcmpq", formRVM, 1, 3, 1, 0x1f, 0, full, 8, imm8 | maskDst},
	VPCMPUD:    {"vpcmpud", formRVM, 1, 3, 0, 0x1e, 0, full, 4, imm8 | maskDst},
	VPCMPUQ:    {"vpcmpuq", formRVM, 1, 3, 1, 0x1e, 0, full, 8, imm8 | maskDst},
	VPTESTMD:   {"vptestmd", formRVM, 1, 2, 0, 0x27, 0, full, 4, maskDst},
	VPTESTMQ:   {"vptestmq", formRVM, 1, 2, 1, 0x27, 0, full, 8, maskDst},
	VPTESTMB:   {"vptestmb", formRVM, 1, 2, 0, 0x26, 0, full, 1, maskDst},
	VPBLENDMD:  {"vpblendmd", formRVM, 1, 2, 0, 0x64, 0, full, 4, 0},
	VPBLENDMQ:  {"vpblendmq", formRVM, 1, 2, 1, 0x64, 0, full, 8, 0},
	VPTERNLOGD: {"vpternlogd", formRVM, 1, 3, 0, 0x25, 0, full, 4, imm8 | readsA},
	VMOVSHDUP:  {"vmovshdup", formRM, 2, 1, 0, 0x16, 0, full, 4, both},
	VMOVSLDUP:  {"vmovsldup", formRM, 2, 1, 0, 0x12, 0, full, 4, both},

	VCVTDQ2PS:     {"vcvtdq2ps", formRM, 0, 1, 0, 0x5b, 0, full, 4, both},
	VCVTUDQ2PS:    {"vcvtudq2ps", formRM, 3, 1, 0, 0x7a, 0, full, 4, 0},
	VCVTTPS2DQ:    {"vcvttps2dq", formRM, 2, 1, 0, 0x5b, 0, full, 4, both},
	VCVTTPS2UDQ:   {"vcvttps2udq", formRM, 0, 1, 0, 0x78, 0, full, 4, 0},
	VCVTQQ2PD:     {"vcvtqq2pd", formRM, 2, 1, 1, 0xe6, 0, full, 8, 0},
	VCVTUQQ2PD:    {"vcvtuqq2pd", formRM, 2, 1, 1, 0x7a, 0, full, 8, 0},
	VCVTQQ2PS:     {"vcvtqq2ps", formRM, 0, 1, 1, 0x5b, 0, full, 8, longer},
	VCVTUQQ2PS:    {"vcvtuqq2ps", formRM, 3, 1, 1, 0x7a, 0, full, 8, longer},
	VCVTTPD2QQ:    {"vcvttpd2qq", formRM, 1, 1, 1, 0x7a, 0, full, 8, 0},
	VCVTTPD2UQQ:   {"vcvttpd2uqq", formRM, 1, 1, 1, 0x78, 0, full, 8, 0},
	VCVTTPS2QQ:    {"vcvttps2qq", formRM, 1, 1, 0, 0x7a, 0, half, 4, narrow},
	VCVTTPS2UQQ:   {"vcvttps2uqq", formRM, 1, 1, 0, 0x78, 0, half, 4, narrow},
	VCVTPS2PD:     {"vcvtps2pd", formRM, 0, 1, 0, 0x5a, 0, half, 4, narrow | both},
	VCVTPD2PS:     {"vcvtpd2ps", formRM, 1, 1, 1, 0x5a, 0, full, 8, longer | both},
	VCVTDQ2PD:     {"vcvtdq2pd", formRM, 2, 1, 0, 0xe6, 0, half, 4, narrow | both},
	VCVTUDQ2PD:    {"vcvtudq2pd", formRM, 2, 1, 0, 0x7a, 0, half, 4, narrow},
	VCVTTPD2DQ:    {"vcvttpd2dq", formRM, 1, 1, 1, 0xe6, 0, full, 8, longer | both},
	VCVTTPD2UDQ:   {"vcvttpd2udq", formRM, 0, 1, 1, 0x78, 0, full, 8, longer},
	VCVTPH2PS:     {"vcvtph2ps", formRM, 1, 2, 0, 0x13, 0, half, 2, narrow | both},
	VCVTPS2PH:     {"vcvtps2ph", formMR, 1, 3, 0, 0x1d, 0, half, 2, imm8 | narrow | writesB | keepsA | both},
	VPMOVZXBD:     {"vpmovzxbd", formRM, 1, 2, 0, 0x31, 0, quarter, 1, narrow4 | both},
	VPMOVZXWD:     {"vpmovzxwd", formRM, 1, 2, 0, 0x33, 0, half, 2, narrow | both},
	VPMOVSXBD:     {"vpmovsxbd", formRM, 1, 2, 0, 0x21, 0, quarter, 1, narrow4 | both},
	VPMOVSXWD:     {"vpmovsxwd", formRM, 1, 2, 0, 0x23, 0, half, 2, narrow | both},
	VPMOVSXDQ:     {"vpmovsxdq", formRM, 1, 2, 0, 0x25, 0, half, 4, narrow | both},
	VPMOVZXDQ:     {"vpmovzxdq", formRM, 1, 2, 0, 0x35, 0, half, 4, narrow | both},
	VPMOVDW:       {"vpmovdw", formMR, 2, 2, 0, 0x33, 0, half, 2, narrow | writesB | keepsA},
	VPMOVDB:       {"vpmovdb", formMR, 2, 2, 0, 0x31, 0, quarter, 1, narrow4 | writesB | keepsA},
	VPMOVQD:       {"vpmovqd", formMR, 2, 2, 0, 0x35, 0, half, 4, narrow | writesB | keepsA},
	VPMOVM2B:      {"vpmovm2b", formRM, 2, 2, 0, 0x28, 0, full, 1, maskSrc},
	VPMOVB2M:      {"vpmovb2m", formRM, 2, 2, 0, 0x29, 0, full, 1, maskDst},
	VALIGND:       {"valignd", formRVM, 1, 3, 0, 0x03, 0, full, 4, imm8},
	VALIGNQ:       {"valignq", formRVM, 1, 3, 1, 0x03, 0, full, 8, imm8},
	VEXTRACTI64X4: {"vextracti64x4", formMR, 1, 3, 1, 0x3b, 0, half, 8, imm8 | narrow | writesB | keepsA},
	VINSERTI64X4:  {"vinserti64x4", formRVM, 1, 3, 1, 0x3a, 0, half, 8, imm8 | narrow},
	VPERMW:        {"vpermw", formRVM, 1, 2, 1, 0x8d, 0, full, 2, 0},
	VPERMB:        {"vpermb", formRVM, 1, 2, 0, 0x8d, 0, full, 1, 0},
	VINSERTI32X4:  {"vinserti32x4", formRVM, 1, 3, 0, 0x38, 0, quarter, 4, imm8 | narrow4},
	VDPBF16PS:     {"vdpbf16ps", formRVM, 2, 2, 0, 0x52, 0, full, 4, readsA},
	VPDPWSSD:      {"vpdpwssd", formRVM, 1, 2, 0, 0x52, 0, full, 4, readsA},
	VPDPBUSD:      {"vpdpbusd", formRVM, 1, 2, 0, 0x50, 0, full, 4, readsA},
	VPMADDWD:      {"vpmaddwd", formRVM, 1, 1, 0, 0xf5, 0, full, 2, 0},
	VCVTNEPS2BF16: {"vcvtneps2bf16", formRM, 2, 2, 0, 0x72, 0, full, 4, longer},
	VUNPCKLPS:     {"vunpcklps", formRVM, 0, 1, 0, 0x14, 0, full, 4, both},
	VUNPCKHPS:     {"vunpckhps", formRVM, 0, 1, 0, 0x15, 0, full, 4, both},
	VUNPCKLPD:     {"vunpcklpd", formRVM, 1, 1, 1, 0x14, 0, full, 8, both},
	VUNPCKHPD:     {"vunpckhpd", formRVM, 1, 1, 1, 0x15, 0, full, 8, both},
	VSHUFF32X4:    {"vshuff32x4", formRVM, 1, 3, 0, 0x23, 0, full, 4, imm8},
	VSHUFF64X2:    {"vshuff64x2", formRVM, 1, 3, 1, 0x23, 0, full, 8, imm8},
	VPGATHERDD:    {"vpgatherdd", formRM, 1, 2, 0, 0x90, 0, element, 4, vsib | writesK | readsA | both},
	VPGATHERQD:    {"vpgatherqd", formRM, 1, 2, 0, 0x91, 0, element, 4, vsib | writesK | readsA | longer | both},
	VPGATHERDQ:    {"vpgatherdq", formRM, 1, 2, 1, 0x90, 0, element, 8, vsib | writesK | readsA | narrow | both},
	VPGATHERQQ:    {"vpgatherqq", formRM, 1, 2, 1, 0x91, 0, element, 8, vsib | writesK | readsA | both},
	VPSCATTERDD:   {"vpscatterdd", formMR, 1, 2, 0, 0xa0, 0, element, 4, vsib | writesK | readsA},
	VPSCATTERQD:   {"vpscatterqd", formMR, 1, 2, 0, 0xa1, 0, element, 4, vsib | writesK | readsA | longer},
	VPSCATTERDQ:   {"vpscatterdq", formMR, 1, 2, 1, 0xa0, 0, element, 8, vsib | writesK | readsA | narrow},
	VPSCATTERQQ:   {"vpscatterqq", formMR, 1, 2, 1, 0xa1, 0, element, 8, vsib | writesK | readsA},

	LDTILECFG:   {"ldtilecfg", formMem, 0, 2, 0, 0x49, 0, full, 64, tiled},
	TILERELEASE: {"tilerelease", formNone, 0, 2, 0, 0x49, 0, full, 0, tiled},
	TILEZERO:    {"tilezero", formRM, 3, 2, 0, 0x49, 0, full, 0, tiled},
	TILELOADD:   {"tileloadd", formRM, 3, 2, 0, 0x4b, 0, full, 0, tiled},
	TILESTORED:  {"tilestored", formMR, 2, 2, 0, 0x4b, 0, full, 0, tiled},
	TDPBF16PS:   {"tdpbf16ps", formRVM, 2, 2, 0, 0x5c, 0, full, 0, tiled | readsA},
	TDPBSSD:     {"tdpbssd", formRVM, 3, 2, 0, 0x5e, 0, full, 0, tiled | readsA},
	TDPBUUD:     {"tdpbuud", formRVM, 0, 2, 0, 0x5e, 0, full, 0, tiled | readsA},

	KMOV:         {"kmovw", formRM, 0, 1, 0, 0x90, 0, full, 2, vex | maskDst | maskSrc},
	KMOVld:       {"kmovw", formRM, 0, 1, 0, 0x90, 0, full, 2, vex | maskDst},
	KMOVst:       {"kmovw", formMR, 0, 1, 0, 0x91, 0, full, 2, vex | maskSrc | keepsA | readsA},
	KMOVQld:      {"kmovq", formRM, 0, 1, 1, 0x90, 0, full, 8, vex | maskDst},
	KMOVQst:      {"kmovq", formMR, 0, 1, 1, 0x91, 0, full, 8, vex | maskSrc | keepsA | readsA},
	KMOVfromG:    {"kmovw", formRM, 0, 1, 0, 0x92, 0, full, 4, vex | maskDst | genSrc},
	KMOVtoG:      {"kmovw", formRM, 0, 1, 0, 0x93, 0, full, 4, vex | genDst | maskSrc},
	KAND:         {"kandw", formRVM, 0, 1, 0, 0x41, 0, full, 2, vex | vexL1 | maskDst | maskSrc},
	KANDN:        {"kandnw", formRVM, 0, 1, 0, 0x42, 0, full, 2, vex | vexL1 | maskDst | maskSrc},
	KNOT:         {"knotw", formRM, 0, 1, 0, 0x44, 0, full, 2, vex | maskDst | maskSrc},
	KOR:          {"korw", formRVM, 0, 1, 0, 0x45, 0, full, 2, vex | vexL1 | maskDst | maskSrc},
	KXNOR:        {"kxnorw", formRVM, 0, 1, 0, 0x46, 0, full, 2, vex | vexL1 | maskDst | maskSrc},
	KXOR:         {"kxorw", formRVM, 0, 1, 0, 0x47, 0, full, 2, vex | vexL1 | maskDst | maskSrc},
	KSHIFTR:      {"kshiftrw", formRM, 1, 3, 1, 0x30, 0, full, 2, vex | imm8 | maskDst | maskSrc},
	KSHIFTL:      {"kshiftlw", formRM, 1, 3, 1, 0x32, 0, full, 2, vex | imm8 | maskDst | maskSrc},
	KUNPCK:       {"kunpckbw", formRVM, 1, 1, 0, 0x4b, 0, full, 2, vex | vexL1 | maskDst | maskSrc},
	KORTEST:      {"kortestw", formRM, 0, 1, 0, 0x98, 0, full, 2, vex | maskDst | maskSrc | keepsA | readsA},
	VPAND:        {"vpand", formRVM, 1, 1, 0, 0xdb, 0, full, 8, onlyVEX},
	VPANDN:       {"vpandn", formRVM, 1, 1, 0, 0xdf, 0, full, 8, onlyVEX},
	VPOR:         {"vpor", formRVM, 1, 1, 0, 0xeb, 0, full, 8, onlyVEX},
	VPXOR:        {"vpxor", formRVM, 1, 1, 0, 0xef, 0, full, 8, onlyVEX},
	VMOVDQU:      {"vmovdqu", formRM, 2, 1, 0, 0x6f, 0, full, 8, onlyVEX},
	VMOVDQUst:    {"vmovdqu", formMR, 2, 1, 0, 0x7f, 0, full, 8, onlyVEX},
	VMOVQ:        {"vmovq", formRM, 2, 1, 0, 0x7e, 0, element, 8, onlyVEX},
	VMOVQst:      {"vmovq", formMR, 1, 1, 0, 0xd6, 0, element, 8, onlyVEX},
	VMASKMOVPS:   {"vmaskmovps", formRM, 1, 2, 0, 0x2c, 0, full, 4, onlyVEX | kVVVV},
	VMASKMOVPD:   {"vmaskmovpd", formRM, 1, 2, 0, 0x2d, 0, full, 8, onlyVEX | kVVVV},
	VMASKMOVPSst: {"vmaskmovps", formMR, 1, 2, 0, 0x2e, 0, full, 4, onlyVEX | kVVVV},
	VMASKMOVPDst: {"vmaskmovpd", formMR, 1, 2, 0, 0x2f, 0, full, 8, onlyVEX | kVVVV},
	VBLENDVPS:    {"vblendvps", formRVM, 1, 3, 0, 0x4a, 0, full, 4, onlyVEX | kImm},
	VBLENDVPD:    {"vblendvpd", formRVM, 1, 3, 0, 0x4b, 0, full, 8, onlyVEX | kImm},
	VROUNDPS:     {"vroundps", formRM, 1, 3, 0, 0x08, 0, full, 4, onlyVEX | imm8},
	VROUNDPD:     {"vroundpd", formRM, 1, 3, 0, 0x09, 0, full, 8, onlyVEX | imm8},
	VCMPPSV:      {"vcmpps", formRVM, 0, 1, 0, 0xc2, 0, full, 4, onlyVEX | imm8},
	VCMPPDV:      {"vcmppd", formRVM, 1, 1, 0, 0xc2, 0, full, 8, onlyVEX | imm8},
	VPCMPEQD:     {"vpcmpeqd", formRVM, 1, 1, 0, 0x76, 0, full, 4, onlyVEX},
	VPCMPEQQ:     {"vpcmpeqq", formRVM, 1, 2, 0, 0x29, 0, full, 8, onlyVEX},
	VPCMPGTD:     {"vpcmpgtd", formRVM, 1, 1, 0, 0x66, 0, full, 4, onlyVEX},
	VPCMPGTQ:     {"vpcmpgtq", formRVM, 1, 2, 0, 0x37, 0, full, 8, onlyVEX},
	VMOVMSKPS:    {"vmovmskps", formRM, 0, 1, 0, 0x50, 0, full, 4, onlyVEX | genDst},
	VMOVMSKPD:    {"vmovmskpd", formRM, 1, 1, 0, 0x50, 0, full, 4, onlyVEX | genDst},
	VPTEST:       {"vptest", formRM, 1, 2, 0, 0x17, 0, full, 8, onlyVEX | readsA | keepsA},
	VEXTRACTI128: {"vextracti128", formMR, 1, 3, 0, 0x39, 0, half, 8, onlyVEX | imm8 | narrow | writesB | keepsA},
	VINSERTI128:  {"vinserti128", formRVM, 1, 3, 0, 0x38, 0, half, 8, onlyVEX | imm8 | narrow},
	VPERM2I128:   {"vperm2i128", formRVM, 1, 3, 0, 0x46, 0, full, 8, onlyVEX | imm8},
	VPERMD:       {"vpermd", formRVM, 1, 2, 0, 0x36, 0, full, 4, both},
	VPERMQ:       {"vpermq", formRM, 1, 3, 1, 0x00, 0, full, 8, onlyVEX | imm8},
	VPALIGNR:     {"vpalignr", formRVM, 1, 3, 0, 0x0f, 0, full, 1, onlyVEX | imm8},
	VSHUFPS:      {"vshufps", formRVM, 0, 1, 0, 0xc6, 0, full, 4, both | imm8},
	VPSHUFD:      {"vpshufd", formRM, 1, 1, 0, 0x70, 0, full, 4, onlyVEX | imm8},
	VPBLENDD:     {"vpblendd", formRVM, 1, 3, 0, 0x02, 0, full, 4, onlyVEX | imm8},
	VPACKSSDW:    {"vpackssdw", formRVM, 1, 1, 0, 0x6b, 0, full, 4, onlyVEX},
	VPACKSSWB:    {"vpacksswb", formRVM, 1, 1, 0, 0x63, 0, full, 2, onlyVEX},
	VPACKUSDW:    {"vpackusdw", formRVM, 1, 2, 0, 0x2b, 0, full, 4, onlyVEX},
	VPACKUSWB:    {"vpackuswb", formRVM, 1, 1, 0, 0x67, 0, full, 2, onlyVEX},
	VCVTPS2DQ:    {"vcvtps2dq", formRM, 1, 1, 0, 0x5b, 0, full, 4, onlyVEX},
	VCVTPD2DQ:    {"vcvtpd2dq", formRM, 3, 1, 0, 0xe6, 0, full, 8, onlyVEX | longer},

	VZEROUPPER: {"vzeroupper", formNone, 0, 1, 0, 0x77, 0, full, 0, vex},

	MOV:        {"mov", formGRM, 0, 0, 1, 0x8b, 0, full, 8, 0},
	MOVL:       {"mov", formGRM, 0, 0, 0, 0x8b, 0, full, 4, 0},
	MOVI:       {"movabs", formMov, 0, 0, 1, 0xb8, 0, full, 8, 0},
	MOVst:      {"mov", formGMR, 0, 0, 1, 0x89, 0, full, 8, keepsA | readsA},
	MOVLst:     {"mov", formGMR, 0, 0, 0, 0x89, 0, full, 4, keepsA | readsA},
	MOVWst:     {"mov", formGMR, 1, 0, 0, 0x89, 0, full, 2, keepsA | readsA},
	MOVBst:     {"mov", formGMR, 0, 0, 0, 0x88, 0, full, 1, keepsA | readsA | byteOp},
	MOVZXB:     {"movzx", formGRM, 0, 1, 0, 0xb6, 0, full, 4, byteOp},
	MOVZXW:     {"movzx", formGRM, 0, 1, 0, 0xb7, 0, half, 4, 0},
	MOVSXB:     {"movsx", formGRM, 0, 1, 0, 0xbe, 0, full, 4, byteOp},
	MOVSXW:     {"movsx", formGRM, 0, 1, 0, 0xbf, 0, half, 4, 0},
	MOVSXD:     {"movsxd", formGRM, 0, 0, 1, 0x63, 0, half, 8, 0},
	LEA:        {"lea", formGRM, 0, 0, 1, 0x8d, 0, element, 8, 0},
	ADD:        {"add", formGRM, 0, 0, 1, 0x03, 0, full, 8, readsA},
	ADDL:       {"add", formGRM, 0, 0, 0, 0x03, 0, full, 4, readsA},
	SUB:        {"sub", formGRM, 0, 0, 1, 0x2b, 0, full, 8, readsA},
	SUBL:       {"sub", formGRM, 0, 0, 0, 0x2b, 0, full, 4, readsA},
	AND:        {"and", formGRM, 0, 0, 1, 0x23, 0, full, 8, readsA},
	ANDL:       {"and", formGRM, 0, 0, 0, 0x23, 0, full, 4, readsA},
	OR:         {"or", formGRM, 0, 0, 1, 0x0b, 0, full, 8, readsA},
	ORL:        {"or", formGRM, 0, 0, 0, 0x0b, 0, full, 4, readsA},
	XOR:        {"xor", formGRM, 0, 0, 1, 0x33, 0, full, 8, readsA},
	XORL:       {"xor", formGRM, 0, 0, 0, 0x33, 0, full, 4, readsA},
	CMP:        {"cmp", formGRM, 0, 0, 1, 0x3b, 0, full, 8, readsA | keepsA},
	CMPL:       {"cmp", formGRM, 0, 0, 0, 0x3b, 0, full, 4, readsA | keepsA},
	TEST:       {"test", formGRM, 0, 0, 1, 0x85, 0, full, 8, readsA | keepsA},
	TESTL:      {"test", formGRM, 0, 0, 0, 0x85, 0, full, 4, readsA | keepsA},
	IMUL:       {"imul", formGRM, 0, 1, 1, 0xaf, 0, full, 8, readsA},
	IMULL:      {"imul", formGRM, 0, 1, 0, 0xaf, 0, full, 4, readsA},
	TZCNT:      {"tzcnt", formGRM, 2, 1, 0, 0xbc, 0, full, 4, 0},
	ADDI:       {"add", formMI, 0, 0, 1, 0x81, 0, full, 8, readsA},
	ADDLI:      {"add", formMI, 0, 0, 0, 0x81, 0, full, 4, readsA},
	ANDI:       {"and", formMI, 0, 0, 1, 0x81, 4, full, 8, readsA},
	ANDLI:      {"and", formMI, 0, 0, 0, 0x81, 4, full, 4, readsA},
	ORLI:       {"or", formMI, 0, 0, 0, 0x81, 1, full, 4, readsA},
	XORLI:      {"xor", formMI, 0, 0, 0, 0x81, 6, full, 4, readsA},
	CMPI:       {"cmp", formMI, 0, 0, 1, 0x81, 7, full, 8, readsA | keepsA},
	CMPLI:      {"cmp", formMI, 0, 0, 0, 0x81, 7, full, 4, readsA | keepsA},
	SHLI:       {"shl", formMI, 0, 0, 1, 0xc1, 4, full, 8, readsA | imm8},
	SHLLI:      {"shl", formMI, 0, 0, 0, 0xc1, 4, full, 4, readsA | imm8},
	SHRI:       {"shr", formMI, 0, 0, 1, 0xc1, 5, full, 8, readsA | imm8},
	SHRLI:      {"shr", formMI, 0, 0, 0, 0xc1, 5, full, 4, readsA | imm8},
	SARI:       {"sar", formMI, 0, 0, 1, 0xc1, 7, full, 8, readsA | imm8},
	SARLI:      {"sar", formMI, 0, 0, 0, 0xc1, 7, full, 4, readsA | imm8},
	SHLX:       {"shlx", formGRV, 1, 2, 1, 0xf7, 0, full, 8, 0},
	SHLXL:      {"shlx", formGRV, 1, 2, 0, 0xf7, 0, full, 4, 0},
	SHRX:       {"shrx", formGRV, 3, 2, 1, 0xf7, 0, full, 8, 0},
	SHRXL:      {"shrx", formGRV, 3, 2, 0, 0xf7, 0, full, 4, 0},
	SARX:       {"sarx", formGRV, 2, 2, 1, 0xf7, 0, full, 8, 0},
	SARXL:      {"sarx", formGRV, 2, 2, 0, 0xf7, 0, full, 4, 0},
	NEG:        {"neg", formM, 0, 0, 1, 0xf7, 3, full, 8, readsA},
	NEGL:       {"neg", formM, 0, 0, 0, 0xf7, 3, full, 4, readsA},
	MUL:        {"mul", formM, 0, 0, 1, 0xf7, 4, full, 8, readsA | keepsA},
	MULL:       {"mul", formM, 0, 0, 0, 0xf7, 4, full, 4, readsA | keepsA},
	DIV:        {"div", formM, 0, 0, 1, 0xf7, 6, full, 8, readsA | keepsA},
	DIVL:       {"div", formM, 0, 0, 0, 0xf7, 6, full, 4, readsA | keepsA},
	IDIV:       {"idiv", formM, 0, 0, 1, 0xf7, 7, full, 8, readsA | keepsA},
	IDIVL:      {"idiv", formM, 0, 0, 0, 0xf7, 7, full, 4, readsA | keepsA},
	CDQ:        {"cdq", formNone, 0, 0, 0, 0x99, 0, full, 4, 0},
	CQO:        {"cqo", formNone, 0, 0, 1, 0x99, 0, full, 8, 0},
	SETCC:      {"set", formM, 0, 1, 0, 0x90, 0, full, 1, byteOp},
	CMOV:       {"cmov", formGRM, 0, 1, 1, 0x40, 0, full, 8, readsA},
	CMOVL:      {"cmov", formGRM, 0, 1, 0, 0x40, 0, full, 4, readsA},
	CMPMI:      {"cmp", formMemI, 0, 0, 1, 0x81, 7, full, 8, 0},
	SUBMI:      {"sub", formMemI, 0, 0, 1, 0x81, 5, full, 8, 0},
	MOVMI:      {"mov", formMemI, 0, 0, 1, 0xc7, 0, full, 8, 0},
	STMXCSR:    {"stmxcsr", formMem, 0, 1, 0, 0xae, 3, full, 4, 0},
	LDMXCSR:    {"ldmxcsr", formMem, 0, 1, 0, 0xae, 2, full, 4, 0},
	PREFETCHW:  {"prefetchw", formMem, 0, 1, 0, 0x0d, 1, full, 1, 0},
	PREFETCHT1: {"prefetcht1", formMem, 0, 1, 0, 0x18, 2, full, 1, 0},
	LEALabel:   {"lea", formLabel, 0, 0, 1, 0x8d, 0, full, 8, 0},
	JMPR:       {"jmp", formM, 0, 0, 0, 0xff, 4, full, 8, readsA | keepsA},
	CALLR:      {"call", formM, 0, 0, 0, 0xff, 2, full, 8, readsA | keepsA},
	XADD:       {"lock xadd", formGMR, 0, 1, 1, 0xc1, 0, full, 8, readsA | lock},
	XADDL:      {"lock xadd", formGMR, 0, 1, 0, 0xc1, 0, full, 4, readsA | lock},
	XCHG:       {"xchg", formGMR, 0, 0, 1, 0x87, 0, full, 8, readsA},
	XCHGL:      {"xchg", formGMR, 0, 0, 0, 0x87, 0, full, 4, readsA},
	CMPXCHG:    {"lock cmpxchg", formGMR, 0, 1, 1, 0xb1, 0, full, 8, readsA | keepsA | lock},
	CMPXCHGL:   {"lock cmpxchg", formGMR, 0, 1, 0, 0xb1, 0, full, 4, readsA | keepsA | lock},
	XADDW:      {"lock xadd", formGMR, 1, 1, 0, 0xc1, 0, full, 2, readsA | lock},
	XADDB:      {"lock xadd", formGMR, 0, 1, 0, 0xc0, 0, full, 1, readsA | lock | byteOp},
	XCHGW:      {"xchg", formGMR, 1, 0, 0, 0x87, 0, full, 2, readsA},
	XCHGB:      {"xchg", formGMR, 0, 0, 0, 0x86, 0, full, 1, readsA | byteOp},
	CMPXCHGW:   {"lock cmpxchg", formGMR, 1, 1, 0, 0xb1, 0, full, 2, readsA | keepsA | lock},
	CMPXCHGB:   {"lock cmpxchg", formGMR, 0, 1, 0, 0xb0, 0, full, 1, readsA | keepsA | lock | byteOp},
	JCC:        {"j", formJump, 0, 1, 0, 0x80, 0, full, 0, 0},
	JMP:        {"jmp", formJump, 0, 0, 0, 0xe9, 0, full, 0, 0},
	RET:        {"ret", formNone, 0, 0, 0, 0xc3, 0, full, 0, 0},
	SFENCE:     {"sfence", formNone, 0, 1, 0, 0xae, 7, full, 0, 0},
}
