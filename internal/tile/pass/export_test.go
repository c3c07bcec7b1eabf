package pass

import "github.com/tegula-lang/tegula/internal/tile"

// RangeRules gives the operations of two integers that ranges follow.
func RangeRules() []tile.Code { return codesOf(func(c tile.Code) bool { return rangeRules[c] != nil }) }

// AnalysisRules gives the operations without control flow that an analysis knows.
func AnalysisRules() []tile.Code {
	return codesOf(func(c tile.Code) bool { return rangeRules[c] != nil || rangeResults[c] != nil || axisRules[c] != nil })
}

// RewriteRules gives the operations that a pass rewrites in a way of their own.
func RewriteRules() []tile.Code {
	return codesOf(func(c tile.Code) bool {
		return folders[c] != nil || rulesOf[c] != nil || controlRules[c] != nil || c.Commutes()
	})
}

func codesOf(has func(tile.Code) bool) []tile.Code {
	var codes []tile.Code
	for c := tile.OpConst; c.String() != tile.BadOp.String(); c++ {
		if has(c) {
			codes = append(codes, c)
		}
	}
	return codes
}
