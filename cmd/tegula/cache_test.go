package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/cache"
)

func TestCache(t *testing.T) {
	dir := os.Getenv("TEGULA_CACHE_DIR")
	kept := cache.Open(cache.Options{Dir: dir})
	if _, _, err := kept.Clear(); err != nil { // what other tests kept
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b"} {
		if err := kept.Put(cache.NewKey().Str("kernel", key).Sum(), make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
	}
	info := func(want ...string) {
		t.Helper()
		code, stdout, stderr := tegulaCmd(t, "cache", "info")
		if code != exitOK || stderr != "" {
			t.Errorf("%d, %s", code, stderr)
		}
		for _, w := range want {
			if !strings.Contains(stdout, w) {
				t.Errorf("%s\nwant … %s …", stdout, w)
			}
		}
	}
	info("directory  "+dir, "state      on", "entries    2, 16 KiB of at most 1 GiB")
	tuned := filepath.Join(dir, "tuned", "0a")
	if err := os.MkdirAll(tuned, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.json", "2.json", "3.json.77.tmp"} {
		if err := os.WriteFile(filepath.Join(tuned, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := tegulaCmd(t, "cache", "clear")
	if code != exitOK || stdout != "" || stderr != "removed 2 entries, 16 KiB, and 2 measurements of autotune\n" {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	if left, err := os.ReadDir(tuned); len(left) > 0 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
	info("entries    0, 0 bytes")
	for _, args := range [][]string{{"cache"}, {"cache", "flush"}, {"cache", "info", "x"}} {
		if code, _, stderr := tegulaCmd(t, args...); code != exitUsage || !strings.Contains(stderr, "Try tegula") {
			t.Errorf("%v: %d, %s", args, code, stderr)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 1 << 30: "1 GiB", 5 << 40: "5 TiB", 1 << 62: "4194304 TiB", 1023 << 10: "1023 KiB", 1000 << 10: "1000 KiB", 1<<20 + 1<<18: "1.25 MiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 9230: "0.00923 ms", 34400: "0.0344 ms", 664 * time.Microsecond: "0.664 ms", 12345 * time.Microsecond: "12.3 ms",
		999900 * time.Microsecond: "1000 ms", 1310 * time.Millisecond: "1.31 s", 2 * time.Hour: "7200 s",
	} {
		if got := milliseconds(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}

// That a file of --out cannot be written is known before the kernel runs; what is there is left
// alone by a run that fails.
func TestOutIsCheckedFirst(t *testing.T) {
	dir := t.TempDir()
	args := func(path, block string) []string {
		return []string{"run", "testdata/one.py", "x_ptr=arange(fp32, 8)", "out_ptr=zeros(fp32, 8)", "n=8", "BLOCK=" + block, "--grid", "1", "--out", "out_ptr=" + path}
	}
	for name, path := range map[string]string{"no directory": dir + "/no/x.npy", "a directory": dir, "below a file": "testdata/one.py/x.npy"} {
		code, stdout, stderr := tegulaCmd(t, args(path, "8")...)
		if code != exitRuntime || stdout != "" || strings.Contains(stderr, "ran in") || !strings.Contains(stderr, "--out out_ptr: ") {
			t.Errorf("%s: %d, %q, %q", name, code, stdout, stderr)
		}
	}
	fresh, old := filepath.Join(dir, "fresh.npy"), filepath.Join(dir, "old.npy")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fresh, old} {
		if code, _, stderr := tegulaCmd(t, args(path, "12")...); code != exitUsage {
			t.Errorf("%d, %s", code, stderr)
		}
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("%v: a run that failed left a file", err)
	}
	if text, err := os.ReadFile(old); string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if code, _, stderr := tegulaCmd(t, args(fresh, "8")...); code != exitOK {
		t.Errorf("%d, %s", code, stderr)
	}
}

// The metadata are a stage of their own, and are written beside what -o names. What is written is
// read back, and is valid.
func TestContractMetadataBesideBinaries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "second.tile")
	compile := []string{"compile", "testdata/several.py:second", "--sig", "x_ptr=*i8:16"}
	code, stdout, stderr := tegulaCmd(t, append(compile, "--emit", "metadata")...)
	if code != exitOK || stderr != "" {
		t.Fatalf("%d, %s", code, stderr)
	}
	if code, _, stderr := tegulaCmd(t, append(compile, "-o", path)...); code != exitOK {
		t.Fatalf("%d, %s", code, stderr)
	}
	beside, err := os.ReadFile(path + ".json")
	if err != nil || string(beside) != stdout {
		t.Errorf("%v, %s, want %s", err, beside, stdout)
	}
	m, err := driver.ParseKernelMetadata(beside)
	if err != nil || m.Name != "second" || m.Target != "cpu" || len(m.Args) != 1 || m.Args[0].Type != "*i8" || m.Args[0].DivisibleBy != 16 {
		t.Errorf("%+v, %v", m, err)
	}
	if code, _, stderr := tegulaCmd(t, append(compile, "--emit", "metadata", "-o", path)...); code != exitOK {
		t.Fatalf("%d, %s", code, stderr)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != stdout {
		t.Errorf("%s, %v", text, err)
	}
	if list, err := filepath.Glob(path + "*"); len(list) != 2 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}
