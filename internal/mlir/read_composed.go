package mlir

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// libraryOf are the operations of the math dialect that are functions of the library here.
var libraryOf = map[string]string{
	"math.acos": "acos", "math.acosh": "acosh", "math.asin": "asin", "math.asinh": "asinh", "math.atan": "atan", "math.atan2": "atan2",
	"math.atanh": "atanh", "math.cbrt": "cbrt", "math.copysign": "copysign", "math.cosh": "cosh", "math.erfc": "erfc", "math.expm1": "expm1",
	"math.log10": "log10", "math.log1p": "log1p", "math.powf": "pow", "math.round": "round", "math.roundeven": "rint", "math.sinh": "sinh",
	"math.tan": "tan", "math.tanh": "tanh", "math.trunc": "trunc",
}

func (p *parser) readLibrary(name string) []*tile.Value {
	args := p.operands()
	p.flags()
	p.attrs()
	p.expect(":")
	return p.make(tile.OpExtern, tile.ExternAttr{Name: libraryOf[name]}, args, p.typ())
}

// composed are the operations that are several here: of two operands of one type.
var composed = map[string]func(*parser, *tile.Value, *tile.Value) []*tile.Value{
	"arith.mulsi_extended": (*parser).productSigned,
	"arith.mului_extended": (*parser).productUnsigned,
	"arith.addui_extended": (*parser).sumWithCarry,
	"arith.subui_extended": (*parser).differenceWithBorrow,
	"arith.ceildivsi":      func(p *parser, a, b *tile.Value) []*tile.Value { return p.quotient(a, b, tile.OpDivS, tile.OpRemS, 1) },
	"arith.floordivsi":     func(p *parser, a, b *tile.Value) []*tile.Value { return p.quotient(a, b, tile.OpDivS, tile.OpRemS, -1) },
	"arith.ceildivui":      func(p *parser, a, b *tile.Value) []*tile.Value { return p.quotient(a, b, tile.OpDivU, tile.OpRemU, 1) },
}

func (p *parser) readComposed(name string) []*tile.Value {
	p.space()
	at := p.at
	args := p.operands()
	p.flags()
	p.attrs()
	p.expect(":")
	t := p.typ()
	if p.accept(",") {
		p.typ() // of the carry
	}
	if p.wrongCount(name, args, 2) {
		return nil
	}
	for _, a := range args {
		if a.Type != t || !t.IsInt() {
			p.fail(at, diag.Syntax, "mlir-syntax", "%s takes integers of type %s, not %s", name, t, a.Type)
			return nil
		}
	}
	return composed[name](p, args[0], args[1])
}

// splatOf makes a constant.
func (p *parser) splatOf(t tile.Type, n int64) *tile.Value { return p.b.Const(t, uint64(n)) }

func (p *parser) productUnsigned(a, b *tile.Value) []*tile.Value {
	return []*tile.Value{p.b.Binary(tile.OpMul, a, b), p.b.Binary(tile.OpMulHiU, a, b)}
}

// productSigned takes from the unsigned product's upper half each operand where the other one is negative: as an unsigned number that is
// 2^bits too large.
func (p *parser) productSigned(a, b *tile.Value) []*tile.Value {
	last := p.splatOf(a.Type, int64(a.Type.ElemBits()-1))
	high := p.b.Binary(tile.OpMulHiU, a, b)
	for _, v := range [][2]*tile.Value{{a, b}, {b, a}} {
		negative := p.b.Binary(tile.OpShrS, v[0], last) // all ones or none
		high = p.b.Binary(tile.OpSub, high, p.b.Binary(tile.OpAnd, negative, v[1]))
	}
	return []*tile.Value{p.b.Binary(tile.OpMul, a, b), high}
}

func (p *parser) sumWithCarry(a, b *tile.Value) []*tile.Value {
	sum := p.b.Binary(tile.OpAdd, a, b)
	return []*tile.Value{sum, p.b.CmpI(tile.LTU, sum, a)}
}

func (p *parser) differenceWithBorrow(a, b *tile.Value) []*tile.Value {
	return []*tile.Value{p.b.Binary(tile.OpSub, a, b), p.b.CmpI(tile.LTU, a, b)}
}

// quotient makes a division that rounds up (1) or down (-1): where it is not exact and the quotient's sign is that way, one away from zero.
func (p *parser) quotient(a, b *tile.Value, div, rem tile.Code, towards int64) []*tile.Value {
	zero := p.splatOf(a.Type, 0)
	truncated, rest := p.b.Binary(div, a, b), p.b.Binary(rem, a, b)
	adjust := p.b.CmpI(tile.NE, rest, zero)
	if div == tile.OpDivS {
		sign := p.b.Binary(tile.OpXor, a, b)
		pred := tile.GES
		if towards < 0 {
			pred = tile.LTS
		}
		adjust = p.b.Binary(tile.OpAnd, adjust, p.b.CmpI(pred, sign, zero))
	}
	moved := p.b.Binary(tile.OpAdd, truncated, p.splatOf(a.Type, towards))
	return []*tile.Value{p.b.Select(adjust, moved, truncated)}
}
