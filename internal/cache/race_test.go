package cache

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

const (
	racers = 16
	rounds = 150
)

// TestProcessesRace: sixteen processes put and get one key at the same time, while its entry is
// also damaged. Each get is a miss or a whole value of one of them.
func TestProcessesRace(t *testing.T) {
	dir := t.TempDir()
	c, k := Open(Options{Dir: dir}), keyOf("raced")
	var cmds []*exec.Cmd
	for i := range racers {
		cmds = append(cmds, startChild(t, "race", dir, strconv.Itoa(i)))
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				if f, err := os.OpenFile(c.path(k), os.O_WRONLY, 0); err == nil {
					_, _ = f.WriteAt([]byte{0x55, 0xaa, 0x55, 0xaa}, 60)
					f.Close()
				}
			}
		}
	}()
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	close(stop)
	<-stopped
	for _, f := range c.files() {
		if f.temp {
			t.Errorf("%s is left", f.path)
		}
	}
	expectWhole := []byte("whole")
	if err := c.Put(k, expectWhole); err != nil {
		t.Fatal(err)
	}
	if v, ok := c.Get(k); !ok || string(v) != "whole" {
		t.Errorf("in the end %q, %v", v, ok)
	}
}

// raceChild puts values that say in each byte whose they are, of lengths that belong to their
// owner and to no other.
func raceChild() int {
	c, k := Open(Options{Dir: os.Args[1]}), keyOf("raced")
	me, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return 2
	}
	mine := make([]byte, raceLength(me))
	for i := range mine {
		mine[i] = byte(me)
	}
	hits := 0
	for range rounds {
		if err := c.Put(k, mine); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		v, ok := c.Get(k)
		if !ok {
			continue
		}
		hits++
		if owner := int(v[0]); len(v) != raceLength(owner) {
			fmt.Fprintf(os.Stderr, "%d bytes of process %d\n", len(v), owner)
			return 1
		}
		for _, b := range v {
			if b != v[0] {
				fmt.Fprintf(os.Stderr, "a value of %d and %d\n", v[0], b)
				return 1
			}
		}
	}
	if hits == 0 { // how many there are is the scheduler's doing
		fmt.Fprintf(os.Stderr, "no hits in %d rounds\n", rounds)
		return 1
	}
	return 0
}

func raceLength(i int) int { return 1000 + 997*i }
