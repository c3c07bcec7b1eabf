package tile

// An Attr is an operation's constant part. Attributes are comparable values: two
// operations without regions that have the same Code, Args and Attr compute the same.
type Attr interface {
	// fields shows each field to v and gives the attribute that v answered with.
	fields(v visitor) Attr
}

type (
	// ConstAttr is of OpConst: an element's bits, zero-extended to 64.
	ConstAttr struct{ Bits uint64 }

	// CmpIAttr is of OpCmpI.
	CmpIAttr struct{ Pred CmpI }

	// CmpFAttr is of OpCmpF.
	CmpFAttr struct{ Pred CmpF }

	// NaNAttr is of OpFMin, OpFMax, OpClamp: whether a NaN operand makes the result NaN.
	NaNAttr struct{ Propagate bool }

	// RoundAttr is of OpFTrunc.
	RoundAttr struct{ Mode Round }

	// ExternAttr is of OpExtern: the function's name in libdevice, such as "tanh".
	ExternAttr struct{ Name string }

	// AxisAttr is of the operations that work along a dimension, and of the program's axes.
	AxisAttr struct{ Axis int }

	// ScanAttr is of OpScan.
	ScanAttr struct {
		Axis    int
		Reverse bool
	}

	// ReshapeAttr is of OpReshape: whether elements may end up in any order.
	ReshapeAttr struct{ CanReorder bool }

	// PermAttr is of OpTrans; Order[:rank] is a permutation.
	PermAttr struct{ Order [MaxRank]uint8 }

	// RangeAttr is of OpRange.
	RangeAttr struct{ Start, End int64 }

	// HintAttr is of OpHint. Values[:rank] (Values[0] for a scalar) say for each dimension: a divisor of the first value of
	// each contiguous group, the length of contiguous groups, or of constant ones.
	HintAttr struct {
		Kind   Hint
		Values [MaxRank]int64
	}

	// LoadAttr is of OpLoad. Cache is not CacheWB or CacheWT.
	LoadAttr struct {
		Cache    Cache
		Evict    Evict
		Volatile bool
	}

	// StoreAttr is of OpStore. Cache is not CacheCA or CacheCV.
	StoreAttr struct {
		Cache Cache
		Evict Evict
	}

	// AtomicAttr is of the atomics; only OpAtomicRMW has a Kind.
	AtomicAttr struct {
		Kind  Atomic
		Sem   MemSem
		Scope MemScope
	}

	// DotAttr is of OpDot.
	DotAttr struct {
		Precision    Precision
		MaxImprecise int  // partial sums that fp8 may keep in reduced precision; 0: none
		Unsigned     bool // integer operands are unsigned
	}

	// DotScaledAttr is of OpDotScaled: the formats of the operands, which of them have a scale, and whether
	// pairs of E2M1 are packed along M or N instead of K.
	DotScaledAttr struct {
		A, B           ScaledFormat
		ScaleA, ScaleB bool
		PackM, PackN   bool
		FastMath       bool // a scale of 255 need not make NaN
	}

	// DescReduceAttr is of OpDescReduce.
	DescReduceAttr struct{ Kind Atomic }

	// ForAttr is of OpFor.
	ForAttr struct {
		Unsigned       bool // the counter's comparison
		NumStages      int  // 0: the default
		Unroll         int  // 0: the default
		Flatten        bool
		WarpSpecialize bool
		NoMultiBuffer  bool
		NoLICM         bool
	}

	// CallAttr is of OpCall: a function of the module.
	CallAttr struct{ Callee string }

	// PrintAttr is of OpPrint. Bit i of Signed says that operand i is a signed integer.
	PrintAttr struct {
		Prefix string
		Hex    bool
		Signed uint64
	}

	// AssertAttr is of OpAssert.
	AssertAttr struct{ Msg string }

	// AsmAttr is of OpInlineAsm.
	AsmAttr struct {
		Asm, Constraints string
		Pure             bool
		Pack             int
	}
)

// A CmpI is an integer comparison.
type CmpI uint8

// The integer comparisons; S is signed, U unsigned.
const (
	EQ CmpI = iota
	NE
	LTS
	LES
	GTS
	GES
	LTU
	LEU
	GTU
	GEU
)

// A CmpF is a float comparison. O is ordered (false on NaN), U unordered (true on NaN).
type CmpF uint8

// The float comparisons.
const (
	OEQ CmpF = iota
	ONE
	OLT
	OLE
	OGT
	OGE
	UEQ
	UNE
	ULT
	ULE
	UGT
	UGE
	ORD
	UNO
)

// A Round is a rounding mode.
type Round uint8

// The rounding modes.
const (
	NearestEven Round = iota
	TowardsZero
)

// A Hint is a kind of fact.
type Hint uint8

// The hints.
const (
	HintDivisible Hint = iota
	HintContiguous
	HintConstant
)

// A Cache says which caches an access goes through, in PTX's words; where a target has no such choice it
// says nothing.
type Cache uint8

// The caches.
const (
	CacheDefault Cache = iota
	CacheCA            // all levels
	CacheCG            // those that all cores share
	CacheCS            // likely used once
	CacheCV            // none: memory is read again
	CacheWB            // written back later
	CacheWT            // written through
)

// An Evict says when a cache may forget what was accessed.
type Evict uint8

// The eviction priorities.
const (
	EvictNormal Evict = iota
	EvictFirst
	EvictLast
)

// An Atomic is a read-modify-write.
type Atomic uint8

// The read-modify-writes.
const (
	AtomicAdd Atomic = iota
	AtomicFAdd
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicMaxS
	AtomicMaxU
	AtomicMinS
	AtomicMinU
	AtomicFMax
	AtomicFMin
	AtomicXchg
)

// A MemSem is a memory ordering.
type MemSem uint8

// The orderings; AcqRel is the language's default.
const (
	AcqRel MemSem = iota
	Acquire
	Release
	Relaxed
)

// A MemScope is who sees an atomic as such.
type MemScope uint8

// The scopes; ScopeGPU is the language's default.
const (
	ScopeGPU MemScope = iota
	ScopeCTA
	ScopeSystem
)

// A Precision is how float operands of a dot may be rounded.
type Precision uint8

// The precisions.
const (
	TF32 Precision = iota
	TF32x3
	IEEE
	BF16x3
	BF16x6
)

// A ScaledFormat is the number format of an operand of a scaled dot.
type ScaledFormat uint8

// The formats. E2M1 has 4 bits: a sign, two of exponent, one of mantissa.
const (
	E2M1 ScaledFormat = iota
	E4M3
	E5M2
	ScaledBF16
	ScaledF16
)
