package native

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

const extremumKernel = `
func @k(%x: ptr<T>, %y: ptr<T>, %each: ptr<T>, %rows: ptr<T>, %loop: ptr<T>) -> () {
  %n = range {start = 0, end = ALL} : ALLxi32
  %i = reshape %n : SHAPExi32
  %xs = splat %x : SHAPExptr<T>
  %xp = addptr %xs, %i : SHAPExptr<T>
  %xl = load %xp : SHAPExT
  %ys = splat %y : SHAPExptr<T>
  %yp = addptr %ys, %i : SHAPExptr<T>
  %b = load %yp : SHAPExT
  %one = const 1.0 : SHAPExT
  %a = QUIET : SHAPExT
  %e = OP %a, %b {NAN} : SHAPExT
  %es = splat %each : SHAPExptr<T>
  %ep = addptr %es, %i : SHAPExptr<T>
  store %ep, %e
  %r = reduce %a {axis = 1} : ROWSxT (%c: T, %d: T) {
    %o = OP %c, %d {NAN} : T
    yield %o
  }
  %l = range {start = 0, end = ROWS} : ROWSxi32
  %rs = splat %rows : ROWSxptr<T>
  %rp = addptr %rs, %l : ROWSxptr<T>
  store %rp, %r
  %from = const 0 : i32
  %to = const 3 : i32
  %step = const 1 : i32
  %start = const 0.0 : ROWSxT
  %last = for %from, %to, %step, %start : ROWSxT (%t: i32, %top: ROWSxT) {
    %new = OP %top, %r {NAN} : ROWSxT
    yield %new
  }
  %ls = splat %loop : ROWSxptr<T>
  %lp = addptr %ls, %l : ROWSxptr<T>
  store %lp, %last
  return
}
`

// special gives numbers of w bytes among which there are zeros of both signs, infinities, and NaNs, quiet and signaling ones.
func special(w, n int, seed uint64) input {
	words := []uint64{
		0, 1 << 63, math.Float64bits(1), math.Float64bits(-1), math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)),
		0x7ff8000000000001, 0xfff8000000000000, 0x7ff0000000000001, 0xfff0000000000100, 1, 1<<63 | 1,
	}
	if w == 4 {
		words = []uint64{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 0x7f800001, 0xff800100, 1, 1<<31 | 1}
	}
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, 0, n*w)
	for i := range n {
		few := []int{2, len(words)}[i/16%2] // zeros alone, or all of them
		b = append(b, binary.LittleEndian.AppendUint64(nil, words[r.IntN(few)])[:w]...)
	}
	return input{data: b}
}

// The smaller and the larger of two floats are those of the executor: element by element, along rows, and in a loop. NaNs may have other bits.
func TestExtremaOfSpecialNumbers(t *testing.T) {
	needOwnCode(t)
	for _, elem := range []string{"f32", "f64"} {
		for _, op := range []string{"fmin", "fmax"} {
			for _, nan := range []string{"", " {propagate_nan}"} {
				for _, quiet := range []string{"reshape %xl", "fmul %xl, %one"} {
					for _, shape := range [][2]int{{1, 64}, {8, 16}, {16, 64}, {64, 32}, {128, 4}} {
						name := fmt.Sprintf("%s %s%s %s %v", op, elem, nan, quiet[:4], shape)
						t.Run(name, func(t *testing.T) { extremaAreEqual(t, elem, op, nan, quiet, shape) })
					}
				}
			}
		}
	}
}

func extremaAreEqual(t *testing.T, elem, op, nan, quiet string, shape [2]int) {
	all, w := shape[0]*shape[1], map[string]int{"f32": 4, "f64": 8}[elem]
	text := strings.NewReplacer(" {NAN}", nan, "ALL", fmt.Sprint(all), "SHAPE", fmt.Sprintf("%dx%d", shape[0], shape[1]), "ROWS", fmt.Sprint(shape[0]),
		"OP", op, "QUIET", quiet, "<T>", "<"+elem+">", "xT", "x"+elem, ": T", ": "+elem).Replace(extremumKernel)
	in := []input{special(w, all, 1), special(w, all, 2), {data: make([]byte, all*w)}, {data: make([]byte, shape[0]*w)}, {data: make([]byte, shape[0]*w)}}
	got, want := bothRun(t, parse(t, text), [3]int32{1, 1, 1}, in)
	for k := 2; k < len(in); k++ {
		for at := 0; at < len(in[k].data); at += w {
			g, x := word(got[k].data[at:], w), word(want[k].data[at:], w)
			if g != x && !(isNaNBits(g, w) && isNaNBits(x, w)) {
				t.Fatalf("result %d, element %d: %#x, want %#x", k-2, at/w, g, x)
			}
		}
	}
}

func word(b []byte, w int) uint64 {
	if w == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func isNaNBits(bits uint64, w int) bool {
	if w == 4 {
		return bits&0x7fffffff > 0x7f800000
	}
	return bits&(1<<63-1) > 0x7ff<<52
}

// Rows that are combined 16 at a time keep the order of their elements: the last one that is not zero.
func TestRowsKeepTheOrder(t *testing.T) {
	needOwnCode(t)
	for rows := 3; rows < 8; rows++ {
		for cols := range 9 {
			text := strings.NewReplacer("ALL", fmt.Sprint(1<<(rows+cols)), "SHAPE", fmt.Sprintf("%dx%d", 1<<rows, 1<<cols), "ROWS", fmt.Sprint(1<<rows)).Replace(`
func @k(%x: ptr<i32>, %y: ptr<i32>, %z: ptr<i32>) -> () {
  %n = range {start = 0, end = ALL} : ALLxi32
  %i = reshape %n : SHAPExi32
  %xs = splat %x : SHAPExptr<i32>
  %xp = addptr %xs, %i : SHAPExptr<i32>
  %a = load %xp : SHAPExi32
  %three = const 3 : SHAPExi32
  %b = and %a, %three : SHAPExi32
  %r = reduce %b {axis = 1} : ROWSxi32 (%c: i32, %d: i32) {
    %zero = const 0 : i32
    %is = cmpi %d, %zero {eq} : i1
    %o = select %is, %c, %d : i32
    yield %o
  }
  %s = reduce %a {axis = 1} : ROWSxi32 (%e: i32, %f: i32) {
    %p = add %e, %f : i32
    yield %p
  }
  %l = range {start = 0, end = ROWS} : ROWSxi32
  %ys = splat %y : ROWSxptr<i32>
  %yp = addptr %ys, %l : ROWSxptr<i32>
  store %yp, %r
  %zs = splat %z : ROWSxptr<i32>
  %zp = addptr %zs, %l : ROWSxptr<i32>
  store %zp, %s
  return
}
`)
			out := make([]byte, 4<<rows)
			equal(t, parse(t, text), [3]int32{1, 1, 1}, ints(1<<(rows+cols), 3), input{data: out}, input{data: append([]byte(nil), out...)})
		}
	}
}
