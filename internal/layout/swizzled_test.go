package layout

import "testing"

// TestSwizzled compares with the definition by addresses: bits 4… of an address are exclusive-or'ed with bits 7….
func TestSwizzled(t *testing.T) {
	for _, swizzle := range []int{0, 32, 64, 128} {
		for _, elemBits := range []int{8, 16, 32} {
			rows, columns := 64, 2*128*8/elemBits
			m := Swizzled(rows, columns, elemBits, swizzle)
			if m.Rank() != m.In() {
				t.Fatalf("%d bytes: two elements share a place", swizzle)
			}
			for row := range rows {
				for column := range columns {
					width := columns * elemBits / 8
					if swizzle > 0 {
						width = swizzle
					}
					byteColumn := column * elemBits / 8
					address := byteColumn/width*rows*width + row*width + byteColumn%width
					if swizzle > 0 {
						address ^= address >> 7 & (swizzle/16 - 1) << 4
					}
					if got := int(m.Apply(uint64(row*columns+column))) * elemBits / 8; got != address {
						t.Fatalf("%d bytes, %d bits: (%d,%d) is at %d, not %d", swizzle, elemBits, row, column, got, address)
					}
				}
			}
		}
	}
}

// TestSwizzledRows: eight rows' units of 16 bytes in one column are read without conflicts from rows of 128 bytes.
func TestSwizzledRows(t *testing.T) {
	m := Swizzled(64, 64, 16, 128)
	for column := 0; column < 64; column += 8 {
		var places []int
		for row := range 32 {
			places = append(places, int(m.Apply(uint64(row*64+column))))
		}
		if err := conflicts(places, 32, 8, 2); err != nil {
			t.Errorf("column %d: %v", column, err)
		}
	}
}

// TestWarpGroup compares the sum of four warps along m with the fragment of wgmma's m64nN (PTX ISA, "Register Fragments for wgmma").
func TestWarpGroup(t *testing.T) {
	const n = 64
	d, err := MMA{16, 8, 16, 16}.Dot(1, 64, n, 16, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	g, err := MMA{16, 8, 16, 16}.Groups(1, 64, n, 16, 1, 1)
	if err != nil || g.A != d.A || g.C != d.C {
		t.Errorf("a warp group has %v and %v, four warps %v and %v (%v)", g.A, g.C, d.A, d.C, err)
	}
	points(d.C, func(r, lane, warp, _ int) {
		row, column := 16*warp+lane/4+r/2%2*8, lane%4*2+r%2+r/4*8
		if got := d.C.Apply(r, lane, warp, 0); got != row*n+column {
			t.Fatalf("register %d of lane %d of warp %d holds %d, not (%d,%d)", r, lane, warp, got, row, column)
		}
	})
	points(d.A, func(r, lane, warp, _ int) {
		row, k := 16*warp+lane/4+r/2%2*8, lane%4*2+r%2+r/4*8
		if got := d.A.Apply(r, lane, warp, 0); got != row*16+k {
			t.Fatalf("A: register %d of lane %d of warp %d holds %d, not (%d,%d)", r, lane, warp, got, row, k)
		}
	})
}

// TestWarpGroups: the sum of several groups is 64 rows after 64 rows of as many columns as a group has.
func TestWarpGroups(t *testing.T) {
	const m, n, k, groupsM, groupsN = 256, 64, 32, 2, 2
	d, err := MMA{16, 8, 16, 16}.Groups(1, m, n, k, groupsM, groupsN)
	if err != nil {
		t.Fatal(err)
	}
	points(d.C, func(r, lane, warp, _ int) {
		const perBlock = 64 * n / groupsN / 128
		group, in := warp/4, r%perBlock
		row := (group%groupsM+groupsM*(r/perBlock))*64 + 16*(warp%4) + lane/4 + in/2%2*8
		column := group/groupsM*(n/groupsN) + lane%4*2 + in%2 + in/4*8
		if got := d.C.Apply(r, lane, warp, 0); got != row*n+column {
			t.Fatalf("register %d of lane %d of warp %d holds %d, not (%d,%d)", r, lane, warp, got, row, column)
		}
	})
	points(d.A, func(r, lane, warp, _ int) {
		const perBlock = 64 * k / 128
		in := r % perBlock
		row := (warp/4%groupsM+groupsM*(r/perBlock))*64 + 16*(warp%4) + lane/4 + in/2%2*8
		column := lane%4*2 + in%2 + in/4*8
		if got := d.A.Apply(r, lane, warp, 0); got != row*k+column {
			t.Fatalf("A: register %d of lane %d of warp %d holds %d, not (%d,%d)", r, lane, warp, got, row, column)
		}
	})
}
