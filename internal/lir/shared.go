package lir

import "slices"

// A life is the span of operations, in the order of the text, between which a buffer holds something.
type life struct{ buffer, first, last int }

// placeBuffers gives each shared buffer an offset such that buffers whose lives meet do not overlap, and drops those that nothing
// accesses to size 0. Buffers come in the order of their lives' begins and take the lowest place that is free.
func placeBuffers(f *Func) {
	lives := livesOf(f)
	var placed []life
	total := 0
	for _, l := range lives {
		s := &f.Shared[l.buffer]
		s.Offset = lowestFit(f, placed, l)
		placed = append(placed, l)
		total = max(total, s.Offset+s.Size)
	}
	f.SharedBytes = total
}

// lowestFit gives the lowest offset at which a buffer meets none that lives at the same time.
func lowestFit(f *Func, placed []life, l life) int {
	s := f.Shared[l.buffer]
	var taken [][2]int
	for _, p := range placed {
		if p.first <= l.last && l.first <= p.last {
			o := f.Shared[p.buffer]
			taken = append(taken, [2]int{o.Offset, o.Offset + o.Size})
		}
	}
	slices.SortFunc(taken, func(a, b [2]int) int { return a[0] - b[0] })
	at := 0
	for _, t := range taken {
		if at+s.Size <= t[0] {
			break
		}
		at = max(at, (t[1]+s.Align-1)/s.Align*s.Align)
	}
	return at
}

// livesOf gives the lives of the buffers that are accessed, by their begin.
func livesOf(f *Func) []life {
	w := &lifeWalk{lives: make([]life, len(f.Shared)), reading: map[int]bool{}}
	for i := range w.lives {
		w.lives[i] = life{i, -1, -1}
	}
	w.block(f.Body)
	for buffer := range w.reading {
		w.touch(buffer)
	}
	var lives []life
	for i, l := range w.lives {
		for _, loop := range w.loops {
			l.spanLoop(loop)
		}
		if f.Shared[i].Whole {
			l.first, l.last = 0, w.at
		}
		if l.first < 0 {
			f.Shared[i].Size = 0
			continue
		}
		lives = append(lives, l)
	}
	slices.SortStableFunc(lives, func(a, b life) int { return a.first - b.first })
	return lives
}

// spanLoop has a buffer that is accessed in a loop and in front of it live until the loop's end, and one that is accessed in a loop and behind it
// live from the loop's begin: what one iteration leaves there, the next ones must not overwrite.
func (l *life) spanLoop(loop span) {
	switch begins, ends := l.first > loop.first && l.first <= loop.last, l.last > loop.first && l.last <= loop.last; {
	case ends && l.first >= 0 && !begins:
		l.last = loop.last
	case begins && !ends:
		l.first = loop.first
	}
}

// A span is that of a loop's operations.
type span struct{ first, last int }

type lifeWalk struct {
	at      int
	lives   []life
	loops   []span
	reading map[int]bool // buffers that matrix instructions of warp groups may not be done with
}

func (w *lifeWalk) touch(buffer int) {
	l := &w.lives[buffer]
	if l.first < 0 {
		l.first = w.at
	}
	l.last = w.at
}

func (w *lifeWalk) block(b *Block) {
	for _, op := range b.Ops {
		w.at++
		for _, m := range [...]*Mem{op.Mem, op.From} {
			if m != nil && m.Space == Shared {
				w.touch(m.Buffer)
				if op.Code == OpGroupMMA {
					w.reading[m.Buffer] = true
				}
			}
		}
		if op.Code == OpGroupWait {
			for buffer := range w.reading {
				w.touch(buffer)
			}
			if op.Imm == 0 {
				clear(w.reading)
			}
		}
		start := w.at
		for _, r := range op.Regions {
			w.block(r)
		}
		if op.Code != OpFor && op.Code != OpWhile {
			continue
		}
		for buffer := range w.reading { // what is still read at the end is read at the next iteration's begin
			if l := &w.lives[buffer]; l.first > start {
				l.first = start
			}
		}
		w.loops = append(w.loops, span{start, w.at})
	}
}
