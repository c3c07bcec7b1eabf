package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// maxHoistedMasks bounds how many of them are masks.
const maxHoistedMasks = 2

// A hoisted constant is one that has been loaded before the loop.
type hoisted struct {
	op  amd64.Op
	at  int32
	len amd64.Len
	reg reg
}

// hoist moves loads of constants from a loop's body to the code before it, each constant once. A register
// that anything else in the body writes to stays.
func (g *generator) hoist(body *list) {
	var writes map[reg]int // of the registers that constants are loaded to
	for i := range body.insts {
		if c := &body.insts[i]; isConstant(c) {
			if writes == nil {
				writes = make(map[reg]int, 32)
			}
			writes[c.A] = 0
		}
	}
	if writes == nil {
		return
	}
	for i := range body.insts {
		body.insts[i].Operands(func(r reg, _, written bool) reg {
			if written {
				if n, ok := writes[r]; ok {
					writes[r] = n + 1
				}
			}
			return r
		})
	}
	var have []hoisted
	same := map[reg]reg{}
	kept, masks := body.insts[:0], 0
	for _, c := range body.insts {
		if !isConstant(&c) || writes[c.A] != 1 {
			kept = append(kept, c)
			continue
		}
		isMask := c.Op == amd64.KMOVld
		first := find(have, &c)
		switch {
		case first != none:
			same[c.A] = first
		case isMask && masks < maxHoistedMasks || !isMask && len(have)-masks < g.hoisted:
			if isMask {
				masks++
			}
			have = append(have, hoisted{c.Op, c.M.Const, c.L, c.A})
			g.makeRoom(1)
			g.cur.insts = append(g.cur.insts, c)
		default:
			kept = append(kept, c)
		}
	}
	body.insts = kept
	if len(same) == 0 {
		return
	}
	for i := range body.insts {
		body.insts[i].Operands(func(r reg, _, _ bool) reg {
			if first, ok := same[r]; ok {
				return first
			}
			return r
		})
	}
}

// find gives the register that a constant has been loaded to; none if it has not.
func find(have []hoisted, c *inst) reg {
	for i := range have {
		if h := &have[i]; h.op == c.Op && h.at == c.M.Const && h.len == c.L {
			return h.reg
		}
	}
	return none
}

func isConstant(c *inst) bool {
	if !c.HasMem || c.M.Const == 0 || c.K != none {
		return false
	}
	return c.Op == amd64.KMOVld || c.Op == amd64.VPBROADCASTD || c.Op == amd64.VPBROADCASTQ || c.Op == amd64.VMOVUPS || c.Op == amd64.VMOVUPD
}
