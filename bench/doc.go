// Package bench measures what users wait for; its results, with date and machine, are under results/.
//
//	go test ./bench -bench . -benchmem
//	bench/xpu/build.sh SYCL_ROOT && python3 bench/xpu/compare.py OUT     (with a SYCL runtime)
//	bench/cuda/build.sh && bench/cuda/run.sh OUT     (on an NVIDIA GPU, beside Triton and PyTorch)
//
// In: the examples, the library's own kernels. Out: times, and a failure of the gates (gate_test.go) where something takes
// five times as long as it should; these are skipped with -short and under the race detector.
package bench
