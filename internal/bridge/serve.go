package bridge

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cpu"
	"github.com/tegula-lang/tegula/driver/cudamlir"
	"github.com/tegula-lang/tegula/driver/xpu"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/target"
)

// host is the interpreter that the process has.
var host Host

// SetHost says how to ask the interpreter. It is called once, before anything else.
func SetHost(h Host) { host = h }

// requests answers what C asks, by number; the numbers are those of bridge.h.
var requests = [...]func(r *reader, w *writer) error{
	1:  answerStart,
	2:  answerLoad,
	3:  resolve,
	4:  answerStages,
	5:  answerEmit,
	6:  answerMetadata,
	7:  compileSignature,
	8:  answerCheckGlobals,
	9:  answerDevices,
	10: answerCheckMetadata,
	11: answerDropKernel,
	12: answerDropCompiled,
	13: answerVariants,
	14: answerSource,
	15: answerEncode,
	16: answerFault,
	17: answerFailure,
	18: answerDevice,
	19: answerQueue,
}

// Serve answers a request. Failed answers describe an error.
func Serve(request uint8, message []byte) (answer []byte, ok bool) {
	var w writer
	defer func() {
		if p := recover(); p != nil {
			answer, ok = describe(diag.New(diag.Compile, "internal", "the compiler failed: %v", p)), false
		}
	}()
	if int(request) >= len(requests) || requests[request] == nil {
		return describe(fmt.Errorf("there is no request %d", request)), false
	}
	r := reader{b: message}
	if err := requests[request](&r, &w); err != nil {
		return describe(err), false
	}
	if r.err != nil {
		return describe(r.err), false
	}
	return w.b, true
}

// answerStart takes the library's path and the interpreter's, and gives the version and what the backends' policies ask for.
func answerStart(r *reader, w *writer) error {
	library, python := r.str(), r.str()
	compiler.SetProgram(library)
	cudamlir.SetPython(python)
	xpu.LookIn(filepath.Dir(library))
	w.str(compiler.Version)
	backends := []string{"cpu", "cuda", "xpu"}
	w.u32(uint32(len(backends)))
	for _, b := range backends {
		one, divisor := launch.Policy(b)
		w.bool(one)
		w.u64(divisor)
	}
	return nil
}

// answerLoad takes a kernel's definition and the environment, and gives the table of its parameters.
func answerLoad(r *reader, w *writer) error {
	for range r.count(8) {
		name, value := r.str(), r.str()
		if err := setenv(name, value); err != nil {
			return err
		}
	}
	k, err := load(r)
	if err != nil {
		return err
	}
	if k.err != nil {
		return k.err
	}
	k.table(w)
	return nil
}

// setenv repeats what Python did to the environment, which Go has seen once only.
func setenv(name, value string) error {
	if value == "" {
		return os.Unsetenv(name)
	}
	if os.Getenv(name) == value {
		return nil
	}
	return os.Setenv(name, value)
}

func answerStages(r *reader, w *writer) error {
	c, err := compiledOf(r.u64())
	if err != nil {
		return err
	}
	list, err := c.stages()
	w.u32(uint32(len(list)))
	for _, s := range list {
		w.str(s)
	}
	return err
}

func answerEmit(r *reader, w *writer) error {
	c, err := compiledOf(r.u64())
	if err != nil {
		return err
	}
	text, err := c.emit(r.str())
	w.b = append(w.b, text...)
	return err
}

func answerMetadata(r *reader, w *writer) error {
	c, err := compiledOf(r.u64())
	if err != nil {
		return err
	}
	text, err := c.metadata()
	w.b = append(w.b, text...)
	return err
}

func answerCheckGlobals(r *reader, _ *writer) error {
	c, err := compiledOf(r.u64())
	if err != nil {
		return err
	}
	return c.checkGlobals()
}

func answerDevices(_ *reader, w *writer) error {
	var list []driver.Info
	for _, b := range driver.Backends() {
		if b == cudamlir.Backend {
			continue // the same devices under another name
		}
		devices, err := driver.Devices(b)
		if err != nil {
			continue // a backend that cannot be asked has no devices for Python
		}
		list = append(list, devices...)
	}
	w.u32(uint32(len(list)))
	for _, d := range list {
		w.str(d.Backend)
		w.u32(uint32(d.Index))
		w.str(d.Name)
		w.str(d.Arch)
		w.str(d.Version)
	}
	return nil
}

func answerCheckMetadata(r *reader, w *writer) error {
	m, err := driver.ParseKernelMetadata([]byte(r.str()))
	if err != nil {
		return err
	}
	text, err := m.Encode()
	w.b = append(w.b, text...)
	return err
}

func answerDropKernel(r *reader, _ *writer) error {
	dropKernel(r.u64())
	return nil
}

func answerDropCompiled(r *reader, _ *writer) error {
	dropCompiled(r.u64())
	return nil
}

func answerVariants(r *reader, w *writer) error {
	if k := kernelOf(r.u64()); k != nil && k.launch != nil {
		w.u32(uint32(k.launch.Variants()))
		return nil
	}
	w.u32(0)
	return nil
}

// answerEncode gives the bits of a number in the type of an argument.
func answerEncode(r *reader, w *writer) error {
	c, err := compiledOf(r.u64())
	if err != nil {
		return err
	}
	arg, tag, bits := int(r.u32()), r.u8(), r.u64()
	if c.flat == nil || arg < 0 || arg >= len(c.flat.Args()) {
		return errNotLoaded
	}
	var v launch.Value
	if tag == tagFloat {
		v.SetFloat(dtype.Float64, math.Float64frombits(bits))
	} else {
		v.SetInt(int64(bits))
	}
	w.u64(c.flat.Encode(arg, &v))
	return nil
}

// answerFault gives the error of a memory fault: the kernel, the address, the program, the arguments.
func answerFault(r *reader, _ *writer) error {
	c, err := compiledOf(r.u64())
	if err != nil {
		return err
	}
	if c.flat == nil {
		return errNotLoaded
	}
	d, ok := c.flat.Kernel().(cpu.Direct)
	if !ok {
		return errNotLoaded
	}
	addr := uintptr(r.u64())
	pid := [3]int32{int32(r.u32()), int32(r.u32()), int32(r.u32())}
	args := make([]driver.Arg, r.count(24))
	for i := range args {
		bits, bytes, front := r.u64(), r.u64(), r.u64()
		args[i] = driver.Arg{Bits: bits, Host: memoryAt(bits-front, front+bytes), Front: int64(front)}
	}
	return d.Fault(addr, pid, args)
}

// answerFailure gives the error of a submission that a driver's library refused: the kernel, the library's number.
func answerFailure(r *reader, _ *writer) error {
	c, err := compiledOf(r.u64())
	if err != nil {
		return err
	}
	if c.flat == nil {
		return errNotLoaded
	}
	if k, ok := c.flat.Kernel().(cudaKernel); ok {
		return k.Failure(int(int32(r.u32())))
	}
	return errNotLoaded
}

// answerSource gives a hash of the kernel's source and of the sources of all that it may call.
func answerSource(r *reader, w *writer) error {
	k := kernelOf(r.u64())
	if k == nil {
		return diag.New(diag.Argument, "no-kernel", "the kernel is no longer there")
	}
	w.str(k.cacheKey())
	return nil
}

// compileSignature compiles for a target: the kernel, the target, options, and for each parameter a type with
// its facts, or a constant.
func compileSignature(r *reader, w *writer) error {
	k := kernelOf(r.u64())
	if k == nil {
		return diag.New(diag.Argument, "no-kernel", "the kernel is no longer there")
	}
	if k.err != nil {
		return k.err
	}
	t, err := target.Parse(r.str())
	if err != nil {
		return err
	}
	o := launch.Options{NumWarps: int(int32(r.u32())), NumStages: int(int32(r.u32())), NumCTAs: int(int32(r.u32())), ThreadsPerWarp: int(int32(r.u32())), MaxRegisters: int(int32(r.u32())), Debug: r.bool(), Unfused: r.bool()}
	specs, err := k.specs(r)
	if err != nil {
		return err
	}
	u, err := k.launch.CompileSpecs(specs, t, o)
	if err != nil {
		return err
	}
	v := &compiled{kernel: k, unit: u, target: t}
	v.keep()
	w.u64(v.id)
	w.str(k.name)
	w.str(t.String())
	return nil
}

// Submit launches a compiled kernel with arguments that are packed. The text is what the kernel printed, the cost what a
// program took, in fuel, if that is known.
func Submit(id uint64, grid [3]uint32, stream uintptr, slots []Slot) (printed string, cost int64, failed []byte) {
	defer func() {
		if p := recover(); p != nil {
			failed = describe(diag.New(diag.Driver, "internal", "the launch failed: %v", p))
		}
	}()
	c, err := compiledOf(id)
	if err != nil {
		return "", 0, describe(err)
	}
	var out strings.Builder
	if err := c.submit(grid, stream, slots, &out); err != nil {
		return out.String(), 0, describe(err)
	}
	return out.String(), c.cost(), nil
}
