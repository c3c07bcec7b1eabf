package cudacpp

import (
	"fmt"
	"strings"
)

// reserve takes the names that the text has besides those of the kernel, and gives the parameters theirs.
func (p *printer) reserve() {
	for _, w := range strings.Fields(keywords) {
		p.names.used[w] = 0
	}
	p.names.used[p.o.Entry] = 0
	for _, at := range p.f.Params {
		p.params = append(p.params, p.names.pick(at.Name))
	}
}

// keywords are what names may not be: C++'s keywords, what CUDA declares and kernels are likely to call something, and what this package writes.
const keywords = `alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval constexpr constinit
const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
union unsigned using virtual void volatile wchar_t while xor xor_eq
threadIdx blockIdx blockDim gridDim warpSize INFINITY NAN NULL EOF printf min max abs exp log sqrt sin cos tan tanh floor ceil rint trunc round fabs fabsf fmin fmax
fminf fmaxf rintf truncf ceilf floorf isnan isinf signbit half nv_bfloat16 size_t time clock index div main linux unix stdin stdout stderr
r p shared Vec signal_init signal_end signal_give signal_wait wgmma_fence wgmma_commit wgmma_wait arrived matrix_descriptor fence_async load store pack advance unordered less_or_greater fence copy_async copy_commit copy_wait unpack pack_bytes own meet of_first rank_in_cluster y0 y1 yn j0 j1 jn gamma erf erfc hypot pow`

// file puts the parts together.
func (p *printer) file() string {
	f := p.f
	var b strings.Builder
	unit, bounds := fmt.Sprintf("one block of %d threads", p.threads()), fmt.Sprintf("__launch_bounds__(%d)", p.threads())
	if p.isCluster() {
		unit = fmt.Sprintf("a cluster of %d blocks of %d threads", f.CTAs, p.threads())
		bounds = fmt.Sprintf("__cluster_dims__(%d, 1, 1) ", f.CTAs) + bounds
	}
	fmt.Fprintf(&b, "// %s: one program is %s. Launch it with as many of them as there are programs and %d bytes of dynamic shared memory.\n", f.Name, unit, f.SharedBytes)
	fmt.Fprintf(&b, "//\n//     nvcc -arch=sm_%s -cubin\n\n", p.o.Arch)
	body := p.out.String()
	rest := p.helpers.text.String() + body
	for _, h := range []struct{ header, types string }{{"cuda_fp16.h", "half"}, {"cuda_bf16.h", "bfloat16"}} {
		if strings.Contains(rest+p.signature(), h.types) {
			fmt.Fprintf(&b, "#include <%s>\n\n", h.header)
		}
	}
	memory := p.memory() // may need a helper
	b.WriteString(p.helpers.text.String())
	fmt.Fprintf(&b, "extern \"C\" __global__ void %s %s(%s) {\n", bounds, p.o.Entry, p.signature())
	b.WriteString(memory)
	b.WriteString(body)
	b.WriteString("}\n")
	return b.String()
}

func (p *printer) signature() string {
	list := make([]string, len(p.f.Params))
	for i, at := range p.f.Params {
		list[i] = paramType(at) + " " + p.params[i]
	}
	return strings.Join(list, ", ")
}

// memory declares the shared and the local arrays.
func (p *printer) memory() string {
	var b strings.Builder
	any := false
	for i, v := range p.shareds {
		if !v.used {
			continue
		}
		if !any {
			any = true
			if p.isCluster() {
				b.WriteString("    extern __shared__ __align__(128) char own[];\n    char* const shared = " + p.helpers.ofFirst() + "(own);\n")
			} else {
				fmt.Fprintf(&b, "    extern __shared__ __align__(%d) char shared[];\n", p.sharedAlign())
			}
		}
		s := p.f.Shared[i]
		typ := typeNames[v.elem]
		fmt.Fprintf(&b, "    %s* const %s = (%s*)(shared + %d);  // %s\n", typ, v.name, typ, s.Offset, plural(s.Size/v.elem.Bytes(), "element"))
	}
	for i, v := range p.locals {
		if v.used {
			fmt.Fprintf(&b, "    alignas(16) %s %s[%d];\n", typeNames[v.elem], v.name, max(1, p.f.Local[i].Size/v.elem.Bytes()))
		}
	}
	if p.isCluster() && p.f.SharedBytes > 0 {
		b.WriteString("    " + p.helpers.meet() + "();\n")
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// sharedAlign gives the alignment of the block's shared memory.
func (p *printer) sharedAlign() int {
	align := 128
	for _, s := range p.f.Shared {
		align = max(align, s.Align)
	}
	return align
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
