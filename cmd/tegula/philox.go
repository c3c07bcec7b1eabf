package main

import "math"

// philox gives the four random words of Philox 4×32 with ten rounds (Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011) for a key and a counter; the
// language's tl.rand4x(seed, counter) starts from the same ones.
func philox(seed uint64, counter uint32) [4]uint32 {
	const (
		multiplier0, multiplier1 = 0xD2511F53, 0xCD9E8D57
		weyl0, weyl1             = 0x9E3779B9, 0xBB67AE85
		rounds                   = 10
	)
	k0, k1 := uint32(seed), uint32(seed>>32)
	var c1, c2, c3 uint32
	c0 := counter
	for range rounds {
		p0, p1 := uint64(multiplier0)*uint64(c0), uint64(multiplier1)*uint64(c2)
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += weyl0
		k1 += weyl1
	}
	return [4]uint32{c0, c1, c2, c3}
}

// uniform maps a word to [0, 1) as tl.uint_to_uniform_float does.
func uniform(word uint32) float32 {
	n := int32(word)
	n ^= n >> 31 // -n-1 if n is negative
	return float32(n) * 4.6566127342e-10
}

// uniform4 gives four numbers in [0, 1): tl.rand4x(seed, counter).
func uniform4(seed uint64, counter uint32, out *[4]float32) {
	for k, word := range philox(seed, counter) {
		out[k] = uniform(word)
	}
}

// normal4 gives four normally distributed numbers: tl.randn4x(seed, counter), but for the last bits
// of logarithm, sine and cosine.
func normal4(seed uint64, counter uint32, out *[4]float32) {
	uniform4(seed, counter, out)
	out[0], out[1] = boxMuller(out[0], out[1])
	out[2], out[3] = boxMuller(out[2], out[3])
}

// boxMuller makes two normally distributed numbers of two uniform ones.
func boxMuller(u1, u2 float32) (float32, float32) {
	r := math.Sqrt(-2 * math.Log(max(float64(u1), 1e-7)))
	sin, cos := math.Sincos(2 * math.Pi * float64(u2))
	return float32(r * cos), float32(r * sin)
}
