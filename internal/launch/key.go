package launch

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/exact"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/target"
)

// The key of a variant on a device is
//
//	the options            6 bytes
//	a code for each param  2 bytes each, then zeros to whole words: what is known of the argument, but for
//	the constants          what the codes leave open, in the order of the parameters
//
// The codes have a fixed place and say which constants follow, and no constant's encoding begins
// another's, so that different arguments never make the same key. What the codes tell apart is
// what specialise tells the compiler; a test compares the two.

// A code is what a key says of an argument: a class, facts, and an element type.
type code uint16

const (
	// The lower 8 bits are a dtype.DType. This is the fact that a number or an address is divisible
	// as the policy asks.
	factDivisible code = 0x100

	// Classes.
	codeArray code = 0x1000 // a pointer to the type
	codeInt   code = 0x2000 // an integer of the type
	codeOther code = 0x3000 // a float or bool of the type
	codeNone  code = 0x4000 // None
	codeOne   code = 0x5000 // the integer 1, known
	codeConst code = 0x6000 // a constant follows
	codeTuple code = 0x7000 // the elements' codes and constants follow
	codeDesc  code = 0x8000 // what is known of the descriptor follows

	codeClass code = 0xf000 // the bits that tell the classes
)

// facts are the codes of the facts about an argument that matter, 0 for those that do not.
type facts struct {
	one, divisible code
	divisor        uint64 // what a divisible number has no bit of
}

// factsOf gives a policy as keys are made by it.
func factsOf(p target.Policy) facts {
	var f facts
	if p.EqualOne {
		f.one = codeOne
	}
	if p.Divisibility > 0 {
		f.divisible, f.divisor = factDivisible, uint64(p.Divisibility-1)
	}
	return f
}

// facts gives which facts about a parameter matter: those that the device's policy asks for and the
// kernel does not exclude.
func (p *Param) facts(on *onDevice) facts {
	f := on.facts
	if p.NoSpecialize {
		f.one, f.divisible = 0, 0
	}
	if p.NoAlign {
		f.divisible = 0
	}
	return f
}

// appendKey appends the key of the variant for the arguments on a device, and gives its hash. It
// refuses arguments that no variant takes.
//
// Codes are gathered in words, and the words are hashed before they are written: reading them back
// from where they were written piece by piece would stall.
func (k *Kernel) appendKey(key []byte, o *Options, values []Value, on *onDevice) ([]byte, uint64, error) {
	at := len(key)
	key = extend(key, 8*keyWords(len(values)))
	word := uint64(o.NumWarps) | uint64(o.NumStages)<<8 | uint64(o.NumCTAs)<<16 | uint64(bits.Len(uint(o.ThreadsPerWarp)))<<28
	for i, is := range [...]bool{o.Debug, o.Check, o.Strict, o.Unfused} {
		if is {
			word |= 1 << (24 + i)
		}
	}
	word |= uint64(uint16(o.MaxRegisters)) << 32
	shift, hash := 48, uint64(0)
	facts, place, isSpecial := on.facts, on.place, k.special[:len(values)]
	var m keyMaker
	m.kernel, m.values, m.on = k, values, on
	for i := range values {
		v := &values[i]
		c := v.code
		if c == 0 || isSpecial[i] || c&codeClass == codeArray && v.Place != place {
			var err error
			m.key = key
			if c, err = m.special(i); err != nil {
				return key, 0, err
			}
			key = m.key
		} else {
			c = facts.add(c, v.Bits)
		}
		if shift == 64 {
			binary.LittleEndian.PutUint64(key[at:], word)
			hash = mix(hash, word)
			word, shift, at = 0, 0, at+8
		}
		word |= uint64(c) << shift
		shift += 16
	}
	binary.LittleEndian.PutUint64(key[at:], word)
	hash = mix(hash, word)
	return key, mixBytes(hash, key[at+8:]), nil
}

// keyWords gives how many words the options and the codes of n parameters take: the options are as
// large as three codes.
func keyWords(n int) int { return (n + 3 + 3) / 4 }

// mix adds a word to a hash.
func mix(hash, word uint64) uint64 {
	hi, lo := bits.Mul64(hash^word^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// mixBytes adds bytes to a hash.
func mixBytes(hash uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		hash = mix(hash, binary.LittleEndian.Uint64(b))
	}
	for _, c := range b {
		hash = mix(hash, uint64(c))
	}
	return hash
}

// extend appends n bytes.
func extend(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b[:len(b)+n]
	}
	return append(b, make([]byte, n)...)
}

// add adds what matters of a number or an address to its code.
func (f *facts) add(c code, n uint64) code {
	switch c & codeClass {
	case codeInt:
		if n == 1 && f.one != 0 {
			return f.one
		}
	case codeOther:
		return c
	}
	if n&f.divisor == 0 {
		c |= f.divisible
	}
	return c
}

// A keyMaker makes the parts of a key that few arguments need.
type keyMaker struct {
	kernel *Kernel
	values []Value
	on     *onDevice
	key    []byte
}

// special gives the code of argument i that is a constant or a tuple, or whose parameter is no
// ordinary one, and appends the constants in it.
func (m *keyMaker) special(i int) (code, error) {
	k, v, p := m.kernel, &m.values[i], &m.kernel.params[i]
	if p.Constexpr || v.Fixed {
		if v.hasArray() {
			return 0, k.argError("constexpr-array", i, "argument '%s' of %s is a constant and cannot be %s", p.Name, k.name, v.describe())
		}
		return m.constant(i, v)
	}
	if err := k.checkRuntime(i, v); err != nil {
		return 0, err
	}
	if p.declared() {
		if err := k.checkDeclared(i, v); err != nil {
			return 0, err
		}
	}
	f := p.facts(m.on)
	return m.argument(i, v, p.Type.DType, &f)
}

// argument gives the code of an argument, or of an element of one, that is run-time data if it can
// be. declared is the type of its parameter's annotation, if it has one.
func (m *keyMaker) argument(i int, v *Value, declared dtype.DType, f *facts) (code, error) {
	switch v.Kind {
	case KindNone:
		return codeNone, nil
	case KindConst, KindStr:
		return m.constant(i, v)
	case KindTuple:
		return m.tuple(i, v.tuple(), f)
	case KindDescriptor:
		if v.tuple().Elems[0].Place != m.on.place {
			return 0, m.kernel.misplaced(m.values, m.on)
		}
		m.key = appendDesc(m.key, v.tuple().Desc)
		return codeDesc, nil
	case KindArray:
		if v.Place != m.on.place {
			return 0, m.kernel.misplaced(m.values, m.on)
		}
		return f.add(codeArray|code(v.DType), v.Bits), nil
	}
	d := v.DType
	if declared != dtype.Invalid {
		d = declared
	}
	if v.Kind == KindInt && d.IsInt() {
		return f.add(codeInt|code(d), v.Bits), nil
	}
	return codeOther | code(d), nil
}

// tuple appends the elements of a tuple as if each were a parameter.
func (m *keyMaker) tuple(i int, t *Tuple, f *facts) (code, error) {
	m.key = binary.AppendUvarint(m.key, uint64(len(t.Elems)))
	m.key = binary.AppendUvarint(m.key, uint64(len(t.Names)))
	for _, n := range t.Names {
		m.key = exact.AppendString(m.key, n)
	}
	for j := range t.Elems {
		at := len(m.key)
		m.key = extend(m.key, 2)
		c, err := m.argument(i, &t.Elems[j], dtype.Invalid, f)
		if err != nil {
			return 0, err
		}
		binary.LittleEndian.PutUint16(m.key[at:], uint16(c))
	}
	return codeTuple, nil
}

// constant appends a constant by its exact value. Functions and other objects are told by
// identity; the variants that a key leads to keep them alive. Numbers are not made Python's first:
// that would allocate.
func (m *keyMaker) constant(i int, v *Value) (code, error) {
	switch {
	case v.Kind == KindNone:
		return codeNone, nil
	case v.Kind == KindBool:
		m.key = exact.AppendBool(m.key, v.Bits != 0)
		return codeConst, nil
	case v.Kind == KindStr:
		m.key = exact.AppendStr(m.key, v.str())
		return codeConst, nil
	case v.Kind == KindFloat:
		m.key = exact.AppendFloat(m.key, math.Float64frombits(v.Bits))
		return codeConst, nil
	case v.Kind == KindInt && v.Bits == 1: // the compiler is told the same of a number that is 1 where the device asks for that
		return codeOne, nil
	case v.Kind == KindInt && v.DType != dtype.Uint64:
		m.key = exact.AppendInt(m.key, int64(v.Bits))
		return codeConst, nil
	}
	var ok bool
	if m.key, ok = exact.AppendIdentity(m.key, v.Python()); !ok {
		return 0, m.kernel.argError("constant", i, "argument '%s' of %s: a value of type %s cannot be a constant of a kernel",
			m.kernel.params[i].Name, m.kernel.name, pyval.TypeName(v.Const))
	}
	return codeConst, nil
}
