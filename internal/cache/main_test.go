package cache

import (
	"os"
	"os/exec"
	"testing"
)

// envChild makes the test binary one of the processes of a test, by the child's name.
const envChild = "TEGULA_CACHE_TEST_CHILD"

// children are what those processes do; what they give is their exit status.
var children = map[string]func() int{
	"race":  raceChild,
	"evict": evictChild,
}

func TestMain(m *testing.M) {
	for _, name := range []string{envSwitch, envDir, envMaxBytes} {
		os.Unsetenv(name)
	}
	if child := children[os.Getenv(envChild)]; child != nil {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

// startChild starts a process that runs one of children with the arguments.
func startChild(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), envChild+"="+name)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}
