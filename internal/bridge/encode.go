package bridge

import (
	"math"
	"math/big"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// value writes a constant for Python.
func (w *writer) value(v pyval.Value, depth int) error {
	if depth > maxDepth {
		return pyval.Errorf("RecursionError", "a constant is nested too deeply")
	}
	switch v := v.(type) {
	case pyval.NoneType:
		w.u8(tagNone)
	case bool:
		if v {
			w.u8(tagTrue)
		} else {
			w.u8(tagFalse)
		}
	case int64:
		w.u8(tagInt)
		w.i64(v)
	case *big.Int:
		w.u8(tagBig)
		w.str(v.Text(16))
	case float64:
		w.u8(tagFloat)
		w.u64(math.Float64bits(v))
	case string:
		w.u8(tagStr)
		w.str(v)
	case pyval.Tuple:
		w.u8(tagTuple)
		return w.values(v.Elems, depth)
	case *pyval.List:
		w.u8(tagList)
		return w.values(v.Elems, depth)
	case *pyval.Set:
		w.u8(tagSet)
		return w.values(v.Elems(), depth)
	case *pyval.Dict:
		return w.dict(v, depth)
	case pyval.Range:
		w.u8(tagRange)
		w.i64(v.Start)
		w.i64(v.Stop)
		w.i64(v.Step)
	case pyval.Slice:
		w.u8(tagSlice)
		for _, part := range []pyval.Value{v.Start, v.Stop, v.Step} {
			if err := w.value(part, depth+1); err != nil {
				return err
			}
		}
	case pyval.EllipsisType:
		w.u8(tagEllipsis)
	default:
		return w.other(v)
	}
	return nil
}

func (w *writer) values(list []pyval.Value, depth int) error {
	w.u32(uint32(len(list)))
	for _, v := range list {
		if err := w.value(v, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) dict(d *pyval.Dict, depth int) error {
	w.u8(tagDict)
	w.u32(uint32(d.Len()))
	for k, v := range d.All() {
		if err := w.value(k, depth+1); err != nil {
			return err
		}
		if err := w.value(v, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// other writes what is no data.
func (w *writer) other(v pyval.Value) error {
	switch v := v.(type) {
	case *object:
		return w.ref(v)
	case *recordClass:
		return w.ref(v.object)
	case *aggregate:
		return w.ref(v.object)
	case sema.Type:
		w.u8(tagType)
		w.str(signatureOf(v))
		if !v.IsTile() {
			w.u32(0)
			return nil
		}
		shape := v.Tile.Shape()
		w.u32(uint32(len(shape)))
		for _, n := range shape {
			w.i64(int64(n))
		}
		return nil
	case *sema.Func:
		if k := kernelOfFunc(v); k != nil {
			w.u8(tagKernel)
			w.u64(k.id)
			return nil
		}
	case sema.LangModule:
		w.u8(tagLang)
		w.str(string(v))
		return nil
	}
	return diag.New(diag.Compile, "host-argument", "a value of type %s cannot be passed to a function of Python", pyval.TypeName(v))
}

// ref writes an object by its address. A kernel that takes part in the compilation keeps it alive.
func (w *writer) ref(o *object) error {
	w.u8(tagObject)
	w.u64(o.ref)
	return nil
}

// signatureOf gives the scalar of a type as signatures write it.
func signatureOf(t sema.Type) string {
	return strings.Repeat("*", t.Tile.PtrDepth()) + t.DType.String()
}
