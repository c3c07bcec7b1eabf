package native

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var features = flag.String("features", "", "the instructions to test, avx2 or avx512; all that the processor has if empty")

// TestMain runs all tests once for each set of instructions.
func TestMain(m *testing.M) {
	flag.Parse()
	if *features != "" || Supported() != "" {
		os.Exit(m.Run())
	}
	for _, f := range Available() {
		*features = string(f)
		fmt.Println("instructions:", f)
		if code := m.Run(); code != 0 {
			os.Exit(code)
		}
	}
}

// options are those of all tests.
func options() Options { return Options{Features: Features(*features)} }
