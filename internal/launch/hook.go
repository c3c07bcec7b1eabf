package launch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/driver"
)

// Enter and Exit are the hooks that are called around the launches of every kernel.
var Enter, Exit Hooks

// A Hook is told of a launch. An error of an enter hook stops the launch; any error is the
// launch's.
type Hook func(ctx context.Context, e *Event) error

// Hooks are hooks in the order in which they were added. The zero Hooks has none. It is safe for
// concurrent use.
type Hooks struct {
	list atomic.Pointer[[]*Hook] // never changed, only replaced; nil if there are none
	mu   sync.Mutex              // held to replace list
}

// Add adds a hook. remove takes it away again.
func (h *Hooks) Add(f Hook) (remove func()) {
	added := &f
	h.change(func(list []*Hook) []*Hook { return append(list, added) })
	return func() {
		h.change(func(list []*Hook) []*Hook {
			return slices.DeleteFunc(list, func(g *Hook) bool { return g == added })
		})
	}
}

func (h *Hooks) change(f func([]*Hook) []*Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*Hook
	if old := h.list.Load(); old != nil {
		list = slices.Clone(*old)
	}
	if list = f(list); len(list) == 0 {
		h.list.Store(nil)
		return
	}
	h.list.Store(&list)
}

// get gives the hooks there are now.
func (h *Hooks) get() []*Hook {
	if list := h.list.Load(); list != nil {
		return *list
	}
	return nil
}

// A MetadataFunc makes what hooks are told of a launch beyond what they can see: how many bytes it
// moves, say. It is called when a hook asks, at most once a launch.
type MetadataFunc func(g driver.Grid, m *driver.KernelMetadata, args *Bound) (map[string]any, error)

// SetMetadata sets the function for the launches of a kernel that bring none of their own; nil
// for none.
func (k *Kernel) SetMetadata(f MetadataFunc) {
	if f == nil {
		k.meta.Store(nil)
		return
	}
	k.meta.Store(&f)
}

// An Event is a launch as hooks see it. The enter and the exit hooks of a launch get the same.
type Event struct {
	Kernel   string
	Function uintptr // of the loaded kernel, as its driver knows it
	Stream   driver.Stream
	Grid     driver.Grid
	Err      error // in exit hooks: why the submission failed

	metadata func() (map[string]any, error)
	kernel   *driver.KernelMetadata
}

// KernelMetadata gives the compiled kernel's own metadata.
func (e *Event) KernelMetadata() *driver.KernelMetadata { return e.kernel }

// Metadata gives the launch's metadata, nil if the kernel has no function that makes them.
func (e *Event) Metadata() (map[string]any, error) { return e.metadata() }

func noMetadata() (map[string]any, error) { return nil, nil }

// hooked reports whether there is any hook.
func (k *Kernel) hooked() bool {
	return Enter.list.Load() != nil || Exit.list.Load() != nil || k.Enter.list.Load() != nil || k.Exit.list.Load() != nil
}

// launchHooked submits with hooks around. The kernel's own are inside the global ones. Exit hooks
// are called if all enter hooks succeeded, also when the submission failed.
func (k *Kernel) launchHooked(ctx context.Context, s driver.Stream, v *variant, l *driver.Launch, values []Value, meta MetadataFunc) error {
	fn := v.resident.kernel
	e := &Event{Kernel: k.name, Function: fn.Function(), Stream: s, Grid: l.Grid, kernel: fn.Metadata()}
	if own := k.meta.Load(); meta == nil && own != nil {
		meta = *own
	}
	e.metadata = noMetadata
	if meta != nil {
		args := &Bound{kernel: k, values: cloneValues(values)} // hooks may keep the event
		e.metadata = sync.OnceValues(func() (map[string]any, error) { return meta(e.Grid, e.kernel, args) })
	}
	// What is called around the launch is settled before it.
	enter, exit := slices.Concat(Enter.get(), k.Enter.get()), slices.Concat(k.Exit.get(), Exit.get())
	for _, h := range enter {
		if err := (*h)(ctx, e); err != nil {
			return err
		}
	}
	e.Err = fn.Launch(ctx, s, l)
	errs := []error{e.Err}
	for _, h := range exit {
		errs = append(errs, (*h)(ctx, e))
	}
	return joined(errs)
}

// joined is errors.Join that gives an error that is alone as it is.
func joined(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
