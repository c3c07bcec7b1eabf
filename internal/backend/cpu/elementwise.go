package cpu

import "unsafe"

// The drivers of elementwise operations. A kernel is a plain loop over slices of one length;
// a driver feeds it. Operands whose storage is what the kernel works on are given whole.
// An operand that is held as one element, or in a format that the kernel does not compute
// in, goes through a buffer, a chunk at a time.

// A source is an operand as a kernel of T sees it.
type source[T any] struct {
	slot
	load func(dst []T, src unsafe.Pointer) // converts len(dst) stored elements; nil if they are Ts
	size int                               // bytes of a stored element
}

// A sink is a result as a kernel of T gives it.
type sink[T any] struct {
	slot
	store func(dst unsafe.Pointer, src []T) // nil if Ts are stored
	size  int
}

func stored[T any](s slot) source[T] { return source[T]{slot: s, size: int(unsafe.Sizeof(*new(T)))} }

func storing[T any](s slot) sink[T] { return sink[T]{slot: s, size: int(unsafe.Sizeof(*new(T)))} }

// whole reports whether all n elements can be used in place.
func (s source[T]) whole(n int) bool { return s.load == nil && s.n == n }

// chunk gives elements lo to hi. One element is repeated in buf at the first call and stays there.
func (s source[T]) chunk(m *machine, n, lo, hi int, buf []T) []T {
	switch {
	case s.whole(n):
		return unsafe.Slice((*T)(m.at(s.off)), hi)[lo:]
	case s.n == 1 && lo > 0:
		return buf[:hi-lo]
	case s.n == 1:
		s.first(m, buf[:1])
		repeat(buf[:hi-lo])
		return buf[:hi-lo]
	}
	s.load(buf[:hi-lo], m.at(s.off+lo*s.size))
	return buf[:hi-lo]
}

func (s source[T]) first(m *machine, buf []T) {
	if s.load == nil {
		buf[0] = *one[T](m, s.slot)
		return
	}
	s.load(buf, m.at(s.off))
}

// repeat fills a slice with its first element.
func repeat[T any](s []T) {
	for n := 1; n < len(s); n *= 2 {
		copy(s[n:], s[:n])
	}
}

func (s sink[T]) chunk(m *machine, lo, hi int, buf []T) []T {
	if s.store == nil {
		return unsafe.Slice((*T)(m.at(s.off)), hi)[lo:]
	}
	return buf[:hi-lo]
}

func (s sink[T]) flush(m *machine, lo int, vals []T) {
	if s.store != nil {
		s.store(m.at(s.off+lo*s.size), vals)
	}
}

// buffer gives one of the machine's buffers of a chunk.
func buffer[T any](m *machine, i int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&m.scratch[i])), chunk)
}

func unary[D, S any](d sink[D], x source[S], kernel func(d []D, x []S)) func(*machine) error {
	if d.store == nil && x.whole(d.n) {
		return func(m *machine) error {
			kernel(view[D](m, d.slot), view[S](m, x.slot))
			return nil
		}
	}
	return func(m *machine) error {
		n := m.count(d.n)
		for lo := 0; lo < n; lo += chunk {
			hi := min(lo+chunk, n)
			out := d.chunk(m, lo, hi, buffer[D](m, 0))
			kernel(out, x.chunk(m, d.n, lo, hi, buffer[S](m, 1)))
			d.flush(m, lo, out)
		}
		return nil
	}
}

func binary[D, S any](d sink[D], x, y source[S], kernel func(d []D, x, y []S)) func(*machine) error {
	if d.store == nil && x.whole(d.n) && y.whole(d.n) {
		return func(m *machine) error {
			kernel(view[D](m, d.slot), view[S](m, x.slot), view[S](m, y.slot))
			return nil
		}
	}
	return func(m *machine) error {
		n := m.count(d.n)
		for lo := 0; lo < n; lo += chunk {
			hi := min(lo+chunk, n)
			out := d.chunk(m, lo, hi, buffer[D](m, 0))
			kernel(out, x.chunk(m, d.n, lo, hi, buffer[S](m, 1)), y.chunk(m, d.n, lo, hi, buffer[S](m, 2)))
			d.flush(m, lo, out)
		}
		return nil
	}
}

func ternary[D, C, S any](d sink[D], c source[C], x, y source[S], kernel func(d []D, c []C, x, y []S)) func(*machine) error {
	return func(m *machine) error {
		n := m.count(d.n)
		step := chunk
		if d.store == nil && c.whole(d.n) && x.whole(d.n) && y.whole(d.n) {
			step = max(n, 1)
		}
		for lo := 0; lo < n; lo += step {
			hi := min(lo+step, n)
			out := d.chunk(m, lo, hi, buffer[D](m, 0))
			kernel(out,
				c.chunk(m, d.n, lo, hi, buffer[C](m, 1)),
				x.chunk(m, d.n, lo, hi, buffer[S](m, 2)),
				y.chunk(m, d.n, lo, hi, buffer[S](m, 3)))
			d.flush(m, lo, out)
		}
		return nil
	}
}

// each1 and each2 make a loop of what is done to one element.
func each1[D, S any](f func(S) D) func(d []D, x []S) {
	return func(d []D, x []S) {
		x = x[:len(d)]
		for i := range d {
			d[i] = f(x[i])
		}
	}
}

func each2[D, S any](f func(x, y S) D) func(d []D, x, y []S) {
	return func(d []D, x, y []S) {
		x, y = x[:len(d)], y[:len(d)]
		for i := range d {
			d[i] = f(x[i], y[i])
		}
	}
}

func each3[D, S any](f func(x, y, z S) D) func(d []D, x, y, z []S) {
	return func(d []D, x, y, z []S) {
		x, y, z = x[:len(d)], y[:len(d)], z[:len(d)]
		for i := range d {
			d[i] = f(x[i], y[i], z[i])
		}
	}
}

// copyStep copies a slot, repeating one element where d has more.
func copyStep(size int, d, s slot) func(*machine) error {
	switch size {
	case 1:
		return copyElems[uint8](d, s)
	case 2:
		return copyElems[uint16](d, s)
	case 4:
		return copyElems[uint32](d, s)
	}
	return copyElems[uint64](d, s)
}

func copyElems[T any](d, s slot) func(*machine) error {
	if d.n == s.n {
		return func(m *machine) error {
			copy(view[T](m, d), view[T](m, s))
			return nil
		}
	}
	return func(m *machine) error {
		out := view[T](m, d)
		out[0] = *one[T](m, s)
		repeat(out)
		return nil
	}
}
