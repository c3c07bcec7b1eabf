// Command examples compiles the kernels of this directory, runs each on the arrays of data/, and compares what
// it gives with what NumPy gave.
//
//	go run ./examples [-target cuda]
//
// In: NAME.py, kernels in files of their own, each with the command line that runs it; data/NAME.PARAMETER.npy, made by
// data/make.py with NumPy. Out: a table of times and errors; exit status 1 where an element is further off than its
// tolerance. To add an example: a kernel file, its arrays, and an entry of the table in main.go.
package main
