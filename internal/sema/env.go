package sema

import "github.com/tegula-lang/tegula/internal/tile"

// An Env resolves the free names of one function: globals and closure variables. It is
// sema's only window on the world around a kernel.
type Env interface {
	// Lookup gives what a name is bound to. ok is false if it is bound to nothing. An error says
	// why what it is bound to cannot be known (it is reported at the name's use).
	Lookup(name string) (b Binding, ok bool, err error)
}

// A ChangingEnv is one whose names may be bound anew while a kernel is in use, as those of a live
// interpreter are. Other Envs give the same answers for ever.
type ChangingEnv interface {
	Env
	// Generation gives another number than before when a name may have been bound anew since. It is
	// asked before each launch.
	Generation() uint64
}

// A Binding is what a global or closure name means.
type Binding struct {
	Value Value
	// Const is set if the value was declared tl.constexpr. Plain data (numbers, strings, tuples)
	// that is not Const may not be read by a kernel.
	Const bool
}

// A Spec is what to compile.
type Spec struct {
	Fn   *Func
	Args []ArgSpec // one for each parameter of Fn, in order; a *args parameter gets one with Tuple
	Options
}

// Options are what the meaning of a kernel may depend on besides its arguments.
type Options struct {
	NumWarps, NumStages, NumCTAs int
	ThreadsPerWarp               int          // 0 leaves it to the back end
	Debug                        bool         // device_assert is compiled in, as are overflow checks
	Print                        func(string) // receives what static_print prints; may be nil
}

// An ArgSpec is what is known of an argument. Exactly one of IsConst, IsTuple, Desc and Type applies.
type ArgSpec struct {
	Type         Type  // a scalar or a pointer
	Divisibility int64 // as tile.Param.Divisibility
	ReadOnly     bool  // as tile.Param.ReadOnly; tl.const as the parameter's annotation says so too
	IsConst      bool
	Const        Value
	IsTuple      bool
	Tuple        []ArgSpec
	Names        []string // field names of a named tuple, or nil
	Desc         *DescSpec
}

// A DescSpec is what is known of a tensor descriptor that the host made: what it describes, an
// address, sizes and strides but the last, which is 1, are parameters of the compiled kernel.
// Their paths count the address, the sizes and all strides.
type DescSpec struct {
	Elem  Type  // a number's type
	Block []int // the shape of what a load gives
	Kind  tile.DescKind
}

// A Result is a compiled kernel.
type Result struct {
	Module *tile.Module
	// Params says where each parameter of Module.Funcs[0] comes from.
	Params []ParamSource
	// Globals are the global values that the meaning depends on, in order of first use.
	Globals []GlobalUse
	// Funcs are the functions whose source the meaning depends on, in order of first use: the
	// kernel, and all that it calls, those of the language's library too.
	Funcs []*Func
}

// A ParamSource is a path to an argument: the parameter's index and, for tuples, the indices within.
type ParamSource struct {
	Name string // x, or x[1][0] for tuples
	Path []int
	Type Type
	// Written says that the kernel may write through it: it is a pointer, or the array of a descriptor.
	Written bool
}

// A GlobalUse is a global value that was read.
type GlobalUse struct {
	Env   Env
	Name  string
	Value Value
}
