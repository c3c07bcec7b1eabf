package module

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// A Config is one configuration of an autotuned kernel.
type Config struct {
	Kwargs    []sema.Kwarg // values of the kernel's parameters
	NumWarps  int          // 0 where it is not given, as for the others
	NumStages int
	NumCTAs   int
	MaxNReg   int
	PreHook   bool // there is a function to be called before each launch
}

// A config is triton.Config(…).
type config struct {
	kwargs  *pyval.Dict
	options map[string]Value
}

// TypeName gives the name of the type in messages.
func (c *config) TypeName() string { return "Config" }

// Repr lists what the configuration sets.
func (c *config) Repr() string {
	var parts []string
	for k, v := range c.kwargs.All() {
		parts = append(parts, fmt.Sprintf("%s: %s", pyval.Str(k), pyval.Repr(v)))
	}
	return "<Config " + strings.Join(parts, ", ") + ">"
}

var configParams = []string{"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook", "ir_override"}

// newConfig is triton.Config.
func newConfig(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("Config", configParams, 1, args, kwargs)
	if err != nil {
		return nil, err
	}
	if u := isUnknown(a[0]); u != nil {
		return u, nil
	}
	d, ok := a[0].(*pyval.Dict)
	if !ok {
		return nil, pyval.Errorf("TypeError", "a Config's kwargs are a dict, not %s", pyval.TypeName(a[0]))
	}
	c := &config{d, map[string]Value{"num_warps": int64(4), "num_stages": int64(3), "num_ctas": int64(1)}}
	for i, name := range configParams[1:] {
		if v := a[i+1]; v != nil {
			c.options[name] = v
		}
	}
	return c, nil
}

func (c *config) attr(name string) (Value, bool, error) {
	if name == "kwargs" {
		return c.kwargs, true, nil
	}
	for _, p := range configParams[1:] {
		if p == name {
			if v, ok := c.options[name]; ok {
				return v, true, nil
			}
			return pyval.None, true, nil
		}
	}
	return nil, false, nil
}

// setAttr sets an option, or the dict of the parameters.
func (c *config) setAttr(name string, v Value) error {
	if name != "kwargs" {
		c.options[name] = v
		return nil
	}
	d, ok := v.(*pyval.Dict)
	if !ok {
		return pyval.Errorf("TypeError", "a Config's kwargs are a dict, not %s", pyval.TypeName(v))
	}
	c.kwargs = d
	return nil
}

// export gives the configuration as data.
func (c *config) export(m *Module) (Config, error) {
	var out Config
	if u := isUnknown(m.prog.seen(c.kwargs, "its kwargs")); u != nil {
		return out, u.err()
	}
	for k, v := range c.kwargs.All() {
		name, ok := k.(string)
		if !ok {
			return out, pyval.Errorf("TypeError", "a Config's keys are names, not %s", pyval.Repr(k))
		}
		if u := isUnknown(v); u != nil {
			return out, u.err()
		}
		v, err := m.export(name, v, nil)
		if err != nil {
			return out, err
		}
		out.Kwargs = append(out.Kwargs, sema.Kwarg{Name: name, Value: v})
	}
	for _, o := range []struct {
		name string
		to   *int
	}{{"num_warps", &out.NumWarps}, {"num_stages", &out.NumStages}, {"num_ctas", &out.NumCTAs}, {"maxnreg", &out.MaxNReg}} {
		v, given := c.options[o.name]
		if !given || plain(v) == Value(pyval.None) {
			continue
		}
		if u := isUnknown(v); u != nil {
			return out, u.err()
		}
		n, ok := pyval.AsInt(v)
		if !ok || n < 0 || n > 1<<16 {
			return out, pyval.Errorf("ValueError", "%s of a Config is %s; it must be a positive integer", o.name, pyval.Repr(v))
		}
		*o.to = int(n)
	}
	if hook := c.options["pre_hook"]; hook != nil && hook != Value(pyval.None) {
		out.PreHook = true
	}
	return out, nil
}
