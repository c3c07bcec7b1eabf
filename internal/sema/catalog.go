package sema

import (
	"maps"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/sema/std"
)

// An Entry is a name that a module of the language holds: what tools that write about the language
// (Python's side of it, stubs for editors) are made from.
type Entry struct {
	Name string
	Kind EntryKind
	Sig  string // of functions and classes: the parameters in Python's syntax, without annotations
	// Method is set for functions that tiles have as a method, with the tile as the first argument.
	Method bool
}

// An EntryKind says what a name of the language is.
type EntryKind string

// The kinds of names.
const (
	FunctionEntry EntryKind = "function"
	ClassEntry    EntryKind = "class"
	TypeEntry     EntryKind = "type"
	OtherEntry    EntryKind = "other" // a module or a constant
)

// Catalog lists what a module of the language holds, by name, private names that public kernels use too.
func Catalog(m LangModule) []Entry {
	names := moduleNames(m)
	switch m {
	case modLang:
		names = append(names, slices.Collect(maps.Keys(privateNames))...)
	case modTargetInfo:
		names = slices.Collect(maps.Keys(tables().targetInfo))
	}
	slices.Sort(names)
	var all []Entry
	for _, name := range slices.Compact(names) {
		if v, ok := LangAttr(m, name); ok {
			all = append(all, entryOf(name, v))
		}
	}
	return all
}

func entryOf(name string, v Value) Entry {
	switch v := v.(type) {
	case *Builtin:
		kind := FunctionEntry
		if v.Is != nil {
			kind = ClassEntry
		}
		return Entry{Name: name, Kind: kind, Sig: v.Sig, Method: v.Method}
	case *Func:
		return Entry{Name: name, Kind: FunctionEntry, Sig: v.parameters(), Method: slices.Contains(stdMethods, name)}
	case Type:
		return Entry{Name: name, Kind: TypeEntry}
	}
	return Entry{Name: name, Kind: OtherEntry}
}

// parameters gives the parameters of a function of the library as they stand in its text, without annotations.
func (f *Func) parameters() string {
	a := f.Def.Args
	var words []string
	for i, p := range a.Args {
		word := p.Name
		if d := i - (len(a.Args) - len(a.Defaults)); d >= 0 {
			r := a.Defaults[d].Range()
			word += "=" + string(f.File.Src[r.Pos:r.End])
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// MethodNames lists the methods of tiles, and DescriptorMethodNames those of tensor descriptors.
func MethodNames() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(tables().methods)), stdMethods...)))
}

// DescriptorMethodNames lists the methods of tensor descriptors.
func DescriptorMethodNames() []string { return slices.Sorted(maps.Keys(tables().descMethods)) }

// LibraryNames lists the public functions of the library that is written in the language.
func LibraryNames() []string {
	names := slices.DeleteFunc(std.Names(), func(name string) bool { return strings.HasPrefix(name, "_") })
	slices.Sort(names)
	return names
}
