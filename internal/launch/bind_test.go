package launch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// kernelOf makes a kernel that is only bound, never compiled.
func kernelOf(params ...Param) *Kernel {
	return New(Definition{Fn: &sema.Func{Name: "k"}, Params: params})
}

// withDefault gives a default.
func withDefault(p Param, v pyval.Value) Param {
	p.Default = func() (pyval.Value, error) { return v, nil }
	return p
}

// bindAll binds and fills a call, and gives the arguments as Python values.
func bindAll(k *Kernel, r request) ([]pyval.Value, []string, error) {
	c := r.begin(k)
	defer c.End()
	var notes []string
	c.Note = func(s string) { notes = append(notes, s) }
	if err := c.Bind(); err != nil {
		return nil, nil, err
	}
	var values []pyval.Value
	for i := range c.bound.values {
		values = append(values, c.bound.values[i].Python())
	}
	return values, notes, nil
}

func TestBind(t *testing.T) {
	abc := kernelOf(Param{Name: "a"}, Param{Name: "b"}, withDefault(Param{Name: "c"}, int64(30)))
	variadic := kernelOf(Param{Name: "a"}, Param{Name: "rest", Kind: Variadic}, Param{Name: "z", Kind: KeywordOnly})
	for name, test := range map[string]struct {
		kernel *Kernel
		call   request
		want   []pyval.Value
	}{
		"by position":           {abc, request{positional: []Value{Int(1), Int(2), Int(3)}}, []pyval.Value{int64(1), int64(2), int64(3)}},
		"by name":               {abc, request{named: []Named{named("b", Int(2)), named("a", Int(1))}}, []pyval.Value{int64(1), int64(2), int64(30)}},
		"mixed":                 {abc, request{positional: []Value{Int(1)}, named: []Named{named("b", Float(2))}}, []pyval.Value{int64(1), 2.0, int64(30)}},
		"None is an argument":   {abc, request{positional: []Value{Int(1), Int(2), None}}, []pyval.Value{int64(1), int64(2), pyval.None}},
		"variadic":              {variadic, request{positional: []Value{Int(1), Int(2), Int(3)}, named: []Named{named("z", Bool(true))}}, []pyval.Value{int64(1), ints(2, 3), true}},
		"variadic, nothing":     {variadic, request{positional: []Value{Int(1)}, named: []Named{named("z", Bool(true))}}, []pyval.Value{int64(1), ints(), true}},
		"a name like ambient's": {kernelOf(Param{Name: "stream"}), request{named: []Named{named("stream", Int(1))}}, []pyval.Value{int64(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := bindAll(test.kernel, test.call)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(pyval.Repr(pyval.NewTuple(test.want...)), pyval.Repr(pyval.NewTuple(got...))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBindRefuses(t *testing.T) {
	abc := kernelOf(Param{Name: "x_ptr"}, Param{Name: "n_elements"}, Param{Name: "BLOCK", Constexpr: true})
	strict := kernelOf(Param{Name: "a", Kind: PositionalOnly}, Param{Name: "b", Kind: KeywordOnly})
	one := []Value{Int(1)}
	for name, test := range map[string]struct {
		kernel *Kernel
		call   request
		code   string
		msg    string
	}{
		"position after name": {abc, request{positional: []Value{Int(1), Int(2), Int(3), Int(4)}}, "too-many-arguments", "but 4 are given"},
		"missing":             {abc, request{positional: one}, "missing-argument", "k misses its arguments 'n_elements', 'BLOCK'"},
		"one missing":         {abc, request{positional: []Value{Int(1), Int(2)}}, "missing-argument", "k misses its argument 'BLOCK'"},
		"unknown":             {abc, request{named: []Named{named("n_element", Int(1))}}, "unknown-argument", "k has no argument 'n_element' (did you mean 'n_elements'?); it has (x_ptr, n_elements, BLOCK)"},
		"unknown by case":     {abc, request{named: []Named{named("block", Int(1))}}, "unknown-argument", "did you mean 'BLOCK'?"},
		"twice":               {abc, request{positional: one, named: []Named{named("x_ptr", Int(1))}}, "duplicate-argument", "argument 'x_ptr' of k is given twice"},
		"too many":            {abc, request{positional: make([]Value, 5)}, "too-many-arguments", "k takes 3 arguments by position, but 5 are given"},
		"stream":              {abc, request{named: []Named{named("stream", Int(0))}}, "launch-keyword", "the stream that the launch is given says where it runs"},
		"device":              {abc, request{named: []Named{named("device", Int(0))}}, "launch-keyword", "'device'"},
		"device_type":         {abc, request{named: []Named{named("device_type", Const("cuda"))}}, "launch-keyword", "'device_type'"},
		"positional by name":  {strict, request{named: []Named{named("a", Int(1))}}, "positional-only", "by position only"},
		"name by position":    {strict, request{positional: []Value{Int(1), Int(2)}}, "too-many-arguments", "k takes 1 argument by position, but 2 are given"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := bindAll(test.kernel, test.call)
			checkError(t, err, diag.Argument, test.code, test.msg)
		})
	}
}

// What the call leaves out comes from the first configuration, then heuristics, then defaults.
func TestFill(t *testing.T) {
	k := New(Definition{
		Pruned: true,
		Fn:     &sema.Func{Name: "k"},
		Params: []Param{{Name: "n"}, withDefault(Param{Name: "BLOCK", Constexpr: true}, int64(1)),
			{Name: "EVEN", Constexpr: true}, withDefault(Param{Name: "eps"}, 0.5)},
		Configs: []Config{{Values: []Named{named("BLOCK", Const(int64(64)))}}, {Values: []Named{named("BLOCK", Const(int64(128)))}}},
		Heuristics: []Heuristic{{"EVEN", func(args map[string]pyval.Value) (pyval.Value, error) {
			return args["n"].(int64)%args["BLOCK"].(int64) == 0, nil
		}}},
	})
	for name, test := range map[string]struct {
		call  request
		want  string
		notes []string
	}{
		"all left out": {request{positional: []Value{Int(128)}}, "(128, 64, True, 0.5)",
			[]string{"BLOCK=64, from the first autotune configuration; prune_configs_by, which may choose another, is not run", "EVEN=True, from a heuristic"}},
		"the heuristic sees what is given": {request{positional: []Value{Int(128)}, named: []Named{named("BLOCK", Const(int64(100)))}}, "(128, 100, False, 0.5)",
			[]string{"EVEN=False, from a heuristic"}},
		"all given": {request{positional: []Value{Int(1), Int(2), Bool(true), Float(4)}}, "(1, 2, True, 4.0)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, notes, err := bindAll(k, test.call)
			if err != nil {
				t.Fatal(err)
			}
			if s := pyval.Repr(pyval.NewTuple(got...)); s != test.want {
				t.Errorf("%s, want %s", s, test.want)
			}
			if d := cmp.Diff(test.notes, notes); d != "" {
				t.Error(d)
			}
		})
	}
}
