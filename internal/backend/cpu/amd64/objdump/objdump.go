// Package objdump gives tests a second opinion on encodings: that of GNU objdump (binutils).
//
// In: machine code. Out: objdump's reading of it, an instruction a line, and a form of such lines in which spellings do not matter. Where
// objdump is not installed, the test that asks is skipped.
package objdump

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	line   = regexp.MustCompile(`^\s*[0-9a-f]+:\t(.*)$`)
	floats = regexp.MustCompile(`^vcmp([a-z_]+)(p[sd] .*)$`)
	whole  = regexp.MustCompile(`^vpcmp(eq|lt|le|neq|nlt|nle)(u?[bwdq] k.*)$`)
	spaces = regexp.MustCompile(`\s+`)
)

// The names of the predicates of vcmpps and vpcmpd.
var (
	floatPredicates = strings.Fields(`eq lt le unord neq nlt nle ord eq_uq nge ngt false neq_oq ge gt true
		eq_os lt_oq le_oq unord_s neq_us nlt_uq nle_uq ord_s eq_us nge_uq ngt_uq false_os neq_os ge_oq gt_oq true_us`)
	wholePredicates = strings.Fields(`eq lt le false neq nlt nle true`)
)

// Lines gives objdump's reading of code, instruction by instruction.
func Lines(t testing.TB, code []byte) []string {
	t.Helper()
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump (binutils) is not installed")
	}
	file := filepath.Join(t.TempDir(), "code.bin")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", "-w", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(string(out), "\n") {
		if m := line.FindStringSubmatch(l); m != nil {
			lines = append(lines, m[1])
		}
	}
	return lines
}

// Normal takes differences of spelling out of an instruction.
func Normal(s string) string {
	s, _, _ = strings.Cut(s, "#")
	s = spaces.ReplaceAllString(strings.TrimSpace(s), " ")
	s = strings.TrimPrefix(s, "{evex} ")
	s = strings.Replace(s, "+0x0]", "]", 1)
	if m := floats.FindStringSubmatch(s); m != nil { // objdump puts predicates into names
		if n := slices.Index(floatPredicates, m[1]); n >= 0 {
			return fmt.Sprintf("vcmp%s,0x%x", m[2], n)
		}
	}
	if m := whole.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("vpcmp%s,0x%x", m[2], slices.Index(wholePredicates, m[1]))
	}
	return s
}
