package gen

import (
	"fmt"
	"strings"
)

// libdeviceRows are the functions of CUDA's mathematical library. testdata/libdevice.py judges them: with many more digits than
// the types have, or exactly. Tolerances are the errors that the CUDA C++ Programming Guide's appendix on mathematical functions
// documents; where it documents none, results are exact.
var libdeviceRows = makeLibdeviceRows()

const byLibdevice = "takes the types that libdevice's guide documents, and no others"

// accuracies are the functions of one float: the domain, the errors in f32 and f64 in units of the last place, the names.
var accuracies = []struct {
	domain           domain
	narrow, wide     int
	names, fastNames string
}{
	{angle, 2, 2, "cos sin", "fast_cosf fast_sinf"},
	{angle, 4, 2, "tan", "fast_tanf"},
	{finite, 1, 2, "cospi sinpi", ""},
	{inner, 2, 2, "acos asin", ""},
	{finite, 2, 2, "atan", ""},
	{positive, 4, 3, "acosh", ""},
	{finite, 3, 3, "asinh", ""},
	{inner, 3, 2, "atanh", ""},
	{growth, 2, 1, "cosh", ""},
	{growth, 3, 2, "sinh", ""},
	{nonzero, 2, 1, "tanh", "fast_tanhf"},
	{growth, 1, 1, "exp expm1", "fast_expf"},
	{angle, 2, 1, "exp2 exp10", "fast_exp10f"},
	{positive, 1, 1, "log log2 log1p", "fast_logf fast_log2f"},
	{positive, 2, 1, "log10", "fast_log10f"},
	{finite, 1, 1, "cbrt", ""},
	{nonzero, 1, 1, "rcbrt", ""},
	{positive, 2, 1, "rsqrt", ""},
	{nonzero, 2, 2, "erf", ""},
	{nonzero, 4, 5, "erfc", ""},
	{nonzero, 4, 4, "erfcx", ""},
	{inner, 2, 5, "erfinv", ""},
	{unit, 4, 6, "erfcinv", ""},
	{nonzero, 5, 5, "normcdf", ""},
	{unit, 5, 8, "normcdfinv", ""},
	{positive, 6, 4, "lgamma", ""},
	{positive, 5, 10, "tgamma", ""},
	{nonzero, 9, 7, "j0 j1", ""},
	{positive, 9, 7, "y0 y1", ""},
	{angle, 6, 6, "cyl_bessel_i0 cyl_bessel_i1", ""},
	{anyNumber, 0, 0, "ceil floor logb nearbyint rint round sqrt trunc sqrt_rn sqrt_rd sqrt_ru sqrt_rz rcp_rn rcp_rd rcp_ru rcp_rz", "saturatef"},
}

// others are functions of other types: the arguments, the types with what they give (U stands for the second type, after a
// comma), the tolerance, the domain, the names.
var others = []struct{ args, types, tol, domain, names string }{
	{"x, y", "fp32:fp32 fp64:fp64", "fp32:3ulp fp64:2ulp", "finite", "atan2 hypot"},
	{"x, y", "fp32:fp32 fp64:fp64", "fp32:2ulp fp64:1ulp", "finite", "rhypot"},
	{"x, y", "fp32:fp32 fp64:fp64", "fp32:4ulp fp64:2ulp", "pos y:nonzero", "pow"},
	{"x, k", "fp32:fp32 fp64:fp64", "fp32:4ulp fp64:2ulp", "nonzero", "pow"},
	{"x, y", "fp32:fp32", "4ulp", "pos y:nonzero", "fast_powf"},
	{"x, y", "fp32:fp32", "2ulp", "nonzero", "fast_dividef"},
	{"x, y, z", "fp32:fp32 fp64:fp64", "fp32:3ulp fp64:2ulp", "finite", "norm3d"},
	{"x, y, z", "fp32:fp32 fp64:fp64", "fp32:2ulp fp64:1ulp", "finite", "rnorm3d"},
	{"x, y, z, w", "fp32,fp32:fp32 fp64,fp64:fp64", "fp32:3ulp fp64:2ulp", "finite", "norm4d"},
	{"x, y, z, w", "fp32,fp32:fp32 fp64,fp64:fp64", "fp32:2ulp fp64:1ulp", "finite", "rnorm4d"},
	{"k, x", "fp32:fp32 fp64:fp64", "fp32:2.2e-6 fp64:5e-12", "nonzero", "jn"},
	{"k, x", "fp32:fp32 fp64:fp64", "fp32:2.2e-6 fp64:5e-12", "pos", "yn"},
	{"x, y", "fp32:fp32 fp64:fp64", "", "any", "copysign fdim nextafter add_rn add_rd add_ru add_rz sub_rn sub_rd sub_ru sub_rz mul_rn mul_rd mul_ru mul_rz div_rn div_rd div_ru div_rz"},
	{"x, y", "fp32:fp32 fp64:fp64", "", "nonzero", "fmod remainder"},
	{"x, y, z", "fp32:fp32 fp64:fp64", "", "any", "fma fma_rn fma_rd fma_ru fma_rz"},
	{"x, k", "fp32:fp32 fp64:fp64", "", "any", "ldexp scalbn"},
	{"x", "fp32:fp32", "", "pos", "rsqrt_rn"},
	{"x", "fp64:fp64", "", "nonzero", "rcp64h"},
	{"x", "fp32:fp32 fp64:fp64 i32:i32 i64:i64", "", "any", "abs"},
	{"x", "fp32:i32 fp64:i32", "", "any", "ilogb signbit"},
	{"x", "fp32:i1 fp64:i1", "", "any", "isinf isnan"},
	{"x", "fp32:i1", "", "any", "finitef"},
	{"x", "fp64:i1", "", "any", "isfinited"},
	{"x", "fp32:i64 fp64:i64", "", "any", "llrint llround"},
	{"x", "i32:i32 i64:i32", "", "any", "clz ffs popc"},
	{"x", "i32:i32 i64:i64", "", "any", "brev"},
	{"x, y", "i32:i32 u32:u32", "", "any", "hadd rhadd mul24"},
	{"x, y", "i32:i32 u32:u32 i64:i64 u64:u64", "", "any", "mulhi"},
	{"x, y, z", "i32:i32", "", "any", "byte_perm"},
	{"x, y, w", "i32,u32:i32 u32,u32:u32", "", "any", "sad"},
	{"x, y", "i32:fp64", "", "any", "hiloint2double"},
	{"x", "fp32:i32", "", "any", "float_as_int float_as_uint float2int_rn float2int_rd float2int_ru float2int_rz float2uint_rn float2uint_rd float2uint_ru float2uint_rz"},
	{"x", "fp32:i64", "", "any", "float2ll_rn float2ll_rd float2ll_ru float2ll_rz float2ull_rn float2ull_rd float2ull_ru float2ull_rz"},
	{"x", "fp64:i32", "", "any", "double2hiint double2loint double2int_rn double2int_rd double2int_ru double2int_rz double2uint_rn double2uint_rd double2uint_ru double2uint_rz"},
	{"x", "fp64:i64", "", "any", "double_as_longlong double2ll_rn double2ll_rd double2ll_ru double2ll_rz double2ull_rn double2ull_rd double2ull_ru double2ull_rz"},
	{"x", "fp64:fp32", "", "any", "double2float_rn double2float_rd double2float_ru double2float_rz"},
	{"x", "i32:fp32", "", "any", "int_as_float int2float_rn int2float_rd int2float_ru int2float_rz"},
	{"x", "u32:fp32", "", "any", "uint_as_float uint2float_rn uint2float_rd uint2float_ru uint2float_rz"},
	{"x", "i64:fp64", "", "any", "longlong_as_double ll2double_rn ll2double_rd ll2double_ru ll2double_rz"},
	{"x", "u64:fp64", "", "any", "ull2double_rn ull2double_rd ull2double_ru ull2double_rz"},
	{"x", "i64:fp32", "", "any", "ll2float_rn ll2float_rd ll2float_ru ll2float_rz"},
	{"x", "u64:fp32", "", "any", "ull2float_rn ull2float_rd ull2float_ru ull2float_rz"},
	{"x", "i32:fp64", "", "any", "int2double_rn"},
	{"x", "u32:fp64", "", "any", "uint2double_rn"},
}

func makeLibdeviceRows() []Row {
	var rows []Row
	row := func(name, args, types, with, result, tol, domain string) {
		rows = append(rows, Row{Name: "libdevice." + name, Expr: "libdevice." + name + "(" + args + ")", Types: types, With: with, Shapes: "32",
			Result: result, Tol: tol, Domain: domain, Judge: "libdevice:" + name + ":" + strings.ReplaceAll(strings.ToUpper(args), ", ", ""), Not: byLibdevice})
	}
	for _, a := range accuracies {
		for _, name := range strings.Fields(a.names) {
			row(name, "x", "fp32 fp64", "", "", fmt.Sprintf("fp32:%dulp fp64:%dulp", a.narrow, a.wide), string(a.domain))
		}
		for _, name := range strings.Fields(a.fastNames) {
			row(name, "x", "fp32", "", "", fmt.Sprintf("%dulp", a.narrow), string(a.domain))
		}
	}
	for _, o := range others {
		for _, name := range strings.Fields(o.names) {
			for _, types := range strings.Fields(o.types) {
				from, to, _ := strings.Cut(types, ":")
				t, u, _ := strings.Cut(from, ",")
				row(name, o.args, t, u, to, o.tol, o.domain)
			}
		}
	}
	return rows
}
