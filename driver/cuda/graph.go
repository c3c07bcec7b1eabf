package cuda

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// captures are the captures that go on on a device. Every kernel that is launched meanwhile belongs to each of them: a
// stream may have joined one by way of an event.
type captures struct {
	n    atomic.Int32
	mu   sync.Mutex
	sets map[*kernels]bool
}

// kernels are kernels whose code somebody keeps loaded.
type kernels map[*kernel]bool

func (c *captures) begin() *kernels {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := &kernels{}
	if c.sets == nil {
		c.sets = map[*kernels]bool{}
	}
	c.sets[set] = true
	c.n.Add(1)
	return set
}

func (c *captures) end(set *kernels) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sets, set)
	c.n.Add(-1)
}

func (c *captures) add(k *kernel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for set := range c.sets {
		if !(*set)[k] {
			(*set)[k] = true
			k.refs.Add(1)
		}
	}
}

// release lets go of the kernels.
func (k kernels) release() error {
	var errs []error
	for kernel := range k {
		errs = append(errs, kernel.release())
	}
	return errors.Join(errs...)
}

// relaxed is the mode of captures that forbids nobody anything: goroutines change threads, so what CUDA would forbid
// to the capturing thread would hit anybody.
const relaxed = 2

// A Graph is work that was captured, to be submitted as a whole. It refers to the memory that the work uses by its
// addresses: that memory has to outlive it. It is safe for concurrent use.
type Graph struct {
	device  *device
	exec    uintptr
	kernels kernels
	closed  atomic.Bool
}

// capture makes a graph of what a function submits to a stream.
func (d *device) capture(s driver.Stream, work func() error) (g *Graph, err error) {
	if err := d.check(s); err != nil {
		return nil, err
	}
	if err := d.call("cuStreamBeginCapture", d.api.streamBeginCapture, s.Handle, relaxed); err != nil {
		return nil, err
	}
	set := d.captures.begin()
	ended := false
	var graph uintptr
	end := func() error {
		ended = true
		d.captures.end(set)
		p := cell[uintptr]()
		err := d.call("cuStreamEndCapture", d.api.streamEndCapture, s.Handle, address(p))
		graph = *p
		return err
	}
	defer func() {
		if !ended { // work panics
			_ = end()
		}
		if graph != 0 {
			err = errors.Join(err, d.call("cuGraphDestroy", d.api.graphDestroy, graph))
		}
		if g == nil {
			err = errors.Join(err, set.release())
		}
	}()
	failed := work()
	if err := end(); failed != nil || err != nil {
		return nil, errors.Join(failed, err)
	}
	exec := cell[uintptr]()
	if err := d.call("cuGraphInstantiate", d.api.graphInstantiate, address(exec), graph, 0); err != nil {
		return nil, err
	}
	return &Graph{device: d, exec: *exec, kernels: *set}, nil
}

// Launch submits the work to a stream.
func (g *Graph) Launch(ctx context.Context, s driver.Stream) error {
	if g.closed.Load() {
		return diag.New(diag.Argument, "closed-graph", "the graph was closed")
	}
	if err := g.device.check(s); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return g.device.call("cuGraphLaunch", g.device.api.graphLaunch, g.exec, s.Handle)
}

// Close gives the graph back. What was launched may still run.
func (g *Graph) Close() error {
	if g.closed.Swap(true) {
		return nil
	}
	return errors.Join(g.device.call("cuGraphExecDestroy", g.device.api.graphExecDestroy, g.exec), g.kernels.release())
}
