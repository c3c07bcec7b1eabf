package compiler

import (
	"math"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/fake"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// A kernel that calls another, which calls a third, a lambda and the library, and reads globals of
// each sort of value.
const identified = `import triton
import triton.language as tl

N = tl.constexpr(4)
F = tl.constexpr(0.0)
S = tl.constexpr("relu")

@triton.jit
def leaf(x):
    return x + 1

@triton.jit
def middle(x):
    return leaf(x) * 2

@triton.jit
def other(x):
    return x - 1

@triton.jit
def k(p, n, eps, BLOCK: tl.constexpr, FN: tl.constexpr, q):
    i = tl.arange(0, BLOCK)
    v = middle(n + N) + tl.cdiv(n, 2)
    if S == "relu":
        v = tl.maximum(v, 0)
    tl.store(p + i, v + eps + F + FN(n))
`

// A subject is a compilation, to be changed in one respect.
type subject struct {
	name    string
	source  string
	args    func(m *module.Module) []sema.ArgSpec
	options sema.Options
	request Request
}

func original() subject {
	return subject{
		name: "k.py", source: identified,
		args: func(m *module.Module) []sema.ArgSpec {
			return []sema.ArgSpec{
				{Type: sema.PointerTo(sema.ScalarType(dtype.Float32)), Divisibility: 16}, {Type: sema.ScalarType(dtype.Int32)},
				{Type: sema.ScalarType(dtype.Float32)}, {IsConst: true, Const: int64(16)}, {IsConst: true, Const: m.Kernel("other").Fn},
				{Type: sema.PointerTo(sema.ScalarType(dtype.Float32))},
			}
		},
		options: sema.Options{NumWarps: 4, NumStages: 3, NumCTAs: 1},
		request: Request{Target: target.Target{Backend: "idents", Arch: "7"}, Build: "build 1"},
	}
}

var idents = fake.Register("idents", fake.Options{Version: "1"})

// identity compiles a subject and gives its identity.
func (s subject) identity(t *testing.T) cache.Key {
	t.Helper()
	m, err := module.Load(s.name, []byte(s.source))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	r := s.request
	r.Spec = sema.Spec{Fn: m.Kernel("k").Fn, Args: s.args(m), Options: s.options}
	u, err := Compile(r)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	return u.Identity()
}

// edit replaces a part of the source by another.
func edit(from, to string) func(*subject) {
	return func(s *subject) { s.source = strings.Replace(s.source, from, to, 1) }
}

// withArg changes what is known of an argument.
func withArg(i int, a sema.ArgSpec) func(*subject) {
	return func(s *subject) {
		old := s.args
		s.args = func(m *module.Module) []sema.ArgSpec {
			list := old(m)
			list[i] = a
			return list
		}
	}
}

func constant(v pyval.Value) sema.ArgSpec { return sema.ArgSpec{IsConst: true, Const: v} }

// Everything that the code depends on is part of a binary's identity: each row changes one thing
// only, and makes another identity than all others.
func TestContractIdentity(t *testing.T) {
	first := original().identity(t)
	if again := original().identity(t); again != first {
		t.Fatal("the same kernel, read twice, has two identities")
	}
	seen := map[cache.Key]string{first: "the original"}
	for name, change := range map[string]func(*subject){
		"the kernel's source":          edit("v + eps", "eps + v"),
		"the source of what it calls":  edit("* 2", "* 3"),
		"the source of what that does": edit("x + 1", "x + 2"),
		"a space in what it calls":     edit("* 2", "*  2"),
		"where the kernel stands":      edit("import triton\n", "import triton\n\n"),
		"the file's name":              func(s *subject) { s.name = "l.py" },
		"a global's value":             edit("constexpr(4)", "constexpr(5)"),
		"a global's type":              edit("constexpr(4)", "constexpr(4.0)"),
		"a global that is True":        edit("constexpr(4)", "constexpr(True)"),
		"a global that is 1":           edit("constexpr(4)", "constexpr(1)"),
		"a global that is 1.0":         edit("constexpr(4)", "constexpr(1.0)"),
		"a global's sign":              edit("constexpr(0.0)", "constexpr(-0.0)"),
		"a global that is a NaN":       edit("constexpr(0.0)", "constexpr(float('nan'))"),
		"a global text":                edit(`constexpr("relu")`, `constexpr("gelu")`),
		"an element type":              withArg(0, sema.ArgSpec{Type: sema.PointerTo(sema.ScalarType(dtype.Float16)), Divisibility: 16}),
		"an integer's type":            withArg(1, sema.ArgSpec{Type: sema.ScalarType(dtype.Int64)}),
		"an integer's sign":            withArg(1, sema.ArgSpec{Type: sema.ScalarType(dtype.Uint32)}),
		"an alignment":                 withArg(0, sema.ArgSpec{Type: sema.PointerTo(sema.ScalarType(dtype.Float32))}),
		"constants pointed to":         withArg(5, sema.ArgSpec{Type: sema.PointerTo(sema.ScalarType(dtype.Float32)), ReadOnly: true}),
		"a divisibility":               withArg(1, sema.ArgSpec{Type: sema.ScalarType(dtype.Int32), Divisibility: 16}),
		"an integer that is 1":         withArg(1, constant(int64(1))),
		"a constexpr's value":          withArg(3, constant(int64(32))),
		"a constexpr float":            withArg(2, constant(0.0)),
		"its sign":                     withArg(2, constant(math.Copysign(0, -1))),
		"its type":                     withArg(2, constant(false)),
		"a constexpr function": func(s *subject) {
			old := s.args
			s.args = func(m *module.Module) []sema.ArgSpec {
				list := old(m)
				list[4] = constant(m.Kernel("leaf").Fn)
				return list
			}
		},
		"num_warps":            func(s *subject) { s.options.NumWarps = 8 },
		"num_stages":           func(s *subject) { s.options.NumStages = 2 },
		"num_ctas":             func(s *subject) { s.options.NumCTAs = 2 },
		"threads_per_warp":     func(s *subject) { s.options.ThreadsPerWarp = 16 },
		"debug":                func(s *subject) { s.options.Debug = true },
		"check":                func(s *subject) { s.request.Check = true },
		"strict":               func(s *subject) { s.request.Strict = true },
		"maxnreg":              func(s *subject) { s.request.MaxRegisters = 32 },
		"unfused":              func(s *subject) { s.request.Unfused = true },
		"the architecture":     func(s *subject) { s.request.Target.Arch = "" },
		"the backend":          func(s *subject) { s.request.Target = target.Target{Backend: "cpu"} },
		"the compiler's build": func(s *subject) { s.request.Build = "build 2" },
		"TEGULA_CHECK":         func(s *subject) { s.request.Settings.Check = true },
		"TEGULA_CHECK=strict":  func(s *subject) { s.request.Settings.Strict = true },
		"TEGULA_CPU":           func(s *subject) { s.request.Settings.CPU = target.Native },
		"TEGULA_CPU_FEATURES":  func(s *subject) { s.request.Settings.Features = "avx2" },
	} {
		s := original()
		change(&s)
		id := s.identity(t)
		if other, taken := seen[id]; taken {
			t.Errorf("%s makes the identity of %s", name, other)
		}
		seen[id] = name
	}
}

// Another version of the same backend makes other binaries.
func TestContractIdentityOfBackendVersion(t *testing.T) {
	before := original().identity(t)
	idents.SetBackendVersion("2")
	defer idents.SetBackendVersion("1")
	if after := original().identity(t); after == before {
		t.Error("the version of the backend is not part of the identity")
	}
}

// What does not change the code is no part of the identity: what else the file holds, as long as
// the kernel stands where it stood.
func TestContractIdentityIgnores(t *testing.T) {
	first := original().identity(t)
	for name, change := range map[string]func(*subject){
		"another function at the end":   func(s *subject) { s.source += "\n@triton.jit\ndef unused(x):\n    return x\n" },
		"a global that nothing reads":   func(s *subject) { s.source += "\nM = tl.constexpr(3)\n" },
		"a function that nothing calls": edit("import triton.language as tl\n\n", "import triton.language as tl; M = 3\n\n"),
		"decorators":                    edit("@triton.jit\ndef k", "@triton.jit()\ndef k"),
	} {
		s := original()
		change(&s)
		if s.identity(t) != first {
			t.Errorf("%s makes another identity", name)
		}
	}
}

// What an object of the host does to the code is part of the identity, though the object has no
// content that could be: here a class whose attributes the kernel reads.
func TestContractIdentityOfHostObjects(t *testing.T) {
	s := original()
	s.source = strings.NewReplacer("N = tl.constexpr(4)\n", "class C:\n    N = tl.constexpr(4)\n", "n + N", "n + C.N").Replace(s.source)
	before := s.identity(t)
	s.source = strings.Replace(s.source, "constexpr(4)", "constexpr(5)", 1)
	if s.identity(t) == before {
		t.Error("the attribute is not part of the identity")
	}
}

// A build that is no release is told by the program it is part of.
func TestBuild(t *testing.T) {
	if b := Build(); !strings.HasPrefix(b, Version+" ") || strings.HasSuffix(b, "unknown") || b != Build() {
		t.Errorf("%q", b)
	}
}
