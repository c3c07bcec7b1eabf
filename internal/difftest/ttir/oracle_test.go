//go:build oracle

package ttir_test

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
	"github.com/tegula-lang/tegula/internal/difftest/ttir"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A question is a kernel and its types, as testdata/ttir.py reads them.
type question struct {
	Name      string            `json:"name"`
	Source    string            `json:"source"`
	Module    string            `json:"module"` // instead of a source: what Python imports
	Kernel    string            `json:"kernel"`
	Signature map[string]string `json:"signature"`
	Constants map[string]string `json:"constants"`
}

// generated gives the kernels of the generated suite, each set of types once.
func generated() []question {
	var out []question
	for _, c := range gen.Cases() {
		q := newQuestion(c.Name, c.Source, "kernel")
		for _, a := range c.Args {
			q.Signature[a.Name] = a.TritonType()
		}
		out = append(out, q)
	}
	return once(out)
}

// corpus gives the kernels of the corpus.
func corpus(t *testing.T) []question {
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out []question
	for _, c := range cases {
		q := newQuestion(c.Name, string(c.Source), c.Kernel)
		_, text, _ := strings.Cut(q.Source, "\ndef "+c.Kernel+"(")
		params, _, _ := strings.Cut(text, "):\n")
		for _, a := range c.Args {
			constant := regexp.MustCompile(`\b` + a.Name + `: tl\.constexpr`).MatchString(params)
			switch {
			case a.Data != nil:
				q.Signature[a.Name] = "*" + a.DType.String()
			case a.Typed:
				q.Signature[a.Name] = a.DType.String()
			case constant || a.Literal == "None":
				q.Constants[a.Name] = a.Literal
			case strings.Contains(a.Literal, "."):
				q.Signature[a.Name] = "fp32"
			default:
				q.Signature[a.Name] = "i32"
			}
		}
		out = append(out, q)
	}
	return once(out)
}

// exampleTypes are the types and constants of the kernels in examples.
var exampleTypes = map[string]string{
	"vector_add": "x_ptr=*fp32 y_ptr=*fp32 out_ptr=*fp32 n=i32 BLOCK:1024",
	"softmax":    "x_ptr=*fp16 out_ptr=*fp16 x_stride=i32 out_stride=i32 n_cols=i32 BLOCK:512",
	"layer_norm": "x_ptr=*bf16 weight_ptr=*fp32 bias_ptr=*fp32 out_ptr=*bf16 mean_ptr=*fp32 rstd_ptr=*fp32 stride=i32 n_cols=i32 eps=fp32 BLOCK:1024",
	"dropout":    "x_ptr=*fp32 out_ptr=*fp32 n=i32 p=fp32 seed=i32 BLOCK:1024",
	"matmul": "a_ptr=*fp16 b_ptr=*fp16 c_ptr=*fp16 M=i32 N=i32 K=i32 stride_am=i32 stride_ak=i32 stride_bk=i32 stride_bn=i32 " +
		"stride_cm=i32 stride_cn=i32 BLOCK_M:64 BLOCK_N:64 BLOCK_K:32 GROUP_M:2 ACTIVATION:'leaky_relu'",
	"attention": "q_ptr=*fp16 k_ptr=*fp16 v_ptr=*fp16 out_ptr=*fp16 lse_ptr=*fp32 scale=fp32 n_ctx=i64 HEAD_DIM:32 BLOCK_M:32 BLOCK_N:32 CAUSAL:True",
}

func examples(t *testing.T) []question {
	var out []question
	for _, name := range slices.Sorted(maps.Keys(exampleTypes)) {
		src, err := os.ReadFile("../../../examples/" + name + ".py")
		if err != nil {
			t.Fatal(err)
		}
		q := newQuestion("examples/"+name, string(src), name)
		for _, word := range strings.Fields(exampleTypes[name]) {
			if param, ty, ok := strings.Cut(word, "="); ok {
				q.Signature[param] = ty
				continue
			}
			param, constant, _ := strings.Cut(word, ":")
			q.Constants[param] = constant
		}
		out = append(out, q)
	}
	return out
}

func newQuestion(name, source, kernel string) question {
	return question{Name: name, Source: source, Kernel: kernel, Signature: map[string]string{}, Constants: map[string]string{}}
}

// once leaves out what was asked before: other inputs of the same kernel and types.
func once(all []question) []question {
	seen := make(map[string]bool)
	return slices.DeleteFunc(all, func(q question) bool {
		key, _ := json.Marshal([]any{q.Source, q.Kernel, q.Signature, q.Constants})
		old := seen[string(key)]
		seen[string(key)] = true
		return old
	})
}

// TestTypesAreTritons compares all kernels that there are.
func TestTypesAreTritons(t *testing.T) {
	all := slices.Concat(examples(t), corpus(t), generated())
	answers := ask(t, all)
	same, refused, differ := 0, 0, 0
	for i, q := range all {
		t.Run(q.Name, func(t *testing.T) {
			a := answers[i]
			if a.Error != "" {
				refused++
				t.Skip(a.Error)
			}
			theirs, unknown := ttir.Theirs(a.Ops)
			if unknown != nil {
				t.Fatalf("Triton's operations %v are not known", unknown)
			}
			m, err := compile(q)
			if err != nil {
				t.Fatal(err)
			}
			ours := ttir.Ours(m)
			if strings.HasPrefix(q.Name, "random/") {
				ours = without(ours, ttir.EarlyReturn)
				theirs = without(theirs, ttir.EarlyReturn)
			}
			d := cmp.Diff(theirs, ours)
			reason := ttir.Differs(q.Name, q.Source)
			switch {
			case reason != "":
				differ++
			case d != "":
				t.Errorf("(-Triton +Tegula)\n%s", d)
			default:
				same++
			}
		})
	}
	t.Logf("of %d kernels %d have the same types, %d differ for a reason, %d are refused by Triton for sm_90", len(all), same, differ, refused)
	if same < len(all)*8/10 {
		t.Error("too few are compared")
	}
}

func without(lines []string, line string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return l == line })
}

// public gives kernels of a public package, which testdata/public.txt lists, and the directory that it is in.
func public(t *testing.T) (list []question, root string) {
	root = sitePackages(t)
	text, err := os.ReadFile("testdata/public.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		kernel, types, _ := strings.Cut(strings.TrimSpace(line), " ")
		file, name, _ := strings.Cut(kernel, ":")
		q := newQuestion(kernel, "", name)
		q.Module = strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", ".")
		for word := range strings.SplitSeq(types, ", ") {
			param, ty, _ := strings.Cut(word, "=")
			if _, isType := tegula.ParseDType(strings.TrimLeft(ty, "*")); isType {
				q.Signature[param] = ty
			} else {
				q.Constants[param] = ty
			}
		}
		list = append(list, q)
	}
	return list, root
}

// sitePackages gives the directory of the judge's packages.
func sitePackages(t *testing.T) string {
	out, err := exec.Command(os.Getenv("TEGULA_ORACLE_PYTHON"), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestTypesOfPublicKernels compares kernels of a public package. Early returns are branches here, and identities such as x // 1 are
// folded as soon as they are met.
func TestTypesOfPublicKernels(t *testing.T) {
	all, root := public(t)
	answers := ask(t, all)
	same := 0
	for i, q := range all {
		t.Run(q.Name, func(t *testing.T) {
			if answers[i].Error != "" {
				t.Fatal(answers[i].Error)
			}
			m, err := compileFile(q, root)
			if err != nil {
				t.Fatal(err)
			}
			theirs, unknown := ttir.Theirs(answers[i].Ops)
			if unknown != nil {
				t.Fatalf("Triton's operations %v are not known", unknown)
			}
			if d := cmp.Diff(withoutIfs(theirs), withoutIfs(ttir.Ours(m))); d != "" {
				t.Errorf("(-Triton +Tegula)\n%s", d)
				return
			}
			same++
		})
	}
	t.Logf("%d of %d have the same types", same, len(all))
}

func withoutIfs(lines []string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "if ") })
}

// compileFile compiles a kernel of a file of a package.
func compileFile(q question, root string) (*tile.Module, error) {
	file, _, _ := strings.Cut(q.Name, ":")
	loader := &module.Loader{
		Read:   os.ReadFile,
		Exists: func(name string) bool { _, err := os.Stat(name); return err == nil },
	}
	mod, err := loader.Load(root + "/" + file)
	if err != nil {
		return nil, err
	}
	return compileIn(mod, q)
}

// compile gives the tile IR as sema makes it.
func compile(q question) (*tile.Module, error) {
	mod, err := module.Load("case.py", []byte(q.Source))
	if err != nil {
		return nil, err
	}
	return compileIn(mod, q)
}

func compileIn(mod *module.Module, q question) (*tile.Module, error) {
	k, err := launch.FromModule(mod.Kernel(q.Kernel), func(string) *syntax.File { return nil })
	if err != nil {
		return nil, err
	}
	var sig []string
	for name, ty := range q.Signature {
		sig = append(sig, name+"="+ty)
	}
	for name, text := range q.Constants {
		sig = append(sig, name+"="+text)
	}
	cpu, err := target.Parse("cpu")
	if err != nil {
		return nil, err
	}
	eval := func(text string) (pyval.Value, error) {
		file := syntax.NewFile("constant", []byte(text))
		e, errs := syntax.ParseExpr(file)
		if errs != nil {
			return nil, errs
		}
		return mod.Eval(e, file, nil)
	}
	unit, err := k.Compile(launch.Signature{Text: strings.Join(sig, ", "), Eval: eval}, cpu, launch.Options{})
	if err != nil {
		return nil, err
	}
	return unit.Module, nil
}

type answer struct {
	Name, Error string
	Ops         []string
}

// ask gives Triton's answers, in order.
func ask(t *testing.T, all []question) []answer {
	t.Helper()
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	if python == "" {
		t.Fatal("TEGULA_ORACLE_PYTHON is not set: make test-oracles sets it")
	}
	cmd := exec.Command(python, "testdata/ttir.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go send(in, all)
	var answers []answer
	lines := bufio.NewReader(out)
	for _, q := range all {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil || a.Name != q.Name {
			t.Fatalf("%s: %v: %s", q.Name, err, line)
		}
		answers = append(answers, a)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return answers
}

// send writes the questions, a line each.
func send(to io.WriteCloser, all []question) {
	defer to.Close()
	e := json.NewEncoder(to)
	for _, q := range all {
		if e.Encode(q) != nil {
			return // the other end is gone, and says so
		}
	}
}
