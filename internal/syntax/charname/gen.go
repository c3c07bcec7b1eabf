//go:build ignore

// Gen writes names.gz: the names of golang.org/x/text/unicode/runenames and the
// aliases of aliases.txt.
package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"log"
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

func main() {
	aliases, err := os.ReadFile("aliases.txt")
	if err != nil {
		log.Fatal(err)
	}
	out, err := os.Create("names.gz")
	if err != nil {
		log.Fatal(err)
	}
	zip, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(zip)
	next := rune(0)
	for r := range rune(unicode.MaxRune + 1) {
		name := runenames.Name(r)
		if name == "" || name[0] == '<' {
			continue
		}
		if r != next {
			fmt.Fprintf(w, "=%X ", r)
		}
		fmt.Fprintln(w, name)
		next = r + 1
	}
	for line := range strings.Lines(string(aliases)) {
		fmt.Fprint(w, "=", line)
	}
	for _, close := range []func() error{w.Flush, zip.Close, out.Close} {
		if err := close(); err != nil {
			log.Fatal(err)
		}
	}
}
