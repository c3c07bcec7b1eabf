package native

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// divisionKernel divides n elements of 64 bits.
func divisionKernel(n string) string {
	return strings.ReplaceAll(`
func @k(%x: ptr<i64>, %y: ptr<i64>, %a: ptr<i64>, %b: ptr<i64>, %c: ptr<i64>, %d: ptr<i64>) -> () {
  %i = range {start = 0, end = N} : Nxi32
  %xs = splat %x : Nxptr<i64>
  %xp = addptr %xs, %i : Nxptr<i64>
  %v = load %xp : Nxi64
  %ys = splat %y : Nxptr<i64>
  %yp = addptr %ys, %i : Nxptr<i64>
  %w = load %yp : Nxi64
  %p = divs %v, %w : Nxi64
  %q = rems %v, %w : Nxi64
  %r = divu %v, %w : Nxi64
  %s = remu %v, %w : Nxi64
  %as = splat %a : Nxptr<i64>
  %ap = addptr %as, %i : Nxptr<i64>
  store %ap, %p
  %bs = splat %b : Nxptr<i64>
  %bp = addptr %bs, %i : Nxptr<i64>
  store %bp, %q
  %cs = splat %c : Nxptr<i64>
  %cp = addptr %cs, %i : Nxptr<i64>
  store %cp, %r
  %ds = splat %d : Nxptr<i64>
  %dp = addptr %ds, %i : Nxptr<i64>
  store %dp, %s
  return
}
`, "N", n)
}

// Quotients and remainders of 64 bits are exact: of strips that f64 holds, up to its last integers, and of others.
func TestDivisionsOf64Bits(t *testing.T) {
	needOwnCode(t)
	const n = 4096
	edges := []int64{0, 1, -1, 2, 3, -7, 1 << 51, 1<<51 - 1, -1 << 51, -1<<51 - 1, 1 << 52, 1<<52 - 1, -1 << 52, 1 << 53, 1<<53 - 1, math.MaxInt64, math.MinInt64, 1<<26 + 1}
	r := rand.New(rand.NewPCG(3, 4))
	x, y := input{data: make([]byte, 8*n)}, input{data: make([]byte, 8*n)}
	for i := range n {
		bits := 1 + i/64 // so that there are strips of all sizes
		a, b := int64(r.Uint64()>>(64-min(bits, 53))), int64(r.Uint64()>>(64-min(1+r.IntN(bits), 53)))
		switch {
		case bits == 52: // strips of numbers without sign that are larger than any with one
		case bits > 53:
			a, b = int64(r.Uint64()), edges[r.IntN(len(edges))]
		case i%7 == 0 && b != 0:
			a = a / b * b // where the quotient is an integer, and just below that
			a -= int64(i % 2)
		case i%11 == 0:
			b = edges[r.IntN(10)]
		}
		if i%3 == 0 && bits != 53 && bits != 52 {
			a = -a
		}
		binary.LittleEndian.PutUint64(x.data[8*i:], uint64(a))
		binary.LittleEndian.PutUint64(y.data[8*i:], uint64(b))
	}
	out := input{data: make([]byte, 8*n)}
	equal(t, parse(t, divisionKernel("4096")), [3]int32{1, 1, 1}, x, y, out, out, out, out)
}

// What a quotient and a remainder of 64 bits cost, signed and unsigned.
func BenchmarkDivide(b *testing.B) {
	needNative(b)
	const n = 1024
	for name, shift := range map[string]int{"small": 30, "large": 0} {
		b.Run(name, func(b *testing.B) {
			p, err := Compile(parse(b, divisionKernel("1024")), options())
			if err != nil {
				b.Fatal(err)
			}
			x, y, out := make([]byte, 8*n), make([]byte, 8*n), make([]byte, 8*n)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range n {
				binary.LittleEndian.PutUint64(x[8*i:], r.Uint64()>>shift)
				binary.LittleEndian.PutUint64(y[8*i:], r.Uint64()>>40)
			}
			in := []input{{data: x}, {data: y}, {data: out}, {data: out}, {data: out}, {data: out}}
			for b.Loop() {
				runNative(b, p, [3]int32{1, 1, 1}, in)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/4, "ns/division")
		})
	}
}
