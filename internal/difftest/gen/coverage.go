package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// Coverage is the table of docs/language.md: an operation and what there is of it for each of Columns.
type Coverage struct {
	Names []string          // the operations, in the order of the rows
	Cells map[string][]Cell // by operation, a cell for each column
}

// A Cell is what there is for an operation and a type: cases, or a reason why there are none.
type Cell struct {
	Cases int
	Why   string
}

// Cover makes the table of rows. Second types of a row, With, count too: a conversion to a type is about that type.
func Cover(rows []Row) Coverage {
	c := Coverage{Cells: make(map[string][]Cell)}
	for i := range rows {
		r := &rows[i]
		cells := c.Cells[r.Name]
		if cells == nil {
			c.Names = append(c.Names, r.Name)
			cells = make([]Cell, len(Columns))
			c.Cells[r.Name] = cells
		}
		for _, k := range r.Cases() {
			cells[column(k.Type)].Cases++
			if k.Second != dtype.Invalid && k.Second != k.Type {
				cells[column(k.Second)].Cases++
			}
		}
		for d, why := range r.reasons() {
			if cells[column(d)].Why == "" {
				cells[column(d)].Why = why
			}
		}
	}
	return c
}

func column(d dtype.DType) int {
	return slices.IndexFunc(Columns, func(t typeJudge) bool { return t.dtype == d })
}

// reasons reads Not.
func (r *Row) reasons() map[dtype.DType]string {
	reasons := make(map[dtype.DType]string)
	if !strings.Contains(r.Not, ":") {
		return everyType(r.Not)
	}
	for part := range strings.SplitSeq(r.Not, ";") {
		types, why, _ := strings.Cut(strings.TrimSpace(part), ":")
		for _, t := range typesOf(types) {
			reasons[t.dtype] = strings.TrimSpace(why)
		}
	}
	return reasons
}

// everyType gives a reason for all types; where there are cases it does not matter.
func everyType(why string) map[dtype.DType]string {
	if why == "" {
		return nil
	}
	reasons := make(map[dtype.DType]string)
	for _, t := range Columns {
		reasons[t.dtype] = why
	}
	return reasons
}

// Blanks gives the cells with neither cases nor a reason.
func (c Coverage) Blanks() []string {
	var blanks []string
	for _, name := range c.Names {
		for i, cell := range c.Cells[name] {
			if cell.Cases == 0 && cell.Why == "" {
				blanks = append(blanks, fmt.Sprintf("%s of %s", name, Columns[i].dtype))
			}
		}
	}
	return blanks
}

// Mentioned gives the names of the language that the rows test, without tl. and the like: of functions, and of methods.
func Mentioned(rows []Row) map[string]bool {
	names := make(map[string]bool)
	for i := range rows {
		for word := range strings.FieldsSeq(rows[i].Name + " " + rows[i].Also) {
			names[word] = true
		}
	}
	return names
}
