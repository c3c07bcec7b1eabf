package cpu

import (
	"context"
	"slices"
	"sync"
)

// maxFrames bounds the memory of all program instances that run at a time in this process.
const maxFrames = 4 << 30

// frames is what is left of it.
var frames = newBudget(maxFrames)

// A budget is a number of bytes that launches share. Who waits for some is served in turn.
type budget struct {
	mu    sync.Mutex
	left  int
	queue []*request
}

type request struct {
	bytes int
	ready chan struct{} // closed when the bytes are taken
}

func newBudget(bytes int) *budget { return &budget{left: bytes} }

// take takes room for up to n of something; it waits until there is room for one, or ctx is done, when it
// gives 0.
func (b *budget) take(ctx context.Context, bytes, n int) int {
	b.mu.Lock()
	if len(b.queue) == 0 && b.left >= bytes {
		if bytes > 0 {
			n = min(n, b.left/bytes)
		}
		b.left -= n * bytes
		b.mu.Unlock()
		return n
	}
	r := &request{bytes, make(chan struct{})}
	b.queue = append(b.queue, r)
	b.mu.Unlock()
	select {
	case <-r.ready:
		return 1
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.queue, r); i >= 0 {
		b.queue = slices.Delete(b.queue, i, i+1)
	} else {
		b.left += bytes
	}
	b.serve()
	return 0
}

// give takes back what take gave for n.
func (b *budget) give(bytes, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n * bytes
	b.serve()
}

func (b *budget) serve() {
	for len(b.queue) > 0 && b.queue[0].bytes <= b.left {
		b.left -= b.queue[0].bytes
		close(b.queue[0].ready)
		b.queue = b.queue[1:]
	}
}
