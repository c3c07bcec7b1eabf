package difftest_test

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest"
)

// A compiled is a case as PTX.
type compiled struct {
	name, arch string
	ptx        []byte
}

// compileCorpus compiles the corpus for an architecture. What is refused is told by reason.
func compileCorpus(t *testing.T, arch string) (list []compiled, refused map[string][]string) {
	t.Helper()
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	refused = map[string][]string{}
	for i := range cases {
		c := &cases[i]
		ptx, err := compileCase(c, arch)
		switch {
		case errors.Is(err, tegula.ErrUnsupported):
			why := reason(err)
			refused[why] = append(refused[why], c.Name)
		case err != nil:
			t.Errorf("%s for cuda:%s: %s", c.Name, arch, tegula.Detail(err))
		default:
			list = append(list, compiled{c.Name, arch, ptx})
		}
	}
	return list, refused
}

var places = regexp.MustCompile(`^.*Unsupported: `)

func reason(err error) string { return places.ReplaceAllString(err.Error(), "") }

// compileCase compiles a case as a launch with its arguments would.
func compileCase(c *difftest.Case, arch string) ([]byte, error) { return emitCase(c, arch, "ptx") }

func emitCase(c *difftest.Case, arch, stage string) ([]byte, error) {
	mod, err := tegula.Load(c.File, c.Source)
	if err != nil {
		return nil, err
	}
	var sig []string
	for i := range c.Args {
		sig = append(sig, signatureOf(&c.Args[i]))
	}
	k, err := mod.Kernel(c.Kernel).Compile(tegula.CompileOptions{Target: "cuda:" + arch, Signature: strings.Join(sig, ", ")})
	if err != nil {
		return nil, err
	}
	return k.Emit(stage)
}

func signatureOf(a *difftest.Arg) string {
	switch {
	case a.Data != nil:
		return fmt.Sprintf("%s=*%s:16", a.Name, a.DType)
	case a.Typed && a.Int == 1:
		return a.Name + "=" + a.DType.String() + ":1"
	case a.Typed && a.Int%16 == 0:
		return a.Name + "=" + a.DType.String() + ":16"
	case a.Typed:
		return a.Name + "=" + a.DType.String()
	}
	return a.Name + "=" + a.Literal
}

// TestCompilesForCUDA counts how much of the corpus can be compiled.
func TestCompilesForCUDA(t *testing.T) {
	list, refused := compileCorpus(t, "90a")
	t.Logf("%d cases compiled", len(list))
	tell(t, refused)
	if len(refused) > 0 && len(list) < leastCompiled {
		t.Errorf("only %d cases compile, not %d", len(list), leastCompiled)
	}
}

// leastCompiled keeps what has been reached.
const leastCompiled = 100

// tell logs why cases were refused, the most frequent reason first.
func tell(t *testing.T, refused map[string][]string) {
	t.Helper()
	var reasons []string
	for r := range refused {
		reasons = append(reasons, r)
	}
	sort.Slice(reasons, func(i, j int) bool { return len(refused[reasons[i]]) > len(refused[reasons[j]]) })
	for _, r := range reasons {
		t.Logf("%3d refused: %s (%s …)", len(refused[r]), r, refused[r][0])
	}
}
