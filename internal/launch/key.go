package launch

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// Tags of the parts of a key. Each part begins with its tag and has a length that the bytes
// before its end say, so that different arguments never make the same key.
const (
	tagType byte = iota
	tagTuple
	tagNone
	tagBool
	tagInt
	tagBigInt
	tagFloat
	tagStr
	tagSequence
	tagDType
	tagObject
	tagDesc
)

// appendSpec appends what an ArgSpec says to a key.
func appendSpec(key []byte, s *sema.ArgSpec) ([]byte, error) {
	switch {
	case s.IsConst:
		return appendConst(key, s.Const)
	case s.IsTuple:
		key = append(key, tagTuple)
		key = binary.AppendUvarint(key, uint64(len(s.Tuple)))
		key = appendNames(key, s.Names)
		for i := range s.Tuple {
			var err error
			if key, err = appendSpec(key, &s.Tuple[i]); err != nil {
				return nil, err
			}
		}
		return key, nil
	case s.Desc != nil:
		return appendDesc(key, s.Desc), nil
	}
	key = append(key, tagType, byte(s.Type.DType), byte(s.Type.Tile.PtrDepth()))
	return binary.AppendUvarint(key, uint64(s.Divisibility)), nil
}

// appendConst appends a constant by its exact value: 1, 1.0 and True differ, as do 0.0 and
// -0.0; a NaN is the same as itself. Functions and other objects are told by identity; the
// variants that a key leads to keep them alive.
func appendConst(key []byte, v pyval.Value) ([]byte, error) {
	switch v := v.(type) {
	case pyval.NoneType:
		return append(key, tagNone), nil
	case bool:
		if v {
			return append(key, tagBool, 1), nil
		}
		return append(key, tagBool, 0), nil
	case int64:
		return binary.LittleEndian.AppendUint64(append(key, tagInt), uint64(v)), nil
	case *big.Int:
		return appendString(append(key, tagBigInt), v.String()), nil
	case float64:
		return binary.LittleEndian.AppendUint64(append(key, tagFloat), math.Float64bits(v)), nil
	case string:
		return appendString(append(key, tagStr), v), nil
	case pyval.Tuple:
		return appendConsts(append(key, tagSequence, 0), v.Elems, v.Names)
	case *pyval.List:
		return appendConsts(append(key, tagSequence, 1), v.Elems, nil)
	case sema.Type:
		return appendString(append(key, tagDType, byte(v.DType)), v.Tile.String()), nil
	case sema.LangModule:
		return appendString(append(key, tagObject, 0), string(v)), nil
	}
	if b, ok := v.(pyval.Boxed); ok {
		return appendConst(appendString(append(key, tagObject, 2), pyval.TypeName(v)), b.Unbox())
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
		return binary.LittleEndian.AppendUint64(append(key, tagObject, 1), uint64(r.Pointer())), nil
	}
	return nil, errNoConstant(v)
}

func appendConsts(key []byte, elems []pyval.Value, names []string) ([]byte, error) {
	key = binary.AppendUvarint(key, uint64(len(elems)))
	key = appendNames(key, names)
	for _, e := range elems {
		var err error
		if key, err = appendConst(key, e); err != nil {
			return nil, err
		}
	}
	return key, nil
}

func appendNames(key []byte, names []string) []byte {
	key = binary.AppendUvarint(key, uint64(len(names)))
	for _, n := range names {
		key = appendString(key, n)
	}
	return key
}

func appendString(key []byte, s string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(s))), s...)
}
