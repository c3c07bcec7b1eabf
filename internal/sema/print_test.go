package sema

import (
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

// What static_print writes; of what exists only when the kernel runs it is what Triton writes, too,
// but for the words constexpr and the quotes in a tuple.
func TestStaticPrint(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`"a", 5, 2.5, None, True`, "a 5 2.5 None True\n"},
		{`n, p, x`, "int32[] pointer<fp16>[] fp16[4, 2]\n"},
		{`n.dtype, p.dtype, p.dtype.element_ty, x.type, x.dtype.name`, "int32 pointer<fp16> fp16 <['4', '2'], fp16> fp16\n"},
		{`(1, n), (n, ), ("a", 1.5), x.shape`, "(1, int32[]) (int32[],) ('a', 1.5) (4, 2)\n"},
		{`tl.sum, tl.load, tl.math`, "sum load triton.language.math\n"},
		{`tl.make_tensor_descriptor(p, [n], [1], [16])`, "a descriptor of float16[16]\n"},
		{`1, 2, sep="|", end="!"`, "1|2!"},
		{`f"{5:03d} {1 / 3:.3f} {'x'!r:>5}"`, "005 0.333   'x'\n"},
		{``, "\n"},
	} {
		src := "import triton.language as tl\n\n\ndef k(p, n):\n    x = tl.zeros((4, 2), tl.float16)\n    tl.static_print(" + tt.args + ")\n"
		var out strings.Builder
		spec := loadSource(t, "print.py", []byte(src)).spec(t, "k", "p=*fp16 n=i32")
		spec.Print = func(s string) { out.WriteString(s) }
		if _, err := Compile(spec); err != nil {
			t.Errorf("%s\n%s", tt.args, diag.Detail(err))
			continue
		}
		if out.String() != tt.want {
			t.Errorf("%s\nprints %q\nwant   %q", tt.args, out.String(), tt.want)
		}
	}
}
