// Package fake is a backend and a driver for tests: what any backend has to be, and nothing more.
//
// In: what a driver and a backend are given. Out: a record of every launch that reached a device,
// with its grid, stream, packed arguments and metadata; and the effect of the kernels, which the
// checked executor runs.
//
// What always holds. Streams, functions and addresses are numbers that mean nothing to anybody
// else: whoever follows one crashes. Launches wait in their stream until somebody waits for
// it, so what is read too early is not there yet. Memory is the device's own, and no pointer into it
// is one of this process.
//
// To look at it: Driver.Launches.
package fake
