package native

import (
	"os"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64/objdump"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A usage is the instructions, by their text, that the tests have made so far.
type usage struct {
	mu    sync.Mutex
	insts map[string]amd64.Inst
}

var used = usage{insts: map[string]amd64.Inst{}}

func (u *usage) add(i *amd64.Inst) {
	switch i.Op {
	case amd64.JMP, amd64.JCC, amd64.LEALabel: // where these lead is package amd64's to test
		return
	}
	c := *i
	if c.HasMem && c.M.Const != 0 { // so is where constants lie; here they are at an address like others
		c.M = amd64.At(amd64.RDI, c.M.Const)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.insts[c.String()] = c
}

// Every instruction in the code that the tests before this one have made, of all operations on all types at least and of some random kernels, is
// one that objdump reads as what it was meant to be.
func TestEncodingsInUse(t *testing.T) {
	needNative(t)
	used.check(t)
	if f := options().Features; f != AVX512 && f != AVX2 {
		return // but for products, the code is that of avx512
	}
	for name, write := range elementOps() {
		k := newElementKernel(64)
		m, err := k.finish(write(k))
		if err != nil {
			continue
		}
		if _, err := Compile(m, options()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, err := os.ReadFile("testdata/attention.tile")
	if err != nil {
		t.Fatal(err)
	}
	m, err := tile.Parse("attention.tile", text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(m, options()); err != nil {
		t.Fatal(err)
	}
	random := rapid.Custom(func(t *rapid.T) int {
		ran := 0
		checkRandomKernel(t, &ran, map[string]int{})
		checkProduct(t, drawProduct(t))
		return ran
	})
	for seed := range 20 {
		random.Example(seed)
	}
	used.check(t)
}

// check shows all instructions to objdump.
func (u *usage) check(t *testing.T) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var a amd64.Assembler
	var want []string
	for text, i := range u.insts {
		want = append(want, text)
		a.Emit(&i)
	}
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	lines := objdump.Lines(t, code)
	if len(lines) < len(want) {
		t.Fatalf("objdump sees %d instructions, %d were encoded", len(lines), len(want))
	}
	forms := map[string]bool{}
	for n, w := range want {
		if got := objdump.Normal(lines[n]); got != objdump.Normal(w) {
			t.Fatalf("encoded %q, objdump reads %q", w, got)
		}
		name, _, _ := strings.Cut(w, " ")
		forms[name] = true
	}
	t.Logf("%d instructions of %d names", len(want), len(forms))
}
