package tile

// An externRow is library functions of the same signatures: "f32,i32:f32" takes an f32 and an i32 and gives an
// f32; u32 is an i32 that is read as unsigned.
type externRow struct {
	signatures, names string
	question          bool
}

// externTable lists the functions of CUDA's math library by the types they take and give, as NVIDIA's libdevice
// User's Guide documents them.
var externTable = []externRow{
	{"f32:f32 f64:f64", `acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc
		erfcinv erfcx erfinv exp exp10 exp2 expm1 floor j0 j1 lgamma log log10 log1p log2 logb nearbyint
		normcdf normcdfinv rcbrt rcp_rd rcp_rn rcp_ru rcp_rz rint round rsqrt sin sinh sinpi sqrt sqrt_rd
		sqrt_rn sqrt_ru sqrt_rz tan tanh tgamma trunc y0 y1`, false},
	{"f32,f32:f32 f64,f64:f64", `add_rd add_rn add_ru add_rz atan2 copysign div_rd div_rn div_ru div_rz fdim fmod hypot mul_rd mul_rn
		mul_ru mul_rz nextafter remainder rhypot sub_rd sub_rn sub_ru sub_rz`, false},
	{"f32:f32", `fast_cosf fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf fast_tanhf
		rsqrt_rn saturatef`, false},
	{"f64:i32", `double2hiint double2int_rd double2int_rn double2int_ru double2int_rz double2loint double2uint_rd
		double2uint_rn double2uint_ru double2uint_rz`, false},
	{"f32:i32", `float2int_rd float2int_rn float2int_ru float2int_rz float2uint_rd float2uint_rn float2uint_ru
		float2uint_rz float_as_int float_as_uint`, false},
	{"f64:i64", `double2ll_rd double2ll_rn double2ll_ru double2ll_rz double2ull_rd double2ull_rn double2ull_ru
		double2ull_rz double_as_longlong`, false},
	{"f32:i64", `float2ll_rd float2ll_rn float2ll_ru float2ll_rz float2ull_rd float2ull_rn float2ull_ru float2ull_rz`, false},
	{"f32,f32,f32:f32 f64,f64,f64:f64", `fma fma_rd fma_rn fma_ru fma_rz norm3d rnorm3d`, false},
	{"i32:f32", `int2float_rd int2float_rn int2float_ru int2float_rz int_as_float`, false},
	{"i64:f64", `ll2double_rd ll2double_rn ll2double_ru ll2double_rz longlong_as_double`, false},
	{"u32:f32", `uint2float_rd uint2float_rn uint2float_ru uint2float_rz uint_as_float`, false},
	{"f64:f32", `double2float_rd double2float_rn double2float_ru double2float_rz`, false},
	{"i64:f32", `ll2float_rd ll2float_rn ll2float_ru ll2float_rz`, false},
	{"u64:f64", `ull2double_rd ull2double_rn ull2double_ru ull2double_rz`, false},
	{"u64:f32", `ull2float_rd ull2float_rn ull2float_ru ull2float_rz`, false},
	{"i32:i32 i64:i32", `clz ffs popc`, false},
	{"i32,i32:i32 u32,u32:u32", `hadd mul24 rhadd`, false},
	{"f32,f32:f32", `fast_dividef fast_powf`, false},
	{"f32:i32 f64:i32", `ilogb signbit`, false},
	{"i32,f32:f32 i32,f64:f64", `jn yn`, false},
	{"f32,i32:f32 f64,i32:f64", `ldexp scalbn`, false},
	{"f32:i64 f64:i64", `llrint llround`, false},
	{"f32,f32,f32,f32:f32 f64,f64,f64,f64:f64", `norm4d rnorm4d`, false},
	{"f32:f32 f64:f64 i32:i32 i64:i64", `abs`, false},
	{"i32:i32 i64:i64", `brev`, false},
	{"i32,i32,i32:i32", `byte_perm`, false},
	{"i32,i32:f64", `hiloint2double`, false},
	{"i32:f64", `int2double_rn`, false},
	{"i32,i32:i32 u32,u32:u32 i64,i64:i64 u64,u64:u64", `mulhi`, false},
	{"f32,f32:f32 f64,f64:f64 f32,i32:f32 f64,i32:f64", `pow`, false},
	{"f64:f64", `rcp64h`, false},
	{"i32,i32,u32:i32 u32,u32,u32:u32", `sad`, false},
	{"u32:f64", `uint2double_rn`, false},

	// Questions.
	{"f32:i32 f64:i32", `isinf isnan`, true},
	{"f32:i32", `finitef`, true},
	{"f64:i32", `isfinited`, true},
}
