package cuda

import "github.com/tegula-lang/tegula/internal/lir"

// Programs whose threads wait for each other do not keep memory busy alone: while one reads, another is to compute, and a third to write. ptxas takes
// as many registers as make one program fast, which often leaves room for that one only. So it is told how many it may take, unless they are too few.

const (
	registersPerSM = 64 << 10 // on every architecture
	wantedThreads  = 1024     // on an SM
	wantedPrograms = 3
	leastThreads   = 512 // where there is no room for more
	// spare is how many registers ptxas needs besides those that hold values, at least.
	spare = 6
)

// registerLimit gives how many registers a thread may take so that enough threads and programs are on an SM at once; 0 where ptxas is left alone:
// where threads do not wait for each other, or hold so much that there is no room for more anyway.
func registerLimit(f *lir.Func, threadsPerSM int) int {
	if !waits(f) {
		return 0
	}
	threads := threadsOf(f)
	needed := f.Pressure() + spare
	for n := min(max(wantedPrograms, wantedThreads/threads), threadsPerSM/threads); n > 1; n-- {
		limit := registersPerSM / (n * threads) &^ 7
		if limit > registersPerSM/wantedThreads {
			break
		}
		if limit >= needed {
			return limit
		}
	}
	if limit := registersPerSM / leastThreads; leastThreads/threads > 1 && limit >= needed {
		return limit
	}
	return 0
}

// waits reports whether a program's threads wait for each other. Matrix products need all registers that there are.
func waits(f *lir.Func) bool {
	barriers, products := false, false
	f.Body.Walk(func(op *lir.Op) {
		barriers = barriers || op.Code == lir.OpBarrier
		products = products || op.Code == lir.OpMMA || op.Code == lir.OpGroupMMA
	})
	return barriers && !products
}
