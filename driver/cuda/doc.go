// Package cuda is the driver of NVIDIA GPUs. Importing it registers the backend "cuda"; it needs the
// GPU driver's library, libcuda.so.1, when a device is asked for, and nothing of CUDA's toolkit. It is not
// linked with it: a program that imports this package runs on machines without it, too.
//
//	dev, err := cuda.Open(0)
//	x, err := dev.Alloc(tegula.FP32, n)
//	err = x.CopyFrom(ctx, dev.Stream(), bytes)
//	err = kernel.Launch(ctx, dev.Stream(), tegula.Grid{tegula.Cdiv(n, 1024)}, x, n, tegula.Const("BLOCK", 1024))
//	err = x.CopyTo(ctx, dev.Stream(), bytes)
//
// In: a binary whose image is PTX or a cubin, a grid, arguments, a stream: one of this package's, or any of
// CUDA's by its handle (StreamOf). Out: the submission. Launches and copies into the device return before they are
// done; Wait, CopyTo and Events say when they are.
//
// # What always holds
//
//   - The device's primary context is used, which CUDA's run-time library and the frameworks on top of it
//     use, too. It is current during each call into the library that needs it, on whatever thread the calling goroutine runs
//     then; another one that was current before is so again afterwards. Launches find it there mostly, so they look only if they are
//     refused.
//   - What the library refuses is an error with its number and name (*Error), in the category DriverError unless
//     another one says more. No device and no library are such errors; the CPU's driver does not care.
//   - A launch allocates nothing, and enters the library once.
//   - Code stays loaded as long as a Graph of this package, or a stream that is not this package's, may have it.
//
// # PTX and cubins
//
// A Device is a driver.Finisher: Finish has the driver's compiler make a cubin of PTX, which then goes into the disk
// cache. Its key has the driver's version and, as part of the target, the architecture. What the compiler says of PTX
// that it refuses is in the error.
//
// To look at it: tegula devices; TEGULA_LIBCUDA names another library to load.
package cuda
