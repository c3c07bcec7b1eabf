package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// A Key names a value: the hash of all that the value depends on.
type Key [sha256.Size]byte

// String gives the key in hexadecimal, as files are named.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// keyDomain begins what is hashed; it changes when the encoding of fields does.
const keyDomain = "tegula cache key 1\n"

// A Hasher makes a Key of fields. A field is written as its type, its label's length, the label,
// the value's length and the value, so the fields can be read back from what is hashed: two
// lists of fields have the same key only if they are the same list. A field that is left out
// is not the same as an empty one, and "ab", "c" is not "a", "bc".
type Hasher struct {
	hash hash.Hash
	buf  []byte
}

// NewKey begins a key.
func NewKey() *Hasher {
	h := &Hasher{hash: sha256.New()}
	h.hash.Write([]byte(keyDomain))
	return h
}

// The types of fields.
const (
	fieldString byte = 's'
	fieldBytes  byte = 'b'
	fieldInt    byte = 'i'
	fieldBool   byte = 't'
	fieldFloat  byte = 'f'
)

// Str adds a string.
func (h *Hasher) Str(label, value string) *Hasher {
	h.begin(fieldString, label, len(value))
	h.buf = append(h.buf, value...)
	return h.end()
}

// Bytes adds bytes.
func (h *Hasher) Bytes(label string, value []byte) *Hasher {
	h.begin(fieldBytes, label, len(value))
	h.end()
	h.hash.Write(value) // not through buf: it may be large
	return h
}

// Int adds an integer.
func (h *Hasher) Int(label string, value int64) *Hasher {
	h.begin(fieldInt, label, 8)
	h.buf = binary.LittleEndian.AppendUint64(h.buf, uint64(value))
	return h.end()
}

// Bool adds a truth value.
func (h *Hasher) Bool(label string, value bool) *Hasher {
	h.begin(fieldBool, label, 1)
	if value {
		h.buf = append(h.buf, 1)
	} else {
		h.buf = append(h.buf, 0)
	}
	return h.end()
}

// Float adds a float by its bits: 0.0 is not -0.0, and a NaN is itself.
func (h *Hasher) Float(label string, value float64) *Hasher {
	h.begin(fieldFloat, label, 8)
	h.buf = binary.LittleEndian.AppendUint64(h.buf, math.Float64bits(value))
	return h.end()
}

// Sum gives the key of the fields so far.
func (h *Hasher) Sum() Key {
	var k Key
	h.hash.Sum(k[:0])
	return k
}

// begin writes all of a field but its value to the buffer.
func (h *Hasher) begin(kind byte, label string, size int) {
	h.buf = append(h.buf[:0], kind)
	h.buf = binary.AppendUvarint(h.buf, uint64(len(label)))
	h.buf = append(h.buf, label...)
	h.buf = binary.AppendUvarint(h.buf, uint64(size))
}

// end hashes the buffer.
func (h *Hasher) end() *Hasher {
	h.hash.Write(h.buf)
	return h
}
