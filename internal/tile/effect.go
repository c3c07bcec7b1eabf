package tile

// An Effect says what an operation may do besides computing its results.
type Effect uint8

// The effects. All but Pure and Reads stay where they are and in order; so what follows Reads has an effect.
const (
	Pure       Effect = iota // may be removed, merged with an equal one, moved
	Reads                    // reads memory: may be removed, and merged or moved where nothing writes between
	Observes                 // prints or checks: memory stays as it is
	Writes                   // writes memory or synchronises
	Structured               // has regions: as they do
	Terminates               // ends a block
)

// Effect gives what operations of this code do where the attribute says nothing else.
func (c Code) Effect() Effect { return opTable[c].effect }

// Effect gives what the operation may do, regions aside. Two attributes decide it: a volatile load stays in
// its place as a write does, and assembly that is declared pure is.
func (o *Op) Effect() Effect {
	switch a := o.Attr.(type) {
	case LoadAttr:
		if a.Volatile {
			return Writes
		}
	case AsmAttr:
		if a.Pure {
			return Pure
		}
	}
	return o.Code.Effect()
}
