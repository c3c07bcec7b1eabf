package pass

import "github.com/tegula-lang/tegula/internal/tile"

// RangeRules gives the operations of two integers that ranges follow.
func RangeRules() []tile.Code {
	var codes []tile.Code
	for c, rule := range rangeRules {
		if rule != nil {
			codes = append(codes, tile.Code(c))
		}
	}
	return codes
}
