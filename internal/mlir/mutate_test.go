package mlir_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/mlir"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

var mutants = flag.Int("mutants", 1000, "how many damaged texts the reader is given")

var tokens = regexp.MustCompile(`"[^"\n]*"|[%@^#!]?[\w.$-]+|\n|\s+|.`)

// TestMutants gives the reader texts with a few words left out, doubled, or replaced by others of the same text: what nearly is a program finds more
// than bytes at random do. What is read goes through the passes.
func TestMutants(t *testing.T) {
	src, err := os.ReadFile("testdata/every.ttir")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(src)}
	for _, body := range oddTexts {
		texts = append(texts, "tt.func public @k(%n: i32, %c: i1, %f: f32, %p: !tt.ptr<f32>) {\n"+body+"\ntt.return\n}\n")
	}
	r := rand.New(rand.NewPCG(1, 2))
	read := 0
	for n := range *mutants {
		words := tokens.FindAllString(texts[n%len(texts)], -1)
		for range 1 + r.IntN(3) {
			at, other := r.IntN(len(words)), words[r.IntN(len(words))]
			words[at] = []string{"", words[at] + " " + words[at], other, other, words[at] + " " + other}[r.IntN(5)]
		}
		text := strings.Join(words, "")
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%v\n%s", p, text)
				}
			}()
			m, err := mlir.Parse("k.ttir", []byte(text))
			if err != nil {
				return
			}
			read++
			pass.Run(m, pass.Options{})
			if err := tile.Verify(m); err != nil {
				t.Errorf("after the passes: %v\n%s", err, text)
			}
		}()
	}
	t.Logf("%d of %d were read", read, *mutants)
}
