// Package cpu is the driver of the processor that the program itself runs on. Importing it
// registers the backend "cpu", whose only device is 0.
//
// In: a binary whose code is a program of internal/backend/cpu, a grid, arguments in this
// process's memory. Out: the run, finished when Launch returns; program instances run in
// parallel on as many threads as TEGULA_NUM_THREADS says, GOMAXPROCS without it.
//
// What always holds: arrays are used where they are, nothing is copied; launches on one stream
// from one goroutine happen in order, because each is over before the next begins.
package cpu
