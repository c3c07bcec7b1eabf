package cuda

import (
	"fmt"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// The attributes of functions that this package looks at and sets.
const (
	funcThreads            = 0
	funcStaticShared       = 1
	funcLocal              = 3
	funcRegisters          = 4
	funcDynamicShared      = 8
	funcNonPortableCluster = 14
)

// plainShared is the shared memory that a kernel may have without asking for more.
const plainShared = 48 << 10

// prepare finds the kernel's function, checks that it is what the metadata say, and asks for what it needs beyond the
// ordinary.
func (k *kernel) prepare(m *driver.KernelMetadata) error {
	d, c := k.device, m.Backends.CUDA
	name, function := terminated(c.Entry), cell[uintptr]()
	err := d.call("cuModuleGetFunction", d.api.moduleGetFunction, address(function), k.module, address(name))
	keep(name)
	if err != nil {
		return fmt.Errorf("%s has no function %s: %w", m.Name, c.Entry, err)
	}
	k.function = *function
	if err := k.checkLayout(m); err != nil {
		return err
	}
	registers, err := k.attribute(funcRegisters)
	if err != nil {
		return err
	}
	meta, section := *m, *c
	if registers > 0 {
		section.Registers = &registers
	}
	meta.Backends.CUDA = &section
	k.meta = &meta
	if err := k.checkThreads(); err != nil {
		return err
	}
	if err := k.askForShared(); err != nil {
		return err
	}
	if m.NumCTAs > portableCluster {
		if err := k.setAttribute(funcNonPortableCluster, 1); err != nil {
			return err
		}
	}
	k.shape()
	return nil
}

func (k *kernel) attribute(attr uintptr) (int, error) {
	n := cell[int32]()
	err := k.device.call("cuFuncGetAttribute", k.device.api.funcGetAttribute, address(n), attr, k.function)
	return int(*n), err
}

func (k *kernel) setAttribute(attr uintptr, value int) error {
	return k.device.call("cuFuncSetAttribute", k.device.api.funcSetAttribute, k.function, attr, uintptr(value))
}

// checkLayout compares the function's parameters with those of the metadata, where the library can tell them.
func (k *kernel) checkLayout(m *driver.KernelMetadata) error {
	ask := k.device.api.funcGetParamInfo
	if ask == 0 {
		return nil
	}
	for i := 0; ; i++ {
		offset, size := cell[uintptr](), cell[uintptr]()
		r := k.device.api.call(k.device.context, ask, k.function, uintptr(i), address(offset), address(size))
		there := r == success
		switch {
		case r != success && r != invalidValue:
			return k.device.api.failure("cuFuncGetParamInfo", r)
		case !there && i == len(m.Args):
			return nil
		case there && i < len(m.Args) && int(*offset) == m.Args[i].Offset && int(*size) == m.Args[i].Size:
			continue
		case there && i < len(m.Args):
			return diag.New(diag.Driver, "wrong-layout", "parameter %d of %s is %d bytes at %d, and argument '%s' is %d at %d",
				i, m.Name, *size, *offset, m.Args[i].Name, m.Args[i].Size, m.Args[i].Offset)
		}
		return diag.New(diag.Driver, "wrong-layout", "%s has another number of parameters than the %d arguments of its metadata", m.Name, len(m.Args))
	}
}

// checkThreads reports OutOfResources if the function needs too many registers for its threads.
func (k *kernel) checkThreads() error {
	most, err := k.attribute(funcThreads)
	if err != nil {
		return err
	}
	m := k.meta
	threads := m.NumWarps * m.ThreadsPerWarp
	if threads <= most {
		return nil
	}
	return resource(m.Name, "registers", &driver.OutOfResources{
		Resource: "threads of so many registers", Required: int64(threads), Limit: int64(most),
		Hint: fmt.Sprintf("each needs %d registers; smaller blocks need less, and fewer warps do", *m.Backends.CUDA.Registers),
	})
}

// askForShared has the device give the function more shared memory than it would have without asking.
func (k *kernel) askForShared() error {
	static, err := k.attribute(funcStaticShared)
	if err != nil {
		return err
	}
	m := k.meta
	dynamic, limit := m.Backends.CUDA.DynamicShared, k.device.facts.limits.Shared
	switch {
	case static+dynamic > limit:
		return resource(m.Name, "shared-memory", &driver.OutOfResources{
			Resource: "shared memory", Required: int64(static + dynamic), Limit: int64(limit), Unit: "bytes",
			Hint: "smaller blocks or fewer num_stages need less",
		})
	case dynamic > plainShared-static:
		return k.setAttribute(funcDynamicShared, dynamic)
	}
	return nil
}

func resource(kernel, code string, r *driver.OutOfResources) error {
	e := diag.New(diag.OutOfResources, code, "%s needs more than the device has: %s", kernel, r)
	e.Cause = r
	return e
}
