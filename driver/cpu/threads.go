package cpu

import (
	"os"
	"strconv"
	"sync"

	"github.com/tegula-lang/tegula/internal/diag"
)

// envThreads bounds how many threads run one launch.
const envThreads = "TEGULA_NUM_THREADS"

// maxThreads is the most that may be asked for.
const maxThreads = 1024

// threads gives what the variable says, 0 if it says nothing. It is read once.
var threads = sync.OnceValues(func() (int, error) { return parseThreads(os.Getenv(envThreads)) })

func parseThreads(v string) (int, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > maxThreads {
		return 0, diag.New(diag.Argument, "environment", "%s is %q; it may be a number from 1 to %d", envThreads, v, maxThreads)
	}
	return n, nil
}
