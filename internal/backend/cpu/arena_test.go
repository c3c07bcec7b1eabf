package cpu

import (
	"testing"

	"pgregory.net/rapid"
)

// What is assigned at one time never overlaps, is aligned, and lies below the high-water mark.
func TestArena(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a arena
		var held []extent
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			if len(held) > 0 && rapid.Bool().Draw(t, "release") {
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				a.release(held[i].off, held[i].size)
				held = append(held[:i], held[i+1:]...)
				continue
			}
			size := rapid.IntRange(1, 300).Draw(t, "size")
			off := a.alloc(size)
			if rapid.IntRange(0, 5).Draw(t, "fresh") == 0 {
				a.release(off, size)
				before := a.high
				if off = a.fresh(size); off < before {
					t.Fatalf("fresh memory at %d was in use below %d", off, before)
				}
			}
			e := extent{off, size}
			for _, h := range held {
				if e.off < h.off+h.size && h.off < e.off+e.size {
					t.Fatalf("%v overlaps %v", e, h)
				}
			}
			if e.off+e.size > a.high || e.off%wordAlign != 0 || size >= lineAlign && e.off%lineAlign != 0 {
				t.Fatalf("%v is misplaced; the mark is at %d", e, a.high)
			}
			held = append(held, e)
		}
		for _, h := range held {
			a.release(h.off, h.size)
		}
		if a.high > 0 && (len(a.free) != 1 || a.free[0] != (extent{0, a.high})) {
			t.Fatalf("all is released, but free are %v of %d", a.free, a.high)
		}
	})
}

// A chain of tiles needs the memory of the few that live at once.
func TestFrameIsReused(t *testing.T) {
	src := "func @k(%x: ptr<i32>) -> () {\n  %r = range {start = 0, end = 1024} : 1024xi32\n" +
		"  %p = splat %x : 1024xptr<i32>\n  %q = addptr %p, %r : 1024xptr<i32>\n  %v0 = load %q : 1024xi32\n"
	const n = 100
	name := func(i int) string {
		return "%v" + string(rune('0'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
	}
	prev := "%v0"
	for i := 1; i <= n; i++ {
		src += "  " + name(i) + " = mul " + prev + ", " + prev + " : 1024xi32\n"
		prev = name(i)
	}
	src += "  store %q, " + prev + "\n  return\n}\n"
	if got, most := compile(t, parse(t, src)).FrameBytes(), 1024*(4+8+4+4)+1024; got > most {
		t.Errorf("the frame has %d bytes, want at most %d", got, most)
	}
}
