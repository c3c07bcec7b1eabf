package native

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var features = flag.String("features", "", "the instructions to test, avx2 or avx512; all that the processor has if empty")

// TestMain runs all tests once for each set of instructions, under the race detector for the best one only: what goroutines do does not depend
// on it, and the tests' own loops over arrays take ten times as long there.
func TestMain(m *testing.M) {
	flag.Parse()
	if *features != "" || Supported() != "" {
		os.Exit(m.Run())
	}
	sets := Available()
	if RaceDetector {
		sets = sets[:1]
	}
	for _, f := range sets {
		*features = string(f)
		fmt.Println("instructions:", f)
		if code := m.Run(); code != 0 {
			os.Exit(code)
		}
	}
}

// options are those of all tests.
func options() Options { return Options{Features: Features(*features), see: used.add} }
