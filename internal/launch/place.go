package launch

import "github.com/tegula-lang/tegula/driver"

// A placed is an array argument and where it is.
type placed struct {
	param int
	place driver.Place
}

// misplaced is the error of arrays that are not all where the kernel runs.
func (k *Kernel) misplaced(values []Value, on *onDevice) error {
	var arrays []placed
	for i := range values {
		arrays = addPlaced(arrays, i, &values[i])
	}
	first := arrays[0]
	for _, a := range arrays[1:] {
		switch {
		case a.place == first.place:
		case a.place.Backend() != first.place.Backend():
			return k.argError("mixed-devices", a.param, "argument '%s' of %s is in the memory of %s, but '%s' is in that of %s; all arrays of a launch must be on one device",
				k.params[a.param].Name, k.name, a.place, k.params[first.param].Name, first.place)
		default:
			return k.argError("multiple-devices", a.param, "argument '%s' of %s is on %s, but '%s' is on %s; all arrays of a launch must be on one device",
				k.params[a.param].Name, k.name, a.place, k.params[first.param].Name, first.place)
		}
	}
	return k.argError("wrong-device", first.param, "argument '%s' of %s is in the memory of %s, but the launch is on %s; copy it there, or launch on a stream of %s",
		k.params[first.param].Name, k.name, first.place, on.place, first.place)
}

func addPlaced(list []placed, param int, v *Value) []placed {
	if v.Kind == KindArray {
		return append(list, placed{param, v.Place})
	}
	if t := v.tuple(); t != nil {
		for i := range t.Elems {
			list = addPlaced(list, param, &t.Elems[i])
		}
	}
	return list
}
