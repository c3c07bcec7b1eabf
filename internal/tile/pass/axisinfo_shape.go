package pass

import "github.com/tegula-lang/tegula/internal/tile"

// moved gives a result of type t that has elements of x, with the axes still to be set.
func moved(t tile.Type, x *AxisInfo) AxisInfo {
	r := nothingKnown(t)
	r.known, r.value, r.nonNeg = x.known, x.value, x.nonNeg
	return r
}

func broadcastInfo(t, from tile.Type, x *AxisInfo) AxisInfo {
	r := *x
	for d := range t.Rank() {
		if from.LogDim(d) == 0 {
			r.axes[d].constant = uint8(t.LogDim(d))
		}
	}
	return r
}

func expandDimsInfo(t tile.Type, x *AxisInfo, at int) AxisInfo {
	r := moved(t, x)
	r.axes[at] = axis{div: x.all()}
	if t.Rank() == 1 { // x was a scalar
		return r
	}
	copy(r.axes[:at], x.axes[:at])
	copy(r.axes[at+1:t.Rank()], x.axes[at:])
	return r
}

func transInfo(t tile.Type, x *AxisInfo, order [tile.MaxRank]uint8) AxisInfo {
	r := moved(t, x)
	for d := range t.Rank() {
		r.axes[d] = x.axes[order[d]]
	}
	return r
}

// reshapeInfo looks at the bits of the row-major index: each dimension of either shape is a
// range of them, the last dimension the lowest.
func reshapeInfo(t, from tile.Type, x *AxisInfo, anyOrder bool) AxisInfo {
	r := moved(t, x)
	all := x.all()
	s, start := from.Rank()-1, 0 // the dimension of from that holds bit low, and its first bit
	low := 0
	for d := t.Rank() - 1; d >= 0; d-- {
		size := t.LogDim(d)
		r.axes[d].div = all
		if size == 0 {
			continue
		}
		for s > 0 && start+from.LogDim(s) <= low {
			start += from.LogDim(s)
			s--
		}
		if s >= 0 && !anyOrder {
			r.axes[d] = regroup(from, x, s, low-start, size, all)
		}
		low += size
	}
	if x.known {
		return uniformInfo(t, &r)
	}
	return r
}

// regroup gives what holds along a dimension of 2^size elements whose index starts at bit
// skip of dimension s of x.
func regroup(from tile.Type, x *AxisInfo, s, skip, size int, all uint8) axis {
	a := axis{div: all}
	if skip == 0 {
		a.contig = min(x.axes[s].contig, uint8(size))
		a.div = x.at(s, a.contig)
	}
	same := max(int(x.axes[s].constant)-skip, 0)
	for whole := from.LogDim(s) - skip; same == whole && s > 0; whole += from.LogDim(s) {
		s--
		same += int(x.axes[s].constant)
	}
	a.constant = uint8(min(same, size))
	return a
}

// catInfo is of a tile that has x in one half and y in the other.
func catInfo(t tile.Type, x, y *AxisInfo) AxisInfo {
	r := meet(x, y)
	if r.known {
		return uniformInfo(t, &r)
	}
	return r
}

// joinInfo is of a tile that has elements of x and y side by side.
func joinInfo(t tile.Type, x, y *AxisInfo) AxisInfo {
	both := meet(x, y)
	r := moved(t, &both)
	last := t.Rank() - 1
	copy(r.axes[:last], both.axes[:last])
	r.axes[last] = axis{div: both.all()}
	if r.known {
		return uniformInfo(t, &r)
	}
	return r
}

func splitInfo(t tile.Type, x *AxisInfo) AxisInfo {
	r := moved(t, x)
	if t.IsScalar() {
		r.axes[0].div = x.all()
		return r
	}
	copy(r.axes[:t.Rank()], x.axes[:t.Rank()])
	return r
}

func rangeInfo(t tile.Type, a tile.RangeAttr) AxisInfo {
	r := nothingKnown(t)
	r.axes[0] = axis{contig: uint8(t.LogDim(0)), div: trailingZeros(a.Start, t.ElemBits())}
	r.nonNeg = a.Start >= 0
	return r
}

// hintInfo believes what the author says. Of a number that is no power of two, its largest
// factor that is one counts.
func hintInfo(t tile.Type, x *AxisInfo, h tile.HintAttr) AxisInfo {
	r := *x
	for d := range int(r.rank) {
		a, v := &r.axes[d], trailingZeros(h.Values[d], 63)
		size := uint8(0)
		if t.IsTile() {
			size = uint8(t.LogDim(d))
		}
		switch {
		case h.Values[d] <= 0:
		case h.Kind == tile.HintDivisible:
			a.div = max(a.div, min(v, uint8(t.ElemBits())))
		case h.Kind == tile.HintContiguous:
			a.contig = max(a.contig, min(v, size))
		case h.Kind == tile.HintConstant:
			a.constant = max(a.constant, min(v, size))
		}
	}
	return r
}
