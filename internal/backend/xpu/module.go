package xpu

import (
	"encoding/binary"
	"slices"

	"github.com/tegula-lang/tegula/internal/lir"
)

// An id is a SPIR-V result.
type id = uint32

// magic and version begin a module; version is SPIR-V 1.4.
const (
	magic   = 0x07230203
	version = 0x00010400
)

// A module is a SPIR-V module that is being made. Its sections are words in the order of the specification's logical layout (section
// 2.4); types and constants are made when they are first asked for, once each.
type module struct {
	next         id
	capabilities map[uint32]bool
	requires     map[string]bool
	imports      []uint32
	entry        []uint32
	modes        []uint32
	debug        []uint32
	decorations  []uint32
	globals      []uint32 // types, constants and variables
	functions    []uint32

	known     map[string]id
	openCL    id
	variables []id // what the entry point lists
}

func newModule() *module {
	m := &module{next: 1, capabilities: map[uint32]bool{}, requires: map[string]bool{}, known: map[string]id{}}
	for _, c := range []uint32{capAddresses, capKernel, capInt64, capInt16, capInt8} {
		m.capabilities[c] = true
	}
	m.openCL = m.id()
	m.imports = instruction(m.imports, opExtInstImport, slices.Concat([]uint32{m.openCL}, literal("OpenCL.std"))...)
	return m
}

// id gives a new one.
func (m *module) id() id {
	m.next++
	return m.next - 1
}

// need notes a capability.
func (m *module) need(c uint32) { m.capabilities[c] = true }

// needOf notes a capability of devices that not all have.
func (m *module) needOf(c uint32, feature string) {
	m.capabilities[c], m.requires[feature] = true, true
}

// instruction appends an instruction.
func instruction(to []uint32, op opcode, words ...uint32) []uint32 {
	to = append(to, uint32(len(words)+1)<<16|uint32(op))
	return append(to, words...)
}

// literal gives a string's words: UTF-8 with a zero at the end.
func literal(s string) []uint32 {
	b := append([]byte(s), 0)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// bytes gives the binary.
func (m *module) bytes() []byte {
	words := []uint32{magic, version, 0, m.next, 0}
	for _, c := range sortedKeys(m.capabilities) {
		words = instruction(words, opCapability, c)
	}
	words = append(words, m.imports...)
	words = instruction(words, opMemoryModel, addressingPhysical64, memoryOpenCL)
	for _, section := range [][]uint32{m.entry, m.modes, m.debug, m.decorations, m.globals, m.functions} {
		words = append(words, section...)
	}
	out := make([]byte, 0, 4*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

func sortedKeys[K uint32 | string](set map[K]bool) []K {
	keys := make([]K, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// global gives the type or constant that an instruction makes, which is made once. result is where the result's id stands among the
// words: 0, or 1 after its type.
func (m *module) global(result int, op opcode, words ...uint32) id {
	key := make([]byte, 0, 4*len(words)+4)
	key = binary.LittleEndian.AppendUint32(key, uint32(op))
	for _, w := range words {
		key = binary.LittleEndian.AppendUint32(key, w)
	}
	if known, ok := m.known[string(key)]; ok {
		return known
	}
	made := m.id()
	m.known[string(key)] = made
	m.globals = instruction(m.globals, op, slices.Insert(slices.Clone(words), result, made)...)
	return made
}

// typeOf gives the type of a value. BF16 has no type of its own: only its bits are moved.
func (m *module) typeOf(t lir.Type) id {
	switch t {
	case lir.I1:
		return m.global(0, opTypeBool)
	case lir.F16:
		m.needOf(capFloat16, "fp16")
		return m.global(0, opTypeFloat, 16)
	case lir.F32:
		return m.global(0, opTypeFloat, 32)
	case lir.F64:
		m.needOf(capFloat64, "fp64")
		return m.global(0, opTypeFloat, 64)
	}
	return m.global(0, opTypeInt, uint32(t.Bits()), 0)
}

func (m *module) void() id { return m.global(0, opTypeVoid) }

// vector gives the type of n values of a type.
func (m *module) vector(t lir.Type, n int) id {
	if n == 1 {
		return m.typeOf(t)
	}
	if n > 4 {
		m.need(capVector16)
	}
	return m.global(0, opTypeVector, m.typeOf(t), uint32(n))
}

// pointer gives the type of pointers to a type.
func (m *module) pointer(class uint32, to id) id { return m.global(0, opTypePointer, class, to) }

// constant gives a constant.
func (m *module) constant(t lir.Type, bits uint64) id {
	switch {
	case t == lir.I1 && bits != 0:
		return m.global(1, opConstantTrue, m.typeOf(t))
	case t == lir.I1:
		return m.global(1, opConstantFalse, m.typeOf(t))
	case t.Bits() == 64:
		return m.global(1, opConstant, m.typeOf(t), uint32(bits), uint32(bits>>32))
	}
	return m.global(1, opConstant, m.typeOf(t), uint32(bits&t.Mask()))
}

func (m *module) i32(n int) id { return m.constant(lir.I32, uint64(uint32(n))) }

// builtin gives the variable of three 64-bit numbers, or of one 32-bit number, that a device sets.
func (m *module) builtin(which uint32, t id) id {
	at := m.variable(classInput, t)
	m.decorate(at, decorationBuiltIn, which)
	m.decorate(at, decorationConstant)
	return at
}

// variable makes a variable of the module.
func (m *module) variable(class uint32, t id, initializer ...uint32) id {
	at := m.id()
	m.globals = instruction(m.globals, opVariable, append([]uint32{m.pointer(class, t), at, class}, initializer...)...)
	m.variables = append(m.variables, at)
	return at
}

func (m *module) decorate(what id, decoration uint32, words ...uint32) {
	m.decorations = instruction(m.decorations, opDecorate, append([]uint32{what, decoration}, words...)...)
}

// array gives the type of n bytes.
func (m *module) array(n int) id {
	return m.global(0, opTypeArray, m.typeOf(lir.I8), m.i32(n))
}
