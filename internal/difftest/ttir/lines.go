package ttir

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

// names are Triton's operations by the names that they have in tile IR. "" leaves an operation out: it has no
// counterpart, or is no matter of types.
var names = map[string]string{
	"arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul", "arith.divsi": "divs", "arith.divui": "divu",
	"arith.remsi": "rems", "arith.remui": "remu", "arith.andi": "and", "arith.ori": "or", "arith.xori": "xor",
	"arith.shli": "shl", "arith.shrsi": "shrs", "arith.shrui": "shru", "arith.minsi": "mins", "arith.minui": "minu",
	"arith.maxsi": "maxs", "arith.maxui": "maxu", "tt.mulhiui": "mulhiu", "arith.cmpi": "cmpi",
	"arith.addf": "fadd", "arith.subf": "fsub", "arith.mulf": "fmul", "arith.divf": "fdiv", "tt.precise_divf": "fdiv.rn",
	"arith.remf": "frem", "arith.minimumf": "fmin", "arith.minnumf": "fmin", "arith.maximumf": "fmax", "arith.maxnumf": "fmax",
	"math.fma": "fma", "arith.negf": "fneg", "tt.clampf": "clamp", "arith.cmpf": "cmpf",
	"math.absi": "absi", "math.absf": "absf", "math.exp": "exp", "math.exp2": "exp2", "math.log": "log", "math.log2": "log2",
	"math.sin": "sin", "math.cos": "cos", "math.sqrt": "sqrt", "tt.precise_sqrt": "sqrt.rn", "math.rsqrt": "rsqrt",
	"math.erf": "erf", "math.floor": "floor", "math.ceil": "ceil", "tt.extern_elementwise": "extern",
	"arith.trunci": "trunc", "arith.extsi": "exts", "arith.extui": "extu", "arith.truncf": "fcast", "arith.extf": "fcast",
	"tt.fp_to_fp": "fcast", "arith.sitofp": "stof", "arith.uitofp": "utof", "arith.fptosi": "ftos", "arith.fptoui": "ftou",
	"arith.bitcast": "bitcast", "tt.bitcast": "bitcast", "tt.int_to_ptr": "inttoptr", "tt.ptr_to_int": "ptrtoint",
	"arith.select": "select",

	"tt.trans": "trans",
	"tt.cat":   "cat", "tt.join": "join", "tt.split": "split", "tt.make_range": "range", "tt.gather": "gather", "tt.histogram": "histogram",
	"tt.get_program_id": "program_id", "tt.get_num_programs": "num_programs",

	"tt.addptr": "addptr", "tt.load": "load", "tt.store": "store", "tt.atomic_rmw": "atomic_rmw", "tt.atomic_cas": "atomic_cas",
	"tt.atomic_load": "atomic_load", "tt.atomic_store": "atomic_store", "tt.atomic_poll": "atomic_poll",
	"tt.make_tensor_descriptor": "", // here those that the host passes are made in the kernel
	"tt.descriptor_load":        "desc_load", "tt.descriptor_store": "desc_store",
	"tt.descriptor_reduce": "desc_reduce", "tt.descriptor_gather": "desc_gather", "tt.descriptor_scatter": "desc_scatter",

	"tt.reduce": "reduce", "tt.scan": "scan", "tt.map_elementwise": "map", "tt.dot": "dot", "tt.dot_scaled": "dot_scaled",
	"scf.for": "for", "scf.while": "while", "scf.if": "if",
	"tt.print": "print", "tt.assert": "assert", "tt.elementwise_inline_asm": "inline_asm",

	"builtin.module": "", "tt.func": "", "tt.call": "", "tt.return": "", // calls happen in place
	"scf.yield": "", "scf.condition": "", "tt.reduce.return": "", "tt.scan.return": "", "tt.map_elementwise.return": "",
	"cf.br": "", "cf.cond_br": "", // early returns
	"arith.constant": "", "ub.poison": "",
	// How a tile comes to its shape: what is computed from it has that shape in both.
	"tt.splat": "", "tt.broadcast": "", "tt.expand_dims": "", "tt.reshape": "", "tt.unsplat": "",
	"llvm.intr.assume": "", "ttg.barrier": "", // facts and barriers have no types
	"tt.grid_dependency_wait": "", "tt.grid_dependency_launch_dependents": "", // nothing here
}

// Theirs gives the lines of Triton's operations, and the operations that are not known.
func Theirs(ops []string) (lines, unknown []string) {
	set := make(map[string]bool)
	for _, op := range ops {
		name, rest, _ := strings.Cut(op, " ")
		as, ok := names[name]
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		if as == "" {
			continue
		}
		from, to, _ := strings.Cut(rest, "->")
		add(set, as, typesOf(from), typesOf(to))
	}
	return slices.Sorted(maps.Keys(set)), unknown
}

// typesOf reads MLIR's types as they print in tile IR.
func typesOf(list string) []string {
	words := strings.Fields(list)
	for i, w := range words {
		if inner, ok := strings.CutPrefix(w, "tensor<"); ok {
			w = strings.TrimSuffix(inner, ">")
		}
		words[i] = renamed.Replace(descriptor.ReplaceAllString(w, "desc<${1}i"))
	}
	return words
}

// MLIR's descriptors have signed integers; the others are types whose names differ.
var (
	descriptor = regexp.MustCompile(`tensordesc<([\dx]*)[su]i`)
	renamed    = strings.NewReplacer("!tt.", "", "tensordesc<", "desc<", "f8E4M3FN", "f8e4m3", "f8E5M2", "f8e5m2")
)

// leftOut are the operations of tile IR that stand for those without a name.
var leftOut = map[tile.Code]bool{
	tile.OpConst: true, tile.OpYield: true, tile.OpCondition: true, tile.OpReturn: true, tile.OpCall: true, tile.OpHint: true,
	tile.OpSplat: true, tile.OpBroadcast: true, tile.OpExpandDims: true, tile.OpReshape: true, tile.OpAssume: true, tile.OpBarrier: true, tile.OpMakeDesc: true,
}

// Ours gives the lines of a module.
func Ours(m *tile.Module) []string {
	set := make(map[string]bool)
	for _, f := range m.Funcs {
		f.Body.Walk(func(op *tile.Op) {
			if !leftOut[op.Code] {
				add(set, op.Code.String(), texts(op.Args), texts(op.Results))
			}
		})
	}
	return slices.Sorted(maps.Keys(set))
}

// ourNames undoes what Triton's types do not tell: it has the bits of fp8e4b15, and operations say what a descriptor
// gives outside of its array.
var ourNames = strings.NewReplacer("f8e4b15", "i8", ">nan", ">")

func texts(values []*tile.Value) []string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = ourNames.Replace(v.Type.String())
	}
	return words
}

// add enters a line, in a form that is the same where the two say the same in other ways.
func add(set map[string]bool, name string, from, to []string) {
	switch {
	case name == "bitcast" && from[0] == to[0]:
		return // a change of the sign only, which neither has in its types
	case name == "fdiv.rn" && strings.HasSuffix(to[0], "f64"):
		name = "fdiv" // there is no other of f64
	case strings.HasPrefix(name, "atomic") && strings.HasSuffix(from[len(from)-1], "i1"):
		from = from[:len(from)-1] // Triton makes a mask where there is none
	case name == "desc_scatter" && from[2] == "i32":
		from = []string{from[0], from[3], from[1], from[2]} // Triton has the rows before the block
	case name == "fext" || name == "ftrunc":
		name = "fcast" // Triton has three names
	case name == "for":
		from = slices.Concat(from[:3], slices.Sorted(slices.Values(from[3:]))) // what is carried, in any order
		to = slices.Sorted(slices.Values(to))
	case name == "while" || name == "if":
		from, to = slices.Sorted(slices.Values(from)), slices.Sorted(slices.Values(to))
	}
	if name == "fcast" && strings.HasSuffix(to[0], "f64") && !strings.HasSuffix(from[0], "f32") {
		wide := strings.TrimSuffix(to[0], "f64") + "f32"
		set[line(name, from, []string{wide})] = true // Triton takes two steps; both are exact
		from = []string{wide}
	}
	set[line(name, from, to)] = true
}

func line(name string, from, to []string) string {
	return strings.Join(slices.Concat([]string{name}, from, []string{"->"}, to), " ")
}
