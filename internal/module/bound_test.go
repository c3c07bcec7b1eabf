package module

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestRunsAreBounded: what takes copies of what it changes pays for them.
func TestRunsAreBounded(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"a long body of a try":     "import time\ntry:\n" + many(20_000, "    x%d = time.time()\n") + "except Exception: pass\n",
		"branches on a large list": "import time\nL = [0] * 1000000\n" + many(2_000, "if time.time() > %d: L.append(1)\n"),
		"branches in branches":     "import time\ndef f(n):\n    if time.time() > n: f(n - 1)\n    else: f(n - 1)\nf(90)\n",
		"a function that leaks":    "import time\nL = [[0] * 1000 for _ in range(1000)]\n" + many(2_000, "def f%[1]d(): L.append(1)\ntime.foo(f%[1]d)\n"),
		"tuples that share":        "import time\nt = (1,)\nfor _ in range(60): t = (t, t)\ntime.foo(t)\nx = t == time.time()\n",
	} {
		start := time.Now()
		m := load(t, src+"A = 1\n")
		if got := look(t, m, "A"); got != "1" && !strings.Contains(got, "steps") {
			t.Errorf("%s: A is %s", name, got)
		}
		if took := time.Since(start); took > 3*time.Minute { // far more than on a busy machine under the race detector
			t.Errorf("%s takes %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}
