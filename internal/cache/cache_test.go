package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
)

func TestGetPut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	c := Open(Options{Dir: dir})
	if c.Reason() != "" {
		t.Fatal(c.Reason())
	}
	a, b := keyOf("a"), keyOf("b")
	if _, ok := c.Get(a); ok {
		t.Error("a hit in an empty cache")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking something up makes the directory")
	}
	for _, value := range [][]byte{[]byte("first"), []byte("second, in its place"), {}, bytes.Repeat([]byte{0xa5}, 1<<20)} {
		if err := c.Put(a, value); err != nil {
			t.Fatal(err)
		}
		for _, c := range []*Cache{c, Open(Options{Dir: dir})} { // another process finds it, too
			got, ok := c.Get(a)
			if !ok || !bytes.Equal(got, value) {
				t.Errorf("%d bytes, %v; want %d", len(got), ok, len(value))
			}
		}
	}
	if _, ok := c.Get(b); ok {
		t.Error("a hit for another key")
	}
}

// TestValueIsTheCallers: appending to a value must not write into another.
func TestValueIsTheCallers(t *testing.T) {
	k := keyOf("k")
	c, _ := planted(t, k, []byte("value"))
	got, _ := c.Get(k)
	if cap(got) != len(got) {
		t.Errorf("capacity %d of %d bytes", cap(got), len(got))
	}
	got[0] = 'V'
	if again, _ := c.Get(k); string(again) != "value" {
		t.Errorf("then %q", again)
	}
}

func TestFromEnv(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		want Options
	}{
		"nothing said":     {map[string]string{}, Options{Dir: "/home/u/.cache/tegula"}},
		"the directory":    {map[string]string{"TEGULA_CACHE_DIR": "/big/cache"}, Options{Dir: "/big/cache"}},
		"XDG":              {map[string]string{"XDG_CACHE_HOME": "/xdg"}, Options{Dir: "/xdg/tegula"}},
		"the limit":        {map[string]string{"TEGULA_CACHE_MAX_BYTES": "4096"}, Options{Dir: "/home/u/.cache/tegula", MaxBytes: 4096}},
		"on":               {map[string]string{"TEGULA_CACHE": "on"}, Options{Dir: "/home/u/.cache/tegula"}},
		"off":              {map[string]string{"TEGULA_CACHE": "off"}, Options{Dir: "/home/u/.cache/tegula", Off: true}},
		"0":                {map[string]string{"TEGULA_CACHE": "0"}, Options{Dir: "/home/u/.cache/tegula", Off: true}},
		"no home":          {map[string]string{"HOME": ""}, Options{Problem: "TEGULA_CACHE_DIR may name one"}},
		"no home, but one": {map[string]string{"HOME": "", "TEGULA_CACHE_DIR": "/c"}, Options{Dir: "/c"}},
		"neither on or off": {map[string]string{"TEGULA_CACHE": "of"},
			Options{Problem: `TEGULA_CACHE is "of"; it may be on or off`}},
		"no number":    {map[string]string{"TEGULA_CACHE_MAX_BYTES": "1GB"}, Options{Problem: `"1GB"; it must be a positive number`}},
		"zero":         {map[string]string{"TEGULA_CACHE_MAX_BYTES": "0"}, Options{Problem: `"0"; it must be a positive number`}},
		"negative":     {map[string]string{"TEGULA_CACHE_MAX_BYTES": "-1"}, Options{Problem: `"-1"; it must be a positive number`}},
		"out of range": {map[string]string{"TEGULA_CACHE_MAX_BYTES": "99999999999999999999"}, Options{Problem: "it must be a positive number"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", "/home/u")
			t.Setenv("XDG_CACHE_HOME", "")
			for k, v := range test.env {
				t.Setenv(k, v)
			}
			got := FromEnv()
			if test.want.Problem != "" {
				if !strings.Contains(got.Problem, test.want.Problem) {
					t.Errorf("problem %q, want %q in it", got.Problem, test.want.Problem)
				}
				return
			}
			if got.Problem != "" || got.Dir != test.want.Dir || got.Off != test.want.Off || got.MaxBytes != test.want.MaxBytes {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// TestDirFromEnv: the directory that the environment names is used, and nothing else.
func TestDirFromEnv(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("TEGULA_CACHE_DIR", dir)
	if err := Open(FromEnv()).Put(keyOf("k"), []byte("value")); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(home); len(names) != 0 {
		t.Errorf("HOME has %v", names)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 || names[0].Name() != "v1" {
		t.Errorf("the directory has %v", names)
	}
}

func TestOff(t *testing.T) {
	dir, k := t.TempDir(), keyOf("k")
	c := Open(Options{Dir: dir, Off: true, Warn: func(err error) { t.Error(err) }})
	if err := c.Put(k, []byte("value")); err != nil {
		t.Errorf("Put to a cache that is switched off: %v", err)
	}
	if _, ok := c.Get(k); ok {
		t.Error("a hit")
	}
	if v, err := c.GetOrPut(k, func() ([]byte, error) { return []byte("made"), nil }); err != nil || string(v) != "made" {
		t.Errorf("%q, %v", v, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("the directory has %v", names)
	}
	if i := c.Info(); i.State != Off || i.Reason != "it is switched off" {
		t.Errorf("%+v", i)
	}
}

// TestProblems: what keeps a cache from being one is a miss and an error of Put, and no more.
func TestProblems(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, version), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	linked := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(linked, version)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		o      Options
		reason string
	}{
		"no directory":             {Options{}, "it has no directory"},
		"a problem":                {Options{Problem: "there is no HOME"}, "there is no HOME"},
		"a file":                   {Options{Dir: file}, "not a directory"},
		"below a file":             {Options{Dir: filepath.Join(file, "x")}, "not a directory"},
		"a file where v1 would be": {Options{Dir: taken}, "v1 is no directory"},
		"a link where v1 would be": {Options{Dir: linked}, "v1 is no directory"},
		"a name too long":          {Options{Dir: filepath.Join(taken, strings.Repeat("x", 300))}, "too long"},
		"a zero byte":              {Options{Dir: "a\x00b"}, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			warnings := 0
			test.o.Warn = func(error) { warnings++ }
			c, k := Open(test.o), keyOf("k")
			if !strings.Contains(c.Reason(), test.reason) {
				t.Errorf("reason %q, want %q in it", c.Reason(), test.reason)
			}
			for range 2 {
				var e *diag.Error
				if err := c.Put(k, []byte("value")); !errors.As(err, &e) || e.Code != "cache-off" || !strings.Contains(e.Msg, test.reason) {
					t.Errorf("Put: %v", err)
				}
				if _, ok := c.Get(k); ok {
					t.Error("a hit")
				}
			}
			if warnings != 1 {
				t.Errorf("%d warnings", warnings)
			}
			if v, err := c.GetOrPut(k, func() ([]byte, error) { return []byte("made"), nil }); err != nil || string(v) != "made" {
				t.Errorf("GetOrPut: %q, %v", v, err)
			}
			if i := c.Info(); i.State != Off || i.Reason != c.Reason() {
				t.Errorf("%+v", i)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	c, k := Open(Options{Dir: t.TempDir(), MaxBytes: 64 << 10}), keyOf("k")
	if err := c.Put(k, make([]byte, 32<<10-overhead)); err != nil {
		t.Errorf("half of the limit: %v", err)
	}
	var e *diag.Error
	if err := c.Put(k, make([]byte, 32<<10-overhead+1)); !errors.As(err, &e) || e.Code != "cache-too-large" {
		t.Errorf("a byte more: %v", err)
	}
}

// TestDirectoryRemoved: a cache that is deleted under a running process comes back.
func TestDirectoryRemoved(t *testing.T) {
	k := keyOf("k")
	c, path := planted(t, k, []byte("value"))
	for _, dir := range []string{filepath.Dir(path), c.root, filepath.Dir(c.root)} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		expectMissThenHit(t, c, k)
	}
	if err := errors.Join(os.RemoveAll(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	expectMissThenHit(t, c, k) // a file where the directory was
}

func expectMissThenHit(t *testing.T, c *Cache, k Key) {
	t.Helper()
	if _, ok := c.Get(k); ok {
		t.Error("a hit")
	}
	if err := c.Put(k, []byte("value")); err != nil {
		t.Error(err)
	}
	if _, ok := c.Get(k); !ok {
		t.Error("a miss")
	}
}

// TestTouch: a use renews an entry's time, though not each one does.
func TestTouch(t *testing.T) {
	k := keyOf("k")
	c, path := planted(t, k, []byte("value"))
	for _, test := range []struct {
		age     time.Duration
		renewed bool
	}{
		{touchAfter / 2, false}, {-touchAfter / 2, false},
		{2 * touchAfter, true}, {-2 * touchAfter, true}, // a clock that was wrong is put right
	} {
		then := time.Now().Add(-test.age).Truncate(time.Second)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		if _, ok := c.Get(k); !ok {
			t.Fatal("a miss")
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if renewed := !info.ModTime().Equal(then); renewed != test.renewed {
			t.Errorf("used %v after the last time: renewed %v", test.age, renewed)
		} else if renewed && time.Since(info.ModTime()) > time.Minute {
			t.Errorf("renewed to %v", info.ModTime())
		}
	}
}

func TestInfoClear(t *testing.T) {
	dir := t.TempDir()
	c := Open(Options{Dir: dir, MaxBytes: 1 << 20})
	root := filepath.Join(dir, version)
	if i, want := c.Info(), (Info{Dir: root, State: On, MaxBytes: 1 << 20}); i != want {
		t.Errorf("%+v, want %+v", i, want)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("Info makes %v", names)
	}
	if n, bytes, err := c.Clear(); n != 0 || bytes != 0 || err != nil {
		t.Errorf("clearing nothing: %d, %d, %v", n, bytes, err)
	}
	for i, size := range []int{0, 10, 5000} { // 1, 1 and 2 blocks
		if err := c.Put(keyOf(string(rune('a'+i))), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	mine := []string{
		filepath.Join(dir, "notes"),
		filepath.Join(root, "notes"),
		filepath.Join(filepath.Dir(c.path(keyOf("a"))), "notes"),
	}
	for _, path := range mine {
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if i, want := c.Info(), (Info{Dir: root, State: On, Entries: 3, Bytes: 4 * blockSize, MaxBytes: 1 << 20}); i != want {
		t.Errorf("%+v, want %+v", i, want)
	}
	off := Open(Options{Dir: dir, Off: true}) // clearing does not need the cache to be in use
	if n, bytes, err := off.Clear(); n != 3 || bytes != 4*blockSize || err != nil {
		t.Errorf("cleared %d entries of %d bytes, %v", n, bytes, err)
	}
	if i := c.Info(); i.Entries != 0 || i.Bytes != 0 {
		t.Errorf("afterwards %+v", i)
	}
	for _, path := range mine {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("a file of the user's: %v", err)
		}
	}
	if _, _, err := Open(Options{}).Clear(); !errors.Is(err, diag.Driver) {
		t.Errorf("clearing without a directory: %v", err)
	}
}

// TestClearNeverThroughLink: a link in the cache's place does not lead Clear elsewhere.
func TestClearNeverThroughLink(t *testing.T) {
	k := keyOf("k")
	c, path := planted(t, k, []byte("value"))
	elsewhere := t.TempDir()
	if err := os.Symlink(c.root, filepath.Join(elsewhere, version)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(Options{Dir: elsewhere}).Clear(); !errors.Is(err, diag.Driver) {
		t.Errorf("cleared through a link: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
