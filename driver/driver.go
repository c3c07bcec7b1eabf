package driver

import (
	"context"
	"io"
)

// A Driver knows the devices of one backend.
type Driver interface {
	// Devices lists the devices there are. None is not an error; one that cannot be asked is.
	Devices() ([]Info, error)
	// Open makes a device ready for use.
	Open(index int) (Device, error)
}

// A Device is an opened device. It is safe for concurrent use.
type Device interface {
	Info() Info
	Limits() Limits
	// Stream gives a stream that is always there.
	Stream() Stream
	// Load makes compiled code ready to launch. The code must be for this device.
	Load(b *Binary) (Kernel, error)
}

// A Kernel is code loaded on a device. It is safe for concurrent use.
type Kernel interface {
	// Launch submits the kernel. Whether it has run when Launch returns is the backend's
	// affair; on the CPU it has. A StreamError says that s is not the device's.
	Launch(ctx context.Context, s Stream, l *Launch) error
}

// Info describes a device.
type Info struct {
	Backend string // "cpu", "cuda", "xpu"
	Index   int
	Name    string // what the device calls itself
	Arch    string // what code is compiled for, such as "90a"
}

// Limits are what a device can take. Launches are checked against them before they are
// submitted.
type Limits struct {
	Grid Grid // the most programs along each axis
}

// A Grid is a canonical program grid: how many program instances there are along the axes
// 0, 1 and 2. None is zero.
type Grid [3]uint32

// A Binary is compiled code.
type Binary struct {
	Name   string // the kernel's
	Target string // what it was compiled for: "cpu", "cuda:90a"
	Code   any    // its backend's: an image, or for the CPU a program
}

// A Launch is all that one launch needs besides the kernel and the stream.
type Launch struct {
	Grid   Grid
	Args   []Arg     // one for each parameter of the compiled kernel
	Stdout io.Writer // takes what the kernel prints, on backends that run in this process; nil drops it
}

// An Arg is an argument.
type Arg struct {
	// Bits are a scalar's bits, zero-extended, or a pointer's address.
	Bits uint64
	// Array is the memory behind a pointer; nil for scalars. A nil pointer argument has neither.
	Array *Array
}

// An Array is memory that a pointer argument may reach.
type Array struct {
	Name      string // the argument's, for messages
	Host      []byte // the bytes, if they are this process's
	ElemBytes int    // of one element
}
