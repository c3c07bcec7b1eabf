package module

import (
	"strings"
	"testing"
)

const targetSource = `
def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"
def is_hip(): return triton.runtime.driver.active.get_current_target().backend == "hip"
A = is_cuda()
B = is_hip()
from triton.runtime import driver
C = driver.active.get_current_target().arch
D = 1 if is_cuda() and C >= 90 else 2
`

// TestTarget: a program that asks for the target is told what its loader says.
func TestTarget(t *testing.T) {
	for _, c := range []struct {
		target     Target
		a, b, arch string
		d          string
	}{
		{Target{"cuda", "90a"}, "True", "False", "90", "1"},
		{Target{"cuda", "75"}, "True", "False", "75", "2"},
		{Target{"cpu", ""}, "False", "False", "error: ", "2"},
		{Target{}, "error: ", "error: ", "error: ", "error: "},
	} {
		l := &Loader{Read: func(string) ([]byte, error) { return []byte(header + targetSource), nil }, Exists: func(string) bool { return false }, Target: c.target}
		m, err := l.Load("k.py")
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"A": c.a, "B": c.b, "C": c.arch, "D": c.d} {
			if got := look(t, m, name); !strings.HasPrefix(got, want) {
				t.Errorf("%v: %s is %s, want %s", c.target, name, got, want)
			}
		}
		if told, asked := m.Asked(); asked != (c.target.Backend != "") || told != c.target {
			t.Errorf("%v: asked %v, told %v", c.target, asked, told)
		}
	}
}
