package docs

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/tegula-lang/tegula"

// TestLayers holds the imports to the layers that architecture.md lists.
func TestLayers(t *testing.T) {
	layers := readLayers(t)
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from := strings.TrimPrefix(strings.TrimPrefix(words[0], module), "/")
		if strings.HasPrefix(from, "build/") || from == "docs" {
			continue
		}
		room, layer := roomOf(layers, from)
		if layer == 0 {
			t.Errorf("%s is in no layer of architecture.md", from)
			continue
		}
		for _, imp := range words[1:] {
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			to := strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
			if other, l := roomOf(layers, to); other != room && l >= layer {
				t.Errorf("%s (layer %d) imports %s (layer %d)", from, layer, to, l)
			}
		}
	}
}

// readLayers gives the layer of each room: "" is the root.
func readLayers(t *testing.T) map[string]int {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	layers := map[string]int{}
	for n, m := range regexp.MustCompile(`(?m)^    \d+\. (.*)$`).FindAllStringSubmatch(string(text), -1) {
		for room := range strings.SplitSeq(m[1], ",") {
			switch room = strings.TrimSpace(room); room {
			case "tegula":
				layers[""] = n + 1
			case "the root":
			default:
				layers[room] = n + 1
			}
		}
	}
	if len(layers) < 10 {
		t.Fatalf("architecture.md lists %d rooms in layers", len(layers))
	}
	return layers
}

// roomOf finds the innermost listed room that a package is in.
func roomOf(layers map[string]int, pkg string) (room string, layer int) {
	for room = pkg; ; {
		if l, ok := layers[room]; ok && (room != "" || pkg == "") {
			return room, l
		}
		i := strings.LastIndexByte(room, '/')
		if i < 0 {
			return "", 0
		}
		room = room[:i]
	}
}
