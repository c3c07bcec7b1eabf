package tegula

import (
	"context"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/launch"
)

// A Hook is told of launches. The event may be kept. A hook that fails before a launch stops it;
// the error of any hook is the launch's.
type Hook func(ctx context.Context, e *LaunchEvent) error

// OnLaunchEnter adds a hook that is called before every launch of every kernel. remove takes it away
// again.
func OnLaunchEnter(f Hook) (remove func()) { return addHook(&launch.Enter, f) }

// OnLaunchExit adds a hook that is called after every launch of every kernel whose enter hooks
// succeeded, also one that failed. remove takes it away again.
func OnLaunchExit(f Hook) (remove func()) { return addHook(&launch.Exit, f) }

// OnLaunchEnter is the function of that name for launches of this kernel. Its hooks are called
// after the global ones.
func (k *Kernel) OnLaunchEnter(f Hook) (remove func(), err error) {
	if err := k.Err(); err != nil {
		return nil, err
	}
	return addHook(&k.launch.Enter, f), nil
}

// OnLaunchExit is the function of that name for launches of this kernel. Its hooks are called
// before the global ones.
func (k *Kernel) OnLaunchExit(f Hook) (remove func(), err error) {
	if err := k.Err(); err != nil {
		return nil, err
	}
	return addHook(&k.launch.Exit, f), nil
}

// SetLaunchMetadata sets the function that makes the metadata of this kernel's launches, nil for
// none. WithMetadata sets one for a single launch.
func (k *Kernel) SetLaunchMetadata(f LaunchMetadata) error {
	if err := k.Err(); err != nil {
		return err
	}
	k.launch.SetMetadata(f.forLaunch())
	return nil
}

func addHook(h *launch.Hooks, f Hook) (remove func()) {
	return h.Add(func(ctx context.Context, e *launch.Event) error { return f(ctx, &LaunchEvent{e}) })
}

// A LaunchEvent is a launch as hooks see it.
type LaunchEvent struct{ event *launch.Event }

// Kernel gives the kernel's name.
func (e *LaunchEvent) Kernel() string { return e.event.Kernel }

// Function gives the loaded function as the device's driver knows it, such as a CUfunction.
func (e *LaunchEvent) Function() uintptr { return e.event.Function }

// Stream gives the stream that the launch is submitted to.
func (e *LaunchEvent) Stream() Stream { return e.event.Stream }

// Grid gives the canonical grid.
func (e *LaunchEvent) Grid() driver.Grid { return e.event.Grid }

// Err gives, in exit hooks, why the submission failed, nil if it did not.
func (e *LaunchEvent) Err() error { return e.event.Err }

// KernelMetadata gives the compiled kernel's own metadata.
func (e *LaunchEvent) KernelMetadata() *driver.KernelMetadata { return e.event.KernelMetadata() }

// Metadata gives what the kernel's LaunchMetadata makes of the launch, nil if it has none. It is
// made when it is first asked for.
func (e *LaunchEvent) Metadata() (map[string]any, error) { return e.event.Metadata() }
