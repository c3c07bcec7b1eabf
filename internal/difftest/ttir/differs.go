package ttir

import (
	"path"
	"strings"
)

// EarlyReturn is the line of an early return of a random kernel's helpers, which stands in a branch of an if here.
const EarlyReturn = "if i1 -> 4x8xi32 i32"

// differs lists the kernels whose operations are not Triton's, by patterns of their names, and why. docs/triton-differences.md
// tells users what of it they can see, which is little: results are the same.
var differs = []struct{ cases, reason string }{
	{"tl.sort/* tl.sort/*/* tl.topk/*/* tl.bitonic_merge/*/* shape/*sort*",
		"another network of comparisons, which loses no element in the presence of NaN"},
	{"tl.flip/*/*", "one gather, where Triton exchanges neighbours of all powers of two by xor"},
	{"tl.cat/* tl.cat/*/*", "an operation of its own, where Triton joins, permutes and reshapes"},
	{"tl.map_elementwise/*#2", "a group's elements are operands of their own, taken apart and joined outside"},
	{"x.item/*", "takes the sum of the one element, not the element"},
	{"tl.max/*/*#4 tl.argmax/*/*#2", "of two equal elements the right one is chosen by one comparison less"},
	{"tl.cast/fp16,i1 tl.cast/bf16,i1", "compared with 0 as they are, not as fp32: the same for every number"},
	{"tl.*/*fp8e4b15* tl.*/*fp8e4b15*/*", "converted by an operation, where Triton has assembly for it"},
	{"tl.load/i1/0", "a number given as other for a bool is compared with 0 when it is given, not when it is read"},
	{"tl.atomic_max/fp*/*", "an operation on floats, where Triton has two on the bits, for each sign"},
	{"tl.atomic_poll/*", "the time limit is a constant, so it is not converted when the kernel runs"},
	{"memory/wide_offsets", "an unsigned offset is subtracted in 64 bits, and does not wrap around"},
	{"triton.aggregate/*", "loops and branches carry only the members that change"},
	{"if/* control/early_return", "what follows an early return is in a branch of an if; Triton jumps"},
}

// Differs gives the reason why a kernel's operations differ; "" if they are to be the same. A random kernel differs where it
// calls what differs.
func Differs(name, source string) string {
	if strings.HasPrefix(name, "random/") {
		switch {
		case strings.Contains(source, "tl.sort("):
			return Differs("tl.sort/i32", "")
		case strings.Contains(source, "tl.flip("):
			return Differs("tl.flip/i32/0", "")
		}
	}
	for _, d := range differs {
		for pattern := range strings.FieldsSeq(d.cases) {
			if ok, _ := path.Match(pattern, name); ok {
				return d.reason
			}
		}
	}
	return ""
}
