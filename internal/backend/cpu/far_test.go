package cpu

import "testing"

// TestMoved: a pointer keeps its array's number or loses it for good.
func TestMoved(t *testing.T) {
	const base = 3<<tagShift | middle | 16
	for _, c := range []struct {
		by   int64
		size uint64
		far  bool
	}{
		{0, 4, false}, {-1, 4, false}, {1 << 44, 4, false}, {-(1 << 44), 8, false}, {1 << 45, 4, true}, {1 << 46, 4, true}, {-(1 << 46), 4, true},
		{1 << 62, 4, true}, {-(1 << 62), 4, true}, {1<<63 - 1, 1, true}, {-1 << 63, 1, true}, {1 << 61, 8, true}, {1<<46 - 1, 1, false},
	} {
		to := moved(base, c.by, c.size)
		if far := to>>tagShift == farTag; far != c.far || !far && to != base+uint64(c.by)*c.size {
			t.Errorf("moved by %d × %d: %#x", c.by, c.size, to)
		}
		if back := moved(to, -c.by, c.size); c.far && back>>tagShift != farTag {
			t.Errorf("moved by %d × %d and back: %#x", c.by, c.size, back)
		}
	}
}
