package sim

// A shadow is what is remembered of a byte of memory.
type shadow struct {
	written, read trace
	pending       bool   // an asynchronous copy goes there
	atomic        bool   // what was written was by an atomic
	cta           uint32 // that last wrote
	step          uint32 // the access that last wrote
	buffer        int32  // shared: as which it was written
	writer        int32  // a thread that last wrote there
	fences        uint32 // how many proxy fences it had done
	flying        int32  // matrix instructions of warp groups that may be reading it
}

// A trace is who did something to a byte since the last barrier: a thread, or several of one warp or of all.
type trace struct {
	now, warpNow uint32 // when, of the last one
	thread       int32  // several: -1
	warp         int32  // several: -1
	at           uint32 // the last one's tick
	warps, lanes uint32 // bits: all of the threads that it may have been
}

// meets reports whether a thread's access now is not ordered after one that a trace tells of.
func (c *clock) meets(r *trace, thread, warp int32) bool {
	if r.now != c.now || r.thread == thread {
		return false
	}
	if r.warp == warp && r.warpNow != c.warps[warp] {
		return false
	}
	return c.order == nil || !c.ordered(r, warp)
}

// note adds an access to a trace.
func (c *clock) note(r *trace, thread, warp int32) {
	now := c.warps[warp]
	bits, lane := uint32(1)<<(warp&31), uint32(1)<<(thread&31)
	if r.now != c.now || r.warp == warp && r.warpNow != now {
		*r = trace{c.now, now, thread, warp, c.tick, bits, lane}
		return
	}
	if r.thread != thread {
		r.thread = -1
		if r.warp != warp {
			r.warp = -1
		}
	}
	r.at, r.warps, r.lanes = c.tick, r.warps|bits, r.lanes|lane
}

// A use is how a thread uses a byte.
type use uint8

const (
	reading use = iota
	writing
	atomically
)

// race notes an access of a byte, and tells what it races with: "" if nothing. same says that what is written is there already: then the
// order of writes does not matter. Nor does it, in global memory, between the threads of one store: its author said so.
func (c *clock) race(s *shadow, u use, thread, warp int32, same, global bool) string {
	switch {
	case u == reading:
		if c.meets(&s.written, thread, warp) {
			return "a write"
		}
		c.note(&s.read, thread, warp)
		return ""
	case u == writing && (same || global && s.step == c.step):
	case c.meets(&s.written, thread, warp) && (u != atomically || !s.atomic):
		return "a write"
	}
	if c.meets(&s.read, thread, warp) {
		return "a read"
	}
	c.note(&s.written, thread, warp)
	s.atomic, s.cta, s.step = u == atomically, c.cta, c.step
	return ""
}
