package mlir

import "github.com/tegula-lang/tegula/internal/tile"

// plain are the operations that print as NAME %a, %b : TYPE, where all operands and the result have the type.
var plain = map[tile.Code]string{
	tile.OpAdd: "arith.addi", tile.OpSub: "arith.subi", tile.OpMul: "arith.muli",
	tile.OpDivS: "arith.divsi", tile.OpDivU: "arith.divui", tile.OpRemS: "arith.remsi", tile.OpRemU: "arith.remui",
	tile.OpAnd: "arith.andi", tile.OpOr: "arith.ori", tile.OpXor: "arith.xori",
	tile.OpShl: "arith.shli", tile.OpShrS: "arith.shrsi", tile.OpShrU: "arith.shrui",
	tile.OpMinS: "arith.minsi", tile.OpMinU: "arith.minui", tile.OpMaxS: "arith.maxsi", tile.OpMaxU: "arith.maxui",
	tile.OpMulHiU: "tt.mulhiui",
	tile.OpFAdd:   "arith.addf", tile.OpFSub: "arith.subf", tile.OpFMul: "arith.mulf", tile.OpFDiv: "arith.divf",
	tile.OpFDivRN: "tt.precise_divf", tile.OpFRem: "arith.remf", tile.OpFMA: "math.fma",
	tile.OpAbsI: "math.absi", tile.OpAbsF: "math.absf", tile.OpExp: "math.exp", tile.OpExp2: "math.exp2",
	tile.OpLog: "math.log", tile.OpLog2: "math.log2", tile.OpSin: "math.sin", tile.OpCos: "math.cos",
	tile.OpSqrt: "math.sqrt", tile.OpSqrtRN: "tt.precise_sqrt", tile.OpRSqrt: "math.rsqrt", tile.OpErf: "math.erf",
	tile.OpFloor: "math.floor", tile.OpCeil: "math.ceil",
}

// conversions are the operations that print as NAME %a : TYPE to TYPE.
var conversions = map[tile.Code]string{
	tile.OpTrunc: "arith.trunci", tile.OpExtS: "arith.extsi", tile.OpExtU: "arith.extui",
	tile.OpFExt: "arith.extf", tile.OpSToF: "arith.sitofp", tile.OpUToF: "arith.uitofp",
	tile.OpFToS: "arith.fptosi", tile.OpFToU: "arith.fptoui",
}

// arrows are the operations that print as NAME %a, %b : TYPE -> TYPE, with the type of the first operand.
var arrows = map[tile.Code]string{
	tile.OpSplat: "tt.splat", tile.OpBroadcast: "tt.broadcast", tile.OpJoin: "tt.join", tile.OpSplit: "tt.split",
	tile.OpHistogram: "tt.histogram", tile.OpBitcast: "tt.bitcast", tile.OpIntToPtr: "tt.int_to_ptr", tile.OpPtrToInt: "tt.ptr_to_int",
}

var cmpI = map[tile.CmpI]string{
	tile.EQ: "eq", tile.NE: "ne", tile.LTS: "slt", tile.LES: "sle", tile.GTS: "sgt", tile.GES: "sge",
	tile.LTU: "ult", tile.LEU: "ule", tile.GTU: "ugt", tile.GEU: "uge",
}

var axes = [3]string{"x", "y", "z"}

var cacheModifiers = map[tile.Cache]string{
	tile.CacheDefault: "none", tile.CacheCA: "ca", tile.CacheCG: "cg", tile.CacheCS: "cs", tile.CacheCV: "cv",
	tile.CacheWB: "wb", tile.CacheWT: "wt",
}

var evictions = map[tile.Evict]string{tile.EvictNormal: "evict_normal", tile.EvictFirst: "evict_first", tile.EvictLast: "evict_last"}

// atomics are the read-modify-writes that the dialect has. It has none of the float minima and maxima.
var atomics = map[tile.Atomic]string{
	tile.AtomicAdd: "add", tile.AtomicFAdd: "fadd", tile.AtomicAnd: "and", tile.AtomicOr: "or", tile.AtomicXor: "xor",
	tile.AtomicMaxS: "max", tile.AtomicMaxU: "umax", tile.AtomicMinS: "min", tile.AtomicMinU: "umin", tile.AtomicXchg: "exch",
}

// reductions are those of descriptors.
var reductions = map[tile.Atomic]string{
	tile.AtomicAdd: "add", tile.AtomicFAdd: "add", tile.AtomicAnd: "and", tile.AtomicOr: "or", tile.AtomicXor: "xor",
	tile.AtomicMaxS: "max", tile.AtomicMaxU: "max", tile.AtomicFMax: "max", tile.AtomicMinS: "min", tile.AtomicMinU: "min", tile.AtomicFMin: "min",
}

var orderings = map[tile.MemSem]string{tile.AcqRel: "acq_rel", tile.Acquire: "acquire", tile.Release: "release", tile.Relaxed: "relaxed"}

var scopes = map[tile.MemScope]string{tile.ScopeGPU: "gpu", tile.ScopeCTA: "cta", tile.ScopeSystem: "sys"}

var precisions = map[tile.Precision]string{
	tile.TF32: "tf32", tile.TF32x3: "tf32x3", tile.IEEE: "ieee", tile.BF16x3: "bf16x3", tile.BF16x6: "bf16x6",
}

var scaledFormats = map[tile.ScaledFormat]string{
	tile.E2M1: "e2m1", tile.E4M3: "e4m3", tile.E5M2: "e5m2", tile.ScaledBF16: "bf16", tile.ScaledF16: "fp16",
}
