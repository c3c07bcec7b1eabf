package cudacpp

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// Products of warp groups are wgmma's instructions, which C++ has no word for. They only begin: what they add to lies in one array, which nobody
// touches until the warp group has waited for them. Matrices in shared memory are named by a descriptor (PTX ISA, "Matrix Descriptor"), whose low bits
// are the address in units of 16 bytes, so that adding to it goes on in the matrix.

// wgmmaTypes are how the instructions name their types.
var wgmmaTypes = map[lir.MMA]string{
	lir.MMAF16: "f32.f16.f16", lir.MMABF16: "f32.bf16.bf16", lir.MMATF32: "f32.tf32.tf32",
	lir.MMAS8: "s32.s8.s8", lir.MMAU8: "s32.u8.u8",
	lir.MMAE4M3: "f32.e4m3.e4m3", lir.MMAE4M3E5M2: "f32.e4m3.e5m2", lir.MMAE5M2E4M3: "f32.e5m2.e4m3", lir.MMAE5M2: "f32.e5m2.e5m2",
}

// swizzleModes are the descriptor's, by the bytes of a row.
var swizzleModes = map[int]int{128: 1, 64: 2, 32: 3}

const (
	descriptorUnit = 16  // bytes
	mostColumns    = 256 // of a sum that one instruction adds to
)

// A wgmma is an instruction, and the function that stands for it.
type wgmma struct {
	kind     lir.MMA
	columns  int
	fresh    bool // adds to nothing
	words    int  // of A, if it is in registers
	aAcross  bool // the elements of A's rows are not next to each other along k
	bAcross  bool // those of B's columns
	sums, aK int  // elements of the sum that a thread holds, and how far it goes along k
}

// together has what an operation adds up be in one array, or else in none that others lie in.
func (p *printer) together(b *block) {
	for _, n := range b.nodes {
		if n.Code != lir.OpGroupMMA {
			continue
		}
		first := p.into[n.Results[0].ID]
		whole := true
		for i, r := range n.Results {
			whole = whole && p.into[r.ID] == home{first.of, first.at + i}
		}
		if whole {
			continue
		}
		for _, r := range n.Results {
			p.into[r.ID] = home{}
		}
	}
}

// waitInPlace leaves sums where they are that nobody needs but who waits for them.
func (p *printer) waitInPlace(n *node) {
	for i, a := range n.Args {
		if a.IsConst() || p.uses[a.ID] != 1 || p.blockOf(a) != n.block || !p.homes[a.ID].of.changes {
			continue
		}
		p.into[n.Results[i].ID] = p.homes[a.ID]
	}
}

// begins reports whether a block has products of warp groups.
func (b *block) begins() (found bool) {
	b.walk(func(n *node) { found = found || n.Code == lir.OpGroupMMA })
	return found
}

// groupMMA begins the instructions step by step along k, and for each step those of all rows and columns.
func (p *printer) groupMMA(l lanes) {
	n := l.first()
	g, info := n.Group, n.Group.Kind.Info()
	aIn, sum := n.Split()
	p.homes[n.Results[0].ID].of.typ = typeNames[info.Sum]
	to := p.sumOf(l, len(aIn), len(sum))

	columns, blocks, steps := min(g.N, mostColumns), g.M/lir.GroupRows, g.K/info.K
	w := wgmma{kind: g.Kind, columns: columns, sums: columns / 2, aK: info.K, bAcross: !g.B.AlongK}
	size := info.Bits / 8
	b := p.descriptor(g.B, n.Mem, l.arg(0), size, "b")
	var a matrixTile
	var words string
	if n.From != nil {
		a = p.descriptor(g.A, n.From, l.arg(1), size, "a")
		w.aAcross = !g.A.AlongK
	} else {
		words = p.words(l, 1, len(aIn), "unsigned", "a")
		w.words = len(aIn) / blocks / steps
	}
	p.write("%s();", p.helpers.wgmmaFence())
	for k := 0; k < g.K; k += info.K {
		w.fresh = k == 0 && len(sum) == 0
		name := p.helpers.wgmma(w)
		for row := range blocks {
			from := plusText(words, (row*steps+k/info.K)*w.words)
			if n.From != nil {
				from = a.at(row*g.RowStep, g.FirstK+k)
			}
			for column := 0; column < g.N; column += columns {
				first := row*g.N/2 + column/columns*w.sums
				p.write("%s(%s, %s, %s);", name, plusText(to, first), from, b.at(column, g.FirstK+k))
			}
		}
	}
	p.write("%s();", p.helpers.wgmmaCommit())
}

// sumOf gives the array that an operation adds to, with what it adds to in it.
func (p *printer) sumOf(l lanes, words, sums int) string {
	n := l.first()
	to, ok := l.run(len(n.Results), func(m *node, i int) *lir.Value { return m.Results[i] })
	if !ok {
		panic(unspelled{n.Code})
	}
	if sums == 0 {
		return to.text
	}
	v := p.homes[n.Results[0].ID].of
	before := n.Args[1+words:]
	if !p.stays(n.Results, before) && !l.fromZero(v, 1+words) {
		p.single(p.settled(p.copies(n.Results, before)))
	}
	return to.text
}

// plusText writes a place in an array.
func plusText(array string, by int) string {
	if by == 0 {
		return array
	}
	return fmt.Sprintf("%s + %d", array, by)
}

// A matrixTile is an operand in shared memory.
type matrixTile struct {
	lir.GroupTile
	name string // of its descriptor
	size int    // bytes of an element
}

// descriptor prints the descriptor of an operand.
func (p *printer) descriptor(t lir.GroupTile, m *lir.Mem, at expr, size int, hint string) matrixTile {
	v := p.declaredView(m)
	from := newExpr(v.name, precPrimary, typeNames[v.elem]+"*").to("char*")
	if at.text != "0" {
		from = advanced(from, at)
	}
	if m.Offset != 0 {
		from = binary(from, "+", integer(m.Offset, "long long"), precAdd, from.typ)
	}
	leading := t.Panel()
	if t.AlongK {
		leading = descriptorUnit // it says nothing there
	}
	name := p.names.pick(hint + "_matrix")
	p.write("const unsigned long long %s = %s(%s, %d, %d, %d);", name, p.helpers.matrixDescriptor(), from.text, leading, 8*t.Swizzle, swizzleModes[t.Swizzle])
	return matrixTile{t, name, size}
}

// at writes the descriptor of a part.
func (t matrixTile) at(outer, k int) string {
	return plusText(t.name, t.At(outer, k, t.size)/descriptorUnit)
}

// groupWait waits, and has nothing that needs the sums be moved before that.
func (p *printer) groupWait(l lanes) {
	n := l.first()
	p.write("%s<%d>();", p.helpers.wgmmaWait(), n.Imm)
	for i := 0; i < len(n.Args); {
		count := p.adjacentFrom(n.Args[i:])
		if !n.Args[i].IsConst() {
			at := p.homes[n.Args[i].ID]
			p.declared(at.of)
			p.write("%s<%d>(%s);", p.helpers.arrived(at.of.typ), count, plusText(at.of.name, at.at))
		}
		i += count
	}
	if p.stays(n.Results, n.Args) { // or there are none
		return
	}
	if v := p.homes[n.Results[0].ID].of; v.typ == "" {
		v.typ = typeNames[n.Results[0].Type]
	}
	p.single(p.settled(p.copies(n.Results, n.Args)))
}

// adjacentFrom is adjacent, for values of which none may be printed where it is used.
func (p *printer) adjacentFrom(vals []*lir.Value) int {
	if vals[0].IsConst() || p.homes[vals[0].ID].of.size == 1 {
		return 1
	}
	return p.adjacent(vals)
}

func (h *helpers) wgmmaFence() string {
	return h.add("wgmma_fence", "// Before the first product: what registers and shared memory hold is there.\n"+device+
		"void wgmma_fence() {\n    asm volatile(\"wgmma.fence.sync.aligned;\" : : : \"memory\");\n}\n")
}

func (h *helpers) wgmmaCommit() string {
	return h.add("wgmma_commit", "// The products since the last one are a group.\n"+device+
		"void wgmma_commit() {\n    asm volatile(\"wgmma.commit_group.sync.aligned;\" : : : \"memory\");\n}\n")
}

func (h *helpers) wgmmaWait() string {
	return h.add("wgmma_wait", "// Waits until at most N groups of products are not done.\ntemplate <int N>\n"+device+
		"void wgmma_wait() {\n    asm volatile(\"wgmma.wait_group.sync.aligned %0;\" : : \"n\"(N) : \"memory\");\n}\n")
}

// arrived keeps the compiler from reading registers earlier than they are waited for.
func (h *helpers) arrived(typ string) string {
	h.add("arrived "+typ, fmt.Sprintf("// From here on these sums are what the products gave.\ntemplate <int N>\n%svoid arrived(%s* sum) {\n#pragma unroll\n"+
		"    for (int i = 0; i < N; ++i) asm volatile(\"\" : \"+%s\"(sum[i]) : : \"memory\");\n}\n", device, typ, constraints[typ]))
	return "arrived"
}

func (h *helpers) proxyFence() string {
	return h.add("fence_async", "// What this thread wrote to shared memory is there for matrix instructions after the next barrier.\n"+device+
		"void fence_async() {\n    asm volatile(\"fence.proxy.async.shared::cta;\" : : : \"memory\");\n}\n")
}

func (h *helpers) matrixDescriptor() string {
	return h.add("matrix_descriptor", "// Names a matrix in shared memory to wgmma: from where, the distances in bytes between groups of columns and of rows, and how its rows\n"+
		"// are swizzled: 1, 2, 3 for 128, 64, 32 bytes. Adding n to it goes n times 16 bytes further.\n"+device+
		"unsigned long long matrix_descriptor(const void* from, unsigned columns, unsigned rows, unsigned swizzle) {\n"+
		"    const unsigned at = (unsigned)__cvta_generic_to_shared(from);\n"+
		"    return (unsigned long long)(rows >> 4 | swizzle << 30) << 32 | (columns >> 4) << 16 | at >> 4;\n}\n")
}

// wgmma is the function that is an instruction.
func (h *helpers) wgmma(w wgmma) string {
	info := w.kind.Info()
	typ := typeNames[info.Sum]
	ins := fmt.Sprintf("wgmma.mma_async.sync.aligned.m%dn%dk%d.%s", lir.GroupRows, w.columns, w.aK, wgmmaTypes[w.kind])
	name := fmt.Sprintf("wgmma_m%dn%dk%d_%s", lir.GroupRows, w.columns, w.aK, strings.ReplaceAll(wgmmaTypes[w.kind], ".", "_"))
	mode, add, verb := "+", 1, "+="
	if w.fresh {
		name, mode, add, verb = name+"_first", "=", 0, "="
	}
	tail := ", p"
	if info.Sum != lir.I32 {
		tail += ", 1, 1"
	}
	if info.Bits == 16 && w.words == 0 {
		tail += flag(w.aAcross)
	}
	if info.Bits == 16 {
		tail += flag(w.bAcross)
	}
	if w.aAcross {
		name += "_ta"
	}
	if w.bAcross {
		name += "_tb"
	}
	param, aText, aOperands := "unsigned long long a", fmt.Sprintf("%%%d", w.sums), "\"l\"(a)"
	next := w.sums + 1
	if w.words > 0 {
		name += "_registers"
		param, aText, aOperands = "const unsigned* a", "{"+places(w.sums, w.words)+"}", operandList("r", "a", w.words)
		next = w.sums + w.words
	}
	return h.add(name, fmt.Sprintf("// Begins sum %s a * b, of %d×%d and %d×%d elements, for the four warps of a group.\n%svoid %s(%s* sum, %s, unsigned long long b) {\n"+
		"    asm volatile(\n        \"{ .reg .pred p; setp.ne.b32 p, %d, 0; %s {%s}, %s, %%%d%s; }\"\n        : %s\n        : %s, \"l\"(b)\n        : \"memory\");\n}\n",
		verb, lir.GroupRows, w.aK, w.aK, w.columns, device, name, typ, param,
		add, ins, places(0, w.sums), aText, next, tail, operandList(mode+constraints[typ], "sum", w.sums), aOperands))
}

func flag(is bool) string {
	if is {
		return ", 1"
	}
	return ", 0"
}
