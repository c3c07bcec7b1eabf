package gen

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var writeTable = flag.Bool("write-table", false, "write the table into docs/language.md")

const (
	languagePage = "../../../docs/language.md"
	tableBegin   = "<!-- From the tables of internal/difftest/gen; go test ./internal/difftest/gen -run Table -args -write-table writes it. -->\n"
	tableEnd     = "<!-- The end of what is written. -->\n"
)

// TestTable holds the table of docs/language.md to the rows.
func TestTable(t *testing.T) {
	page, err := os.ReadFile(languagePage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), tableBegin)
	old, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatal("language.md has no place for the table")
	}
	want := "\n" + Table(Rows) + "\n"
	if *writeTable {
		if err := os.WriteFile(languagePage, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(old, want); d != "" {
		t.Errorf("the table is not what the rows say (-page +rows):\n%s", d)
	}
}

// TestNoBlanks: an operation and a type have cases, or there is a reason.
func TestNoBlanks(t *testing.T) {
	for _, b := range Cover(Rows).Blanks() {
		t.Errorf("there is no case for %s, and no reason", b)
	}
}

var languageName = regexp.MustCompile(`^(tl|x|desc|libdevice|triton)\.(?:\w+\.)*(\w+)$`)

// TestNamesAreTested: what rows say they test stands in their kernels.
func TestNamesAreTested(t *testing.T) {
	for i := range Rows {
		r := &Rows[i]
		var text strings.Builder
		for _, c := range r.Cases() {
			text.WriteString(c.Source)
		}
		for word := range strings.FieldsSeq(r.Name + " " + r.Also) {
			m := languageName.FindStringSubmatch(word)
			if m == nil {
				continue
			}
			// A method says the same as the function.
			if !regexp.MustCompile(`\.`+m[2]+`\b`).MatchString(text.String()) && word != "tl.cast" {
				t.Errorf("%s: %s is not in its kernels", r.Name, word)
			}
		}
	}
}

// TestEveryNameHasARow looks for the names that sema is tested with.
func TestEveryNameHasARow(t *testing.T) {
	names, err := os.ReadFile("../../sema/testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	tested := Mentioned(Rows)
	section, n := "", 0
	for line := range strings.Lines(string(names)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			section = line
			continue
		}
		n++
		name, _, _ := strings.Cut(line, "(")
		ok := true
		switch section {
		case "[functions]":
			ok = tested["tl."+name] != (Elsewhere[name] != "")
		case "[methods]":
			ok = tested["x."+name] || tested["tl."+name]
		case "[libdevice]":
			ok = tested["libdevice."+name]
		}
		if !ok {
			t.Errorf("%s %s: no row tests it, or it has both a row and an excuse", section, name)
		}
	}
	if n < 300 {
		t.Errorf("names.txt has %d names", n)
	}
}
