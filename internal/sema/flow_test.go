package sema

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A kernel of random control flow does what Python does: loops, unrolled loops with break and
// continue, ifs, early returns, and calls of functions that return early.
func TestControlFlow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &flowWriter{t: rt}
		src := w.program()
		args := [3]int32{}
		for i := range args {
			args[i] = rapid.Int32Range(-3, 9).Draw(rt, "arg")
		}
		f, err := readSource("flow.py", []byte(src))
		if err != nil {
			rt.Fatalf("%v\n%s", err, src)
		}
		want := make([]int32, w.stores+8)
		p := &flowInterp{file: f, out: want, left: 1 << 16}
		p.run("kernel", 0, args[0], args[1], args[2])
		if p.left <= 0 {
			return // too long to be worth comparing
		}
		got := runFlow(rt, f, src, len(want), args)
		for i := range want {
			if got[i] != want[i] {
				rt.Fatalf("out[%d] is %d, Python gives %d, for %v\n%s", i, got[i], want[i], args, src)
			}
		}
	})
}

func runFlow(rt *rapid.T, f *testFile, src string, n int, args [3]int32) []int32 {
	i32 := ArgSpec{Type: ScalarType(dtype.Int32)}
	spec := Spec{Fn: f.names["kernel"].Value.(*Func), Args: []ArgSpec{{Type: PointerTo(i32.Type)}, i32, i32, i32}}
	res, err := Compile(spec)
	if err != nil {
		rt.Fatalf("%v\n%s", err, src)
	}
	prog, err := cpu.Compile(res.Module, cpu.Options{})
	if err != nil {
		rt.Fatalf("%v\n%s\n%s", err, src, res.Module)
	}
	data := make([]byte, 4*n)
	l := cpu.Launch{Grid: [3]int32{1, 1, 1}, Threads: 1, Args: []cpu.Arg{arrayOf("out", data, dtype.Int32)}}
	for _, a := range args {
		l.Args = append(l.Args, cpu.Arg{Bits: uint64(uint32(a))})
	}
	if err := prog.Run(rt.Context(), l); err != nil {
		rt.Fatalf("%v\n%s\n%s", err, src, res.Module)
	}
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

// A flowWriter writes a random kernel over the int32 variables a to d.
type flowWriter struct {
	t      *rapid.T
	b      strings.Builder
	stores int // done so far, each to a place of its own
	names  int // of loop variables
	budget int // statements left
	funcs  int
	inFunc bool
}

func (w *flowWriter) program() string {
	w.b.WriteString("import triton\nimport triton.language as tl\n")
	w.inFunc = true
	for range w.pick(3) {
		w.budget = 8
		fmt.Fprintf(&w.b, "def f%d(out, a, b, c):\n    d = 1\n", w.funcs)
		w.block(1, flowPlace{})
		w.line(1, "return %s, %s", w.expr(), w.expr())
		w.funcs++
	}
	w.inFunc = false
	w.budget = 24
	w.b.WriteString("def kernel(out, a, b, c):\n    d = 0\n")
	w.block(1, flowPlace{})
	for i, v := range "abcd" {
		w.line(1, "tl.store(out + %d, %c)", w.stores+i, v)
	}
	return w.b.String()
}

// A flowPlace says what is around a statement.
type flowPlace struct {
	device   bool   // in a loop that runs on the device
	unrolled string // the counter of the unrolled loop that can be left here, or ""
}

func (w *flowWriter) pick(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "n") }

func (w *flowWriter) line(depth int, format string, args ...any) {
	w.b.WriteString(strings.Repeat("    ", depth))
	fmt.Fprintf(&w.b, format+"\n", args...)
}

func (w *flowWriter) variable() string { return string("abcd"[w.pick(4)]) }

func (w *flowWriter) expr() string {
	switch w.pick(4) {
	case 0:
		return fmt.Sprint(w.pick(7) - 2)
	case 1:
		return w.variable()
	}
	return fmt.Sprintf("%s %s %s", w.variable(), []string{"+", "-", "*", "&"}[w.pick(4)], w.variable())
}

func (w *flowWriter) cond() string {
	return fmt.Sprintf("%s %s %d", w.variable(), []string{"<", "==", ">", "!="}[w.pick(4)], w.pick(6)-1)
}

func (w *flowWriter) block(depth int, at flowPlace) {
	for range 1 + w.pick(4) {
		if w.budget--; w.budget < 0 || depth > 6 {
			break
		}
		w.statement(depth, at)
	}
	w.line(depth, "pass")
}

func (w *flowWriter) statement(depth int, at flowPlace) {
	inner := flowPlace{device: at.device}
	switch w.pick(13) {
	case 0, 1:
		w.line(depth, "%s = %s", w.variable(), w.expr())
	case 2:
		w.line(depth, "a, %s = %s, a", "bcd"[w.pick(3):][:1], w.expr())
	case 3:
		w.line(depth, "tl.store(out + %d, %s)", w.stores, w.variable())
		w.stores++
	case 4, 5, 6:
		w.line(depth, "if %s:", w.cond())
		w.block(depth+1, inner)
		if w.pick(2) == 0 {
			w.line(depth, "else:")
			w.block(depth+1, inner)
		}
	case 7:
		w.names++
		w.line(depth, "for i%d in range(%s & 3):", w.names, w.variable())
		w.line(depth+1, "b += i%d", w.names)
		w.block(depth+1, flowPlace{device: true})
	case 8:
		w.names++
		w.line(depth, "n%d = %s & 3", w.names, w.variable())
		w.line(depth, "while n%d > 0:", w.names)
		w.line(depth+1, "n%d -= 1", w.names)
		w.block(depth+1, flowPlace{device: true})
	case 9:
		w.names++
		name := fmt.Sprintf("s%d", w.names)
		w.line(depth, "for %s in tl.static_range(%d):", name, 1+w.pick(3))
		w.line(depth+1, "c += %s", name)
		w.block(depth+1, flowPlace{device: at.device, unrolled: name})
	case 10:
		w.leave(depth, at)
	case 12:
		name := string("tu"[w.pick(2)])
		w.line(depth, "%s = %s", name, w.expr())
		w.line(depth, "tl.store(out + %d, %s)", w.stores, name)
		w.stores++
	case 11:
		if w.funcs > 0 && !w.inFunc {
			w.line(depth, "%s, d = f%d(out, %s, b, d)", string("abc"[w.pick(3)]), w.pick(w.funcs), w.expr())
		}
	}
}

// leave writes a return, or leaves an unrolled loop.
func (w *flowWriter) leave(depth int, at flowPlace) {
	switch {
	case at.unrolled != "":
		w.line(depth, "if %s == %d:", at.unrolled, w.pick(3))
		w.line(depth+1, "%s", []string{"break", "continue"}[w.pick(2)])
	case at.device:
	case w.inFunc:
		w.line(depth, "return %s, %s", w.expr(), w.expr())
	default:
		w.line(depth, "return")
	}
}

// A flowInterp runs such a kernel on Go's int32.
type flowInterp struct {
	file *testFile
	out  []int32
	left int // statements
}

type flowSignal int

const (
	flowNext flowSignal = iota
	flowBreak
	flowContinue
	flowReturn
)

// A flowScope is the variables of a call, and what it returned.
type flowScope struct {
	vars map[string]int32
	ret  [2]int32
}

func (p *flowInterp) run(name string, args ...int32) [2]int32 {
	def := p.file.names[name].Value.(*Func).Def
	s := &flowScope{vars: make(map[string]int32)}
	for i, a := range def.Args.Args {
		s.vars[a.Name] = args[i]
	}
	p.block(s, def.Body)
	return s.ret
}

func (p *flowInterp) block(s *flowScope, body []syntax.Stmt) flowSignal {
	for _, st := range body {
		if p.left--; p.left <= 0 {
			return flowReturn
		}
		if sig := p.stmt(s, st); sig != flowNext {
			return sig
		}
	}
	return flowNext
}

func (p *flowInterp) stmt(s *flowScope, st syntax.Stmt) flowSignal {
	switch st := st.(type) {
	case *syntax.Assign:
		p.assign(s, st)
	case *syntax.AugAssign:
		name := st.Target.(*syntax.Name).Id
		s.vars[name] = flowBinary(st.Op, s.vars[name], p.eval(s, st.Value))
	case *syntax.ExprStmt:
		call := st.Value.(*syntax.Call)
		p.out[p.eval(s, call.Args[0])] = p.eval(s, call.Args[1])
	case *syntax.If:
		if p.eval(s, st.Test) != 0 {
			return p.block(s, st.Body)
		}
		return p.block(s, st.Orelse)
	case *syntax.While:
		for p.eval(s, st.Test) != 0 {
			if sig := p.block(s, st.Body); sig == flowReturn {
				return sig
			}
		}
	case *syntax.For:
		n := p.eval(s, st.Iter.(*syntax.Call).Args[0])
		for i := range n {
			s.vars[st.Target.(*syntax.Name).Id] = i
			if sig := p.block(s, st.Body); sig == flowReturn || sig == flowBreak {
				if sig == flowBreak {
					break
				}
				return sig
			}
		}
	case *syntax.Return:
		if t, ok := st.Value.(*syntax.Tuple); ok {
			s.ret = [2]int32{p.eval(s, t.Elts[0]), p.eval(s, t.Elts[1])}
		}
		return flowReturn
	case *syntax.Break:
		return flowBreak
	case *syntax.Continue:
		return flowContinue
	}
	return flowNext
}

func (p *flowInterp) assign(s *flowScope, st *syntax.Assign) {
	target, ok := st.Targets[0].(*syntax.Tuple)
	if !ok {
		s.vars[st.Targets[0].(*syntax.Name).Id] = p.eval(s, st.Value)
		return
	}
	var vals [2]int32
	switch v := st.Value.(type) {
	case *syntax.Tuple:
		vals = [2]int32{p.eval(s, v.Elts[0]), p.eval(s, v.Elts[1])}
	case *syntax.Call:
		var args []int32
		for _, a := range v.Args {
			args = append(args, p.eval(s, a))
		}
		vals = p.run(v.Func.(*syntax.Name).Id, args...)
	}
	for i, t := range target.Elts {
		s.vars[t.(*syntax.Name).Id] = vals[i]
	}
}

func (p *flowInterp) eval(s *flowScope, e syntax.Expr) int32 {
	switch e := e.(type) {
	case *syntax.Name:
		return s.vars[e.Id]
	case *syntax.Constant:
		var n int32
		fmt.Sscan(e.Text, &n)
		return n
	case *syntax.UnaryOp:
		return -p.eval(s, e.Operand)
	case *syntax.BinOp:
		return flowBinary(e.Op, p.eval(s, e.Left), p.eval(s, e.Right))
	case *syntax.Compare:
		return flowBinary(e.Ops[0], p.eval(s, e.Left), p.eval(s, e.Comparators[0]))
	}
	panic(fmt.Sprintf("%T", e))
}

func flowBinary(op syntax.Op, x, y int32) int32 {
	truth := map[bool]int32{true: 1}
	switch op {
	case syntax.Add:
		return x + y
	case syntax.Sub:
		return x - y
	case syntax.Mult:
		return x * y
	case syntax.BitAnd:
		return x & y
	case syntax.Lt:
		return truth[x < y]
	case syntax.Gt:
		return truth[x > y]
	case syntax.Eq:
		return truth[x == y]
	case syntax.NotEq:
		return truth[x != y]
	}
	panic("no such operator")
}
