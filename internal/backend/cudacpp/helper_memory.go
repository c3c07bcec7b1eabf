package cudacpp

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// vec is what several elements are moved as.
const vec = `// Elements that lie next to each other and are moved together.
template <typename T, int N>
struct alignas(N * sizeof(T)) Vec {
    T at[N];
};
`

func (h *helpers) needVec() { h.add("Vec", vec) }

// suffix makes a part of a name of PTX's words.
func suffix(how string) string {
	return strings.NewReplacer(".global", "", ".shared", "", ".local", "", "::", "_", ".", "_").Replace(how)
}

// load is the function that reads elements. Each of how PTX says it has its own; several elements need one in any case.
func (h *helpers) load(how string, n int) string {
	if how == "" && n == 1 {
		return ""
	}
	h.needVec()
	name := "load" + suffix(how)
	read := "    const Vec<T, N> v = *(const Vec<T, N>*)from;\n"
	if how != "" {
		read = "    Vec<T, N> v;\n" + h.moves("ld"+how, space(how), true)
	}
	h.add(name, fmt.Sprintf(`template <int N, typename T>
%[1]svoid %[2]s(T* to, const T* from) {
%[3]s#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = v.at[i];
}
`, device, name, read))
	if n == 1 {
		h.add(name+" one", fmt.Sprintf(`template <typename T>
%[1]sT %[2]s(const T* from) {
    T x;
    %[2]s<1>(&x, from);
    return x;
}
`, device, name))
	}
	return name
}

// masked adds the form of a load that happens only where a mask holds; it gives others, one or one for each element, where it does not.
func (h *helpers) masked(name, param, other string) {
	h.add(name+" "+param, fmt.Sprintf(`// Where the mask does not hold nothing is read.
template <int N, typename T>
%[1]svoid %[2]s(T* to, const T* from, bool mask, %[3]s) {
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = %[4]s;
    if (mask) %[2]s<N>(to, from);
}
`, device, name, param, other))
}

func (h *helpers) store(how string, n int) string {
	if how == "" && n == 1 {
		return ""
	}
	h.needVec()
	name := "store" + suffix(how)
	write := "    *(Vec<T, N>*)to = v;\n"
	if how != "" {
		write = h.moves("st"+how, space(how), false)
	}
	h.add(name, fmt.Sprintf(`template <int N, typename T>
%[1]svoid %[2]s(T* to, const T* from) {
    Vec<T, N> v;
#pragma unroll
    for (int i = 0; i < N; ++i) v.at[i] = from[i];
%[3]s}
`, device, name, write))
	if n == 1 {
		h.add(name+" one", fmt.Sprintf("template <typename T>\n%[1]svoid %[2]s(T* to, T x) {\n    %[2]s<1>(to, &x);\n}\n", device, name))
	}
	return name
}

// space gives the address of what a pointer points to in the space that an instruction names.
func space(how string) string {
	for _, s := range []string{"shared", "local"} {
		if strings.Contains(how, "."+s) {
			return s
		}
	}
	return "global"
}

// moves writes inline PTX that moves v, whatever its size is.
func (h *helpers) moves(ins, space string, reads bool) string {
	var b strings.Builder
	pointer := "to"
	if reads {
		pointer = "from"
	}
	fmt.Fprintf(&b, "    const size_t at = __cvta_generic_to_%s(%s);\n    unsigned* w = (unsigned*)&v;\n    unsigned short* h = (unsigned short*)&v;\n    unsigned char* c = (unsigned char*)&v;\n", space, pointer)
	for i, f := range []struct {
		size, regs int
		typ, reg   string
		letter     string
	}{{16, 4, "b32", "w", "r"}, {8, 2, "b32", "w", "r"}, {4, 1, "b32", "w", "r"}, {2, 1, "b16", "h", "h"}, {1, 1, "b8", "c", "h"}} {
		els := "    "
		if i > 0 {
			els = "    else "
		}
		if f.size > 1 {
			els += fmt.Sprintf("if constexpr (sizeof(v) == %d) ", f.size)
		}
		b.WriteString(els)
		if f.typ == "b8" {
			b.WriteString(moveByte(ins, reads))
			continue
		}
		b.WriteString(moveWords(ins, f.typ, f.reg, f.letter, f.regs, reads))
	}
	return b.String()
}

func moveWords(ins, typ, reg, letter string, n int, reads bool) string {
	vector, first, address := "", 0, n
	if n > 1 {
		vector = fmt.Sprintf(".v%d", n)
	}
	if !reads {
		first, address = 1, 0
	}
	var places, operands []string
	for i := range n {
		places = append(places, fmt.Sprintf("%%%d", first+i))
		mode := "="
		if !reads {
			mode = ""
		}
		operands = append(operands, fmt.Sprintf("\"%s%s\"(%s[%d])", mode, letter, reg, i))
	}
	list := strings.Join(places, ", ")
	if n > 1 {
		list = "{" + list + "}"
	}
	if reads {
		return fmt.Sprintf("asm volatile(\"%s%s.%s %s, [%%%d];\" : %s : \"l\"(at) : \"memory\");\n", ins, vector, typ, list, address, strings.Join(operands, ", "))
	}
	return fmt.Sprintf("asm volatile(\"%s%s.%s [%%%d], %s;\" : : \"l\"(at), %s : \"memory\");\n", ins, vector, typ, address, list, strings.Join(operands, ", "))
}

// moveByte: inline PTX has no registers of 8 bits.
func moveByte(ins string, reads bool) string {
	if reads {
		return fmt.Sprintf("{\n        unsigned short x;\n        asm volatile(\"%s.b8 %%0, [%%1];\" : \"=h\"(x) : \"l\"(at) : \"memory\");\n        c[0] = (unsigned char)x;\n    }\n", ins)
	}
	return fmt.Sprintf("asm volatile(\"%s.b8 [%%0], %%1;\" : : \"l\"(at), \"h\"((unsigned short)c[0]) : \"memory\");\n", ins)
}

// atomic is an atomic operation, which gives the old value.
func (h *helpers) atomic(op, order, space, typ, result string, operands int) string {
	name := "atomic_" + strings.ReplaceAll(op, ".noftz", "") + suffix(order) + "_" + typ
	address := "to"
	if space != "global" {
		name += "_" + space
	}
	if space != "" {
		address, space = "__cvta_generic_to_"+space+"(to)", "."+space
	}
	params, inputs := "", ""
	text := ""
	for i := range operands {
		v := string(rune('x' + i))
		params += ", " + result + " " + v
		inputs += fmt.Sprintf(", \"%s\"(%s)", constraints[result], bitsOf(result, v))
		text += fmt.Sprintf(", %%%d", i+2)
	}
	return h.add(name, fmt.Sprintf("%[1]s%[2]s %[3]s(%[2]s* to%[4]s) {\n    %[5]s old;\n    asm volatile(\"atom%[6]s%[7]s.%[8]s.%[9]s %%0, [%%1]%[10]s;\" : \"=%[11]s\"(old) : \"l\"(%[14]s)%[12]s : \"memory\");\n    return %[13]s;\n}\n",
		device, result, name, params, registerType(result), order, space, op, typ, text, constraints[result], inputs, valueOf(result, "old"), address))
}

func (h *helpers) fence(scope string) string {
	name := "fence" + suffix(scope)
	return h.add(name, fmt.Sprintf("%svoid %s() {\n    asm volatile(\"fence.acq_rel%s;\" : : : \"memory\");\n}\n", device, name, scope))
}

func (h *helpers) copyAsync() string {
	return h.add("copy_async", `// Begins a copy of 4, 8 or 16 bytes to shared memory; zeros if the mask does not hold.
template <int N>
`+device+`void copy_async(void* to, const void* from, bool mask) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    const size_t source = __cvta_generic_to_global(from);
    if constexpr (N == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" : : "r"(at), "l"(source), "n"(N), "r"(mask ? N : 0) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" : : "r"(at), "l"(source), "n"(N), "r"(mask ? N : 0) : "memory");
}
`)
}

func (h *helpers) commit() string {
	return h.add("copy_commit", "// The copies since the last one are a group.\n"+device+"void copy_commit() {\n    asm volatile(\"cp.async.commit_group;\" : : : \"memory\");\n}\n")
}

func (h *helpers) wait() string {
	return h.add("copy_wait", "// Waits until at most N groups of copies are not done.\ntemplate <int N>\n"+device+
		"void copy_wait() {\n    asm volatile(\"cp.async.wait_group %0;\" : : \"n\"(N) : \"memory\");\n}\n")
}

func (h *helpers) loadMatrix(n int, transposed bool) string {
	name, ins := fmt.Sprintf("load_matrices_x%d", n), fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d", n)
	if transposed {
		name, ins = name+"_transposed", ins+".trans"
	}
	return h.add(name, fmt.Sprintf("// %d matrices of 8 rows of 16 bytes; lane 8g+i gives the address of row i of matrix g.\n%svoid %s(unsigned* to, const void* row) {\n"+
		"    asm volatile(\"%s.shared.b16 {%s}, [%%%d];\" : %s : \"r\"((unsigned)__cvta_generic_to_shared(row)) : \"memory\");\n}\n",
		n, device, name, ins, places(0, n), n, operandList("=r", "to", n)))
}

func (h *helpers) mma(m lir.MMA, shape, word string) string {
	info := m.Info()
	a, b, sum := info.Words()
	typ := typeNames[info.Sum]
	name := "mma_" + strings.NewReplacer(".row.col", "", ".", "_").Replace(shape)
	letter := constraints[typ]
	return h.add(name, fmt.Sprintf("// sum += a * b, of %d×%d and %d×%d elements that the lanes of a warp hold together.\n%svoid %s(%s* sum, const %s* a, const %s* b) {\n"+
		"    asm(\"mma.sync.aligned.%s {%s}, {%s}, {%s}, {%s};\"\n        : %s\n        : %s, %s);\n}\n",
		info.M, info.K, info.K, info.N, device, name, typ, word, word,
		shape, places(0, sum), places(sum, a), places(sum+a, b), places(0, sum),
		operandList("+"+letter, "sum", sum), operandList(constraints[word], "a", a), operandList(constraints[word], "b", b)))
}

func places(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%%%d", from+i)
	}
	return strings.Join(list, ", ")
}

func operandList(letter, name string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("\"%s\"(%s[%d])", letter, name, i)
	}
	return strings.Join(list, ", ")
}
