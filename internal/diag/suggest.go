package diag

import "unicode/utf8"

// Suggest gives "; did you mean 'x'?" for the name that was most likely meant, or "" if none
// is near. It is for the end of a message about an unknown name.
func Suggest(name string, known []string) string {
	const maxName = 64 // longer names are not compared: the cost is quadratic
	if len(name) > maxName {
		return ""
	}
	best, bestDist := "", max(1, utf8.RuneCountInString(name)/3)+1
	for _, k := range known {
		if len(k) > maxName {
			continue
		}
		if d := distance(name, k); d < bestDist {
			best, bestDist = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean '" + best + "'?"
}

// distance counts the insertions, deletions, substitutions and swaps of neighbours (each used
// once) that turn a into b. A change of case counts nothing.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := [3][]int{}
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur, last, beforeLast := rows[i%3], rows[(i+2)%3], rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if fold(x[i-1]) == fold(y[j-1]) {
				cost = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && fold(x[i-1]) == fold(y[j-2]) && fold(x[i-2]) == fold(y[j-1]) {
				cur[j] = min(cur[j], beforeLast[j-2]+1)
			}
		}
	}
	return rows[len(x)%3][len(y)]
}

// fold maps ASCII letters to lower case.
func fold(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
