package main

// paramTypes says what parameters are, by their names; the others are tiles or numbers.
var paramTypes = map[string]string{
	"axis": "_Int", "start": "_Int", "end": "_Int", "num_bins": "_Int", "pack": "_Int", "n_rounds": "_Int", "dim": "_Int", "k": "_Int",
	"max_num_imprecise_acc": "_Int", "timeout_ns": "_Int", "bitwidth": "_Int", "minor": "_Int", "major": "_Int",

	"can_reorder": "_Bool", "keep_dims": "_Bool", "volatile": "_Bool", "bitcast": "_Bool", "allow_tf32": "_Bool", "fast_math": "_Bool",
	"lhs_k_pack": "_Bool", "rhs_k_pack": "_Bool", "reverse": "_Bool", "is_pure": "_Bool", "sanitize_overflow": "_Bool", "hex": "_Bool",
	"ieee_rounding": "_Bool", "approx": "_Bool", "tie_break_left": "_Bool", "return_indices": "_Bool", "descending": "_Bool",
	"return_indices_tie_break_left": "_Bool", "signed": "_Bool", "flush": "_Bool", "has_minx2": "_Bool",

	"cache_modifier": "_Str", "eviction_policy": "_Str", "padding_option": "_Str", "sem": "_Str", "scope": "_Str", "asm": "_Str",
	"constraints": "_Str", "fp_downcast_rounding": "_Str", "input_precision": "_Str", "lhs_format": "_Str", "rhs_format": "_Str",
	"prefix": "_Str", "sep": "_Str", "lib_name": "_Str", "lib_path": "_Str",

	"shape": "_Shape", "dims": "_Shape", "strides": "_Shape", "offsets": "_Shape", "block_shape": "_Shape", "order": "_Shape",
	"boundary_check": "_Shape", "values": "_Shape",

	"combine_fn": "_Fn", "scalar_fn": "_Fn",

	"dtype": "_DType", "out_dtype": "_DType", "dst_ty": "_DType",

	"msg": "Any", "file": "Any", "args": "Any", "instance": "Any", "changes": "Any", "desc": "Any", "base": "Any", "o": "Any",
	"arg_type_symbol_dict": "Any", "propagate_nan": "Any",
}

// exceptions are parameters that are something else in one function.
var exceptions = map[string]string{
	"static_print.values":            "Any",
	"static_print.end":               "_Str",
	"_pick_sum_dtype.have":           "_DType",
	"_pick_sum_dtype.want":           "_DType",
	"map_elementwise.args":           "_Value",
	"device_print.args":              "_Value",
	"inline_asm_elementwise.dtype":   "_DType | Sequence[_DType]",
	"swizzle2d.k":                    "_Value",
	"make_tensor_descriptor.strides": "_Shape",
}

func paramType(fn, name string) string {
	if t, ok := exceptions[fn+"."+name]; ok {
		return t
	}
	if t, ok := paramTypes[name]; ok {
		return t
	}
	return "_Value"
}

// results says what functions give that do not give one tile.
var results = map[string]string{
	"static_assert": "None", "static_print": "None", "device_assert": "None", "device_print": "None", "debug_barrier": "None",
	"store": "None", "store_tensor_descriptor": "None", "_experimental_descriptor_store": "None", "assume": "None", "atomic_store": "None",
	"gdc_wait": "None", "gdc_launch_dependents": "None",

	"split": "builtins.tuple[tensor, tensor]", "broadcast": "builtins.tuple[tensor, tensor]", "swizzle2d": "builtins.tuple[tensor, tensor]",
	"pair_uniform_to_normal": "builtins.tuple[tensor, tensor]",
	"philox":                 four, "philox_impl": four, "randint4x": four, "rand4x": four, "randn4x": four,

	"reduce": "Any", "associative_scan": "Any", "map_elementwise": "Any", "inline_asm_elementwise": "Any", "aggregate_replace": "Any",
	"make_block_ptr": "Any", "advance": "Any", "_unwrap_if_constexpr": "Any", "max": "Any", "min": "Any",
	"_argmax_combine_tie_break_fast": "Any", "_argmax_combine_tie_break_left": "Any",
	"_argmin_combine_tie_break_fast": "Any", "_argmin_combine_tie_break_left": "Any",
	"make_tensor_descriptor": "tensor_descriptor", "_experimental_make_tensor_descriptor": "tensor_descriptor",

	"get_int_dtype": "dtype", "_get_int_dtype": "dtype", "_pick_sum_dtype": "dtype",
	"_log2": "constexpr", "_is_power_of_two": "constexpr",
	"is_cuda": "bool", "is_hip": "bool", "is_hip_cdna3": "bool", "is_hip_cdna4": "bool", "is_hip_gfx1250": "bool", "cuda_capability_geq": "bool",
	"num_warps": "int", "num_threads": "int",
}

const four = "builtins.tuple[tensor, tensor, tensor, tensor]"
