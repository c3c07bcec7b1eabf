package native

import (
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sys/cpu"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/code"
)

// Features names a set of vector instructions that code is made of.
type Features string

// The sets of instructions. Each needs all that the next one has.
const (
	AMX    Features = "amx"      // tiles of bf16 and i8, with VBMI, BF16 and VNNI
	Pairs  Features = "avx512dp" // AVX-512 with products of pairs of bf16 (BF16) and i16 (VNNI)
	AVX512 Features = "avx512"   // F, BW, DQ and VL
	AVX2   Features = "avx2"     // with FMA, F16C, BMI1 and BMI2
)

// Sets are all sets of instructions, the best one first.
var Sets = []Features{AMX, Pairs, AVX512, AVX2}

// An isa is what the lowering has to know of a set of vector instructions. The lowering writes instructions of AVX-512, with as many lanes as
// a vector has here; selects writes instead what there is.
type isa struct {
	name        Features
	lanes       int // how many elements of a tile are worked on at a time: those of 32 bits that a vector holds
	laneBits    int // … as a power of two
	vectorBytes int
	masks       amd64.Class // of the registers that masks are in
	hoisted     int         // how many constants wait in registers for a loop
	ternary     bool        // any function of three bits is one instruction
	tiles       bool        // there are tiles to multiply
	pairs       bool        // … and instructions that multiply pairs of bf16
	sums        bool        // … or of i16, and add them up
	bf16        bool        // f32 becomes bf16 in one instruction, but for subnormal numbers
	scatters    bool        // elements of 4 and 8 bytes can be stored anywhere in one instruction
	dotCols     int         // vectors of a row, and
	dotBlock    int         // vectors, of a block of a matrix that stays in registers

	// Registers that are given out, by class, and those that spilled values pass through. rax and rdx are operands of
	// divisions; rdi holds the frame and r14 the fuel; rsp and rbp are the caller's.
	free, passing [3][]reg
	spillSize     [3]int
	reload, spill [3]amd64.Op

	selects func(g *generator, i amd64.Inst) // nil: every instruction is there
}

// maxLanes and maxLaneBits bound what an isa may have.
const (
	maxLanes    = 16
	maxLaneBits = 4
)

var (
	generals        = []reg{amd64.RBX, amd64.RSI, amd64.R8, amd64.R9, amd64.R12, amd64.R13, amd64.R15, amd64.RCX}
	passingGenerals = []reg{amd64.R10, amd64.R11, amd64.RDX}
	reloads         = [3]amd64.Op{amd64.General: amd64.MOV, amd64.Vector: amd64.VMOVUPS, amd64.Mask: amd64.KMOVQld}
	spills          = [3]amd64.Op{amd64.General: amd64.MOVst, amd64.Vector: amd64.VMOVUPSst, amd64.Mask: amd64.KMOVQst}
)

var avx512 = isa{
	name: AVX512, lanes: 16, laneBits: 4, vectorBytes: 64, masks: amd64.Mask, hoisted: 14, ternary: true, scatters: true, dotCols: 2, dotBlock: 16,
	free: [3][]reg{
		amd64.General: generals,
		amd64.Vector:  vectors(0, 28),
		amd64.Mask:    {amd64.K0 + 1, amd64.K0 + 2, amd64.K0 + 3, amd64.K0 + 4, amd64.K0 + 5},
	},
	passing: [3][]reg{
		amd64.General: passingGenerals,
		amd64.Vector:  vectors(28, 32),
		amd64.Mask:    {amd64.K0 + 6, amd64.K0 + 7, amd64.K0},
	},
	spillSize: [3]int{amd64.General: 8, amd64.Vector: 64, amd64.Mask: 8},
	reload:    reloads, spill: spills,
}

// avx2 holds masks in vectors.
var avx2 = isa{
	name: AVX2, lanes: 8, laneBits: 3, vectorBytes: 32, masks: amd64.Vector, hoisted: 6, dotCols: 2, dotBlock: 8,
	free:      [3][]reg{amd64.General: generals, amd64.Vector: vectors(0, 13)},
	passing:   [3][]reg{amd64.General: passingGenerals, amd64.Vector: vectors(13, 16)},
	spillSize: [3]int{amd64.General: 8, amd64.Vector: 32},
	reload:    reloads, spill: spills,
}

// amx and avx512dp have everything of avx512.
var (
	amx      = with(func(s *isa) { s.name, s.tiles, s.bf16, s.sums = AMX, true, true, true })
	avx512dp = with(func(s *isa) { s.name, s.pairs, s.bf16, s.sums = Pairs, true, true, true })
)

func with(more func(s *isa)) isa {
	s := avx512
	more(&s)
	return s
}

func init() { avx2.selects = selectAVX2 } // which refers to avx2

func vectors(from, to int) []reg {
	var out []reg
	for i := from; i < to; i++ {
		out = append(out, amd64.Z0+reg(i))
	}
	return out
}

// transfer gives the instruction that moves a register from or to memory.
func (s *isa) transfer(op amd64.Op, r reg, at amd64.Mem) amd64.Inst {
	i := ins(op)
	i.A, i.HasMem, i.M = r, true, at
	if s.selects != nil && op.Vector() {
		i.VEX, i.L = true, amd64.Y
	}
	return i
}

// available are the sets of instructions that this processor has, the best one first.
func available() []*isa {
	x := &cpu.X86
	if !code.Supported || !x.HasAVX2 || !x.HasFMA || !x.HasF16C || !x.HasBMI1 || !x.HasBMI2 {
		return nil
	}
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL {
		return []*isa{&avx2}
	}
	var all []*isa
	if x.HasAMXTile && x.HasAMXBF16 && x.HasAMXInt8 && x.HasAVX512VBMI && x.HasAVX512BF16 && x.HasAVX512VNNI {
		all = append(all, &amx)
	}
	dp := x.HasAVX512BF16 && x.HasAVX512VNNI
	if dp && code.Vendor() != code.Intel {
		all = append(all, &avx512dp)
	}
	all = append(all, &avx512)
	if dp && code.Vendor() == code.Intel { // whose vdpbf16ps takes four times as long as vfmadd
		all = append(all, &avx512dp)
	}
	return append(all, &avx2)
}

// Available gives the sets of instructions that code can be made of on this machine, the best one first.
func Available() []Features {
	var out []Features
	for _, s := range available() {
		out = append(out, s.name)
	}
	return out
}

// Supported says why there is no native code on this machine; "" if there is.
func Supported() string {
	switch {
	case !code.Supported:
		return "there is no native code for " + runtime.GOOS + "/" + runtime.GOARCH
	case len(available()) == 0:
		return "the processor has no AVX2 (with FMA, F16C, BMI1 and BMI2)"
	}
	return ""
}

// isaOf gives a set of instructions by name, the best one there is for "", or says why that cannot be.
func isaOf(f Features) (*isa, string) {
	if why := Supported(); why != "" {
		return nil, why
	}
	all := available()
	if f == "" {
		return all[0], ""
	}
	k := slices.IndexFunc(all, func(s *isa) bool { return s.name == f })
	if k < 0 {
		return nil, fmt.Sprintf("the processor does not have %s; it has %v", f, Available())
	}
	return all[k], ""
}
