package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// maxHoistedMasks bounds how many of them are masks.
const maxHoistedMasks = 2

// hoist moves loads of constants from a loop's body to the code before it, each constant once. A register
// that anything else in the body writes to stays.
func (g *generator) hoist(body *list) {
	type key struct {
		op  amd64.Op
		at  int32
		len amd64.Len
	}
	writes := map[reg]int{}
	for i := range body.insts {
		body.insts[i].Operands(func(r reg, _, written bool) reg {
			if written {
				writes[r]++
			}
			return r
		})
	}
	have, same := map[key]reg{}, map[reg]reg{}
	kept, masks := body.insts[:0], 0
	for _, c := range body.insts {
		if !isConstant(&c) || writes[c.A] != 1 {
			kept = append(kept, c)
			continue
		}
		k := key{c.Op, c.M.Const, c.L}
		switch first, ok := have[k]; {
		case ok:
			same[c.A] = first
		case c.Op == amd64.KMOVld && masks < maxHoistedMasks:
			masks++
			have[k] = c.A
			g.cur.insts = append(g.cur.insts, c)
		case c.Op != amd64.KMOVld && len(have)-masks < g.hoisted:
			have[k] = c.A
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

func isConstant(c *inst) bool {
	if !c.HasMem || c.M.Const == 0 || c.K != none {
		return false
	}
	return c.Op == amd64.KMOVld || c.Op == amd64.VPBROADCASTD || c.Op == amd64.VPBROADCASTQ || c.Op == amd64.VMOVUPS || c.Op == amd64.VMOVUPD
}
