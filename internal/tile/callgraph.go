package tile

import "fmt"

// A call is an edge of the call graph.
type call struct {
	from, to *Func
	op       *Op
}

// call checks an OpCall against the function that it names, and records it.
func (c *checker) call(op *Op) error {
	name := op.Attr.(CallAttr).Callee
	callee := c.funcs[name]
	if callee == nil {
		return fmt.Errorf("there is no function @%s", quoteName(name))
	}
	if callee.Body == nil {
		return fmt.Errorf("@%s has no body", quoteName(name))
	}
	params := make([]Type, len(callee.Body.Args))
	for i, v := range callee.Body.Args {
		if v != nil {
			params[i] = v.Type
		}
	}
	if err := sameTypes("the function takes", op.Args, params); err != nil {
		return err
	}
	if err := sameTypes("the function gives", op.Results, callee.Results); err != nil {
		return err
	}
	c.calls = append(c.calls, call{c.fn, callee, op})
	return nil
}

// checkRecursion checks that no function calls itself, directly or through others: it takes
// away functions that nothing left calls until none is left.
func checkRecursion(m *Module, calls []call) error {
	if len(calls) == 0 {
		return nil
	}
	callers := make(map[*Func]int)
	out := make(map[*Func][]*Func)
	for _, c := range calls {
		callers[c.to]++
		out[c.from] = append(out[c.from], c.to)
	}
	var free []*Func
	for _, f := range m.Funcs {
		if callers[f] == 0 {
			free = append(free, f)
		}
	}
	for len(free) > 0 {
		f := free[len(free)-1]
		free = free[:len(free)-1]
		for _, g := range out[f] {
			if callers[g]--; callers[g] == 0 {
				free = append(free, g)
			}
		}
	}
	for _, c := range calls {
		if callers[c.from] > 0 && callers[c.to] > 0 {
			return (&checker{module: m, fn: c.from}).fail(c.op, fmt.Errorf("@%s may call itself", quoteName(c.to.Name)))
		}
	}
	return nil
}
