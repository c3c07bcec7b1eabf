package sema

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// libdevice lists the functions of CUDA's math library by the types they take and give, as NVIDIA's
// libdevice User's Guide documents them: "f32,i32:f32" takes a float32 and an int32 and gives a float32.
var libdevice = []struct{ signatures, names string }{
	{"f32:f32 f64:f64", `acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc
		erfcinv erfcx erfinv exp exp10 exp2 expm1 floor j0 j1 lgamma log log10 log1p log2 logb nearbyint
		normcdf normcdfinv rcbrt rcp_rd rcp_rn rcp_ru rcp_rz rint round rsqrt sin sinh sinpi sqrt sqrt_rd
		sqrt_rn sqrt_ru sqrt_rz tan tanh tgamma trunc y0 y1`},
	{"f32,f32:f32 f64,f64:f64", `add_rd add_rn add_ru add_rz atan2 copysign div_rd div_rn div_ru div_rz fdim fmod hypot mul_rd mul_rn
		mul_ru mul_rz nextafter remainder rhypot sub_rd sub_rn sub_ru sub_rz`},
	{"f32:f32", `fast_cosf fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf fast_tanhf
		rsqrt_rn saturatef`},
	{"f64:i32", `double2hiint double2int_rd double2int_rn double2int_ru double2int_rz double2loint double2uint_rd
		double2uint_rn double2uint_ru double2uint_rz`},
	{"f32:i32", `float2int_rd float2int_rn float2int_ru float2int_rz float2uint_rd float2uint_rn float2uint_ru
		float2uint_rz float_as_int float_as_uint`},
	{"f64:i64", `double2ll_rd double2ll_rn double2ll_ru double2ll_rz double2ull_rd double2ull_rn double2ull_ru
		double2ull_rz double_as_longlong`},
	{"f32:i64", `float2ll_rd float2ll_rn float2ll_ru float2ll_rz float2ull_rd float2ull_rn float2ull_ru float2ull_rz`},
	{"f32,f32,f32:f32 f64,f64,f64:f64", `fma fma_rd fma_rn fma_ru fma_rz norm3d rnorm3d`},
	{"i32:f32", `int2float_rd int2float_rn int2float_ru int2float_rz int_as_float`},
	{"i64:f64", `ll2double_rd ll2double_rn ll2double_ru ll2double_rz longlong_as_double`},
	{"u32:f32", `uint2float_rd uint2float_rn uint2float_ru uint2float_rz uint_as_float`},
	{"f64:f32", `double2float_rd double2float_rn double2float_ru double2float_rz`},
	{"i64:f32", `ll2float_rd ll2float_rn ll2float_ru ll2float_rz`},
	{"u64:f64", `ull2double_rd ull2double_rn ull2double_ru ull2double_rz`},
	{"u64:f32", `ull2float_rd ull2float_rn ull2float_ru ull2float_rz`},
	{"i32:i32 i64:i32", `clz ffs popc`},
	{"i32,i32:i32 u32,u32:u32", `hadd mul24 rhadd`},
	{"f32,f32:f32", `fast_dividef fast_powf`},
	{"f32:i32 f64:i32", `ilogb signbit`},
	{"i32,f32:f32 i32,f64:f64", `jn yn`},
	{"f32,i32:f32 f64,i32:f64", `ldexp scalbn`},
	{"f32:i64 f64:i64", `llrint llround`},
	{"f32,f32,f32,f32:f32 f64,f64,f64,f64:f64", `norm4d rnorm4d`},
	{"f32:f32 f64:f64 i32:i32 i64:i64", `abs`},
	{"i32:i32 i64:i64", `brev`},
	{"i32,i32,i32:i32", `byte_perm`},
	{"i32,i32:f64", `hiloint2double`},
	{"i32:f64", `int2double_rn`},
	{"i32,i32:i32 u32,u32:u32 i64,i64:i64 u64,u64:u64", `mulhi`},
	{"f32,f32:f32 f64,f64:f64 f32,i32:f32 f64,i32:f64", `pow`},
	{"f64:f64", `rcp64h`},
	{"i32,i32,u32:i32 u32,u32,u32:u32", `sad`},
	{"u32:f64", `uint2double_rn`},
}

// libdeviceTests are the functions that ask a question: libdevice answers with an int32, the language
// with an int1.
var libdeviceTests = []struct{ signatures, names string }{
	{"f32:i32 f64:i32", `isinf isnan`},
	{"f32:i32", `finitef`},
	{"f64:i32", `isfinited`},
}

// libdeviceTypes are the types in the signatures.
var libdeviceTypes = map[string]dtype.DType{
	"f32": dtype.Float32, "f64": dtype.Float64,
	"i32": dtype.Int32, "i64": dtype.Int64, "u32": dtype.Uint32, "u64": dtype.Uint64,
}

func libdeviceRows() []*Builtin {
	var rows []*Builtin
	for _, group := range libdevice {
		for name := range strings.FieldsSeq(group.names) {
			rows = append(rows, &Builtin{Name: "extra.libdevice." + name, Sig: libdeviceParams(group.signatures),
				Fn: func(g *gen, c *call) Value { return g.libdevice(c, name, group.signatures) }})
		}
	}
	for _, group := range libdeviceTests {
		for name := range strings.FieldsSeq(group.names) {
			rows = append(rows, &Builtin{Name: "extra.libdevice." + name, Sig: libdeviceParams(group.signatures),
				Fn: func(g *gen, c *call) Value { return g.notZero(g.libdevice(c, name, group.signatures)) }})
		}
	}
	return rows
}

// libdeviceParams gives the parameter list, named as Triton names them.
func libdeviceParams(signatures string) string {
	params, _, _ := strings.Cut(signatures, ":")
	names := [...]string{"arg0", "arg1", "arg2", "arg3"}
	return strings.Join(names[:1+strings.Count(params, ",")], ", ")
}

// libdevice calls the function whose signature fits the arguments' types exactly; no argument is
// converted.
func (g *gen) libdevice(c *call, name, signatures string) Tensor {
	args := make([]Tensor, len(c.args))
	for i := range args {
		args[i] = c.tensor(g, i)
	}
	for sig := range strings.FieldsSeq(signatures) {
		params, result, _ := strings.Cut(sig, ":")
		if !fits(args, params) {
			continue
		}
		// The tile IR's integers have no sign, so the unsigned variant has a name of its own, as in libdevice.
		if params[0] == 'u' && strings.HasPrefix(signatures, "i") {
			name = "u" + name
		}
		d := libdeviceTypes[result]
		args = g.broadcastAll(args, c.node)
		return Tensor{g.b.Extern(name, args[0].V.Type.WithElem(elems[d]), handles(args)...), d}
	}
	g.fail(c.node, "type-mismatch", "%s takes %s, not (%s)", c.name, signatureWords(signatures), typeWords(args))
	return Tensor{}
}

func fits(args []Tensor, params string) bool {
	i := 0
	for p := range strings.SplitSeq(params, ",") {
		if args[i].Type().IsPtr() || args[i].DType != libdeviceTypes[p] {
			return false
		}
		i++
	}
	return true
}

// signatureWords gives the parameters of the signatures for a message: (float32) or (float64).
func signatureWords(signatures string) string {
	var all []string
	for sig := range strings.FieldsSeq(signatures) {
		params, _, _ := strings.Cut(sig, ":")
		var types []string
		for p := range strings.SplitSeq(params, ",") {
			types = append(types, libdeviceTypes[p].Attr())
		}
		all = append(all, "("+strings.Join(types, ", ")+")")
	}
	return listWords(all, "or")
}

func typeWords(ts []Tensor) string {
	var words []string
	for _, t := range ts {
		words = append(words, t.Type().String())
	}
	return strings.Join(words, ", ")
}
