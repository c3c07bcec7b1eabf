package launch

import (
	"fmt"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// A need is what a kernel needs of a resource that a device has a limit of.
type need struct {
	code, resource, unit string
	required, limit      int
	hint                 string
}

// needs lists what a kernel needs of a device.
func needs(m *driver.KernelMetadata, l driver.Limits) []need {
	threads := m.NumWarps * m.ThreadsPerWarp
	list := []need{
		{"shared-memory", "shared memory", "bytes", m.Shared, l.Shared, "smaller blocks or fewer num_stages need less"},
		{"threads", "threads", "", threads, l.Threads, fmt.Sprintf("num_warps is %d, and a warp has %d threads; choose fewer warps", m.NumWarps, m.ThreadsPerWarp)},
		{"cluster-size", "cluster size", "CTAs", m.NumCTAs, l.Cluster, "choose a smaller num_ctas"},
	}
	if c := m.Backends.CUDA; c != nil && c.Registers != nil {
		list = append(list, need{"registers", "registers", "", *c.Registers * threads, l.Registers,
			fmt.Sprintf("each of %d threads needs %d; smaller blocks need less, and fewer warps do", threads, *c.Registers)})
	}
	return list
}

// checkResources reports whether a device can run a kernel at all.
func checkResources(m *driver.KernelMetadata, l driver.Limits) error {
	for _, n := range needs(m, l) {
		if n.limit > 0 && n.required > n.limit {
			return outOfResources(m.Name, n.code, &driver.OutOfResources{
				Resource: n.resource, Required: int64(n.required), Limit: int64(n.limit), Unit: n.unit, Hint: n.hint,
			})
		}
	}
	return nil
}

// gridTooLarge is the error of a grid that the device could take, were each program instance one
// work-group and not a cluster of several.
func (v *variant) gridTooLarge(x uint32, on *onDevice) error {
	m := v.resident.kernel.Metadata()
	return outOfResources(m.Name, "grid", &driver.OutOfResources{
		Resource: "grid x", Required: int64(x) * int64(m.NumCTAs), Limit: int64(on.limits.Grid[0]), Unit: "CTAs",
		Hint: fmt.Sprintf("each of the %d programs along x is %d CTAs; choose a smaller grid or num_ctas", x, m.NumCTAs),
	})
}

func outOfResources(kernel, code string, r *driver.OutOfResources) error {
	e := diag.New(diag.OutOfResources, code, "%s needs more than the device has: %s", kernel, r)
	e.Cause = r
	return e
}
