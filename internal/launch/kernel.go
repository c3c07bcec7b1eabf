package launch

import (
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A Definition is what a Kernel is made of: a kernel function and what its decorators say.
type Definition struct {
	Fn *sema.Func
	// LoadedFor reports an error if what the definition says holds for other targets only. It may be nil.
	LoadedFor  func(t target.Target) error
	Tile       *tile.Module // the kernel, where it came as tile IR; Fn only names it then
	Params     []Param
	Configs    []Config
	Pruned     bool // the file has a function that chooses among them, which is not run
	Heuristics []Heuristic
	Debug      bool
	// Doubts say what is not known of the decorators. They matter once something that the
	// decorators may say is missing.
	Doubts []error
	// LineText gives a line of a source file for diagnostics at run time.
	LineText func(file string, line int) string
}

// A Kernel launches a kernel function. It is safe for concurrent use.
type Kernel struct {
	// Enter and Exit are called around the launches of this kernel.
	Enter, Exit Hooks

	def        Definition
	name       string
	params     []Param
	index      map[string]int // of params, by name
	positional int            // how many may be given by position; they come first
	variadic   int            // the parameter *args, or -1
	special    []bool         // of each parameter: isSpecial
	fillers    []filler       // what parameters are without an argument
	defaults   Options        // what options are that a launch does not choose
	settings   target.Settings
	unsettled  error // why the environment's settings are not known

	meta    atomic.Pointer[MetadataFunc]
	latest  atomic.Pointer[recipe]      // of the variant that was launched last, among those that have one
	devices atomic.Pointer[[]*onDevice] // never changed, only replaced
	grow    sync.Mutex                  // held to replace devices
}

// New makes a kernel. It looks at the environment's settings.
func New(d Definition) *Kernel {
	k := &Kernel{def: d, name: d.Fn.Name, params: d.Params, index: make(map[string]int, len(d.Params)), variadic: -1, special: make([]bool, len(d.Params))}
	for i := range d.Params {
		k.index[d.Params[i].Name] = i
		k.special[i] = d.Params[i].isSpecial()
		switch d.Params[i].Kind {
		case Ordinary, PositionalOnly:
			k.positional++
		case Variadic:
			k.variadic = i
		}
	}
	k.settings, k.unsettled = target.Environment()
	k.fillers = k.findFillers()
	k.defaults = k.defaultOptions()
	k.devices.Store(&[]*onDevice{})
	return k
}

// Func gives the kernel function, which may be a constant of another kernel.
func (k *Kernel) Func() *sema.Func { return k.def.Fn }

// Variants gives the number of variants that are held, on all devices.
func (k *Kernel) Variants() int {
	n := 0
	for _, d := range *k.devices.Load() {
		n += d.table.Load().n
	}
	return n
}

// on gives what the kernel has on the device of a stream.
func (k *Kernel) on(s driver.Stream) (*onDevice, error) {
	for _, d := range *k.devices.Load() {
		if d.index == s.Device && d.backend == s.Backend && s.Handle != 0 {
			return d, nil
		}
	}
	return k.addDevice(s)
}

// addDevice opens the device of a stream.
func (k *Kernel) addDevice(s driver.Stream) (*onDevice, error) {
	if s.Backend == "" {
		return nil, diag.New(diag.Stream, "no-stream", "the launch was given no stream; tegula.CPU() is the processor's")
	}
	device, err := driver.OpenDevice(s.Backend, s.Device)
	if err != nil {
		return nil, err
	}
	if err := s.Check(s.Backend, s.Device); err != nil {
		return nil, err
	}
	d, err := newOnDevice(s, device)
	if err != nil {
		return nil, err
	}
	k.grow.Lock()
	defer k.grow.Unlock()
	old := *k.devices.Load()
	for _, other := range old {
		if other.index == s.Device && other.backend == s.Backend {
			return other, nil
		}
	}
	grown := append(old[:len(old):len(old)], d)
	k.devices.Store(&grown)
	return d, nil
}
