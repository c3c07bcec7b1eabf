package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// A longProduct is what two strips of 32 bits are multiplied to, 64 bits each: those of the even lanes, and those of the odd ones. Who wants the upper
// halves often wants the lower ones too (Philox does), so both are taken from the same product.
type longProduct struct{ even, odd reg }

// product gives the product of two strips, once in a nest.
func (x *nest) product(args []*val, in []reg) longProduct {
	key := [2]*val(args)
	if p, ok := x.products[key]; ok {
		return p
	}
	g := x.g
	odd := func(i int) reg {
		if args[i].uni {
			return in[i] // the same in all lanes
		}
		return g.rmi(amd64.VPSRLQ, in[i], 32)
	}
	p := longProduct{g.rvm(amd64.VPMULUDQ, in[0], in[1]), g.rvm(amd64.VPMULUDQ, odd(0), odd(1))}
	x.products[key] = p
	return p
}

// upperOf gives the upper halves: the odd lanes of the odd products, and those of the even products moved down.
func (x *nest) upperOf(p longProduct) reg { return x.g.merged(amd64.VMOVSHDUP, p.odd, p.even, 0x5555) }

// lowerOf gives the lower halves: the even lanes of the even products, and those of the odd products moved up.
func (x *nest) lowerOf(p longProduct) reg { return x.g.merged(amd64.VMOVSLDUP, p.even, p.odd, 0xaaaa) }

// merged gives a with an operation's results in the lanes that bits select.
func (g *generator) merged(op amd64.Op, a, b reg, bits uint16) reg {
	if g.selects != nil { // where a masked operation is two instructions, a need not be copied first
		return g.blend(4, g.lanesIn(bits), a, g.rm(op, b))
	}
	i := ins(op)
	i.A, i.B, i.K = g.move(a), b, g.lanesIn(bits)
	g.emit(i)
	return i.A
}

// lanesIn gives a constant mask.
func (g *generator) lanesIn(bits uint16) reg {
	k := g.mask()
	g.load(amd64.KMOVld, k, g.constant(2, []byte{byte(bits), byte(bits >> 8)}))
	return k
}
