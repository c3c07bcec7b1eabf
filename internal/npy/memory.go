package npy

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// alwaysFits is a size that needs no look at the machine.
const alwaysFits = 1 << 26

// fits reports an error if n bytes more are more than the machine's memory, or than what the process may have of it. The
// runtime would end the program on such a request, not fail it.
func fits(n int) error {
	if n <= alwaysFits {
		return nil
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	used := int(m.HeapAlloc) + int(mapped.Load())
	for _, l := range limits(used) {
		if n > l.bytes-l.used {
			return fmt.Errorf("%.1f GiB are more than %s of %.1f GiB, of which %.1f GiB are in use", gib(n), l.name, gib(l.bytes), gib(l.used))
		}
	}
	return nil
}

// A limit is a bound on memory, and how much of that the process has already.
type limit struct {
	name        string
	bytes, used int
}

// limits gives the bounds that hold for the process, which has some bytes of arrays and others.
func limits(heap int) []limit {
	list := []limit{{"this machine's memory", physicalMemory(), heap}}
	if bytes, ok := numberIn("/sys/fs/cgroup/memory.max"); ok {
		list = append(list, limit{"the control group's memory", bytes, heap})
	}
	if bytes, used, ok := addressSpace(); ok {
		list = append(list, limit{"the process's address space", bytes, used})
	}
	return list
}

// numberIn reads a file that holds a number.
func numberIn(path string) (int, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return n, err == nil
}

func gib(n int) float64 { return float64(n) / (1 << 30) }

// physicalMemory gives the machine's memory in bytes; where that is not known, much.
var physicalMemory = sync.OnceValue(func() int {
	const unknown = min(1<<36, math.MaxInt)
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return unknown
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			if kib, err := strconv.Atoi(fields[1]); err == nil {
				return kib << 10
			}
		}
	}
	return unknown
})
