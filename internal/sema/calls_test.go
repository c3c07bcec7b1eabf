package sema

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/sema/std"
)

// callOperands are what random calls are made of; few fit any one parameter.
var callOperands = []string{
	"t_fp32", "t_i32", "t_i1", "t_fp16", "t_u8", "t_fp8e5", "m_fp32", "m_i64", "m_i1", "d_fp16", "d_fp32", "b_bf16",
	"s_i32", "s_fp32", "s_i1", "s_u64", "p_fp32", "p_i1", "p_i32", "(p_fp32 + t_i32)", "(p_u32 + m_i32)",
	"0", "1", "2", "-1", "3", "16", "1 << 40", "1 << 70", "-(1 << 63)", "0.5", "1e400", "True", "None", "''", "'acquire'", "'x'",
	"()", "(4, 8)", "(0, 1)", "[1, 0]", "(t_fp32, t_i32)", "(1.5, None)", "tl.float32", "tl.int8", "tl.void",
	"tl.pointer_type(tl.int8)", "tl.block_type(tl.float16, [4])", "add", "first", "twice", "tl", "tl.sum", "tl.load", "(lambda a, b: a)",
	"tl.make_block_ptr(p_fp32, (8, 8), (8, 1), (0, 0), (4, 8), (1, 0))", "tl.PropagateNan.ALL", "t_fp32.shape", "...", "range(4)",
}

// No call of any function or method of the language with any arguments fails other than by a diagnostic, or makes
// IR that does not verify.
func TestRandomCalls(t *testing.T) {
	functions := callableNames()
	r := rand.New(rand.NewPCG(3, 4))
	compiled := 0
	for range 6000 {
		expr := randomCall(r, functions)
		src, args := expressionKernel(expr)
		src, _, _ = strings.Cut(src, "    tl.static_print")
		_, err := Compile(loadSource(t, "call.py", []byte(src)).spec(t, "kernel", args))
		if err == nil {
			compiled++
			continue
		}
		if e, ok := err.(*diag.Error); !ok || e.Code == "internal" || e.Place.IsZero() {
			t.Errorf("%s: %v", expr, err)
		}
	}
	if compiled < 150 {
		t.Errorf("only %d calls fit", compiled)
	}
}

// callableNames lists every function of the language as an expression, and every method of a tile.
func callableNames() []string {
	tab := tables()
	var names []string
	for prefix, m := range map[string]map[string]Value{"tl.": tab.lang, "libdevice.": tab.libdevice, "tl.extra.cuda.": tab.cuda, "triton.": tab.triton} {
		for name, v := range m {
			if _, ok := v.(*Builtin); ok {
				names = append(names, prefix+name)
			}
		}
	}
	for _, name := range std.Names() {
		if !strings.HasPrefix(name, "_") {
			names = append(names, "tl."+name)
		}
	}
	for _, name := range slices.Concat(stdMethods, slices.Collect(maps.Keys(tab.methods)), slices.Collect(maps.Keys(typePredicates))) {
		names = append(names, "t_fp32."+name, "m_i32.dtype."+name)
	}
	slices.Sort(names)
	return names
}

func randomCall(r *rand.Rand, functions []string) string {
	args := make([]string, r.IntN(5))
	for i := range args {
		args[i] = callOperands[r.IntN(len(callOperands))]
	}
	return functions[r.IntN(len(functions))] + "(" + strings.Join(args, ", ") + ")"
}
