package compiler

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// metadata gives what is known of a kernel before its backend sees it.
func (u *Unit) metadata() (*driver.KernelMetadata, error) {
	o := u.request.Spec.Options
	m := &driver.KernelMetadata{
		Schema:         driver.MetadataVersion,
		Name:           u.Module.Funcs[0].Name,
		Target:         u.request.Target.String(),
		NumWarps:       max(o.NumWarps, 1),
		NumCTAs:        max(o.NumCTAs, 1),
		NumStages:      max(o.NumStages, 1),
		ThreadsPerWarp: o.ThreadsPerWarp,
		Args:           make([]driver.MetadataArg, len(u.Params)),
		Constants:      u.constants,
	}
	for i, p := range u.Params {
		m.Args[i] = driver.MetadataArg{
			Name: p.Name, Type: typeName(p.Type), Source: p.Path,
			DivisibleBy: max(u.Module.Funcs[0].Params[i].Divisibility, 1),
		}
	}
	return m, driver.LayOut(m.Args)
}

// typeName gives a type as signatures do.
func typeName(t sema.Type) string {
	return strings.Repeat("*", t.Tile.PtrDepth()) + t.DType.String()
}

// constants lists the arguments that are part of the code.
func constants(s sema.Spec) []driver.MetadataConstant {
	list := []driver.MetadataConstant{}
	if s.Fn.Def == nil { // it came as tile IR, which has none
		return list
	}
	for i, name := range paramNames(s.Fn.Def.Args) {
		list = addConstants(list, &s.Args[i], name, []int{i})
	}
	return list
}

// paramNames lists the parameters in the order of a Spec's Args.
func paramNames(a *syntax.Arguments) []string {
	var names []string
	for _, list := range [][]*syntax.Arg{a.PosOnly, a.Args, {a.VarArg}, a.KwOnly} {
		for _, p := range list {
			if p != nil {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

func addConstants(list []driver.MetadataConstant, a *sema.ArgSpec, name string, source []int) []driver.MetadataConstant {
	if a.IsConst {
		return append(list, driver.MetadataConstant{Name: name, Source: source, Kind: constantKind(a.Const), Value: constantValue(a.Const)})
	}
	for i := range a.Tuple {
		list = addConstants(list, &a.Tuple[i], name+"["+strconv.Itoa(i)+"]", append(source[:len(source):len(source)], i))
	}
	return list
}

// constantKind names what a constant is.
func constantKind(v pyval.Value) string {
	switch v.(type) {
	case pyval.NoneType:
		return "none"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case pyval.Tuple:
		return "tuple"
	case *pyval.List:
		return "list"
	case sema.Type:
		return "dtype"
	case *sema.Func, *sema.Builtin:
		return "function"
	}
	return "object"
}

// constantValue gives a constant's text.
func constantValue(v pyval.Value) string {
	switch v := v.(type) {
	case *sema.Func:
		return v.Name
	case *sema.Builtin:
		return v.Name
	}
	return pyval.Repr(v)
}
