package lir

import "testing"

// TestPressure counts registers of values that are there at once.
func TestPressure(t *testing.T) {
	for name, test := range map[string]struct {
		want int
		f    func(b *Builder, p, tid *Value)
	}{
		"an address and four numbers": {6, func(b *Builder, p, tid *Value) {
			at := b.Pure(OpAdd, 0, I64, 0, p, b.Pure(OpExtU, 0, I64, 0, tid))
			b.Store(Mem{Space: Global}, at, nil, b.Load(Mem{Space: Global}, F32, 4, at, nil, nil)...)
		}},
		"halves are packed": {4, func(b *Builder, p, tid *Value) {
			at := b.Pure(OpAdd, 0, I64, 0, p, b.Pure(OpExtU, 0, I64, 0, tid))
			b.Store(Mem{Space: Global}, at, nil, b.Load(Mem{Space: Global}, F16, 4, at, nil, nil)...)
		}},
		"the thread's number, and what is the same in all threads": {1, func(b *Builder, p, _ *Value) {
			n := b.Pure(OpProgramID, 0, I32, 0)
			b.Store(Mem{Space: Global}, p, nil, b.Pure(OpMul, 0, I32, 0, n, n))
		}},
		"a loop needs what it uses all the time": {4, func(b *Builder, p, tid *Value) {
			x := b.Pure(OpMul, 0, I32, 0, tid, tid)
			y := b.For(false, b.I32(0), b.I32(9), b.I32(1), []*Value{tid}, func(i *Value, c []*Value) []*Value {
				z := b.Pure(OpMul, 0, I32, 0, c[0], x)
				return []*Value{b.Pure(OpXor, 0, I32, 0, z, c[0])}
			})
			b.Store(Mem{Space: Global}, p, nil, y[0], tid)
		}},
	} {
		f := build(func(b *Builder) { test.f(b, b.Pure(OpParam, 0, I64, 0), b.Pure(OpThreadID, 0, I32, 0)) })
		if got := f.Pressure(); got != test.want {
			t.Errorf("%s: %d registers, want %d\n%s", name, got, test.want, f)
		}
	}
}
