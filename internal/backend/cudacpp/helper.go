package cudacpp

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// helpers are the small functions in front of the kernel: those that it calls, in the order in which it first does.
type helpers struct {
	known map[string]bool
	text  strings.Builder
}

// device begins each of them.
const device = "__device__ __forceinline__ "

// add adds a function, if it is not there.
func (h *helpers) add(name, text string) string {
	if h.known == nil {
		h.known = map[string]bool{}
	}
	if !h.known[name] {
		h.known[name] = true
		h.text.WriteString(text)
		h.text.WriteByte('\n')
	}
	return name
}

// constraints are how inline PTX names the registers of types.
var constraints = map[string]string{
	"unsigned char": "h", "unsigned short": "h", "__half": "h", "__nv_bfloat16": "h", "int": "r", "unsigned": "r", "float": "f", "long long": "l",
	"unsigned long long": "l", "double": "d",
}

// bitsOf writes a value as inline PTX takes it: floats of 16 bits and what has 8 as an unsigned short.
func bitsOf(typ, name string) string {
	switch typ {
	case "__half":
		return "__half_as_ushort(" + name + ")"
	case "__nv_bfloat16":
		return "__bfloat16_as_ushort(" + name + ")"
	case "unsigned char":
		return "(unsigned short)" + name
	}
	return name
}

// registerType is the type of a variable that inline PTX writes.
func registerType(typ string) string {
	if constraints[typ] == "h" {
		return "unsigned short"
	}
	return typ
}

// valueOf is the opposite of bitsOf.
func valueOf(typ, name string) string {
	switch typ {
	case "__half":
		return "__ushort_as_half(" + name + ")"
	case "__nv_bfloat16":
		return "__ushort_as_bfloat16(" + name + ")"
	case "unsigned char":
		return "(unsigned char)" + name
	}
	return name
}

// instruction is a function that is an instruction.
func (h *helpers) instruction(name, ins, result string, params ...string) string {
	var b strings.Builder
	list, inputs, text := "", "", ins+" %0"
	for i, t := range params {
		if i > 0 {
			list, inputs = list+", ", inputs+", "
		}
		v := string(rune('x' + i))
		list += t + " " + v
		inputs += fmt.Sprintf("%q(%s)", constraints[t], bitsOf(t, v))
		text += fmt.Sprintf(", %%%d", i+1)
	}
	fmt.Fprintf(&b, "%s%s %s(%s) {\n    %s y_;\n", device, result, name, list, registerType(result))
	fmt.Fprintf(&b, "    asm(\"%s;\" : \"=%s\"(y_) : %s);\n    return %s;\n}\n", text, constraints[result], inputs, valueOf(result, "y_"))
	return h.add(name, b.String())
}

func (h *helpers) prmt() string {
	return h.instruction("permute_bytes", "prmt.b32", "unsigned", "unsigned", "unsigned", "unsigned")
}

// letters are how PTX names the types of integers.
var letters = map[string]string{"int": "s32", "unsigned": "u32", "long long": "s64", "unsigned long long": "u64"}

// divide is a division that is defined for all operands.
func (h *helpers) divide(name, typ string) string {
	return h.instruction(name+"_"+letters[typ], name+"."+letters[typ], typ, typ, typ)
}

// shift is a shift that may be farther than the number is wide.
func (h *helpers) shift(name, typ string) string {
	kind := map[string]string{"unsigned char": "u16", "unsigned short": "u16", "signed char": "s16", "short": "s16"}[typ]
	if kind == "" {
		kind = letters[typ]
	}
	width := sizes[typ] * 8
	if width == 0 {
		width = map[string]int{"signed char": 8, "short": 16}[typ]
	}
	all := "0"
	if name == "shr" && kind[0] == 's' {
		all = "x < 0 ? -1 : 0"
	}
	op := "<<"
	if name == "shr" {
		op = ">>"
	}
	full := name + "_" + kind
	if kind[1:] == "16" {
		full = fmt.Sprintf("%s_%c%d", name, kind[0], width)
	}
	return h.add(full, fmt.Sprintf("%s%s %s(%s x, unsigned n) {\n    return (%s)(n < %d ? x %s n : %s);\n}\n", device, typ, full, typ, typ, width, op, all))
}

func (h *helpers) advance() string {
	return h.add("advance", "// What a counter below its bound is next, or the bound if it would be reached.\ntemplate <typename T>\n"+device+
		"T advance(T i, T step, T bound) {\n    return (unsigned long long)((long long)bound - (long long)i) > (unsigned long long)step ? i + step : bound;\n}\n")
}

func (h *helpers) differ() string {
	return h.add("less_or_greater", "template <typename T>\n"+device+"bool less_or_greater(T x, T y) {\n    return x < y || x > y;\n}\n")
}

func (h *helpers) unordered() string {
	return h.add("unordered", "template <typename T>\n"+device+"bool unordered(T x, T y) {\n    return x != x || y != y;\n}\n")
}

func (h *helpers) clock() string {
	return h.add("nanoseconds", device+"long long nanoseconds() {\n    long long t;\n    asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));\n    return t;\n}\n")
}

// toInteger is a conversion that gives the largest integer for what is larger, and 0 for NaN.
func (h *helpers) toInteger(ins, from, to string, zero bool) string {
	name := strings.ReplaceAll(strings.TrimPrefix(ins, "cvt."), ".", "_")
	parts := strings.Split(name, "_")
	name = parts[2] + "_to_" + parts[1] + "_" + parts[0]
	result := valueOf(to, "n")
	if zero {
		x := "x"
		switch from {
		case "__half":
			x = "__half2float(x)"
		case "__nv_bfloat16":
			x = "__bfloat162float(x)"
		}
		result = fmt.Sprintf("isnan(%s) ? 0 : %s", x, result)
	}
	return h.add(name, fmt.Sprintf("%s%s %s(%s x) {\n    %s n;\n    asm(\"%s %%0, %%1;\" : \"=%s\"(n) : \"%s\"(%s));\n    return %s;\n}\n",
		device, to, name, from, registerType(to), ins, constraints[to], constraints[from], bitsOf(from, "x"), result))
}

func (h *helpers) toF8(f lir.F8) string {
	name := "pack_" + f.String()
	return h.add(name, fmt.Sprintf("// Two numbers as %s, the first in the lower byte.\n%sunsigned short %s(float lo, float hi) {\n    unsigned short y;\n"+
		"    asm(\"cvt.rn.satfinite.%sx2.f32 %%0, %%1, %%2;\" : \"=h\"(y) : \"f\"(hi), \"f\"(lo));\n    return y;\n}\n", f, device, name, f))
}

func (h *helpers) fromF8(f lir.F8) string {
	name := "unpack_" + f.String()
	return h.add(name, fmt.Sprintf("// Two numbers of %s as halves, in one word.\n%sunsigned %s(unsigned short x) {\n    unsigned y;\n"+
		"    asm(\"cvt.rn.f16x2.%sx2 %%0, %%1;\" : \"=r\"(y) : \"h\"(x));\n    return y;\n}\n", f, device, name, f))
}

func (h *helpers) packFloats(bf16 bool) string {
	name, convert := "pack_half2", "__half_as_ushort(__float2half_rn(%s))"
	if bf16 {
		name, convert = "pack_bfloat162", "__bfloat16_as_ushort(__float2bfloat16_rn(%s))"
	}
	lo, hi := fmt.Sprintf(convert, "lo"), fmt.Sprintf(convert, "hi")
	return h.add(name, fmt.Sprintf("// Two numbers rounded to 16 bits, in one word.\n%sunsigned %s(float lo, float hi) {\n    return %s | (unsigned)%s << 16;\n}\n", device, name, lo, hi))
}

func (h *helpers) packBytes() string {
	return h.add("pack_bytes", "// Four times 8 bits in one word.\n"+device+"unsigned pack_bytes(unsigned char a, unsigned char b, unsigned char c, unsigned char d) {\n"+
		"    return a | (unsigned)b << 8 | (unsigned)c << 16 | (unsigned)d << 24;\n}\n")
}

func (h *helpers) unpack() string {
	h.needVec()
	return h.add("unpack", "// The parts of a word, the lowest first.\ntemplate <typename T>\n"+device+"void unpack(T* to, unsigned word) {\n"+
		"    const Vec<T, 4 / sizeof(T)> v = *(const Vec<T, 4 / sizeof(T)>*)&word;\n#pragma unroll\n    for (int i = 0; i < (int)(4 / sizeof(T)); ++i) to[i] = v.at[i];\n}\n")
}

func (h *helpers) pack() string {
	return h.add("pack", "// Two times 16 bits in one word.\n"+device+"unsigned pack(unsigned short lo, unsigned short hi) {\n    return lo | (unsigned)hi << 16;\n}\n")
}
