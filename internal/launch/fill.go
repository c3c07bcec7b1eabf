package launch

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// A Config is a configuration that an @autotune decorator offers.
type Config struct {
	Values                       []Named
	NumWarps, NumStages, NumCTAs int // 0: not said
}

// A Heuristic computes the value of a parameter from the other arguments, as an entry of
// @heuristics does.
type Heuristic struct {
	Name string
	Eval func(args map[string]pyval.Value) (pyval.Value, error)
}

// fill completes the arguments that the call did not give. The first configuration comes
// before the heuristics, which may read its values, and both before the defaults.
func (k *Kernel) fill(bound []Value, note func(string)) error {
	if len(k.def.Configs) > 0 {
		for _, v := range k.def.Configs[0].Values {
			i := k.index[v.Name]
			if bound[i].given() {
				continue
			}
			bound[i] = v.Value
			note(fmt.Sprintf("%s=%s, from the first autotune configuration", v.Name, shown(v.Value.Python())))
		}
	}
	computed := map[int]bool{}
	for _, h := range k.def.Heuristics {
		if i, ok := k.index[h.Name]; ok && !bound[i].given() {
			computed[i] = true
		}
	}
	if err := k.fillDefaults(bound, computed); err != nil {
		return err
	}
	for _, h := range k.def.Heuristics {
		i, ok := k.index[h.Name]
		if !ok || !computed[i] {
			continue
		}
		v, err := h.Eval(k.vars(bound))
		if err != nil {
			return err
		}
		if bound[i], err = FromPython(v); err != nil {
			return err
		}
		note(fmt.Sprintf("%s=%s, from a heuristic", h.Name, shown(v)))
	}
	return nil
}

// fillDefaults gives the parameters that have a default that. computed parameters get their
// value later.
func (k *Kernel) fillDefaults(bound []Value, computed map[int]bool) error {
	var missing []int
	for i := range k.params {
		p := &k.params[i]
		switch {
		case bound[i].given() || computed[i]:
		case p.Kind == Variadic:
			bound[i] = Value{Kind: KindTuple}
		case p.Default == nil:
			missing = append(missing, i)
		default:
			v, err := p.Default()
			if err != nil {
				return err
			}
			if bound[i], err = FromPython(v); err != nil {
				return err
			}
		}
	}
	if missing != nil {
		return k.missing(missing)
	}
	return nil
}

// vars gives the arguments by name, as heuristics and the expressions of grids see them.
func (k *Kernel) vars(bound []Value) map[string]pyval.Value {
	m := make(map[string]pyval.Value, len(bound))
	for i := range k.params {
		if bound[i].given() {
			m[k.params[i].Name] = bound[i].Python()
		}
	}
	return m
}

// shown is a value as a note shows it.
func shown(v pyval.Value) string {
	s := pyval.Repr(v)
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return s
}
