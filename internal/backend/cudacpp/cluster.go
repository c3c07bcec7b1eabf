package cudacpp

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Programs of several CTAs are clusters. What their threads exchange lies in the shared memory of the first one, which pointers without a
// space reach.

// isCluster reports whether the program is more than one CTA.
func (p *printer) isCluster() bool { return p.f.CTAs > 1 }

// threads gives how many threads a CTA has.
func (p *printer) threads() int { return p.f.Warps * p.f.WarpSize / max(p.f.CTAs, 1) }

// special is a function that reads a special register.
func (h *helpers) special(name, register string) string {
	return h.add(name, fmt.Sprintf("%sunsigned %s() {\n    unsigned x;\n    asm(\"mov.u32 %%0, %%%%%s;\" : \"=r\"(x));\n    return x;\n}\n", device, name, register))
}

// threadID numbers the threads of the program.
func (p *printer) threadID(_ *node, _ []expr) expr {
	own := newExpr("threadIdx.x", precPrimary, "unsigned")
	if !p.isCluster() {
		return own
	}
	rank := call("unsigned", p.helpers.special("rank_in_cluster", "cluster_ctarank"))
	return binary(binary(rank, "*", number(p.threads()), precMul, "unsigned"), "+", own, precAdd, "unsigned")
}

// axis gives a coordinate of the program: of its CTA, or of its cluster.
func axis(cta, name, register string) spelling {
	return func(p *printer, n *node, _ []expr) expr {
		coordinate := [...]string{"x", "y", "z"}[n.Imm]
		if !p.isCluster() {
			return newExpr(cta+"."+coordinate, precPrimary, "unsigned")
		}
		return call("unsigned", p.helpers.special(name+"_"+coordinate, register+"."+coordinate))
	}
}

// barrier has all threads of the program meet.
func (p *printer) barrier(_ lanes) {
	if !p.isCluster() {
		p.write("__syncthreads();")
		return
	}
	p.write("%s();", p.helpers.meet())
}

func (h *helpers) meet() string {
	return h.add("meet", "// All threads of the cluster wait for each other.\n"+device+"void meet() {\n"+
		"    asm volatile(\"barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;\" : : : \"memory\");\n}\n")
}

// leaveKernel ends the kernel: the first CTA may not leave before the others are done with its shared memory.
func (p *printer) leaveKernel(_ lanes) {
	if p.isCluster() && p.f.SharedBytes > 0 {
		p.write("%s();", p.helpers.meet())
	}
}

// ofFirst gives the first CTA's shared memory, which is there once that has begun.
func (h *helpers) ofFirst() string {
	return h.add("of_first", "// Where the first block of the cluster has what this block has there.\n"+device+"char* of_first(char* own) {\n    size_t at;\n"+
		"    asm(\"mapa.u64 %0, %1, 0;\" : \"=l\"(at) : \"l\"(own));\n    return (char*)at;\n}\n")
}

var scopes = [...]string{tile.ScopeGPU: ".gpu", tile.ScopeCTA: ".cta", tile.ScopeSystem: ".sys"}

// scope names who sees what an atomic or a fence orders. That of a CTA is the program's.
func (p *printer) scope(s tile.MemScope) string {
	if s == tile.ScopeCTA && p.isCluster() {
		return ".cluster"
	}
	return scopes[s]
}

// space names the space that a pointer is converted to; "" for what a cluster shares.
func (p *printer) space(s lir.Space) string {
	if s == lir.Shared && p.isCluster() {
		return ""
	}
	return s.String()
}
