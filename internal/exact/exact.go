package exact

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// Tags begin the encodings.
const (
	tagNone byte = iota + 1
	tagFalse
	tagTrue
	tagInt
	tagBigInt
	tagFloat
	tagStr
	tagTuple
	tagList
	tagDict
	tagSet
	tagText // something plain that its repr tells
	tagType
	tagModule
	tagBuiltin
	tagFunc
	tagBoxed
	tagPointer
	tagObject
	tagDeep
)

// maxDepth bounds nesting: a list may hold itself.
const maxDepth = 64

// AppendIdentity appends what tells v within this process, while v is alive. ok is false if v is
// an object that has no identity.
func AppendIdentity(b []byte, v pyval.Value) (out []byte, ok bool) {
	e := encoder{b: b, ok: true}
	e.value(v, 0)
	return e.b, e.ok
}

// AppendContent appends what tells v in any process.
func AppendContent(b []byte, v pyval.Value) []byte {
	e := encoder{b: b, content: true}
	e.value(v, 0)
	return e.b
}

// AppendInt appends what an int64 is encoded as.
func AppendInt(b []byte, n int64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, tagInt), uint64(n))
}

// AppendFloat appends what a float64 is encoded as.
func AppendFloat(b []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, tagFloat), math.Float64bits(f))
}

// AppendBool appends what a bool is encoded as.
func AppendBool(b []byte, t bool) []byte {
	if t {
		return append(b, tagTrue)
	}
	return append(b, tagFalse)
}

// AppendStr appends what a str is encoded as.
func AppendStr(b []byte, s string) []byte { return AppendString(append(b, tagStr), s) }

// AppendString appends a string that cannot run into what follows.
func AppendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

type encoder struct {
	b       []byte
	content bool
	ok      bool
}

func (e *encoder) value(v pyval.Value, depth int) {
	if depth > maxDepth {
		e.b = append(e.b, tagDeep)
		return
	}
	switch v := v.(type) {
	case pyval.NoneType:
		e.b = append(e.b, tagNone)
	case bool:
		e.b = AppendBool(e.b, v)
	case int64:
		e.b = AppendInt(e.b, v)
	case float64:
		e.b = AppendFloat(e.b, v)
	case string:
		e.b = AppendStr(e.b, v)
	case *big.Int:
		e.b = AppendString(append(e.b, tagBigInt), v.String())
	case pyval.Tuple:
		e.b = append(e.b, tagTuple)
		e.names(v.Names)
		e.values(v.Elems, depth)
	case *pyval.List:
		e.b = append(e.b, tagList)
		e.values(v.Elems, depth)
	case *pyval.Dict:
		e.dict(v, depth)
	case *pyval.Set:
		e.b = AppendBool(append(e.b, tagSet), v.Frozen)
		e.values(v.Elems(), depth)
	case pyval.Range, pyval.Slice, pyval.EllipsisType:
		e.b = AppendString(append(e.b, tagText), pyval.Repr(v))
	default:
		e.host(v, depth)
	}
}

func (e *encoder) values(list []pyval.Value, depth int) {
	e.b = binary.AppendUvarint(e.b, uint64(len(list)))
	for _, v := range list {
		e.value(v, depth+1)
	}
}

func (e *encoder) names(list []string) {
	e.b = binary.AppendUvarint(e.b, uint64(len(list)))
	for _, n := range list {
		e.b = AppendString(e.b, n)
	}
}

// dict encodes the order too: code may iterate.
func (e *encoder) dict(d *pyval.Dict, depth int) {
	e.b = binary.AppendUvarint(append(e.b, tagDict), uint64(d.Len()))
	for key, v := range d.All() {
		e.value(key, depth+1)
		e.value(v, depth+1)
	}
}

// host encodes what is not Python's own data.
func (e *encoder) host(v pyval.Value, depth int) {
	switch v := v.(type) {
	case sema.Type:
		e.b = AppendString(append(e.b, tagType, byte(v.DType)), v.Tile.String())
		return
	case sema.LangModule:
		e.b = AppendString(append(e.b, tagModule), string(v))
		return
	case *sema.Builtin:
		e.b = AppendString(append(e.b, tagBuiltin), v.Name)
		return
	case pyval.Boxed:
		e.b = AppendString(append(e.b, tagBoxed), pyval.TypeName(v))
		e.value(v.Unbox(), depth+1)
		return
	}
	if e.content {
		e.object(v)
		return
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Pointer {
		e.ok = false
	} else {
		e.b = binary.LittleEndian.AppendUint64(append(e.b, tagPointer), uint64(r.Pointer()))
	}
}

// object encodes the content of what has an identity.
func (e *encoder) object(v pyval.Value) {
	f, ok := v.(*sema.Func)
	if !ok {
		e.b = AppendString(append(e.b, tagObject), pyval.TypeName(v))
		return
	}
	text, line := f.Source()
	e.b = AppendString(append(e.b, tagFunc), f.File.Name)
	e.b = binary.AppendUvarint(e.b, uint64(line))
	e.b = AppendString(e.b, text)
}
