package shadow

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// An event is an access of one program to one of a few elements, or a synchronisation at one of two addresses.
type event struct {
	program  int64
	kind     Kind
	element  uint64
	value    uint32
	place    uint64 // synchronises here if not 0
	acquires bool
	releases bool
}

func drawEvents(t *rapid.T, sync bool) []event {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
		e := event{
			program: rapid.Int64Range(0, 3).Draw(t, "program"),
			kind:    Kind(rapid.IntRange(0, 3).Draw(t, "kind")),
			element: rapid.Uint64Range(0, 2).Draw(t, "element"),
			value:   rapid.Uint32Range(0, 1).Draw(t, "value"),
		}
		if sync && rapid.Bool().Draw(t, "sync") {
			e.place = rapid.Uint64Range(1, 2).Draw(t, "place")
			e.acquires, e.releases = rapid.Bool().Draw(t, "acquires"), rapid.Bool().Draw(t, "releases")
		}
		return e
	}), 0, 30).Draw(t, "events")
}

// conflicts finds out by the definition: every access is compared with every earlier one, and an access happens before another if
// a chain of programs' own order and of releases and acquires leads from it there.
func conflicts(events []event) bool {
	before := make([][]bool, len(events)) // before[i][j]: i happens before j
	for j, e := range events {
		for i := range j {
			before[i] = append(before[i], false)
			d := events[i]
			before[i][j-i-1] = d.program == e.program ||
				d.place != 0 && d.place == e.place && d.releases && e.acquires
		}
	}
	for j := range events { // events are in order, so one sweep closes the chains
		for i := range j {
			for k := i + 1; k < j; k++ {
				before[i][j-i-1] = before[i][j-i-1] || before[i][k-i-1] && before[k][j-k-1]
			}
		}
	}
	for j, e := range events {
		for i, d := range events[:j] {
			if e.place|d.place != 0 || e.element != d.element || before[i][j-i-1] {
				continue
			}
			writes := e.kind == Write || e.kind == Atomic || d.kind == Write || d.kind == Atomic
			if writes && (e.kind < Atomic || d.kind < Atomic) {
				return true
			}
		}
	}
	return false
}

func found(events []event) bool {
	m, o := New(12, 4, true, NewBudget(1<<20)), &Order{}
	actors := make([]Actor, 4)
	for i := range actors {
		actors[i].Begin(int64(i))
	}
	for i, e := range events {
		a := &actors[e.program]
		if e.place != 0 {
			o.Begin()
			o.End(a, e.place, e.acquires, e.releases)
			continue
		}
		if _, bad := m.Touch(a, e.kind, i+1, 4*e.element, 4, unsafe.Pointer(&e.value)); bad {
			return true
		}
	}
	return false
}

// Two programs are compared in full, but for one that reads in both ways; of more, a third reader may be forgotten.
func TestConflictsAreTheDefinition(t *testing.T) {
	for _, sync := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			events := drawEvents(t, sync)
			for i := range events {
				events[i].program &= 1
				if sync && events[i].kind == AtomicRead {
					events[i].kind = Read
				}
			}
			if got, want := found(events), conflicts(events); got != want {
				t.Fatalf("found %v, want %v", got, want)
			}
		})
	}
}

func TestNoConflictIsMadeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if events := drawEvents(t, true); found(events) && !conflicts(events) {
			t.Fatal("found a conflict where there is none")
		}
	})
}

// Without synchronisation it does not matter in which order programs run.
func TestOrderOfProgramsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t, false)
		want := found(events)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		if got := found(events); got != want {
			t.Fatalf("%v in another order, %v before", got, want)
		}
	})
}

func TestConflictIsNamed(t *testing.T) {
	m := New(1<<14, 2, false, NewBudget(1<<20))
	values := make([]uint16, 1<<13)
	var a, b Actor
	a.Begin(7)
	b.Begin(1 << 31)
	if c, bad := m.Touch(&a, Write, 5, 1<<13, 1<<12, unsafe.Pointer(&values[0])); bad {
		t.Fatal(c)
	}
	c, bad := m.Touch(&b, Read, 6, 0, 1<<14, nil)
	if !bad || c.Offset != 1<<13 || c.Other.Program() != 7 || c.Other.Site() != 5 {
		t.Errorf("%+v, %v", c, bad)
	}
}

// Programs that store the same do no harm, unless one asks for strictness.
func TestSameStores(t *testing.T) {
	for _, strict := range []bool{false, true} {
		m := New(8, 4, strict, NewBudget(1<<20))
		var a, b Actor
		a.Begin(0)
		b.Begin(1)
		same, other := [2]uint32{1, 2}, [2]uint32{1, 3}
		m.Touch(&a, Write, 1, 0, 8, unsafe.Pointer(&same))
		if _, bad := m.Touch(&b, Write, 1, 0, 8, unsafe.Pointer(&same)); bad != strict {
			t.Errorf("strict %v: %v", strict, bad)
		}
		if c, bad := m.Touch(&b, Write, 1, 0, 8, unsafe.Pointer(&other)); !bad || !strict && c.Offset != 4 {
			t.Errorf("%+v, %v", c, bad)
		}
	}
}

// What is beyond the budget is not looked at.
func TestBudget(t *testing.T) {
	m := New(1<<20, 1, false, NewBudget(int64(unsafe.Sizeof(page{}))))
	var a, b Actor
	a.Begin(0)
	b.Begin(1)
	values := [2][pageCells * 2]byte{{1: 1, pageCells: 1}}
	m.Touch(&a, Write, 1, 0, pageCells*2, unsafe.Pointer(&values[0]))
	if c, bad := m.Touch(&b, Write, 1, pageCells, pageCells, unsafe.Pointer(&values[1])); bad {
		t.Errorf("%+v", c)
	}
	if c, bad := m.Touch(&b, Write, 1, 0, pageCells, unsafe.Pointer(&values[1])); !bad || c.Offset != 1 {
		t.Errorf("%+v, %v", c, bad)
	}
}

// Clocks are bounded: what knows too many programs counts as after all of them, what has too many addresses shares.
func TestClocksAreBounded(t *testing.T) {
	var o Order
	for i := range int64(3 * maxClock) {
		var a Actor
		a.Begin(i)
		o.Begin()
		o.End(&a, 8, true, true)
	}
	for i := range uint64(maxPlaces + 10) {
		var a Actor
		a.Begin(int64(i))
		o.Begin()
		o.End(&a, 16+8*i, false, true)
	}
	if places, known := o.size(); places > maxPlaces || known > 2*maxClock+maxPlaces {
		t.Errorf("%d addresses, %d programs", places, known)
	}
	var late Actor
	late.Begin(1 << 20)
	o.Begin()
	o.End(&late, 8, true, false)
	if !late.after((&Actor{number: 3}).stamp(Write, 1)) {
		t.Error("a full clock forgets")
	}
}

// A program that releases without end counts as ordered from some time on.
func TestTimeEnds(t *testing.T) {
	var o Order
	var a, b Actor
	a.Begin(0)
	b.Begin(1)
	for range 1 << 17 {
		o.Begin()
		o.End(&a, 8, false, true)
	}
	if !b.after(a.stamp(Write, 1)) {
		t.Error("time went on")
	}
}

func BenchmarkTouch(b *testing.B) {
	values := make([]uint32, 1024)
	for b.Loop() {
		m := New(4096, 4, false, NewBudget(1<<30))
		var a Actor
		a.Begin(1)
		m.Touch(&a, Write, 1, 0, 4096, unsafe.Pointer(&values[0]))
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/1024, "ns/elem")
}
