package layout

// InRounds gives an order in which a tile goes from one layout to another through memory of at most limit bytes: an invertible map of element numbers,
// whose lowest bits are a place in the buffer, in elements, and whose others are the number of the round in which the element goes. A register of To is
// read in one round, whatever the thread; one of From is written in one round, too, if there is an order for that, else the thread decides. It
// reports how many bits of round there are, and whether there is an order.
func InRounds(from, to *Layout, elemBits, limit int) (order Matrix, rounds int, ok bool) {
	n, elem := from.Bits(), max(1, elemBits/8)
	for rounds < n && elem<<(n-rounds) > limit {
		rounds++
	}
	// What differs by these goes in one round: as much of it as leaves enough rounds.
	together := threadSpan(to)
	if n-together.Dim() < rounds {
		return Matrix{}, 0, false
	}
	both := threadSpan(from, to)
	vector := log2(max(1, vectorBytes/elem))
	for _, list := range [][]uint64{both.Basis(), firsts(to, vector), firsts(from, vector)} {
		for _, v := range list {
			if n-together.Dim() > rounds {
				together.Add(v)
			}
		}
	}
	threadsDecide := false // in which round a register of From is written
	for _, v := range both.Basis() {
		threadsDecide = threadsDecide || !together.Has(v)
	}
	apart := together
	var differ []uint64
	for i := to.InBits(Register) - 1; i >= 0 && len(differ) < rounds; i-- {
		if v := to.Basis(Register, i); apart.Add(v) {
			differ = append(differ, v)
		}
	}
	number := coordinates(n, differ, together)
	span := SpanOf(differ...)
	var rest []uint64
	for i := range n {
		if span.Add(1 << i) {
			rest = append(rest, 1<<i)
		}
	}
	inRound := coordinates(n, rest, SpanOf(differ...))
	a, b := *from, to.ofRegisters(sameRound(to, &number))
	if !threadsDecide {
		a = from.ofRegisters(sameRound(from, &number))
	}
	m := Through(a.Compose(&inRound), b.Compose(&inRound), elemBits, 0)
	order = m.Offset.After(&inRound)
	order.out = uint8(n)
	for i := range n {
		order.col[i] |= number.col[i] << (n - rounds)
	}
	return order, rounds, true
}

// firsts gives the basis vectors of a layout's first register bits.
func firsts(l *Layout, n int) []uint64 { return l.bases(Register)[:min(n, l.InBits(Register))] }
