// Package driver is the vocabulary between launches and devices: what a stream is, what a
// device can do, what a launch hands over. Drivers implement it; the launcher only carries
// their values about.
//
// In: a backend's name and a device number, a Binary, a Launch (a canonical grid and arguments
// in the order of the compiled kernel's parameters). Out: a submission on a Stream.
//
// The interfaces are Driver, Device, Memory, Kernel with its Launcher; the values that cross
// them are Stream, Limits, Binary, KernelMetadata and Launch. docs/contract.md says of each who
// defines, validates, translates and consumes it.
//
// What always holds: a Stream says whose it is, and a driver takes only its own; a driver decides
// neither the grid nor the code. Whoever is not the driver never interprets a Handle, a Function
// or a Binary's code.
//
// A driver registers itself in its package's init function, as those of database/sql do. Import
// a driver package for that effect; importing the root package brings the CPU's.
package driver
