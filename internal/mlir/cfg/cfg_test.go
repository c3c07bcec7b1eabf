package cfg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/mlir/cfg"
	"github.com/tegula-lang/tegula/internal/tile"
)

var (
	i1  = tile.Scalar(tile.I1)
	i32 = tile.Scalar(tile.I32)
)

// A machine runs graphs and what is made of them, as far as the tests' operations go. It stops after some steps: many graphs run for ever.
type machine struct {
	env   map[*tile.Value]int64
	trace []string
	fuel  int
}

type outOfFuel struct{}

func (m *machine) list(values []*tile.Value) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = m.env[v]
	}
	return out
}

func (m *machine) set(values []*tile.Value, to []int64) {
	for i, v := range values {
		m.env[v] = to[i]
	}
}

// run runs operations and gives the operands of the one that ends them.
func (m *machine) run(ops []*tile.Op) []int64 {
	for _, op := range ops {
		args := m.list(op.Args)
		switch op.Code {
		case tile.OpConst:
			m.env[op.Result()] = int64(op.Attr.(tile.ConstAttr).Bits)
		case tile.OpAdd:
			m.env[op.Result()] = (args[0] + args[1]) % 1000
		case tile.OpCmpI:
			eq := args[0] == args[1]
			if op.Attr.(tile.CmpIAttr).Pred == tile.LTS {
				eq = args[0] < args[1]
			}
			m.env[op.Result()] = map[bool]int64{true: 1}[eq]
		case tile.OpPrint:
			m.trace = append(m.trace, fmt.Sprint(op.Attr.(tile.PrintAttr).Prefix, args))
			if m.fuel--; m.fuel == 0 {
				panic(outOfFuel{})
			}
		case tile.OpIf:
			m.set(op.Results, m.run(op.Regions[1-args[0]].Ops))
		case tile.OpWhile:
			for {
				m.set(op.Regions[0].Args, args)
				out := m.run(op.Regions[0].Ops)
				if out[0] == 0 {
					m.set(op.Results, out[1:])
					break
				}
				m.set(op.Regions[1].Args, out[1:])
				args = m.run(op.Regions[1].Ops)
			}
		case tile.OpYield, tile.OpCondition, tile.OpReturn:
			return args
		default:
			panic(op.Code.String())
		}
	}
	return nil
}

// graph runs a graph.
func (m *machine) graph(n, exit *cfg.Node) []int64 {
	for n != exit {
		m.run(n.Block.Ops)
		e := n.Succ[0]
		if n.Cond != nil && m.env[n.Cond] == 0 {
			e = n.Succ[1]
		}
		m.set(e.To.Args, m.list(e.Args))
		n = e.To
	}
	return m.list(exit.Args)
}

// outcome runs f and says what happened.
func outcome(f *tile.Func, args []int64, run func(*machine) []int64) (s string, ended bool) {
	m := &machine{env: map[*tile.Value]int64{}, fuel: 60}
	m.set(f.Body.Args, args)
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(outOfFuel); !ok {
				panic(r)
			}
			s = strings.Join(m.trace, "\n")
		}
	}()
	results := run(m)
	return strings.Join(m.trace, "\n") + fmt.Sprint("\nresults ", results), true
}

// randomGraph draws a graph: blocks with arguments that use what dominates them, and print what they see.
func randomGraph(t *rapid.T, f *tile.Func) (entry, exit *cfg.Node) {
	count := rapid.IntRange(1, 9).Draw(t, "blocks")
	nodes := make([]*cfg.Node, count+1)
	succ := make([][]int, count)
	for i := range nodes {
		nodes[i] = &cfg.Node{}
		if i == 0 {
			nodes[i].Args = f.Body.Args
			continue
		}
		for range rapid.IntRange(0, 2).Draw(t, "arguments") {
			nodes[i].Args = append(nodes[i].Args, f.NewValue(i32))
		}
	}
	for i := range succ {
		for range rapid.IntRange(1, 2).Draw(t, "jumps") {
			to := rapid.IntRange(1, count).Draw(t, "to")
			if !slices.Contains(succ[i], to) {
				succ[i] = append(succ[i], to)
			}
		}
	}
	values := make([][]*tile.Value, count)
	b := tile.NewBuilder(nil, f)
	for i, n := range nodes[:count] {
		values[i] = slices.Clone(n.Args)
	}
	for _, i := range inOrder(succ) {
		n := nodes[i]
		b.SetBlock(&n.Block)
		sees := slices.Clone(values[i])
		for d := range count {
			if d != i && dominates(succ, d, i) {
				sees = append(sees, values[d]...)
			}
		}
		pick := func() *tile.Value { return rapid.SampledFrom(sees).Draw(t, "value") }
		b.Op(tile.OpPrint, tile.PrintAttr{Prefix: fmt.Sprint("block ", i)}, []*tile.Value{pick(), pick()})
		for range 2 {
			made := b.Binary(tile.OpAdd, pick(), b.Const(i32, uint64(rapid.IntRange(0, 9).Draw(t, "constant"))))
			values[i] = append(values[i], made)
			sees = append(sees, made)
		}
		if len(succ[i]) == 2 {
			n.Cond = b.CmpI(tile.LTS, pick(), pick())
		}
		for _, to := range succ[i] {
			e := cfg.Edge{To: nodes[to]}
			for range nodes[to].Args {
				e.Args = append(e.Args, pick())
			}
			n.Succ = append(n.Succ, e)
		}
	}
	return nodes[0], nodes[count]
}

// dominates reports whether all ways from 0 to a block lead over another.
func dominates(succ [][]int, d, to int) bool {
	seen := map[int]bool{d: true}
	list := []int{0}
	for len(list) > 0 && d != 0 {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		if n == to {
			return false
		}
		if !seen[n] && n < len(succ) {
			seen[n] = true
			list = append(list, succ[n]...)
		}
	}
	return true
}

// inOrder gives the blocks that 0 reaches, those first that dominate others.
func inOrder(succ [][]int) []int {
	var post []int
	seen := map[int]bool{len(succ): true}
	var visit func(int)
	visit = func(n int) {
		seen[n] = true
		for _, to := range succ[n] {
			if !seen[to] {
				visit(to)
			}
		}
		post = append(post, n)
	}
	visit(0)
	slices.Reverse(post)
	return post
}

// TestStructure runs random graphs, those that no program would have too, and what becomes of them.
func TestStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &tile.Func{Name: "f", Params: make([]tile.Param, 2), Body: &tile.Block{}}
		for range 2 {
			f.Body.AddArg(f, i32, "")
		}
		entry, exit := randomGraph(t, f)
		f.Results = make([]tile.Type, len(exit.Args))
		for i := range exit.Args {
			f.Results[i] = i32
		}
		if err := cfg.Check(entry); err != nil {
			t.Fatal(err)
		}
		inputs := [][]int64{{0, 0}, {3, 5}, {7, 1}, {0, 999}}
		var want []string
		var ended []bool
		for _, in := range inputs {
			s, end := outcome(f, in, func(m *machine) []int64 { return m.graph(entry, exit) })
			want, ended = append(want, s), append(ended, end)
		}
		if err := cfg.Structure(f, entry, exit); err != nil {
			t.Fatal(err)
		}
		if err := tile.Verify(&tile.Module{Funcs: []*tile.Func{f}}); err != nil {
			t.Fatal(err)
		}
		for i, in := range inputs {
			got, end := outcome(f, in, func(m *machine) []int64 { return m.run(f.Body.Ops) })
			if got != want[i] || end != ended[i] {
				t.Fatalf("%v:\n%s\nwant\n%s", in, got, want[i])
			}
		}
	})
}

// TestRefused has graphs that are no functions.
func TestRefused(t *testing.T) {
	f := &tile.Func{Name: "f", Body: &tile.Block{}}
	b := tile.NewBuilder(nil, f)
	exit := &cfg.Node{}
	entry := &cfg.Node{}
	b.SetBlock(&entry.Block)
	number := b.Const(i32, 0)
	entry.Cond, entry.Succ = number, []cfg.Edge{{To: exit}, {To: exit}}
	says(t, cfg.Check(entry), "a jump depends on i32, not on i1")
	entry.Cond, entry.Succ = nil, []cfg.Edge{{To: exit, Args: []*tile.Value{number}}}
	says(t, cfg.Check(entry), "a jump has 1 arguments where the block takes 0")
	exit.Args = []*tile.Value{f.NewValue(i1)}
	says(t, cfg.Check(entry), "a jump has i32 where the block takes i1")

	exit.Args = nil
	cycle, other := &cfg.Node{}, &cfg.Node{}
	b.SetBlock(&cycle.Block)
	made := b.Const(i1, 1)
	b.SetBlock(&entry.Block)
	entry.Cond, entry.Succ = b.Const(i1, 1), []cfg.Edge{{To: cycle}, {To: other}}
	cycle.Cond, cycle.Succ = made, []cfg.Edge{{To: cycle}, {To: other}}
	other.Cond, other.Succ = made, []cfg.Edge{{To: other}, {To: exit}}
	err := cfg.Structure(f, entry, exit)
	says(t, err, "is used where it is not always defined")

	first := &cfg.Node{}
	for n, i := first, 0; i <= cfg.MaxBlocks; i++ {
		next := &cfg.Node{}
		n.Succ = []cfg.Edge{{To: next}}
		n = next
		if i == cfg.MaxBlocks {
			n.Succ = []cfg.Edge{{To: exit}}
		}
	}
	err = cfg.Structure(f, first, exit)
	says(t, err, "there are more than 1024 blocks")
}

func says(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
