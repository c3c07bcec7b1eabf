//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
)

func init() { children["readonly"] = readOnlyChild }

func TestPermissions(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	base := t.TempDir()
	c := Open(Options{Dir: filepath.Join(base, "a", "b")})
	if err := c.Put(keyOf("k"), []byte("value")); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err := filepath.WalkDir(filepath.Join(base, "a"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		seen++
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen != 6 { // a, b, v1, the ledger, the shard, the entry
		t.Errorf("%d files and directories", seen)
	}
}

// TestForeignOwner: code is not taken from another user.
func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	k := keyOf("k")
	c, path := planted(t, k, []byte("value"))
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Skip(err)
	}
	expectHealed(t, c, k, "another user's entry", 0)
	if err := os.Chown(c.root, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if c := Open(Options{Dir: filepath.Dir(c.root)}); !strings.Contains(c.Reason(), "must belong to this user") {
		t.Errorf("reason %q", c.Reason())
	}
}

// TestEverybodysEntry: nor from a file that everybody may write to.
func TestEverybodysEntry(t *testing.T) {
	k := keyOf("k")
	c, path := planted(t, k, []byte("value"))
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	expectHealed(t, c, k, "everybody's entry", 0)
	if err := os.Chmod(c.root, 0o777); err != nil {
		t.Fatal(err)
	}
	if c := Open(Options{Dir: filepath.Dir(c.root)}); !strings.Contains(c.Reason(), "others may write to") {
		t.Errorf("reason %q", c.Reason())
	}
}

// TestPipe: a pipe in an entry's place is not waited for.
func TestPipe(t *testing.T) {
	k := keyOf("k")
	c, path := planted(t, k, []byte("value"))
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Skip(err)
	}
	expectHealed(t, c, k, "a pipe", 0)
}

// TestReadOnly looks at a cache whose directories may not be written to. Root may write
// anywhere, so it does so as another user.
func TestReadOnly(t *testing.T) {
	dir, err := os.MkdirTemp("", "tegula-cache-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cache := filepath.Join(dir, "cache")
	c := Open(Options{Dir: cache})
	if err := c.Put(keyOf("there"), []byte("value")); err != nil {
		t.Fatal(err)
	}
	setModes(t, cache, 0o555, 0o644)
	defer setModes(t, cache, 0o755, 0o644)
	if os.Geteuid() != 0 {
		if err := readOnly(cache); err != nil {
			t.Error(err)
		}
		return
	}
	cmd := asNobody(t, dir, "readonly", cache)
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EPERM) {
		t.Skip("this root cannot become another user: ", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func setModes(t *testing.T, dir string, dirs, files fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, dirs)
		}
		return os.Chmod(path, files)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// asNobody makes a command that runs a child as an ordinary user, from a copy of the test
// binary that this user can reach.
func asNobody(t *testing.T, dir, child string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command(filepath.Join(dir, "child"), args...)
	out, err := os.OpenFile(cmd.Path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close(), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = "/"
	cmd.Env = []string{envChild + "=" + child}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
}

func readOnlyChild() int {
	if err := readOnly(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// readOnly checks that values are found in a cache that cannot be written to, and nothing else
// happens. The entry "there" is in it.
func readOnly(dir string) error {
	warnings := 0
	c := Open(Options{Dir: dir, Warn: func(error) { warnings++ }})
	if i := c.Info(); i.State != ReadOnly || i.Entries != 1 || i.Reason == "" {
		return fmt.Errorf("before: %+v", i)
	}
	if v, ok := c.Get(keyOf("there")); !ok || string(v) != "value" {
		return fmt.Errorf("%q, %v", v, ok)
	}
	var first error
	for range 3 {
		err := c.Put(keyOf("new"), []byte("value"))
		if !errors.Is(err, fs.ErrPermission) || !errors.Is(err, diag.Driver) {
			return fmt.Errorf("Put: %v", err)
		}
		if first == nil {
			first = err
		}
		if err != first {
			return fmt.Errorf("it is tried again: %v", err)
		}
	}
	if warnings != 1 {
		return fmt.Errorf("%d warnings", warnings)
	}
	if v, err := c.GetOrPut(keyOf("new"), func() ([]byte, error) { return []byte("made"), nil }); err != nil || string(v) != "made" {
		return fmt.Errorf("GetOrPut: %q, %v", v, err)
	}
	if n, _, err := c.Clear(); n != 0 || !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("Clear: %d, %v", n, err)
	}
	nothing := Open(Options{Dir: filepath.Join(dir, "below")})
	if err := nothing.Put(keyOf("new"), nil); !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("a directory that cannot be made: %v", err)
	}
	return nil
}
