package code

import "fmt"

// A Fault is an instruction of machine code that the processor could not do: an access to memory that is not
// there, or not to be written.
type Fault struct {
	Addr uintptr // what was accessed, if Low is not set; 0 also where the processor does not say
	Low  bool    // the address is not known, but in the first page, where null pointers point
	Err  error   // what the runtime says, if Low is set
}

// Error says what was accessed.
func (f *Fault) Error() string {
	switch {
	case f.Low:
		return f.Err.Error()
	case f.Addr == 0:
		return "an access to an address that no memory can have"
	}
	return fmt.Sprintf("an access to %#x, where no memory is, or none that may be accessed so", f.Addr)
}
