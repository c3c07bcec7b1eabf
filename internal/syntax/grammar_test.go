package syntax

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var mutants = flag.Int("mutants", 1000, "how many mutilated snippets to compare with CPython")

// snippets gives the paragraphs of testdata/grammar.py.
func snippets(t testing.TB) []string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "grammar.py"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, part := range strings.Split(string(src), "\n\n") {
		if n := len(out); n > 0 && strings.IndexAny(part[:1], " \t)\n") == 0 {
			out[n-1] += "\n\n" + part // the paragraph goes on
			continue
		}
		out = append(out, part)
	}
	return out
}

// TestGrammar reads every rule of the grammar, and compares with CPython where
// one is found.
func TestGrammar(t *testing.T) {
	for _, src := range snippets(t) {
		if _, errs := Parse(NewFile("grammar.py", []byte(src))); errs != nil {
			t.Errorf("%s", errs.Detail())
		}
	}
	py := findPython(t)
	if py.minor < 13 {
		t.Skipf("CPython 3.%d lacks some of the rules", py.minor)
	}
	oracle := py.startDump(t)
	defer oracle.close()
	for i, src := range snippets(t) {
		answer, err := oracle.answer([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		v, detail := py.compare([]byte(src), answer)
		py.report(t, fmt.Sprintf("paragraph %d", i+1), []byte(src), v, detail)
	}
}

// piece splits source text into words, white space and single characters.
var piece = regexp.MustCompile(`\w+|[ \t]+|\n|[^\w\s]`)

// strange are the pieces that a mutation puts in.
var strange = strings.Fields(`( ) [ ] { } : = := == != ! , . ... ; * ** / // @ -> | - + ~ < not in is and or if else elif for
	while lambda await async yield from import as with try except finally def class return match case type None True
	print x 1 1.5 2j 'a' b'a' f'{a}' f"{a:>{b}}" "a _ del global assert raise pass \ # $ ? é 0x 01`)

// mutate changes a piece or two of a snippet.
func mutate(r *rand.Rand, src string) string {
	pieces := piece.FindAllString(src, -1)
	for range 1 + r.IntN(2) {
		i, j := r.IntN(len(pieces)), r.IntN(len(pieces))
		switch r.IntN(6) {
		case 0:
			pieces[i] = ""
		case 1:
			pieces[i] += pieces[i]
		case 2:
			pieces[i], pieces[j] = pieces[j], pieces[i]
		case 3:
			pieces[i] = pieces[j]
		case 4:
			pieces[i] = strange[r.IntN(len(strange))]
		case 5:
			pieces[i] += " " + strange[r.IntN(len(strange))] + " "
		}
	}
	return strings.Join(pieces, "")
}

// TestMutants compares with CPython on snippets that are mostly wrong: both
// accept them, with the same tree, or both reject them.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("the comparison takes seconds")
	}
	py := findPython(t)
	if py.minor < 13 {
		t.Skipf("CPython 3.%d lacks some of the rules", py.minor)
	}
	oracle := py.startDump(t)
	defer oracle.close()
	r := rand.New(rand.NewPCG(1, 2))
	var count [numVerdicts]int
	sources := snippets(t)
	lines := strings.Split(strings.Join(sources, "\n"), "\n")
	for range *mutants {
		src := sources[r.IntN(len(sources))]
		if r.IntN(2) == 0 {
			src = lines[r.IntN(len(lines))] + "\n"
		}
		src = mutate(r, src)
		answer, err := oracle.answer([]byte(src))
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		v, detail := py.compare([]byte(src), answer)
		count[v]++
		py.report(t, "mutant:\n"+src+"\n", []byte(src), v, detail)
	}
	t.Logf("%d mutants: %d trees agree, %d rejected by both", *mutants, count[agree], count[bothReject])
}
