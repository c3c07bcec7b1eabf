package driver

import (
	"context"
	"io"
)

// A Driver knows the devices of one backend. It is safe for concurrent use, as is everything
// that comes from it.
type Driver interface {
	// Devices lists the devices there are. None is not an error; one that cannot be asked is.
	Devices() ([]Info, error)
	// Open makes a device ready for use.
	Open(index int) (Device, error)
	// Current gives the stream that is current where it is called: that of the framework whose
	// streams the driver follows, or else its first device's own.
	Current() (Stream, error)
}

// A Device is an opened device.
type Device interface {
	Info() Info
	Limits() Limits

	// Stream gives a stream that is always there.
	Stream() Stream
	// NewStream makes a further stream. CloseStream ends it, once what it was given is done.
	NewStream() (Stream, error)
	CloseStream(Stream) error
	// Wait returns when all that was submitted to a stream is done. It gives the first error of
	// what failed since the last Wait.
	Wait(context.Context, Stream) error

	// Alloc gives memory of the device. Its contents are not defined.
	Alloc(bytes int64) (Memory, error)
	// Load makes compiled code ready to launch. The code must be for this device.
	Load(*Binary) (Kernel, error)
}

// A Finisher is a Device whose driver makes the last step of the code, as CUDA's makes a cubin of
// PTX. What Finish gives is what Load takes and what is kept on disk; the driver's version
// (Info.Version) is then part of a binary's identity.
type Finisher interface {
	Finish(*Binary) (*Binary, error)
}

// Memory is a piece of a device's memory.
type Memory interface {
	Address() uint64
	Bytes() int64
	// CopyIn writes at an offset, in the stream's order. The bytes may be changed when it returns.
	CopyIn(ctx context.Context, s Stream, offset int64, from []byte) error
	// CopyOut reads at an offset, in the stream's order. The bytes are there when it returns.
	CopyOut(ctx context.Context, s Stream, offset int64, to []byte) error
	// Free gives the memory back, once what was submitted is done with it.
	Free() error
}

// HostMemory is Memory that is this process's own.
type HostMemory interface {
	Memory
	Host() []byte
}

// A Launcher submits a kernel.
type Launcher interface {
	// Launch submits the kernel. Whether it has run when Launch returns is the backend's affair; on
	// the CPU it has. A StreamError says that s is not the device's. The Launch and all it refers
	// to but the memory of arrays are the caller's again when it returns.
	Launch(ctx context.Context, s Stream, l *Launch) error
}

// A Kernel is code loaded on a device.
type Kernel interface {
	Launcher
	// Function gives the function as the backend knows it. Nobody but hooks and the driver looks
	// at it.
	Function() uintptr
	// Metadata gives the binary's, with what only the loaded code tells, such as registers. It does
	// not change.
	Metadata() *KernelMetadata
	// Close unloads the code. Nobody launches it any more; what was launched may still run.
	Close() error
}

// Info describes a device.
type Info struct {
	Backend string // "cpu", "cuda", "xpu"
	Index   int
	Name    string // what the device calls itself
	Arch    string // what code is compiled for, such as "90a"
	Version string // of the driver, if it has one
	Detail  string // what else a user may want to know: the instructions that code is made of, or why there is none
}

// Limits are what a device can take. Launches are checked against them before they are
// submitted. A limit that is 0 is none, but for those of the grid.
type Limits struct {
	Grid      Grid // the most work-groups along each axis
	Threads   int  // of a work-group
	Shared    int  // shared (local) memory of a work-group, in bytes
	Registers int  // of a work-group, of 32 bits
	Cluster   int  // work-groups of a cluster
}

// A Grid is a canonical program grid: how many program instances there are along the axes
// 0, 1 and 2. None is zero.
type Grid [3]uint32

// A Binary is compiled code with what is known of it.
type Binary struct {
	Metadata *KernelMetadata
	// Image is the code, in its backend's format.
	Image []byte
	// Code is code that is no bytes, of backends that run in this process. It cannot be kept on
	// disk.
	Code any
}

// A Launch is all that one launch needs besides the kernel and the stream.
type Launch struct {
	Grid   Grid
	Args   []Arg     // one for each of the metadata's Args
	Reach  [][]byte  // further memory of this process that the kernel may reach, by addresses that it loads
	Stdout io.Writer // takes what the kernel prints, on backends that run in this process; nil drops it
}

// An Arg is an argument.
type Arg struct {
	// Bits are a scalar's bits, zero-extended, or a pointer's address. Its first bytes, as many as
	// the argument has, are the argument as it lies in memory (little-endian).
	Bits uint64
	// Host is the memory behind a pointer, if that is this process's. Front bytes of it lie in front of the pointer, as
	// those of an array do that is walked backwards.
	Host  []byte
	Front int64
}
