package cache

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGetOrPut(t *testing.T) {
	c, k := Open(Options{Dir: t.TempDir()}), keyOf("k")
	made := 0
	produce := func() ([]byte, error) { made++; return []byte("value"), nil }
	for range 2 {
		if v, err := c.GetOrPut(k, produce); err != nil || string(v) != "value" {
			t.Errorf("%q, %v", v, err)
		}
	}
	if made != 1 {
		t.Errorf("produced %d times", made)
	}
	if v, ok := c.Get(k); !ok || string(v) != "value" {
		t.Errorf("kept %q, %v", v, ok)
	}
}

// TestGetOrPutFails: an error is everybody's who waits, and is not kept.
func TestGetOrPutFails(t *testing.T) {
	c, k := Open(Options{Dir: t.TempDir()}), keyOf("k")
	wrong := errors.New("wrong")
	if v, err := c.GetOrPut(k, func() ([]byte, error) { return []byte("half"), wrong }); err != wrong || v != nil {
		t.Errorf("%q, %v", v, err)
	}
	if v, err := c.GetOrPut(k, func() ([]byte, error) { return []byte("value"), nil }); err != nil || string(v) != "value" {
		t.Errorf("then %q, %v", v, err)
	}
}

// TestSingleFlight: however many ask at once, one produces, and they all get what it made.
func TestSingleFlight(t *testing.T) {
	for _, o := range []Options{{Dir: t.TempDir()}, {Off: true}} {
		c := Open(o)
		var made atomic.Int32
		release := make(chan struct{})
		var asking, done sync.WaitGroup
		for key := range 4 {
			for range 16 {
				asking.Add(1)
				done.Go(func() {
					name := fmt.Sprint(key)
					asking.Done()
					v, err := c.GetOrPut(keyOf(name), func() ([]byte, error) {
						made.Add(1)
						<-release
						return []byte(name), nil
					})
					if err != nil || string(v) != name {
						t.Errorf("key %s: %q, %v", name, v, err)
					}
				})
			}
		}
		asking.Wait()
		waitUntil(t, func() bool { return made.Load() == 4 })
		time.Sleep(10 * time.Millisecond) // for those who are on their way to GetOrPut
		close(release)
		done.Wait()
		if o.Off {
			continue // a goroutine that came late has produced for itself
		}
		if n := made.Load(); n != 4 {
			t.Errorf("4 keys were produced %d times", n)
		}
	}
}

func waitUntil(t *testing.T, what func() bool) {
	t.Helper()
	for range 5000 {
		if what() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it does not come to it")
}

// TestFlightLost: when produce panics or ends its goroutine, those who wait produce themselves.
func TestFlightLost(t *testing.T) {
	for name, leave := range map[string]func(){"panic": func() { panic("boom") }, "exit": runtime.Goexit} {
		c, k := Open(Options{Dir: t.TempDir()}), keyOf(name)
		inside, release := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil && p != "boom" {
					t.Errorf("%v", p)
				}
			}()
			_, _ = c.GetOrPut(k, func() ([]byte, error) {
				close(inside)
				<-release
				leave()
				return nil, nil
			})
			t.Errorf("%s: GetOrPut returns", name)
		})
		<-inside
		for range 4 {
			wg.Go(func() {
				if v, err := c.GetOrPut(k, func() ([]byte, error) { return []byte("value"), nil }); err != nil || string(v) != "value" {
					t.Errorf("%s: %q, %v", name, v, err)
				}
			})
		}
		time.Sleep(10 * time.Millisecond)
		close(release)
		wg.Wait()
	}
}
