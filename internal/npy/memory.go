package npy

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
)

// alwaysFits is a size that needs no look at the machine.
const alwaysFits = 1 << 30

// fits reports an error if the machine's memory is smaller than n bytes. The runtime would end
// the program on such a request, not fail it.
func fits(n int) error {
	if n <= alwaysFits {
		return nil
	}
	if have := physicalMemory(); n > have {
		return fmt.Errorf("%.1f GiB are more than this machine's memory of %.1f GiB", gib(n), gib(have))
	}
	return nil
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
