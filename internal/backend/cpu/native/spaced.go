package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Elements of up to four bytes that do not lie side by side. Where they are a few bytes apart, always as many, as the halves of complex numbers are, AVX-512 moves them together with
// what lies between: its masks select single bytes, and those that are not selected are neither read nor written.
//
//	bf16, 4 bytes apart   e0 .. e1 .. e2 .. …    vmovdqu8 z{0011…0011}{z}: each is in its lane, zero-extended
//
// Others of one or two bytes are gathered as aligned words of 4 bytes. Such a word is in one page, so who may read a byte of it may read it all.

// spaced reports whether an element's strip is moved with masks of bytes: lanes are 2, 4 or 8 bytes apart.
func (g *generator) spaced(t tile.Type, p *val) bool {
	size := int64(t.ElemBytes())
	return g.selects == nil && p.affine && size <= 4 && p.step > size && (p.step == 2 || p.step == 4 || p.step == 8)
}

// A bytesMask selects bytes of a vector of a length.
type bytesMask struct {
	k reg
	l amd64.Len
}

// byteMasks gives the masks of the bytes of spaced elements, as many as vectors hold the elements' strip.
func (g *generator) byteMasks(size int, step int64, k reg) []bytesMask {
	own := g.splatBits(4, 1<<(8*size)-1)
	if k != none {
		i := ins(amd64.VPANDD)
		i.A, i.B, i.C, i.K, i.Zero = g.vec(), own, own, k, true
		g.emit(i)
		own = i.A
	}
	var masks []bytesMask
	for _, v := range g.apart(own, step) {
		i := ins(amd64.VPTESTMB)
		i.A, i.B, i.C, i.L = g.mask(), v, v, amd64.Z
		if step == 2 {
			i.L = amd64.Y
		}
		g.emit(i)
		masks = append(masks, bytesMask{i.A, i.L})
	}
	return masks
}

// apart gives lanes of 4 bytes step bytes apart, and together as lanes again.
func (g *generator) apart(v reg, step int64) []reg {
	switch step {
	case 2:
		return []reg{g.narrowed(amd64.VPMOVDW, v, 0)}
	case 8:
		return []reg{g.rm(amd64.VPMOVZXDQ, v), g.rm(amd64.VPMOVZXDQ, g.upperHalf(v))}
	}
	return []reg{v}
}

func (g *generator) together(vs []reg, step int64) reg {
	switch step {
	case 2:
		return g.rm(amd64.VPMOVZXWD, vs[0])
	case 8:
		return g.joined(g.narrowed(amd64.VPMOVQD, vs[0], 0), g.narrowed(amd64.VPMOVQD, vs[1], 0))
	}
	return vs[0]
}

// loadSpaced gives the bits of spaced elements, zero where the mask is off.
func (x *nest) loadSpaced(t tile.Type, p *val, k reg) reg {
	g := x.g
	var vs []reg
	for n, m := range g.byteMasks(t.ElemBytes(), p.step, k) {
		i := ins(amd64.VMOVDQU8)
		i.A, i.L, i.HasMem, i.M, i.K, i.Zero = g.vec(), m.l, true, p.operand(int64(n*g.vectorBytes)), m.k, true
		g.emit(i)
		vs = append(vs, i.A)
	}
	return g.together(vs, p.step)
}

func (x *nest) storeSpaced(t tile.Type, p *val, bits, k reg) {
	g := x.g
	vs := g.apart(bits, p.step)
	for n, m := range g.byteMasks(t.ElemBytes(), p.step, k) {
		i := ins(amd64.VMOVDQU8st)
		i.A, i.L, i.HasMem, i.M, i.K = vs[n], m.l, true, p.operand(int64(n*g.vectorBytes)), m.k
		g.emit(i)
	}
}

// gatherNarrow gives the bits of elements of one or two bytes that lie anywhere: of the words that they begin in, and, of those few that a word does not have whole,
// of the next ones.
func (x *nest) gatherNarrow(size int, ptrs [2]reg, k reg) reg {
	g := x.g
	zero := g.gpr()
	g.op3(amd64.XORL, zero, zero, none, 0)
	inWord := g.splatBits(8, ^uint64(3))
	var words [2]reg
	for h, p := range ptrs {
		words[h] = g.rvm(amd64.VPANDQ, p, inWord)
	}
	get := func(k reg, disp int32) reg {
		var parts [2]reg
		for h, w := range words {
			kh := k
			if h == 1 && k != none {
				kh = g.upper(k)
			}
			parts[h] = x.gather(amd64.VPGATHERQD, amd64.Mem{Base: zero, Index: w, Scale: 1, Disp: disp}, kh)
		}
		return g.joined(parts[0], parts[1])
	}
	three := g.splatBits(4, 3)
	at := g.rvm(amd64.VPANDD, g.joined(g.narrowed(amd64.VPMOVQD, ptrs[0], 0), g.narrowed(amd64.VPMOVQD, ptrs[1], 0)), three)
	v := g.rvm(amd64.VPANDD, g.rvm(amd64.VPSRLVD, get(k, 0), g.rmi(amd64.VPSLLD, at, 3)), g.splatBits(4, 1<<(8*size)-1))
	if size == 1 {
		return v
	}
	parted := g.cmp(amd64.VPCMPUD, at, three, cmpEQ)
	if k != none {
		parted = g.kop(amd64.KAND, parted, k, 0)
	}
	whole := g.label()
	g.op3(amd64.KORTEST, parted, parted, none, 0)
	g.jcc(amd64.CCE, whole)
	second := g.rvm(amd64.VPANDD, get(parted, 4), g.splatBits(4, 0xff))
	g.op3(amd64.VPORD, v, v, g.rmi(amd64.VPSLLD, second, 8), 0)
	g.bind(whole)
	return v
}
