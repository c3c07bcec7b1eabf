package difftest

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

var fillForm = regexp.MustCompile(`^(\w+)(?:\((.*)\))?$`)

// special are the floats that break things: zeros, infinities, NaN, subnormals of f16, limits.
var special = [16]float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, 0x1p-14, 0x1p-24,
	65504, -65504, 3, 1 + 0x1p-10, -2.5, 1e-3}

// splitMix gives word i (from 0) of the SplitMix64 stream that starts at seed.
func splitMix(seed uint64, i int) uint64 {
	z := seed + uint64(i+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func fnv(text string) uint64 {
	h := uint64(0xCBF29CE484222325)
	for _, b := range []byte(text) {
		h = (h ^ uint64(b)) * 0x100000001B3
	}
	return h
}

// fill makes an array as testdata/expected.py does.
func fill(kernel, param string, d dtype.DType, dims []int, spec string) ([]byte, error) {
	n := 1
	for _, dim := range dims {
		n *= dim
	}
	m := fillForm.FindStringSubmatch(spec)
	if m == nil {
		return nil, fmt.Errorf("%q is no fill", spec)
	}
	var args [2]float64
	if m[2] != "" {
		for i, a := range strings.Split(m[2], ",") {
			v, err := strconv.ParseFloat(a, 64)
			if err != nil || i > 1 {
				return nil, fmt.Errorf("%q: bad argument %q", spec, a)
			}
			args[i] = v
		}
	}
	seed := fnv(kernel + "/" + param)
	out := make([]byte, 0, n*d.Bytes())
	for i := range n {
		w := splitMix(seed, i)
		var v float64
		switch m[1] {
		case "bits":
			out = appendBits(out, d, w)
			continue
		case "rand":
			v = args[0] + float64((args[1]-args[0])*(float64(w>>40)/(1<<24)))
		case "int":
			v = args[0] + float64(w%uint64(args[1]-args[0]+1))
		case "seq":
			v = args[0] + float64(args[1]*float64(i))
			if d.IsFP8() { // the codes themselves
				out = append(out, byte(int64(v)))
				continue
			}
		case "const":
			v = args[0]
		case "special":
			v = special[i%16]
		case "specialr":
			v = special[(i/16+i)%16]
		default:
			return nil, fmt.Errorf("unknown fill %q", m[1])
		}
		out = appendNumber(out, d, v)
	}
	return out, nil
}

func appendNumber(out []byte, d dtype.DType, v float64) []byte {
	switch {
	case d.IsBool():
		if v != 0 {
			return append(out, 1)
		}
		return append(out, 0)
	case d.IsFloat():
		return appendBits(out, d, d.Encode(v))
	}
	return appendBits(out, d, uint64(int64(v)))
}

func appendBits(out []byte, d dtype.DType, bits uint64) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	return append(out, b[:d.Bytes()]...)
}
