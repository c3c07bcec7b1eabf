package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
)

// An Access is how well an operation uses the memory, over the whole run.
type Access struct {
	Op    *lir.Op
	Space lir.Space // of an asynchronous copy, there is one of each
	Place diag.Place
	// Requests counts a warp's accesses. Moved is what they moved and Least what they had to: sectors of 32 bytes of global memory, passes
	// through the banks of shared memory.
	Requests, Moved, Least int64
}

// Excess gives how many times as much was moved as had to be.
func (a *Access) Excess() float64 { return float64(a.Moved) / float64(max(a.Least, 1)) }

// String gives one line.
func (a *Access) String() string {
	unit := "sectors of 32 bytes"
	if a.Space == lir.Shared {
		unit = "passes through the banks"
	}
	return fmt.Sprintf("%s: %s in %s memory: %d requests of warps, %d %s, %d would do", a.Place, a.Op.Code, a.Space, a.Requests, a.Moved, unit, a.Least)
}

// accesses gives what was counted.
func (m *machine) accesses() []Access {
	var list []Access
	for _, p := range m.profiles {
		if p.requests > 0 {
			list = append(list, Access{Op: p.op, Space: p.mem.Space, Place: m.place(p.op), Requests: p.requests, Moved: p.moved, Least: p.least})
		}
	}
	slices.SortStableFunc(list, func(a, b Access) int { return cmp.Compare(b.Moved, a.Moved) })
	return list
}

// A profile counts what an operation moves.
type profile struct {
	op                     *lir.Op
	mem                    *lir.Mem
	size                   int // of a thread's access
	requests, moved, least int64
	addresses              []uint64
}

// The machine's memories.
const (
	sector    = 32
	banks     = 32
	bankWidth = 4
)

// count counts the accesses of some threads, warp by warp.
func (p *profile) count(a *access, threads []int32) {
	size := int32(a.m.f.WarpSize)
	for len(threads) > 0 {
		w := threads[0] / size
		p.addresses = p.addresses[:0]
		n := 0
		for ; n < len(threads) && threads[n]/size == w; n++ {
			if t := threads[n]; a.happens(t) && (a.lanes == 0 || int(t%size) < a.lanes) {
				address := a.address[t] + uint64(a.mem.Offset)
				if a.mem.Space == lir.Shared {
					address = uint64(int64(int32(a.address[t])) + a.mem.Offset + int64(a.m.f.Shared[a.mem.Buffer].Offset))
				}
				p.addresses = append(p.addresses, address)
			}
		}
		threads = threads[n:]
		if len(p.addresses) == 0 {
			continue
		}
		p.requests++
		if a.mem.Space == lir.Shared {
			p.passes()
		} else {
			p.sectors()
		}
	}
}

// sectors counts the pieces of memory that a warp's access touches, and how many its bytes would fill.
func (p *profile) sectors() {
	var touched []uint64
	var bytes [][2]uint64
	for _, a := range p.addresses {
		end := a + uint64(p.size)
		bytes = append(bytes, [2]uint64{a, end})
		for s := a / sector; s <= (end-1)/sector; s++ {
			touched = append(touched, s)
		}
	}
	slices.Sort(touched)
	p.moved += int64(len(slices.Compact(touched)))
	slices.SortFunc(bytes, func(x, y [2]uint64) int { return cmp.Compare(x[0], y[0]) })
	var distinct, upTo uint64
	for _, b := range bytes {
		from := max(b[0], upTo)
		if b[1] > from {
			distinct += b[1] - from
			upTo = b[1]
		}
	}
	p.least += int64((distinct + sector - 1) / sector)
}

// passes counts how often the banks are used: accesses of 8 bytes go by half warps, of 16 by quarters. Threads that want the same
// word share it.
func (p *profile) passes() {
	lanes := banks * bankWidth / max(p.size, bankWidth)
	for group := range slices.Chunk(p.addresses, lanes) {
		words := map[uint64]bool{}
		for _, a := range group {
			for w := a / bankWidth; w <= (a+uint64(p.size)-1)/bankWidth; w++ {
				words[w] = true
			}
		}
		var each [banks]int64
		for w := range words {
			each[w%banks]++
		}
		p.moved += slices.Max(each[:])
		p.least += int64((len(words) + banks - 1) / banks)
	}
}
