package native

import (
	"testing"

	"pgregory.net/rapid"
)

// However workers take turns, each instance before the first that fails is taken once, those of a batch are neighbours, and all workers
// are told when nothing is left.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, workers := rapid.Int64Range(1, 100).Draw(t, "total"), rapid.Int64Range(1, 9).Draw(t, "workers")
		most := rapid.Int64Range(1, 5).Draw(t, "most")
		fails := rapid.Int64Range(0, 150).Draw(t, "fails")
		s, last := shared(total, workers), total
		taken := make([]int, total)
		idle := 0
		for idle < int(workers) {
			w := s.mine()
			if w >= int(workers) {
				t.Fatalf("there is no worker %d", w)
			}
			first, n := s.take(rapid.IntRange(0, int(workers)-1).Draw(t, "worker"), most, last)
			if n < 0 || n > most || n > 0 && (first < 0 || first+n > last) {
				t.Fatalf("%d instances from %d on of %d, at most %d", n, first, last, most)
			}
			for i := first; i < first+n; i++ {
				taken[i]++
				if i == fails {
					last = min(last, i)
				}
			}
			idle++
			if n > 0 {
				idle = 0
			}
		}
		for i, n := range taken {
			if n > 1 || n == 0 && int64(i) < last {
				t.Errorf("instance %d of %d was taken %d times; %d failed", i, total, n, last)
			}
		}
	})
}

// Workers that are as fast as each other keep to their shares.
func TestSharesAreOfNeighbours(t *testing.T) {
	s := shared(16, 2)
	for i := range int64(8) {
		for w := range int64(2) {
			if first, n := s.take(int(w), 1, 16); first != 8*w+i || n != 1 {
				t.Errorf("worker %d took %d from %d on", w, n, first)
			}
		}
	}
}
