package tegula

import (
	"strings"
	"time"

	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/mlir"
	"github.com/tegula-lang/tegula/internal/module"
)

// isTTIR tells the files that hold MLIR text by their names.
func isTTIR(name string) bool { return strings.HasSuffix(name, ".ttir") }

// loadTTIR reads a kernel in Triton's dialects. What the text's locations refer to is not read, so messages say the lines and do not
// show them.
func loadTTIR(name string, src []byte, start time.Time) (*Module, error) {
	text, err := mlir.Parse(name, src)
	if err != nil {
		return nil, err
	}
	empty, err := module.Load(name, nil)
	if err != nil {
		return nil, err
	}
	m := newModule(empty, nil, start)
	kernel := text.Funcs[0].Name
	noLine := func(string, int) string { return "" }
	m.kernels[kernel] = &Kernel{module: m, name: kernel, launch: launch.FromTile(text, noLine)}
	m.fixed = []string{kernel}
	return m, nil
}
