package tile

import (
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"
)

// smallText has a bit of everything that structural mistakes need.
const smallText = `
func @main(%i: i32, %x: f32) -> (f32) loc #1 {
  %k = const 1 : i32
  %s = add %i, %k : i32 loc #2
  %r = for %i, %s, %k, %x : f32 (%n: i32, %acc: f32) {
    %y = fadd %acc, %x : f32
    yield %y
  }
  %z = call %r {callee = "other"} : f32
  barrier
  return %z
}
func @other(%a: f32) -> (f32) {
  return %a
}
loc #1 = "a.py":1:1
loc #2 = "a.py":2:1`

// A small is smallText in memory, with its parts at hand.
type small struct {
	m           *Module
	main, other *Func
	body        *Block
	k, add      *Op
	loop        *Op
	call, bar   *Op
	ret         *Op
	inner       *Block
}

func newSmall(t testing.TB) *small {
	t.Helper()
	m, err := Parse("small.tile", []byte(smallText))
	if err != nil {
		t.Fatal(err)
	}
	body := m.Funcs[0].Body
	return &small{
		m: m, main: m.Funcs[0], other: m.Funcs[1], body: body,
		k: body.Ops[0], add: body.Ops[1], loop: body.Ops[2], call: body.Ops[3], bar: body.Ops[4], ret: body.Ops[5],
		inner: body.Ops[2].Regions[0],
	}
}

// TestVerifyStructure holds modules broken in ways that no text can say.
func TestVerifyStructure(t *testing.T) {
	for _, tt := range []struct {
		name  string
		wreck func(s *small)
		want  string
	}{
		{"nil function", func(s *small) { s.m.Funcs[1] = nil }, "function 1 is nil"},
		{"function twice", func(s *small) { s.m.Funcs[1] = s.main }, "two functions have this name"},
		{"nil body", func(s *small) { s.main.Body = nil }, "the function has no body"},
		{"nil body of a callee", func(s *small) { s.other.Body = nil }, "@other has no body"},
		{"negative count", func(s *small) { s.main.numValues = -1 }, "the number of values is negative"},
		{"parameters", func(s *small) { s.main.Params = nil }, "the function has 0 parameters, its body 2 arguments"},
		{"result type", func(s *small) { s.main.Results[0] = Type{} }, "result 0 of the function: no type"},
		{"function location", func(s *small) { s.main.Loc = 3 }, "location 3 is not in the table"},
		{"operation location", func(s *small) { s.add.Loc = -1 }, "location -1 is not in the table"},
		{"negative line", func(s *small) { s.m.Locs.Add(Location{Line: -1}) }, "location 3 is negative"},

		{"nil operation", func(s *small) { s.body.Ops[1] = nil }, "operation 1 of the block is nil"},
		{"no code", func(s *small) { s.add.Code = BadOp }, "there is no operation 0"},
		{"unknown code", func(s *small) { s.add.Code = 255 }, "there is no operation 255"},
		{"operation twice", func(s *small) { s.body.Ops[1] = s.k }, "result 0: value ID 2 is taken"},
		{"barrier twice", func(s *small) { s.body.Ops[3] = s.bar; s.ret.Args[0] = s.loop.Result() }, "the operation is in two places"},
		{"yield shared", func(s *small) { s.body.Ops[5] = s.inner.Terminator() }, "operand 0: the value is defined in a region that does not enclose this use"},
		{"empty function", func(s *small) { s.body.Ops = nil }, "the block does not end in return"},

		{"nil operand", func(s *small) { s.add.Args[1] = nil }, "operand 1: the value is nil"},
		{"nil operands", func(s *small) { s.add.Args = nil }, "add has 2 operands, not 0"},
		{"nil result", func(s *small) { s.add.Results[0] = nil }, "result 0 is nil"},
		{"no results", func(s *small) { s.add.Results = nil }, "add has 1 results, not 0"},
		{"nil argument", func(s *small) { s.body.Args[1] = nil }, "argument 1 of the block: the value is nil"},
		{"nil argument of a callee", func(s *small) { s.other.Body.Args[0] = nil }, "the function takes none at 0, not f32"},
		{"nil region argument", func(s *small) { s.inner.Args[1] = nil }, "argument 1 of region 0 is nil"},
		{"foreign operand", func(s *small) { s.add.Args[1] = s.other.Body.Args[0] }, "operand 1: the value is used before its definition, or is not of this function"},
		{"later operand", func(s *small) { s.add.Args[1] = s.call.Result() }, "operand 1: the value is used before its definition, or is not of this function"},
		{"own operand", func(s *small) { s.add.Args[1] = s.add.Result() }, "operand 1: the value is used before its definition, or is not of this function"},
		{"wild operand", func(s *small) { s.add.Args[1] = &Value{ID: 1 << 30} }, "operand 1: the value is used before its definition, or is not of this function"},
		{"negative operand", func(s *small) { s.add.Args[1] = &Value{ID: -1} }, "operand 1: the value is used before its definition, or is not of this function"},

		{"back link to an operation", func(s *small) { s.add.Result().Op = s.k }, "result 0: the value does not point back to its place"},
		{"no back link", func(s *small) { s.add.Result().Op = nil }, "result 0: the value does not point back to its place"},
		{"index", func(s *small) { s.add.Result().Index = 1 }, "result 0: the value does not point back to its place"},
		{"block of a result", func(s *small) { s.add.Result().Block = s.body }, "result 0: the value does not point back to its place"},
		{"block of an argument", func(s *small) { s.inner.Args[0].Block = s.body }, "argument 0 of the block: the value does not point back to its place"},
		{"index of an argument", func(s *small) { s.body.Args[1].Index = 0 }, "argument 1 of the block: the value does not point back to its place"},
		{"ID taken", func(s *small) { s.add.Result().ID = 0 }, "result 0: value ID 0 is taken"},
		{"ID taken in a region", func(s *small) { s.call.Result().ID = s.inner.Ops[0].Result().ID }, "result 0: value ID 7 is taken"},
		{"ID too large", func(s *small) { s.add.Result().ID = 100 }, "result 0: value ID 100 is not below the function's 9"},
		{"ID negative", func(s *small) { s.add.Result().ID = -1 }, "result 0: value ID -1 is not below the function's 9"},

		{"no attribute", func(s *small) { s.k.Attr = nil }, "const has the attribute tile.ConstAttr, not <nil>"},
		{"wrong attribute", func(s *small) { s.k.Attr = AxisAttr{} }, "const has the attribute tile.ConstAttr, not tile.AxisAttr"},
		{"attribute too many", func(s *small) { s.add.Attr = AxisAttr{} }, "add has the attribute <nil>, not tile.AxisAttr"},
		{"pointer to attribute", func(s *small) { s.k.Attr = &ConstAttr{} }, "const has the attribute tile.ConstAttr, not *tile.ConstAttr"},
		{"constant too wide", func(s *small) { s.k.Attr = ConstAttr{1 << 32} }, "the bits 0x100000000 do not fit in i32"},
		{"predicate", func(s *small) { s.add.Code, s.add.Attr = OpCmpI, CmpIAttr{200} }, "the attribute tile.CmpI has no value 200"},

		{"no regions", func(s *small) { s.loop.Regions = nil }, "for has 1 regions, not 0"},
		{"regions too many", func(s *small) { s.add.Regions = s.loop.Regions }, "add has 0 regions, not 1"},
		{"nil region", func(s *small) { s.loop.Regions[0] = nil }, "region 0 is nil"},
		{"own region", func(s *small) { s.inner.Ops = append([]*Op{s.loop}, s.inner.Ops...) }, "a block is in two places"},
		{"body as region", func(s *small) { s.loop.Regions[0] = s.body }, "a block is in two places"},
		{"region without end", func(s *small) { s.inner.Ops = s.inner.Ops[:1] }, "the block does not end in yield"},

		{"no type", func(s *small) { s.add.Result().Type = Type{} }, "result 0: no type"},
		{"unknown element", func(s *small) { s.k.Result().Type = Type{elem: 200} }, "result 0: no type"},
		{"pointer too deep", func(s *small) { s.k.Result().Type = Type{elem: I8, ptr: 3} }, "result 0: a pointer of depth 3; the most is 2"},
		{"rank too large", func(s *small) { s.k.Result().Type.rank = MaxRank + 1 }, "result 0: rank 25; the most is 24"},
		{"size beyond rank", func(s *small) { s.k.Result().Type.log[3] = 1 }, "result 0: a type with a size beyond its rank"},
		{"tile too large", func(s *small) { s.k.Result().Type = Scalar(I32).AppendDim(20).AppendDim(1) }, "result 0: a tile of 2^21 elements; the most is 2^20"},
		{"argument type", func(s *small) { s.body.Args[0].Type = Type{} }, "argument 0 of the block: no type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSmall(t)
			tt.wreck(s)
			err := Verify(s.m)
			var v *VerifyError
			if !errors.As(err, &v) || v.Msg != tt.want {
				t.Errorf("\n got: %v\nwant: %s", err, tt.want)
			}
			// A broken module is what people look at.
			if err := (Printer{Locs: true, Note: func(*Value) string { return "x" }}).Print(io.Discard, s.m); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestVerifyMutations breaks modules at random and checks that neither Verify nor Print
// panics or hangs.
func TestVerifyMutations(t *testing.T) {
	whole := everyOp(t)
	rapid.Check(t, func(t *rapid.T) {
		m := Clone(whole)
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			mutate(t, m)
		}
		if err := Verify(m); err != nil {
			_ = err.Error()
		}
		_ = m.String()
	})
}

// mutate changes one thing of a module.
func mutate(t *rapid.T, m *Module) {
	var ops []*Op
	var values []*Value
	var blocks []*Block
	seen := make(map[*Block]bool) // a former mutation may have made a cycle
	var collect func(b *Block)
	collect = func(b *Block) {
		if b == nil || seen[b] {
			return
		}
		seen[b] = true
		blocks, values = append(blocks, b), append(values, b.Args...)
		for _, op := range b.Ops {
			if op == nil {
				continue
			}
			ops, values = append(ops, op), append(values, op.Results...)
			for _, r := range op.Regions {
				collect(r)
			}
		}
	}
	for _, f := range m.Funcs {
		collect(f.Body)
	}
	ops, values, blocks = append(ops, nil), append(values, nil), append(blocks, nil)
	op := rapid.SampledFrom(ops[:len(ops)-1]).Draw(t, "op")
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		op.Code = Code(rapid.Uint8().Draw(t, "code"))
	case 1:
		op.Attr = rapid.SampledFrom(ops[:len(ops)-1]).Draw(t, "from").Attr
	case 2:
		replaceOne(t, op.Args, values)
	case 3:
		replaceOne(t, op.Results, values)
	case 4:
		replaceOne(t, op.Regions, blocks)
	case 5:
		if b := rapid.SampledFrom(blocks).Draw(t, "block"); b != nil {
			replaceOne(t, b.Ops, ops)
		}
	case 6:
		if b := rapid.SampledFrom(blocks).Draw(t, "block"); b != nil {
			replaceOne(t, b.Args, values)
		}
	case 7:
		if v := rapid.SampledFrom(values).Draw(t, "value"); v != nil {
			v.Type = anyType(t)
		}
	case 8:
		op.Args = append(op.Args, rapid.SampledFrom(values).Draw(t, "value"))
	case 9:
		op.Args = op.Args[:len(op.Args)/2]
	}
}

// replaceOne puts an element of from at a place of list.
func replaceOne[T any](t *rapid.T, list, from []T) {
	if len(list) > 0 {
		list[rapid.IntRange(0, len(list)-1).Draw(t, "place")] = rapid.SampledFrom(from).Draw(t, "element")
	}
}
