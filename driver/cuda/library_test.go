package cuda

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/driver"
)

// emptyLibrary makes a library with all functions, which succeed and do nothing, but for what opening a device and
// loading a kernel needs.
func emptyLibrary(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("skipped: there is no gcc to make a library with")
	}
	var src strings.Builder
	src.WriteString(`
static _Thread_local void *current;
int cuDriverGetVersion(int *p) { *p = 12040; return 0; }
int cuDeviceGetCount(int *p) { *p = 1; return 0; }
int cuDeviceGet(int *p, int n) { *p = n; return 0; }
int cuDeviceGetAttribute(int *p, int a, int d) { *p = a == 75 ? 9 : 1024; return 0; }
int cuDevicePrimaryCtxRetain(void **p, int d) { *p = (void *)0x1000; return 0; }
int cuCtxGetCurrent(void **p) { *p = current; return 0; }
int cuCtxSetCurrent(void *p) { current = p; return 0; }
int cuStreamCreate(void **p, unsigned f) { *p = (void *)0x2000; return 0; }
int cuFuncGetParamInfo(void *f, unsigned long i, unsigned long *offset, unsigned long *size) { *offset = 8 * i; *size = 8; return i >= 4; }
int cuFuncGetAttribute(int *p, int a, void *f) { *p = a == 0 ? 1024 : 0; return 0; }
static unsigned long long sum;
int cuLaunchKernel(void *f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **p, void **extra) {
  if (current != (void *)0x1000) return 201;
  sum += x + bx + ((unsigned long long *)extra[1])[0];
  return 0;
}
`)
	done := src.String()
	for _, e := range (&api{}).entries() {
		if !strings.Contains(done, " "+e.name+"(") {
			src.WriteString("int " + e.name + "(void) { return 0; }\n")
		}
	}
	dir := t.TempDir()
	c, so := filepath.Join(dir, "cuda.c"), filepath.Join(dir, "libcuda.so.1")
	if err := os.WriteFile(c, []byte(src.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O2", "-shared", "-fPIC", "-o", so, c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return so
}

// quick gives a kernel of four arguments on a library that does nothing, and a launch of it.
func quick(t testing.TB) (*device, driver.Kernel, *driver.Launch) {
	t.Helper()
	t.Setenv(envLibrary, emptyLibrary(t))
	d, err := (&cudaDriver{open: openLibrary}).device(0)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Load(&driver.Binary{Metadata: meta(t, nil, "*fp32", "*fp32", "*fp32", "i64"), Image: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	return d, k, &driver.Launch{Grid: driver.Grid{7, 1, 1}, Args: make([]driver.Arg, 4)}
}

// The library is found, and its functions are called as C has them.
func TestLibrary(t *testing.T) {
	d, k, l := quick(t)
	if d.Info().Arch != "1114a" || d.Limits().Threads != 1024 {
		t.Errorf("%+v, %+v", d.Info(), d.Limits())
	}
	if err := k.Launch(context.Background(), d.Stream(), l); err != nil {
		t.Error(err)
	}
}

// What a launch costs on a library that does nothing; beside it, the call of a function alone.
func BenchmarkLaunch(b *testing.B) {
	d, k, l := quick(b)
	for b.Loop() {
		if err := k.Launch(context.Background(), d.Stream(), l); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall is the least that a call of the library can cost.
func BenchmarkCall(b *testing.B) {
	d, _, _ := quick(b)
	for b.Loop() {
		plain(d.api.ctxSetCurrent, d.context)
	}
}
