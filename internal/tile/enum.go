package tile

// The names of the enumerations in the text form; an enumeration's values are all those
// that have a name.
var (
	cmpINames = []string{
		EQ: "eq", NE: "ne", LTS: "lts", LES: "les", GTS: "gts", GES: "ges",
		LTU: "ltu", LEU: "leu", GTU: "gtu", GEU: "geu",
	}
	cmpFNames = []string{
		OEQ: "oeq", ONE: "one", OLT: "olt", OLE: "ole", OGT: "ogt", OGE: "oge",
		UEQ: "ueq", UNE: "une", ULT: "ult", ULE: "ule", UGT: "ugt", UGE: "uge",
		ORD: "ord", UNO: "uno",
	}
	roundNames  = []string{NearestEven: "nearest_even", TowardsZero: "towards_zero"}
	hintNames   = []string{HintDivisible: "divisible", HintContiguous: "contiguous", HintConstant: "constant"}
	atomicNames = []string{
		AtomicAdd: "add", AtomicFAdd: "fadd", AtomicAnd: "and", AtomicOr: "or", AtomicXor: "xor",
		AtomicMaxS: "maxs", AtomicMaxU: "maxu", AtomicMinS: "mins", AtomicMinU: "minu",
		AtomicFMax: "fmax", AtomicFMin: "fmin", AtomicXchg: "xchg",
	}
	cacheNames = []string{
		CacheDefault: "default", CacheCA: "ca", CacheCG: "cg", CacheCS: "cs", CacheCV: "cv", CacheWB: "wb", CacheWT: "wt",
	}
	evictNames     = []string{EvictNormal: "normal", EvictFirst: "first", EvictLast: "last"}
	memSemNames    = []string{AcqRel: "acq_rel", Acquire: "acquire", Release: "release", Relaxed: "relaxed"}
	memScopeNames  = []string{ScopeGPU: "gpu", ScopeCTA: "cta", ScopeSystem: "sys"}
	scaledNames    = []string{E2M1: "e2m1", E4M3: "e4m3", E5M2: "e5m2", ScaledBF16: "bf16", ScaledF16: "f16"}
	precisionNames = []string{TF32: "tf32", TF32x3: "tf32x3", IEEE: "ieee", BF16x3: "bf16x3", BF16x6: "bf16x6"}
)

// enumName gives the name of a value, "?" for one that the enumeration does not have.
func enumName[E ~uint8](e E, names []string) string {
	if int(e) >= len(names) {
		return "?"
	}
	return names[e]
}

// String gives the name in the text form.
func (p CmpI) String() string { return enumName(p, cmpINames) }

// String gives the name in the text form.
func (p CmpF) String() string { return enumName(p, cmpFNames) }

// String gives the name in the text form.
func (r Round) String() string { return enumName(r, roundNames) }

// String gives the name in the text form.
func (h Hint) String() string { return enumName(h, hintNames) }

// String gives the name in the text form.
func (c Cache) String() string { return enumName(c, cacheNames) }

// String gives the name in the text form.
func (e Evict) String() string { return enumName(e, evictNames) }

// String gives the name in the text form.
func (a Atomic) String() string { return enumName(a, atomicNames) }

// String gives the name in the text form.
func (s MemSem) String() string { return enumName(s, memSemNames) }

// String gives the name in the text form.
func (s MemScope) String() string { return enumName(s, memScopeNames) }

// String gives the name in the text form.
func (p Precision) String() string { return enumName(p, precisionNames) }

// String gives the name in the text form.
func (f ScaledFormat) String() string { return enumName(f, scaledNames) }
