package layout

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBlocked(t *testing.T) {
	for _, c := range []struct {
		shape, order, perThread, lanes, warps []int
		want                                  string
	}{
		{[]int{8, 8}, []int{1, 0}, []int{1, 2}, []int{2, 4}, []int{2, 1},
			"register (0,1) (4,0) | lane (0,2) (0,4) (1,0) | warp (2,0)"},
		{[]int{8, 8}, []int{0, 1}, []int{1, 2}, []int{2, 4}, []int{2, 1},
			"register (0,1) (4,0) | lane (1,0) (0,2) (0,4) | warp (2,0)"},
		// A tile smaller than the box: no further registers, replicating lanes and warps.
		{[]int{1, 4}, []int{1, 0}, []int{2, 8}, []int{2, 2}, []int{1, 2},
			"register (0,1) (0,2) | lane 0 0 | warp 0"},
		{[]int{16}, []int{0}, []int{2}, []int{4}, []int{1},
			"register (1) (8) | lane (2) (4)"},
		{[]int{}, []int{}, []int{}, []int{}, []int{}, "one register"},
	} {
		l := Blocked(c.shape, c.order, c.perThread, c.lanes, c.warps)
		if got := l.Describe(c.shape); got != c.want {
			t.Errorf("%v order %v %v %v %v:\n%s, want\n%s", c.shape, c.order, c.perThread, c.lanes, c.warps, got, c.want)
		}
	}
}

func TestCoalesced(t *testing.T) {
	for _, c := range []struct {
		name                       string
		shape, contiguity, aligned []int
		elemBits, warps            int
		want                       string
	}{
		{"a vector of f32", []int{1024}, []int{1024}, []int{16}, 32, 4,
			"register (1) (2) (512) | lane (4) (8) (16) (32) (64) | warp (128) (256)"},
		{"not aligned", []int{1024}, []int{1024}, []int{1}, 32, 4,
			"register (128) (256) (512) | lane (1) (2) (4) (8) (16) | warp (32) (64)"},
		{"fewer elements than threads", []int{64}, []int{64}, []int{64}, 32, 4,
			"lane (1) (2) (4) (8) (16) | warp (32) 0"},
		{"rows of f16: 8 lanes a line", []int{64, 256}, []int{1, 256}, []int{1, 256}, 16, 4,
			"register (0,1) (0,2) (0,4) (0,64) (0,128) (16,0) (32,0) | lane (0,8) (0,16) (0,32) (1,0) (2,0) | warp (4,0) (8,0)"},
		{"columns", []int{64, 64}, []int{64, 1}, []int{16, 1}, 32, 4,
			"register (1,0) (2,0) (32,0) (0,16) (0,32) | lane (4,0) (8,0) (16,0) (0,1) (0,2) | warp (0,4) (0,8)"},
		{"one row", []int{1, 1024}, []int{1, 1024}, []int{1, 1024}, 32, 4,
			"register (0,1) (0,2) (0,512) | lane (0,4) (0,8) (0,16) (0,32) (0,64) | warp (0,128) (0,256)"},
		{"nothing known", []int{64, 64}, []int{1, 1}, []int{1, 1}, 32, 1,
			"register (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) | lane (0,1) (0,2) (0,4) (0,8) (0,16)"},
		{"a scalar", []int{}, []int{}, []int{}, 32, 4, "lane 0 0 0 0 0 | warp 0 0"},
	} {
		l := Coalesced(c.shape, c.contiguity, c.aligned, c.elemBits, 32, c.warps)
		if got := l.Describe(c.shape); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// anyShape draws a shape of at most 2^most elements.
func anyShape(t *rapid.T, most int) []int {
	shape := make([]int, rapid.IntRange(0, 4).Draw(t, "rank"))
	for d := range shape {
		n := rapid.IntRange(0, most).Draw(t, "log size")
		shape[d] = 1 << n
		most -= n
	}
	return shape
}

// TestCoalescedIsCoalesced reads a tile whose fastest dimension is contiguous, and counts what a warp touches.
func TestCoalescedIsCoalesced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := anyShape(t, 14)
		contiguity := make([]int, len(shape))
		aligned := make([]int, len(shape))
		for d := range shape {
			contiguity[d] = 1
			aligned[d] = 1
		}
		if len(shape) > 0 {
			d := rapid.IntRange(0, len(shape)-1).Draw(t, "fast")
			contiguity[d], aligned[d] = shape[d], shape[d]
		}
		elemBits := 8 << rapid.IntRange(0, 3).Draw(t, "elem")
		l := Coalesced(shape, contiguity, aligned, elemBits, 32, 1<<rapid.IntRange(0, 3).Draw(t, "warps"))
		if _, err := New(l.Bits(), [NumIns][]uint64{l.Bases(Register), l.Bases(Lane), l.Bases(Warp), l.Bases(Block)}); err != nil {
			t.Fatal(err)
		}
		if d, _ := l.Distinct(); d != l {
			t.Fatalf("a thread holds an element twice: %v", l)
		}
		if len(shape) == 0 {
			return
		}
		fast := FastestFirst(contiguity)[0]
		// The lines, each of 128 bytes of one row, that one register of a warp's lanes is in.
		lines := map[string]bool{}
		elements := map[int]bool{}
		perLine := 1024 / elemBits
		for lane := range 32 {
			e := l.Apply(0, lane, 0, 0)
			at := Coords(nil, shape, uint64(e))
			at[fast] /= perLine
			lines[string(encode(at))] = true
			elements[e] = true
		}
		vector := l.Vector(fast, shape)
		bytes := len(elements) * vector * elemBits
		if most := max(1, bytes/min(1024, shape[fast]*elemBits)); len(lines) > most {
			t.Fatalf("%v of %v: a warp reads %d bits in %d lines, not %d", l.Describe(shape), shape, bytes, len(lines), most)
		}
	})
}

func encode(at []int) []byte {
	var b []byte
	for _, c := range at {
		b = append(b, byte(c), byte(c>>8), byte(c>>16))
	}
	return b
}

func TestFastestFirst(t *testing.T) {
	if got := FastestFirst([]int{1, 8, 1, 8}); !slices.Equal(got, []int{3, 1, 2, 0}) {
		t.Errorf("got %v", got)
	}
}
