package mlir

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// maxListed is the largest number of different elements that a constant may have.
const maxListed = 1 << 10

// readList reads the elements of dense<[…]>, which may be lists of lists, in row-major order.
func (p *parser) readList(texts []string, depth int) []string {
	if depth > tile.MaxRank || len(texts) > maxListed {
		p.fail(p.at, diag.Unsupported, "mlir", "constants of more than %d elements that differ are not supported", maxListed)
		return texts
	}
	p.expect("[")
	for p.err == nil && !p.accept("]") {
		if p.peek() == '[' {
			texts = p.readList(texts, depth+1)
		} else {
			texts = append(texts, p.literalText())
		}
		if !p.accept(",") && p.peek() != ']' {
			p.syntax("expected \",\" or \"]\", not %s", p.describe())
		}
	}
	return texts
}

// literalText reads a number or a truth value.
func (p *parser) literalText() string {
	for _, word := range []string{"true", "false"} {
		if p.accept(word) {
			return word
		}
	}
	return p.number()
}

// interleaved makes a tile of one dimension by joining those of the elements at even and at odd places.
func (p *parser) interleaved(elem tile.Type, elements []uint64) *tile.Value {
	t, _ := elem.WithShape(len(elements))
	same := true
	for _, e := range elements {
		same = same && e == elements[0]
	}
	if same {
		return p.b.Const(t, elements[0])
	}
	half := len(elements) / 2
	even, odd := make([]uint64, half), make([]uint64, half)
	for i := range half {
		even[i], odd[i] = elements[2*i], elements[2*i+1]
	}
	return p.b.Reshape(p.b.Join(p.interleaved(elem, even), p.interleaved(elem, odd)), t, false)
}

func (p *parser) readConstant(string) []*tile.Value {
	p.attrs()
	p.space()
	at := p.at
	if !p.accept("dense<") {
		text := p.literalText()
		t := tile.Scalar(tile.I1)
		if p.accept(":") {
			t = p.typ()
		}
		return p.constants(at, t, []string{text})
	}
	var texts []string
	var packed string
	switch p.peek() {
	case '[':
		texts = p.readList(nil, 0)
	case '"':
		packed = p.text()
	case '>': // of no elements
	default:
		texts = []string{p.literalText()}
	}
	p.expect(">")
	p.expect(":")
	t := p.typ()
	if packed == "" || p.err != nil {
		return p.constants(at, t, texts)
	}
	elements, ok := unpacked(t, packed)
	if !ok {
		p.fail(at, diag.Syntax, "mlir-syntax", "%.40q are not the bytes of %s", packed, t)
		return nil
	}
	return p.tileOf(at, t, elements)
}

// constants makes a constant of the texts of its elements: of one if all are the same.
func (p *parser) constants(at int, t tile.Type, texts []string) []*tile.Value {
	elements := make([]uint64, len(texts))
	for i, text := range texts {
		bits, ok := literalBits(t, text)
		if !ok {
			p.fail(at, diag.Syntax, "mlir-syntax", "%s is no %s", text, t)
			return nil
		}
		elements[i] = bits
	}
	return p.tileOf(at, t, elements)
}

// tileOf makes a constant of its elements, in row-major order: of one if all are the same.
func (p *parser) tileOf(at int, t tile.Type, elements []uint64) []*tile.Value {
	if len(elements) == 1 {
		return p.make(tile.OpConst, tile.ConstAttr{Bits: elements[0]}, nil, t)
	}
	if len(elements) != t.NumElems() {
		p.fail(at, diag.Syntax, "mlir-syntax", "%s has %d elements, not %d", t, t.NumElems(), len(elements))
		return nil
	}
	if len(elements) > maxListed {
		p.fail(at, diag.Unsupported, "mlir", "constants of more than %d elements that differ are not supported", maxListed)
		return nil
	}
	flat := p.interleaved(t.Scalar(), elements)
	if flat.Type == t {
		return []*tile.Value{flat}
	}
	return []*tile.Value{p.b.Reshape(flat, t, false)}
}

// unpacked gives the elements that a text of hexadecimal digits has, bytes in little-endian order: of all elements, or of one.
func unpacked(t tile.Type, text string) ([]uint64, bool) {
	digits, ok := strings.CutPrefix(text, "0x")
	data, err := hex.DecodeString(digits)
	size := t.ElemBytes()
	if !ok || err != nil || t.IsBool() || t.IsPtr() || t.IsDesc() || size == 0 || len(data) == 0 || len(data)%size != 0 {
		return nil, false
	}
	var elements []uint64
	for ; len(data) > 0; data = data[size:] {
		var e uint64
		for i := range size {
			e |= uint64(data[i]) << (8 * i)
		}
		elements = append(elements, e)
	}
	return elements, true
}

// literalBits gives the bits of a literal.
func literalBits(t tile.Type, text string) (uint64, bool) {
	mask := ^uint64(0) >> (64 - max(t.ElemBits(), 1))
	switch text {
	case "true":
		return 1, t.IsBool()
	case "false":
		return 0, t.IsBool()
	}
	if strings.HasPrefix(text, "0x") || t.IsInt() {
		n, err := strconv.ParseInt(text, 0, 64)
		if err == nil && n < 0 {
			return uint64(n) & mask, n >= -1<<(max(t.ElemBits(), 1)-1)
		}
		u, err := strconv.ParseUint(text, 0, 64)
		return u & mask, err == nil && u <= mask
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return t.Elem().DType().Encode(f), t.IsFloat()
}

// readPoison gives zeros: any value will do.
func (p *parser) readPoison(string) []*tile.Value {
	p.attrs()
	p.expect(":")
	return p.make(tile.OpConst, tile.ConstAttr{}, nil, p.typ())
}
