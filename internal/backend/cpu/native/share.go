package native

import "sync"

// Shares are the program instances of a launch whose neighbours have much in common: each worker has a share of neighbours, and runs them in order, a few at a
// time. One that has none left takes over the second half of the largest rest.
type shares struct {
	mu   sync.Mutex
	rest []share // of each worker
	came int     // workers that have theirs
}

// A share is the instances from next on, before end.
type share struct{ next, end int64 }

// shared divides total instances among workers, as evenly as can be.
func shared(total, workers int64) *shares {
	s := &shares{rest: make([]share, workers)}
	next := int64(0)
	for i := range s.rest {
		end := next + (total-next)/(workers-int64(i))
		s.rest[i] = share{next, end}
		next = end
	}
	return s
}

// mine gives the number of a worker that comes.
func (s *shares) mine() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.came++
	return (s.came - 1) % len(s.rest)
}

// take takes up to most instances before last for a worker; n is 0 if there are none.
func (s *shares) take(worker int, most, last int64) (first, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := &s.rest[worker]
	if mine.left(last) == 0 {
		from := mine
		for i := range s.rest {
			if s.rest[i].left(last) > from.left(last) {
				from = &s.rest[i]
			}
		}
		end := min(from.end, last)
		middle := end - (from.left(last)+1)/2
		*mine, from.end = share{middle, end}, middle
	}
	first = mine.next
	n = min(mine.left(last), most)
	mine.next += n
	return first, n
}

// left gives how many there are before last.
func (s share) left(last int64) int64 { return max(0, min(s.end, last)-s.next) }
