package cpu

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"sync"
)

// processorName gives what the processor calls itself, or the architecture where that is not to
// be had.
var processorName = sync.OnceValue(func() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		key, value, _ := strings.Cut(s.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
})
