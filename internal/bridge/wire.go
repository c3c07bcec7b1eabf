package bridge

import (
	"encoding/binary"
	"errors"
	"math"
)

// Messages are bytes: numbers are little-endian and have a fixed size, strings and lists have their
// length in front, 4 bytes.

// A reader reads a message. After an error it gives zeros.
type reader struct {
	b   []byte
	err error
}

var errShort = errors.New("a message ends too early")

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		if r.err == nil {
			r.err = errShort
		}
		r.b = nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bool() bool { return r.u8() != 0 }

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) i64() int64 { return int64(r.u64()) }

func (r *reader) f64() float64 { return math.Float64frombits(r.u64()) }

func (r *reader) str() string { return string(r.take(int(r.u32()))) }

// count reads the length of a list whose elements have at least size bytes each.
func (r *reader) count(size int) int {
	n := int(r.u32())
	if n > len(r.b)/size {
		r.take(len(r.b) + 1)
		return 0
	}
	return n
}

// A writer makes a message.
type writer struct{ b []byte }

func (w *writer) u8(n uint8)   { w.b = append(w.b, n) }
func (w *writer) u32(n uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, n) }
func (w *writer) u64(n uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, n) }
func (w *writer) i64(n int64)  { w.u64(uint64(n)) }

func (w *writer) bool(t bool) {
	if t {
		w.u8(1)
	} else {
		w.u8(0)
	}
}

func (w *writer) str(s string) {
	w.u32(uint32(len(s)))
	w.b = append(w.b, s...)
}
