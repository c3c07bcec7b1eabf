package sim

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
)

// signalled are kernels of two warps in which the second reads what the first wrote, and turns are passed by signals.
type signalled struct {
	*kernel
	out        *lir.Value
	data, word int // buffers
}

func newSignalled(takes int) *signalled {
	k := &signalled{kernel: newKernel(2)}
	k.out = k.pointer("out")
	k.data, k.word = k.f.NewShared(256, 16), k.f.NewShared(16, 16)
	k.begin(0, takes)
	k.begin(1, takes)
	k.Emit(&lir.Op{Code: lir.OpBarrier})
	return k
}

// begin lets the first thread make signal i.
func (k *signalled) begin(i, takes int) {
	k.If(k.is(0), func() []*lir.Value {
		k.signal(lir.OpSignalInit, i, nil).Imm = int64(takes)
		return nil
	}, func() []*lir.Value { return nil })
}

// is reports whether the thread's number is n.
func (k *signalled) is(n int) *lir.Value {
	return k.do(lir.OpAnd, k.less(k.thread(), k.I32(n+1)), k.less(k.I32(n-1), k.thread()))
}

// warp lets one of the two do something.
func (k *signalled) warp(n int, do func()) {
	none := func() []*lir.Value { return nil }
	some := func() []*lir.Value { do(); return nil }
	if n == 1 {
		some, none = none, some
	}
	k.If(k.less(k.thread(), k.I32(32)), some, none)
}

// signal makes an operation on signal i.
func (k *signalled) signal(code lir.Code, i int, pred *lir.Value, more ...*lir.Value) *lir.Op {
	op := &lir.Op{Code: code, Args: []*lir.Value{k.I32(8 * i)}, Mem: &lir.Mem{Space: lir.Shared, Buffer: k.word, Group: 1, Pred: pred != nil}}
	if pred != nil {
		op.Args = append(op.Args, pred)
	}
	op.Args = append(op.Args, more...)
	k.Emit(op)
	return op
}

func (k *signalled) await(i, parity int) { k.signal(lir.OpSignalWait, i, nil, k.I32(parity)) }

func (k *signalled) mem() lir.Mem { return lir.Mem{Space: lir.Shared, Buffer: k.data, Group: 2} }

// place gives the place of a lane.
func (k *signalled) place() *lir.Value {
	return k.do(lir.OpMul, k.do(lir.OpAnd, k.thread(), k.I32(31)), k.I32(4))
}

func (k *signalled) write() { k.Store(k.mem(), k.place(), nil, k.thread()) }

// read reads what another lane wrote, and stores it.
func (k *signalled) read() {
	at := k.do(lir.OpXor, k.place(), k.I32(124))
	x := k.Load(k.mem(), lir.I32, 1, at, nil, nil)[0]
	k.Store(lir.Mem{Origin: 1}, k.at(k.out, k.do(lir.OpAnd, k.thread(), k.I32(31)), 4), nil, x)
}

func (k *signalled) sync() { k.Emit(&lir.Op{Code: lir.OpWarpSync}) }

func TestSignals(t *testing.T) {
	for _, test := range []struct {
		name, refused string
		takes         int
		do            func(k *signalled)
	}{
		{"all lanes give it", "", 32, func(k *signalled) {
			k.warp(0, func() { k.write(); k.signal(lir.OpSignalGive, 0, nil) })
			k.warp(1, func() { k.await(0, 0); k.read() })
		}},
		{"one lane gives it for all", "", 1, func(k *signalled) {
			k.warp(0, func() { k.write(); k.sync(); k.signal(lir.OpSignalGive, 0, k.is(0)) })
			k.warp(1, func() { k.await(0, 0); k.read() })
		}},
		{"one lane gives it, of which the others know nothing", "race", 1, func(k *signalled) {
			k.warp(0, func() { k.write(); k.signal(lir.OpSignalGive, 0, k.is(0)) })
			k.warp(1, func() { k.await(0, 0); k.read() })
		}},
		{"nobody waits for it", "race", 32, func(k *signalled) {
			k.warp(0, func() { k.write(); k.signal(lir.OpSignalGive, 0, nil) })
			k.warp(1, func() { k.read() })
		}},
		{"the round before the first is over", "", 32, func(k *signalled) { k.await(0, 1) }},
		{"nobody gives it", "deadlock", 32, func(k *signalled) {
			k.warp(1, func() { k.await(0, 0) })
		}},
		{"some give it", "deadlock", 33, func(k *signalled) {
			k.warp(0, func() { k.signal(lir.OpSignalGive, 0, nil) })
			k.warp(1, func() { k.await(0, 0) })
		}},
		{"given before what it is to tell of", "race", 32, func(k *signalled) {
			k.warp(0, func() { k.signal(lir.OpSignalGive, 0, nil); k.write() })
			k.warp(1, func() { k.await(0, 0); k.read() })
		}},
		{"handed back", "", 32, func(k *signalled) {
			k.warp(0, func() { k.write(); k.signal(lir.OpSignalGive, 0, nil) })
			k.warp(1, func() { k.await(0, 0); k.read(); k.signal(lir.OpSignalGive, 1, nil) })
			k.warp(0, func() { k.await(1, 0); k.write() })
		}},
		{"not handed back", "race", 32, func(k *signalled) {
			k.warp(0, func() { k.write(); k.signal(lir.OpSignalGive, 0, nil) })
			k.warp(1, func() { k.await(0, 0); k.read(); k.signal(lir.OpSignalGive, 1, nil) })
			k.warp(0, func() { k.write() })
		}},
		{"ended and begun again", "", 32, func(k *signalled) {
			for range 2 {
				k.signal(lir.OpSignalGive, 0, k.less(k.thread(), k.I32(32)))
				k.await(0, 0)
				k.Emit(&lir.Op{Code: lir.OpBarrier})
				k.If(k.is(0), func() []*lir.Value { k.signal(lir.OpSignalEnd, 0, nil); return nil }, func() []*lir.Value { return nil })
				k.Emit(&lir.Op{Code: lir.OpBarrier})
				k.begin(0, 32)
				k.Emit(&lir.Op{Code: lir.OpBarrier})
			}
		}},
		{"begun again where one is", "no-signal", 32, func(k *signalled) { k.begin(0, 32) }},
		{"a word that is no signal", "no-signal", 32, func(k *signalled) {
			m := k.mem()
			k.word = m.Buffer
			k.Store(m, k.do(lir.OpMul, k.thread(), k.I32(4)), nil, k.I32(0))
			k.Emit(&lir.Op{Code: lir.OpBarrier})
			k.await(16, 1)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newSignalled(test.takes)
			test.do(k)
			f := k.finish(t, true)
			if test.refused == "" {
				run(t, f, Arg{Array: words(32)})
			} else {
				refused(t, f, test.refused, Arg{Array: words(32)})
			}
		})
	}
}

// TestSignalledCopies: a signal tells of copies that its giver has waited for, and of no others.
func TestSignalledCopies(t *testing.T) {
	for _, waits := range []bool{false, true} {
		k := newSignalled(32)
		in := k.pointer("in")
		k.warp(0, func() {
			k.CopyAsync(k.mem(), lir.Mem{Origin: 2}, 4, k.place(), nil, k.at(in, k.thread(), 4))
			k.Emit(&lir.Op{Code: lir.OpCopyCommit})
			if waits {
				k.Emit(&lir.Op{Code: lir.OpCopyWait})
			}
			k.signal(lir.OpSignalGive, 0, nil)
		})
		k.warp(1, func() { k.await(0, 0); k.read() })
		f := k.finish(t, true)
		if !waits {
			refused(t, f, "race", Arg{Array: words(32)}, Arg{Array: words(32)})
			continue
		}
		data, out := words(32), words(32)
		for i := range 32 {
			data[4*i] = byte(i)
		}
		run(t, f, Arg{Array: out}, Arg{Array: data})
		for i := range 32 {
			if get(out, i) != uint32(31-i) {
				t.Errorf("%d: %d", i, get(out, i))
			}
		}
	}
}
