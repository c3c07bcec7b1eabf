package layout

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMatrixIsLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMatrix(t, rapid.IntRange(0, 10).Draw(t, "in"), rapid.IntRange(0, 10).Draw(t, "out"))
		v, w := rapid.Uint64Range(0, 1<<m.In()-1).Draw(t, "v"), rapid.Uint64Range(0, 1<<m.In()-1).Draw(t, "w")
		if m.Apply(v^w) != m.Apply(v)^m.Apply(w) {
			t.Fatalf("not linear at %b, %b", v, w)
		}
		n := anyMatrix(t, rapid.IntRange(0, 10).Draw(t, "in"), m.In())
		both, u := m.After(&n), rapid.Uint64Range(0, 1<<n.In()-1).Draw(t, "u")
		if both.Apply(u) != m.Apply(n.Apply(u)) {
			t.Fatalf("m∘n differs from n, then m, at %b", u)
		}
		tr := m.Transpose()
		if tr.Transpose() != m {
			t.Fatal("the transpose's transpose differs")
		}
		x, y := rapid.Uint64Range(0, 1<<m.In()-1).Draw(t, "x"), rapid.Uint64Range(0, 1<<m.Out()-1).Draw(t, "y")
		if bits.OnesCount64(m.Apply(x)&y)%2 != bits.OnesCount64(tr.Apply(y)&x)%2 {
			t.Fatal("the transpose is not adjoint")
		}
	})
}

func TestRankAndKernel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMatrix(t, rapid.IntRange(0, 9).Draw(t, "in"), rapid.IntRange(0, 9).Draw(t, "out"))
		images, zeros := map[uint64]bool{}, 0
		for v := range uint64(1) << m.In() {
			images[m.Apply(v)] = true
			if m.Apply(v) == 0 {
				zeros++
			}
		}
		if 1<<m.Rank() != len(images) {
			t.Fatalf("rank %d, but %d images", m.Rank(), len(images))
		}
		kernel := m.Kernel()
		if s := SpanOf(kernel...); s.Dim() != len(kernel) || 1<<s.Dim() != zeros {
			t.Fatalf("a kernel of %d strings, %d independent; %d map to zero", len(kernel), s.Dim(), zeros)
		}
		for _, v := range kernel {
			if m.Apply(v) != 0 {
				t.Fatalf("%b is not in the kernel", v)
			}
		}
	})
}

func TestInverses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMatrix(t, rapid.IntRange(0, 10).Draw(t, "in"), rapid.IntRange(0, 10).Draw(t, "out"))
		r, ok := m.RightInverse()
		if ok != (m.Rank() == m.Out()) {
			t.Fatalf("a right inverse: %v; rank %d of %d", ok, m.Rank(), m.Out())
		}
		if ok && m.After(&r) != Identity(m.Out()) {
			t.Fatal("m after its right inverse is not the identity")
		}
		l, ok := m.LeftInverse()
		if ok != (m.Rank() == m.In()) {
			t.Fatalf("a left inverse: %v; rank %d of %d", ok, m.Rank(), m.In())
		}
		if ok && l.After(&m) != Identity(m.In()) {
			t.Fatal("the left inverse after m is not the identity")
		}
		n := anyInvertible(t, 6)
		if i, ok := n.RightInverse(); !ok || i.After(&n) != Identity(6) {
			t.Fatal("an invertible map's right inverse is no left inverse")
		}
	})
}

func TestMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strings := rapid.SliceOfN(rapid.Uint64Range(0, 127), 0, 6)
		s, u := SpanOf(strings.Draw(t, "s")...), SpanOf(strings.Draw(t, "u")...)
		meet := s.Meet(&u)
		for v := range uint64(128) {
			if meet.Has(v) != (s.Has(v) && u.Has(v)) {
				t.Fatalf("%b: in the meet %v, in s %v, in u %v", v, meet.Has(v), s.Has(v), u.Has(v))
			}
		}
		again := SpanOf(s.Basis()...)
		if again.Dim() != s.Dim() || len(s.Basis()) != s.Dim() {
			t.Fatal("the basis does not span")
		}
	})
}

// points calls f for each register of each thread.
func points(l Layout, f func(register, lane, warp, block int)) {
	for b := range l.Size(Block) {
		for w := range l.Size(Warp) {
			for n := range l.Size(Lane) {
				for r := range l.Size(Register) {
					f(r, n, w, b)
				}
			}
		}
	}
}

func TestEveryElementIsHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := small(t)
		held := make([]int, 1<<l.Bits())
		points(l, func(r, n, w, b int) {
			held[l.Apply(r, n, w, b)]++
			p := l.Point(r, n, w, b)
			if l.Of(Register, p) != r || l.Of(Lane, p) != n || l.Of(Warp, p) != w || l.Of(Block, p) != b {
				t.Fatalf("point %b does not tell %d, %d, %d, %d", p, r, n, w, b)
			}
		})
		for e, n := range held {
			if n != held[0] || n == 0 {
				t.Fatalf("element %d is held %d times, element 0 %d times", e, n, held[0])
			}
		}
		if l.Injective() != (held[0] == 1) {
			t.Fatalf("injective: %v; each element is held %d times", l.Injective(), held[0])
		}
		inv := l.Inverse()
		for e := range held {
			p := inv.Apply(uint64(e))
			if l.Apply(l.Of(Register, p), l.Of(Lane, p), l.Of(Warp, p), l.Of(Block, p)) != e {
				t.Fatalf("the inverse says that point %b holds %d", p, e)
			}
		}
	})
}

func TestFreeBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := small(t)
		free := l.FreeBits(Lane)
		points(l, func(r, n, w, b int) {
			if l.Apply(r, n, w, b) != l.Apply(r, n&^int(free), w, b) {
				t.Fatalf("lane %d differs from lane %d", n, n&^int(free))
			}
		})
	})
}

func TestProductAndDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := small(t), small(t), small(t)
		p := a.Product(b)
		if q, ok := p.Divide(a); !ok || q != b {
			t.Fatalf("(%v × %v) / %v = %v, %v", a, b, a, q, ok)
		}
		if p.Product(c) != a.Product(b.Product(c)) {
			t.Fatal("the product is not associative")
		}
		if one := Replicated(0, 1, 1); a.Product(one) != a || one.Product(a) != a {
			t.Fatal("the layout of a scalar in one thread is not the product's unit")
		}
		if q, ok := a.Divide(b); ok && b.Product(q) != a {
			t.Fatalf("%v / %v = %v", a, b, q)
		}
	})
}

func TestComposeAndPermute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := small(t)
		m := anyInvertible(t, l.Bits())
		i, _ := m.RightInverse()
		c := l.Compose(&m)
		if c.Compose(&i) != l {
			t.Fatal("composed with a map and its inverse, the layout is another")
		}
		from := rapid.Permutation(upTo(l.Bits())).Draw(t, "from")
		p := l.Permute(from)
		points(l, func(r, n, w, b int) {
			old, e := uint64(l.Apply(r, n, w, b)), p.Apply(r, n, w, b)
			if uint64(c.Apply(r, n, w, b)) != m.Apply(old) {
				t.Fatal("compose does not map elements")
			}
			for i, f := range from {
				if e>>i&1 != int(old>>f&1) {
					t.Fatalf("bit %d of %b is not bit %d of %b", i, e, f, old)
				}
			}
		})
	})
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestTransposition(t *testing.T) {
	shape, order := []int{2, 4, 8}, []int{2, 0, 1}
	l := Blocked(shape, []int{2, 1, 0}, []int{1, 1, 2}, []int{1, 2, 4}, []int{2, 1, 1})
	tr := l.Permute(TransposedBits(shape, order))
	points(l, func(r, n, w, b int) {
		old := Coords(nil, shape, uint64(l.Apply(r, n, w, b)))
		got := Coords(nil, []int{8, 2, 4}, uint64(tr.Apply(r, n, w, b)))
		if want := []int{old[2], old[0], old[1]}; !slices.Equal(got, want) {
			t.Fatalf("%v is at %v", old, got)
		}
	})
}

func TestProjectAndSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := small(t)
		mask := rapid.Uint64Range(0, 1<<l.Bits()-1).Draw(t, "mask")
		p := l.Project(mask)
		points(l, func(r, n, w, b int) {
			if uint64(p.Apply(r, n, w, b)) != Extract(uint64(l.Apply(r, n, w, b)), mask) {
				t.Fatal("the projection has other elements")
			}
		})
		s := p.Spread(l.Bits(), mask)
		if s.Project(mask).Bits() != p.Bits() {
			t.Fatal("projected after spreading, the tile has another size")
		}
		points(s, func(r, n, w, b int) {
			if got := Extract(uint64(s.Apply(r, n, w, b)), mask); got != uint64(p.Apply(r%p.Size(Register), n, w, b)) {
				t.Fatalf("spread, register %d holds another element", r)
			}
		})
		if _, err := New(s.Bits(), [NumIns][]uint64{s.Bases(Register), s.Bases(Lane), s.Bases(Warp), s.Bases(Block)}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := small(t)
		mask := rapid.Uint64Range(0, 1<<l.Bits()-1).Draw(t, "mask")
		l = l.Project(mask)
		d, kept := l.Distinct()
		points(d, func(r, n, w, b int) {
			if d.Apply(r, n, w, b) != l.Apply(int(Deposit(uint64(r), kept)), n, w, b) {
				t.Fatalf("register %d holds another element than register %b", r, Deposit(uint64(r), kept))
			}
		})
		all, left := map[int]bool{}, map[int]bool{}
		for r := range l.Size(Register) {
			all[l.Apply(r, 0, 0, 0)] = true
		}
		for r := range d.Size(Register) {
			left[d.Apply(r, 0, 0, 0)] = true
		}
		if len(left) != len(all) || len(left) != d.Size(Register) {
			t.Fatalf("a thread held %d elements; now %d in %d registers", len(all), len(left), d.Size(Register))
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		bits  int
		bases [NumIns][]uint64
		want  string
	}{
		{2, [NumIns][]uint64{{1}, {1}}, "layout: only 2^1 of 2^2 elements are held: every element needs a holder"},
		{2, [NumIns][]uint64{{1}, {2, 4}}, "layout: lane basis vector 1 is 4: a tile of 4 elements has numbers below that"},
		{64, [NumIns][]uint64{}, "layout: element numbers of 64 bits: between 0 and 40 are possible"},
		{0, [NumIns][]uint64{make([]uint64, 41)}, "layout: more than 40 basis vectors"},
	} {
		if _, err := New(c.bits, c.bases); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.bases, err, c.want)
		}
	}
}
