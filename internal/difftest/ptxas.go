package difftest

import (
	"os"
	"path/filepath"
)

// Ptxas gives the path of NVIDIA's assembler, which comes with Triton for the Python that TEGULA_ORACLE_PYTHON names; "" if there is none.
func Ptxas() string {
	python := os.Getenv("TEGULA_ORACLE_PYTHON")
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(python)), "lib/python3*/site-packages/triton/backends/nvidia/bin/ptxas"))
	if python == "" || len(found) == 0 {
		return ""
	}
	return found[0]
}
