package driver

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/diag"
)

// OutOfResources says what a device has too little of for a kernel. errors.As finds it in errors
// of that category.
type OutOfResources struct {
	Resource string // "shared memory", "threads", "registers", "cluster size", "grid x"
	Required int64
	Limit    int64
	Unit     string // of both: "bytes"; "" where the resource says it
	Hint     string // what may help
}

// Error gives one line.
func (r *OutOfResources) Error() string {
	unit := ""
	if r.Unit != "" {
		unit = " " + r.Unit
	}
	return fmt.Sprintf("%s: %d%s required, the limit is %d; %s", r.Resource, r.Required, unit, r.Limit, r.Hint)
}

// Is makes it an error of its category.
func (r *OutOfResources) Is(target error) bool { return target == error(diag.OutOfResources) }
