package launch

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// A Config is a configuration that an @autotune decorator offers.
type Config struct {
	Values                       []Named
	NumWarps, NumStages, NumCTAs int // 0: not said
	ThreadsPerWarp, MaxRegisters int
	// Misfit says why the configuration cannot be used: it sets what is no parameter, say. It
	// matters once something of the configuration is needed.
	Misfit         error
	Debug, Unfused bool
}

// A Named is an argument given by name.
type Named struct {
	Name  string
	Value Value
}

// A Heuristic computes the value of a parameter from the other arguments, as an entry of
// @heuristics does.
type Heuristic struct {
	Name string
	Eval func(args map[string]pyval.Value) (pyval.Value, error)
}

// A filler is what a parameter is without an argument.
type filler struct {
	from  origin
	value Value
	err   error // why the value is not known
}

// An origin says where a value comes from.
type origin uint8

const (
	nowhere       origin = iota // the parameter has to be given
	fromConfig                  // the first configuration
	fromHeuristic               // computed at each launch
	fromDefault
)

// findFillers finds what parameters are without an argument. The first configuration comes
// before the heuristics, which may read its values, and both before the defaults.
func (k *Kernel) findFillers() []filler {
	fillers := make([]filler, len(k.params))
	for i := range k.params {
		p := &k.params[i]
		switch {
		case p.Kind == Variadic:
			fillers[i] = filler{from: fromDefault, value: Value{Kind: KindTuple, Const: &Tuple{}}}
		case p.Default != nil:
			v, err := p.Default()
			fillers[i] = filler{from: fromDefault, err: err}
			if err == nil {
				fillers[i].value.SetPython(v)
			}
		}
	}
	for _, h := range k.def.Heuristics {
		if i, ok := k.index[h.Name]; ok {
			fillers[i] = filler{from: fromHeuristic}
		}
	}
	if len(k.def.Configs) > 0 {
		c := &k.def.Configs[0]
		for _, v := range c.Values {
			fillers[k.index[v.Name]] = filler{from: fromConfig, value: v.Value, err: c.Misfit}
		}
	}
	return fillers
}

// complete fills in the arguments that the call did not give.
func (k *Kernel) complete(values []Value, note func(string)) error {
	slow := false
	for i := range values {
		if values[i].Kind != Absent {
			continue
		}
		f := &k.fillers[i]
		if f.err != nil || f.from == nowhere || f.from == fromHeuristic || note != nil {
			slow = true
			break
		}
		values[i] = f.value
	}
	if !slow {
		return nil
	}
	return k.fill(values, note)
}

// fill is complete where something is missing, has to be computed or is told.
func (k *Kernel) fill(values []Value, note func(string)) error {
	if note == nil {
		note = func(string) {}
	}
	if err := k.fillFrom(fromConfig, values, note); err != nil {
		return err
	}
	computed := make([]bool, len(values))
	for i := range values {
		computed[i] = values[i].Kind == Absent && k.fillers[i].from == fromHeuristic
	}
	if err := k.fillFrom(fromDefault, values, note); err != nil {
		return err
	}
	var missing []int
	for i := range values {
		if values[i].Kind == Absent && !computed[i] {
			missing = append(missing, i)
		}
	}
	if missing != nil {
		return k.missing(missing)
	}
	return k.compute(values, computed, note)
}

// fillFrom fills in what has one origin.
func (k *Kernel) fillFrom(from origin, values []Value, note func(string)) error {
	for i := range values {
		f := &k.fillers[i]
		if values[i].Kind != Absent || f.from != from {
			continue
		}
		if f.err != nil {
			return f.err
		}
		values[i] = f.value
		if from == fromConfig {
			pruned := ""
			if k.def.Pruned {
				pruned = "; prune_configs_by, which may choose another, is not run"
			}
			note(fmt.Sprintf("%s=%s, from the first autotune configuration%s", k.params[i].Name, shown(f.value.Python()), pruned))
		}
	}
	return nil
}

// compute runs the heuristics, in their order.
func (k *Kernel) compute(values []Value, computed []bool, note func(string)) error {
	for _, h := range k.def.Heuristics {
		i, ok := k.index[h.Name]
		if !ok || !computed[i] {
			continue
		}
		v, err := h.Eval(k.vars(values))
		if err != nil {
			return err
		}
		values[i] = FromPython(v)
		note(fmt.Sprintf("%s=%s, from a heuristic", h.Name, shown(v)))
	}
	return nil
}

// vars gives the arguments by name, as heuristics and the expressions of grids see them.
func (k *Kernel) vars(values []Value) map[string]pyval.Value {
	m := make(map[string]pyval.Value, len(values))
	for i := range k.params {
		if values[i].Kind != Absent {
			m[k.params[i].Name] = values[i].Python()
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
