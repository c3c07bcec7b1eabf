// Package cpu runs kernels on the CPU.
package cpu
