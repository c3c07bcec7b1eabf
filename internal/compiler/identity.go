package compiler

import (
	"encoding/binary"

	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/exact"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Identity tells the binary that Build makes from every other one. Two units that have the same
// identity may share a binary, in any process.
//
// It covers the source of the kernel and of all that it calls, the global values that they read, the
// arguments' types, facts and constants, the options, the target, the backend's and the compiler's
// version and the settings of the environment. The tile IR is in it, too: what an object of
// the host did to the code, say one whose attributes the kernel reads, shows there and nowhere else.
//
// It must be asked for before Build, which simplifies the IR.
func (u *Unit) Identity() cache.Key {
	h := cache.NewKey()
	h.Str("compiler", u.request.build())
	h.Str("settings", u.request.Settings.String())
	h.Str("target", u.request.Target.String())
	h.Str("backend", u.backend.Version())
	o := &u.request.Spec.Options
	h.Int("num_warps", int64(o.NumWarps)).Int("num_stages", int64(o.NumStages)).Int("num_ctas", int64(o.NumCTAs)).Int("threads_per_warp", int64(o.ThreadsPerWarp))
	h.Bool("debug", o.Debug).Bool("check", u.request.Check).Bool("strict", u.request.Strict).Bool("unfused", u.request.Unfused).Int("maxnreg", int64(u.request.MaxRegisters))
	var b []byte
	for _, f := range u.funcs {
		h.Bytes("function", exact.AppendContent(b[:0], f))
	}
	for i := range u.Globals {
		g := &u.Globals[i]
		h.Str("global", g.Name).Bytes("value", exact.AppendContent(b[:0], g.Value))
	}
	for i := range u.request.Spec.Args {
		h.Bytes("argument", appendArg(b[:0], &u.request.Spec.Args[i]))
	}
	return h.Bytes("ir", []byte(tile.Printer{Locs: true}.String(u.Module))).Sum()
}

// build is the compiler's own part of an identity.
func (r *Request) build() string {
	if r.Build != "" {
		return r.Build
	}
	return Build()
}

// appendArg appends what is known of an argument.
func appendArg(b []byte, a *sema.ArgSpec) []byte {
	switch {
	case a.IsConst:
		return exact.AppendContent(append(b, 'c'), a.Const)
	case a.IsTuple:
		b = binary.AppendUvarint(append(b, 't'), uint64(len(a.Tuple)))
		b = binary.AppendUvarint(b, uint64(len(a.Names)))
		for _, n := range a.Names {
			b = exact.AppendString(b, n)
		}
		for i := range a.Tuple {
			b = appendArg(b, &a.Tuple[i])
		}
		return b
	}
	if d := a.Desc; d != nil {
		b = append(b, 'd', byte(d.Elem.DType))
		b = exact.AppendBool(exact.AppendBool(b, d.Kind.NaN), d.Kind.TF32)
		b = binary.AppendUvarint(b, uint64(len(d.Block)))
		for _, n := range d.Block {
			b = binary.AppendUvarint(b, uint64(n))
		}
		return b
	}
	b = exact.AppendBool(append(b, 'r', byte(a.Type.DType), byte(a.Type.Tile.PtrDepth())), a.ReadOnly)
	return binary.AppendVarint(b, a.Divisibility)
}
