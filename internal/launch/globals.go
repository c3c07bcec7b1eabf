package launch

import (
	"bytes"
	"sync/atomic"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/exact"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// liveGlobals are the global values that a variant depends on and that may have changed since it
// was compiled. Those of an Env that cannot change are not among them, so that a kernel whose
// globals are all of this kind pays nothing.
type liveGlobals struct{ envs []*liveEnv }

// A liveEnv is the globals of one Env.
type liveEnv struct {
	env     sema.ChangingEnv
	globals []captured
	// checked is the generation in which the globals were last found to be what they were; 0 if they
	// were not looked at yet. It is one more than the Env's number.
	checked atomic.Uint64
}

// A captured is a global as it was when the kernel was compiled. What may be changed in place is
// kept by its encoding.
type captured struct {
	name  string
	exact []byte
	value pyval.Value // of an object: what it is
	text  string
}

// liveGlobalsOf gives those of the globals that may change, nil if there are none.
func liveGlobalsOf(uses []sema.GlobalUse) *liveGlobals {
	var l liveGlobals
	byEnv := map[sema.Env]*liveEnv{}
	for _, u := range uses {
		env, ok := u.Env.(sema.ChangingEnv)
		if !ok {
			continue
		}
		e := byEnv[u.Env]
		if e == nil {
			e = &liveEnv{env: env}
			byEnv[u.Env] = e
			l.envs = append(l.envs, e)
		}
		b, _ := exact.AppendIdentity(nil, u.Value)
		e.globals = append(e.globals, captured{u.Name, b, u.Value, shown(u.Value)})
	}
	if l.envs == nil {
		return nil
	}
	return &l
}

// check reports a GlobalChanged if a global is not what it was. While nothing was bound anew, it
// only compares numbers.
func (l *liveGlobals) check(kernel string) error {
	for _, e := range l.envs {
		now := e.env.Generation() + 1
		if now == e.checked.Load() {
			continue
		}
		for i := range e.globals {
			if err := e.globals[i].check(e.env, kernel); err != nil {
				return err
			}
		}
		e.checked.Store(now)
	}
	return nil
}

// check compares a global with what it was.
func (c *captured) check(env sema.Env, kernel string) error {
	b, ok, err := env.Lookup(c.name)
	now := "no longer there"
	switch {
	case err != nil:
		now = "not known: " + err.Error()
	case ok && c.same(b.Value):
		return nil
	case ok:
		now = shown(b.Value)
		if now == c.text {
			now = "another object that looks the same"
		}
	}
	e := diag.New(diag.GlobalChanged, "global-changed",
		"the global '%s' was %s when %s was compiled, and is %s; make it a parameter that is tl.constexpr, or load the kernel anew", c.name, c.text, kernel, now)
	e.Cause = err
	return e
}

// same reports whether a value is the captured one. A function that was defined anew is the same
// if its source is, and its names are looked up in the same place.
func (c *captured) same(v pyval.Value) bool {
	b, _ := exact.AppendIdentity(nil, v)
	if bytes.Equal(b, c.exact) {
		return true
	}
	was, ok := c.value.(*sema.Func)
	is, alsoOK := v.(*sema.Func)
	return ok && alsoOK && was.Env == is.Env && bytes.Equal(exact.AppendContent(nil, was), exact.AppendContent(nil, is))
}
