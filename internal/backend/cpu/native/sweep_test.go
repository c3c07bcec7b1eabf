package native

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
)

// sweepMasks are masks of elements numbered by %c, which is %start and a range, of a type.
var sweepMasks = []struct{ name, text string }{
	{"below", "%mask = cmpi %c, %nn {lts} : SHAPExi1"},
	{"below, unsigned", "%mask = cmpi %c, %nn {ltu} : SHAPExi1"},
	{"up to", "%mask = cmpi %c, %nn {les} : SHAPExi1"},
	{"up to, unsigned", "%mask = cmpi %c, %nn {leu} : SHAPExi1"},
	{"above it", "%mask = cmpi %nn, %c {gts} : SHAPExi1"},
	{"from it on", "%mask = cmpi %nn, %c {geu} : SHAPExi1"},
	{"not below", "%mask = cmpi %c, %nn {ges} : SHAPExi1"},
	{"equal", "%mask = cmpi %c, %nn {eq} : SHAPExi1"},
	{"two", "%m1 = cmpi %c, %nn {lts} : SHAPExi1\n  %zero = const 3 : SHAPExTYPE\n  %m2 = cmpi %zero, %c {les} : SHAPExi1\n  %mask = and %m1, %m2 : SHAPExi1"},
	{"two bounds", "%m1 = cmpi %c, %nn {lts} : SHAPExi1\n  %m2 = cmpi %c, %mm {les} : SHAPExi1\n  %mask = and %m1, %m2 : SHAPExi1"},
	{"all or none", "%m1 = cmpi %c, %nn {lts} : SHAPExi1\n  %on = cmpi %m, %n {ltu} : i1\n  %m2 = splat %on : SHAPExi1\n  %mask = and %m2, %m1 : SHAPExi1"},
	{"none known", "%m1 = cmpi %c, %nn {lts} : SHAPExi1\n  %s = mul %c, %c : SHAPExTYPE\n  %m2 = cmpi %s, %mm {gtu} : SHAPExi1\n  %mask = and %m1, %m2 : SHAPExi1"},
}

// sweepKernel stores where a mask holds, what is loaded where it holds, added up, in nests and in a reduction.
func sweepKernel(mask, typ string, elems int) string {
	number := ""
	if typ == "i64" {
		number = "%r = exts %i : SHAPExi64"
	}
	return strings.NewReplacer("SHAPE", fmt.Sprint(elems), "TYPE", typ).Replace(strings.NewReplacer("MASK", mask, "NUMBER", number, "RANGE", map[string]string{"i32": "%i", "i64": "%r"}[typ]).Replace(`
func @k(%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %start: TYPE, %n: TYPE, %m: TYPE) -> () {
  %i = range {start = 0, end = SHAPE} : SHAPExi32
  NUMBER
  %starts = splat %start : SHAPExTYPE
  %c = add %starts, RANGE : SHAPExTYPE
  %nn = splat %n : SHAPExTYPE
  %mm = splat %m : SHAPExTYPE
  MASK
  %xs = splat %x : SHAPExptr<f32>
  %xp = addptr %xs, %i : SHAPExptr<f32>
  %none = const 0x40000000 : SHAPExf32
  %v = load %xp, %mask, %none : SHAPExf32
  %w = fadd %v, %v : SHAPExf32
  %u = select %mask, %w, %v : SHAPExf32
  %ys = splat %y : SHAPExptr<f32>
  %yp = addptr %ys, %i : SHAPExptr<f32>
  store %yp, %u, %mask
  %zs = splat %z : SHAPExptr<f32>
  %zp = addptr %zs, %i : SHAPExptr<f32>
  %t = load %zp, %mask, %none : SHAPExf32
  %top = reduce %t {axis = 0} : f32 (%a: f32, %b: f32) {
    %s2 = fmax %a, %b : f32
    yield %s2
  }
  store %z, %top
  return
}
`))
}

// Masks hold up to where they do, whatever numbers they are of: also where those wrap around.
func TestSweepsUpToMasks(t *testing.T) {
	needNative(t)
	const elems = 256
	for _, typ := range []string{"i32", "i64"} {
		last := uint64(math.MaxInt32)
		if typ == "i64" {
			last = math.MaxInt64
		}
		bounds := [][3]uint64{} // the first number, and two that it may be below
		for _, n := range []uint64{0, 1, 15, 16, 17, 63, 64, 65, 100, 128, 191, 255, 256, 257, 1000} {
			bounds = append(bounds, [3]uint64{0, n, 70}, [3]uint64{40, 40 + n, 1 << 20}, [3]uint64{^uint64(19), n, 90})
		}
		for _, start := range []uint64{last - 100, last - 16, last, last + 1, ^uint64(99)} {
			bounds = append(bounds, [3]uint64{start, 5, last}, [3]uint64{start, last - 50, last}, [3]uint64{start, last, 7}, [3]uint64{start, last + 1, last}, [3]uint64{start, ^uint64(0), 3})
		}
		for _, mask := range sweepMasks {
			m := parse(t, sweepKernel(mask.text, typ, elems))
			p, err := Compile(m, options())
			if err != nil {
				t.Fatal(err)
			}
			checked, err := cpu.Compile(m, cpu.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range bounds {
				in := []input{floats(elems, 1), floats(elems, 2), floats(elems, 3)}
				for _, n := range b {
					in = append(in, input{bits: n & (last<<1 | 1)})
				}
				got, want := clone(in), clone(in)
				runNative(t, p, [3]int32{1, 1, 1}, got)
				if err := checked.Run(t.Context(), cpu.Launch{Grid: [3]int32{1, 1, 1}, Args: checkedArgs(want), Threads: 1}); err != nil {
					t.Fatal(err)
				}
				for i := range 3 {
					if !bytes.Equal(got[i].data, want[i].data) {
						t.Errorf("%s of %s: argument %d differs where the numbers begin at %d, and the bounds are %d and %d", mask.name, typ, i, int64(b[0]), int64(b[1]), int64(b[2]))
					}
				}
			}
		}
	}
}

// rowsKernel adds matrices where rows and columns are within bounds, each row with a bound of its own, and sums up rows.
const rowsKernel = `
func @k(%x: ptr<f32>, %y: ptr<f32>, %sums: ptr<f32>, %bounds: ptr<i32>, %stride: i32, %rows: i32, %cols: i32) -> () {
  %r = range {start = 0, end = 4} : 4xi32
  %c = range {start = 0, end = 256} : 256xi32
  %r1 = expand_dims %r {axis = 1} : 4x1xi32
  %c1 = expand_dims %c {axis = 0} : 1x256xi32
  %rr = broadcast %r1 : 4x256xi32
  %cc = broadcast %c1 : 4x256xi32
  %s = splat %stride : 4x256xi32
  %at = mul %rr, %s : 4x256xi32
  %off = add %at, %cc : 4x256xi32
  %bs = splat %bounds : 4xptr<i32>
  %bp = addptr %bs, %r : 4xptr<i32>
  %own = load %bp : 4xi32
  %own1 = expand_dims %own {axis = 1} : 4x1xi32
  %ownall = broadcast %own1 : 4x256xi32
  %m1 = cmpi %cc, %ownall {lts} : 4x256xi1
  %rows1 = splat %rows : 4x1xi32
  %m2row = cmpi %r1, %rows1 {lts} : 4x1xi1
  %m2 = broadcast %m2row : 4x256xi1
  %cols1 = splat %cols : 1x256xi32
  %m3row = cmpi %c1, %cols1 {lts} : 1x256xi1
  %m3 = broadcast %m3row : 4x256xi1
  %m12 = and %m1, %m2 : 4x256xi1
  %mask = and %m12, %m3 : 4x256xi1
  %zero = const 0 : 4x256xf32
  %xs = splat %x : 4x256xptr<f32>
  %xp = addptr %xs, %off : 4x256xptr<f32>
  %ys = splat %y : 4x256xptr<f32>
  %yp = addptr %ys, %off : 4x256xptr<f32>
  %v = load %xp, %mask, %zero : 4x256xf32
  %w = load %yp, %mask, %zero : 4x256xf32
  %sum = fadd %v, %w : 4x256xf32
  store %yp, %sum, %mask
  %top = reduce %v {axis = 1} : 4xf32 (%a: f32, %b: f32) {
    %t = fmax %a, %b : f32
    yield %t
  }
  %ts = splat %sums : 4xptr<f32>
  %tp = addptr %ts, %r : 4xptr<f32>
  store %tp, %top
  return
}
`

func TestSweepsOfRows(t *testing.T) {
	for _, own := range [][4]int32{{256, 256, 256, 256}, {0, 300, 17, 128}, {-5, 64, 63, 1}} {
		for rows := range 5 {
			for _, cols := range []uint64{0, 16, 100, 256, 999} {
				var bounds []byte
				for _, n := range own {
					bounds = binary.LittleEndian.AppendUint32(bounds, uint32(n))
				}
				equal(t, parse(t, rowsKernel), [3]int32{1, 1, 1}, floats(1100, 1), floats(1100, 2), floats(4, 3), input{data: bounds},
					input{bits: 270}, input{bits: uint64(rows)}, input{bits: cols})
			}
		}
	}
}
