package sema

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/sema/std"
)

// The modules of the language, by canonical name.
const (
	modTriton      LangModule = "triton"
	modLang        LangModule = "triton.language"
	modMath        LangModule = "triton.language.math"
	modExtra       LangModule = "triton.language.extra"
	modCUDA        LangModule = "triton.language.extra.cuda"
	modLibdevice   LangModule = "triton.language.extra.libdevice"
	modPropagate   LangModule = "triton.language.PropagateNan"
	modTargetInfo  LangModule = "triton.language.target_info"
	languagePrefix            = "triton.language"
)

// aliases gives the canonical module for the other paths that Triton has for it, below
// triton.language.
var aliases = map[string]LangModule{
	"core":                  modLang,
	"standard":              modLang,
	"random":                modLang,
	"semantic":              modLang,
	"math":                  modMath,
	"target_info":           modTargetInfo,
	"extra":                 modExtra,
	"extra.libdevice":       modLibdevice,
	"extra.cuda":            modCUDA,
	"extra.hip":             modCUDA,
	"extra.xpu":             modCUDA,
	"extra.intel":           modCUDA,
	"extra.cuda.libdevice":  modLibdevice,
	"extra.hip.libdevice":   modLibdevice,
	"extra.xpu.libdevice":   modLibdevice,
	"extra.intel.libdevice": modLibdevice,
	"extra.cuda.gdc":        modCUDA,
	"extra.cuda.utils":      modCUDA,
	"libdevice":             modLibdevice,
}

// LangImport gives what an import of path names: a module of the language, or what a module holds.
// Paths of the packages tegula and triton mean the same.
func LangImport(path string) (Value, bool) {
	root, rest, _ := strings.Cut(path, ".")
	if root != "triton" && root != "tegula" {
		return nil, false
	}
	if rest == "" {
		return modTriton, true
	}
	below, ok := strings.CutPrefix(rest, "language")
	switch {
	case !ok:
		return LangAttr(modTriton, rest)
	case below == "":
		return modLang, true
	case below[0] != '.':
		return nil, false
	}
	below = below[1:]
	if m, ok := aliases[below]; ok {
		return m, true
	}
	mod, name := modLang, below
	if i := strings.LastIndexByte(below, '.'); i >= 0 {
		if mod, ok = aliases[below[:i]]; !ok {
			return nil, false
		}
		name = below[i+1:]
	}
	return LangAttr(mod, name)
}

// LangAttr gives what a module of the language holds under a name: a Type, *Builtin, *Func,
// another module or a constant.
func LangAttr(m LangModule, name string) (Value, bool) {
	t := tables()
	switch m {
	case modTriton:
		return lookup(t.triton, name)
	case modLang:
		if v, ok := t.langAttr(name); ok {
			return v, true
		}
		if below, ok := aliases[name]; ok {
			return below, true
		}
		return nil, false
	case modMath:
		if v, ok := t.langAttr(name); ok {
			return v, true
		}
		return lookup(t.libdevice, name)
	case modLibdevice:
		return lookup(t.libdevice, name)
	case modExtra, modCUDA:
		if v, ok := lookup(t.cuda, name); ok {
			return v, true
		}
		if below, ok := aliases[strings.TrimPrefix(string(m), languagePrefix+".")+"."+name]; ok {
			return below, true
		}
		return nil, false
	case modPropagate:
		v, ok := propagateNaN[name]
		return v, ok
	case modTargetInfo:
		return lookup(t.targetInfo, name)
	}
	return nil, false
}

// moduleNames lists what a module holds.
func moduleNames(m LangModule) []string {
	t := tables()
	switch m {
	case modTriton:
		return slices.Collect(maps.Keys(t.triton))
	case modLibdevice:
		return slices.Collect(maps.Keys(t.libdevice))
	case modExtra, modCUDA:
		return slices.Collect(maps.Keys(t.cuda))
	case modLang, modMath:
		names := slices.Collect(maps.Keys(t.lang))
		for _, name := range std.Names() {
			if !strings.HasPrefix(name, "_") {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

// propagateNaN are the members of tl.PropagateNan.
var propagateNaN = map[string]Value{"NONE": int64(0), "ALL": int64(0xffff)}

// A langTable holds what the modules of the language hold, and the methods of tiles and descriptors.
type langTable struct {
	triton, lang, libdevice, cuda, targetInfo map[string]Value
	methods                                   map[string]Value
	descMethods                               map[string]Value
}

// tables makes the tables at the first call. They are not package variables because the functions
// in them refer to the tables.
func tables() *langTable {
	theTables.once.Do(func() { theTables.langTable = makeTables() })
	return theTables.langTable
}

var theTables struct {
	once sync.Once
	*langTable
}

func makeTables() *langTable {
	t := &langTable{
		lang:       make(map[string]Value, 256),
		libdevice:  make(map[string]Value, 256),
		cuda:       make(map[string]Value, 16),
		triton:     make(map[string]Value, 16),
		targetInfo: make(map[string]Value, 8),
		methods:    make(map[string]Value, 64),

		descMethods: make(map[string]Value, 16),
	}
	for _, rows := range [][]*Builtin{
		programRows(), shapeRows(), memoryRows(), atomicRows(), arithmeticRows(), mathRows(), matrixRows(),
		descRows(), reduceRows(), hintRows(), debugRows(), asmRows(), classRows(), constantRows(), rangeRows(),
		aggregateRows(),
	} {
		t.add(t.lang, rows)
	}
	t.add(t.libdevice, libdeviceRows())
	t.add(t.cuda, cudaRows())
	t.add(t.triton, hostRows())
	t.add(t.targetInfo, targetInfoRows())
	t.add(t.descMethods, descMethodRows())
	for _, d := range allDTypes() {
		t.lang[d.Attr()] = ScalarType(d)
	}
	t.lang["pi32_t"] = PointerTo(ScalarType(dtype.Int32))
	t.lang["PropagateNan"] = modPropagate
	t.lang["TRITON_MAX_TENSOR_NUMEL"] = int64(maxElems)
	t.triton["language"] = modLang
	t.triton["constexpr"] = t.lang["constexpr"]
	return t
}

// add enters rows under the last part of their names.
func (t *langTable) add(into map[string]Value, rows []*Builtin) {
	for _, b := range rows {
		name := b.Name[strings.LastIndexByte(b.Name, '.')+1:]
		into[name] = b
		if b.Method {
			t.methods[name] = b
		}
	}
}

// langAttr gives what tl holds besides modules; names of the library with an underscore are its own.
func (t *langTable) langAttr(name string) (Value, bool) {
	if v, ok := t.lang[name]; ok {
		return v, true
	}
	if own, ok := privateNames[name]; ok {
		name = own
	} else if strings.HasPrefix(name, "_") {
		return nil, false
	}
	f, ok := stdFunc(name)
	return f, ok
}

func lookup(m map[string]Value, name string) (Value, bool) {
	v, ok := m[name]
	return v, ok
}

// methodNamed gives a method of tiles: a *Builtin or a *Func.
func methodNamed(name string) (Value, bool) {
	if v, ok := lookup(tables().methods, name); ok {
		return v, true
	}
	if !slices.Contains(stdMethods, name) {
		return nil, false
	}
	f, ok := stdFunc(name)
	return f, ok
}
