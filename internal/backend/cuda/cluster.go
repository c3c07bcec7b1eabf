package cuda

import (
	"strconv"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lower"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Programs of several CTAs are clusters, which GPUs have from compute capability 9.0 on. Their warps share the program's tiles as those of
// one CTA do; what they exchange lies in the shared memory of the first CTA, which all of a cluster can access.

// minClusterArch is the oldest architecture with clusters.
const minClusterArch = 90

// together gives what the threads of a cluster can do: what takes registers alone. Accesses of another CTA's shared memory are loads, stores and
// atomics; instructions that read matrices there or copy asynchronously reach the own CTA's only.
func together(can lower.Capabilities) lower.Capabilities {
	return lower.Capabilities{
		Redux: can.Redux, Directed: can.Directed, F8: can.F8, BF16: can.BF16, BF16Add: can.BF16Add, MinMaxNaN: can.MinMaxNaN,
		MMA: can.MMA, SharedMax: can.SharedMax,
	}
}

// isCluster reports whether the program is more than one CTA.
func (e *emitter) isCluster() bool { return e.f.CTAs > 1 }

// isRemote reports whether memory that a symbol names is the first CTA's.
func (e *emitter) isRemote(symbol string) bool { return e.isCluster() && symbol == "shared" }

// threadsOf gives how many threads a CTA has.
func threadsOf(f *lir.Func) int { return f.Warps * f.WarpSize / max(f.CTAs, 1) }

// threadID numbers the threads of the program.
func (e *emitter) threadID(op *lir.Op) {
	id := e.def(op.Results[0])
	if !e.isCluster() {
		e.ins("mov.u32 ", id, ", %tid.x")
		return
	}
	rank, own := e.fresh(words), e.fresh(words)
	e.ins("mov.u32 ", rank, ", %cluster_ctarank")
	e.ins("mov.u32 ", own, ", %tid.x")
	e.ins("mad.lo.u32 ", id, ", ", rank, ", ", strconv.Itoa(threadsOf(e.f)), ", ", own)
}

// axis gives a coordinate of the program: of its CTA, or of its cluster.
func axis(cta, cluster string) func(e *emitter, op *lir.Op) {
	return func(e *emitter, op *lir.Op) {
		name := cta
		if e.isCluster() {
			name = cluster
		}
		e.ins("mov.u32 ", e.def(op.Results[0]), ", ", name, ".", [...]string{"x", "y", "z"}[op.Imm])
	}
}

// barrier has all threads of the program meet.
func (e *emitter) barrier() {
	if !e.isCluster() {
		e.ins("bar.sync 0")
		return
	}
	e.ins("barrier.cluster.arrive.aligned")
	e.ins("barrier.cluster.wait.aligned")
}

// leave ends the kernel. Shared memory is there as long as its CTA is, so the first may not leave before the others are done with it.
func (e *emitter) leave() {
	if e.isCluster() && e.f.SharedBytes > 0 {
		e.barrier()
	}
	e.ins("ret")
}

// enter begins the kernel: a CTA's shared memory is there once it has begun.
func (e *emitter) enter() string {
	if e.isCluster() && e.f.SharedBytes > 0 {
		return "    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n"
	}
	return ""
}

// space names a kind of memory.
func (e *emitter) space(s lir.Space) string {
	if s == lir.Shared && e.isCluster() {
		return "shared::cluster"
	}
	return s.String()
}

var scopes = [...]string{tile.ScopeGPU: ".gpu", tile.ScopeCTA: ".cta", tile.ScopeSystem: ".sys"}

// scope names who sees what an atomic or a fence orders. That of a CTA is the program's.
func (e *emitter) scope(s tile.MemScope) string {
	if s == tile.ScopeCTA && e.isCluster() {
		return ".cluster"
	}
	return scopes[s]
}
