package launch

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/fake"
)

var fakes atomic.Int32

// newFake registers a fake backend under a name of its own.
func newFake(t testing.TB, o fake.Options) *fake.Driver {
	t.Helper()
	return fake.Register(fmt.Sprintf("fake%d", fakes.Add(1)), o)
}

// useCache makes the tests' store use a cache in a directory, and gives a function that does what
// a new process would find: an empty store over the same files.
func useCache(t testing.TB, o cache.Options) (restart func()) {
	t.Helper()
	old := shared
	t.Cleanup(func() { shared = old })
	restart = func() {
		c := cache.Open(o)
		shared = newStore(func() *cache.Cache { return c })
	}
	restart()
	return restart
}

// bufferOn makes an array argument on a device.
func bufferOn(t testing.TB, s driver.Stream, d dtype.DType, n int) (Value, *driver.Buffer) {
	t.Helper()
	dev, err := driver.OpenDevice(s.Backend, s.Device)
	if err != nil {
		t.Fatal(err)
	}
	b, err := driver.NewBuffer(dev, d, n)
	if err != nil {
		t.Fatal(err)
	}
	var v Value
	v.SetBuffer(b)
	return v, b
}

// storeOn asks to launch a kernel that stores something in its first parameter.
func storeOn(t testing.TB, s driver.Stream, more ...Value) request {
	t.Helper()
	out, _ := bufferOn(t, s, dtype.Int32, 64)
	return request{stream: s, positional: append([]Value{out}, more...)}
}
