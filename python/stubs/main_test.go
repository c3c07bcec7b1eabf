package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/sema"
)

// TestUpToDate fails when the committed files are not what the command writes now.
func TestUpToDate(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../tegula/language", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if string(got) != want {
			t.Errorf("%s is not up to date: go run ./python/stubs", name)
		}
	}
}

// TestEveryNameIsDescribed holds names.txt to what the compiler knows, both ways.
func TestEveryNameIsDescribed(t *testing.T) {
	docs, err := readDocs(namesText)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range []sema.LangModule{langModule, cudaModule, targetModule} {
		for _, e := range sema.Catalog(m) {
			key := e.Name
			if m != langModule {
				key = strings.TrimPrefix(string(m), "triton.language.") + "." + key
			}
			known[key] = true
			if e.Kind != sema.FunctionEntry || strings.HasPrefix(e.Name, "_") || defined(e.Name) {
				continue
			}
			if docs[key] == "" {
				t.Errorf("names.txt says nothing of %s", key)
			}
		}
	}
	for name := range docs {
		if !known[name] {
			t.Errorf("names.txt describes %s, which the compiler does not know", name)
		}
	}
}

// defined reports whether classes.pyi has the name.
func defined(name string) bool {
	return strings.Contains(classesText, "\ndef "+name+"(") || strings.Contains(classesText, "\nclass "+name+"(") ||
		strings.Contains(classesText, "\nclass "+name+":")
}

func TestReadDocsRefusesOtherLines(t *testing.T) {
	if _, err := readDocs("load reads"); err == nil {
		t.Error("a line without a colon was read")
	}
}
