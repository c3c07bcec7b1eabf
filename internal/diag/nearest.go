package diag

import "slices"

// Nearest gives the known name that was most likely meant by a misspelt one, or "" if none
// is near. The nearest by edit distance wins, then the first in sorted order.
func Nearest(name string, known []string) string {
	best, bound := "", len(name)/3+1
	sorted := slices.Sorted(slices.Values(known))
	for _, k := range sorted {
		if k == name {
			continue
		}
		if d := editDistance(name, k, bound); d < bound {
			best, bound = k, d
		}
	}
	return best
}

// editDistance counts the bytes to insert, delete, replace or swap with their neighbour to get
// from a to b; it gives bound if that is bound or more.
func editDistance(a, b string, bound int) int {
	if len(a)-len(b) >= bound || len(b)-len(a) >= bound || len(a) > 64 {
		return bound
	}
	var before, last, row []int
	row = make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last = last, row
		row = make([]int, len(b)+1)
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= bound {
			return bound
		}
	}
	return min(row[len(b)], bound)
}
