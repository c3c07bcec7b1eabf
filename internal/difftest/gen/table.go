package gen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Elsewhere are the names of tl that no row tests, and why.
var Elsewhere = map[string]string{
	"constexpr_type":         "is the type of constants, which kernels do not make themselves",
	"inline_asm_elementwise": "is assembly of a target: tile IR has it, the CPU refuses it by name",
	"slice":                  "is what x[a:b] makes, and tiles take None and : only",
	"tensor_descriptor":      "is the type of what tl.make_tensor_descriptor makes",
}

// libdevicePrefix begins the names of the functions that have a table of their own: they take few types.
const libdevicePrefix = "libdevice."

// Table gives the section of docs/language.md that says what is tested.
func Table(rows []Row) string {
	c := Cover(rows)
	var b strings.Builder
	fmt.Fprintf(&b, "%d kernels of %d operations.\n\n", len(Cases()), len(c.Names))
	c.write(&b, alsoOf(rows))
	b.WriteString("\n")
	c.writeLibdevice(&b, rows)
	b.WriteString("\nNo kernel of the suite is about these:")
	for i, name := range slices.Sorted(maps.Keys(Elsewhere)) {
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " `%s` %s", name, Elsewhere[name])
	}
	b.WriteString(".\n")
	return b.String()
}

// alsoOf gives what else the rows of an operation test.
func alsoOf(rows []Row) map[string]string {
	also := make(map[string][]string)
	for i := range rows {
		r := &rows[i]
		if r.Also != "" && !slices.Contains(also[r.Name], r.Also) {
			also[r.Name] = append(also[r.Name], r.Also)
		}
	}
	texts := make(map[string]string)
	for name, list := range also {
		texts[name] = strings.Join(list, ", ")
	}
	return texts
}

// write writes the table of what is no function of libdevice, with the reasons below.
func (c Coverage) write(b *strings.Builder, also map[string]string) {
	head, rule := "| operation |", "|---|"
	for _, t := range Columns {
		head += " " + t.dtype.String() + " |"
		rule += "---|"
	}
	b.WriteString(head + " also |\n" + rule + "---|\n")
	var reasons []string
	for _, name := range c.Names {
		if strings.HasPrefix(name, libdevicePrefix) {
			continue
		}
		fmt.Fprintf(b, "| `%s` |", strings.ReplaceAll(name, "|", "\\|"))
		for _, cell := range c.Cells[name] {
			if cell.Cases > 0 {
				fmt.Fprintf(b, " %d |", cell.Cases)
				continue
			}
			at := slices.Index(reasons, cell.Why)
			if at < 0 {
				at = len(reasons)
				reasons = append(reasons, cell.Why)
			}
			b.WriteString(" " + letter(at) + " |")
		}
		b.WriteString(" " + also[name] + " |\n")
	}
	b.WriteString("\n")
	for i, why := range reasons {
		fmt.Fprintf(b, "- %s: %s\n", letter(i), why)
	}
}

// letter gives the name of a reason: a to z, then aa.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}

// writeLibdevice writes the table of libdevice: functions that take the same types together.
func (c Coverage) writeLibdevice(b *strings.Builder, rows []Row) {
	errors := make(map[string]string)
	for i := range rows {
		errors[rows[i].Name] = rows[i].Tol
	}
	var order []string
	groups := make(map[string][]string)
	for _, name := range c.Names {
		if !strings.HasPrefix(name, libdevicePrefix) {
			continue
		}
		var types []string
		for i, cell := range c.Cells[name] {
			if cell.Cases > 0 {
				types = append(types, Columns[i].dtype.String())
			}
		}
		key := strings.Join(types, " ") + " | " + or(errors[name], "exact")
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], "`"+strings.TrimPrefix(name, libdevicePrefix)+"`")
	}
	b.WriteString("| `tl.extra.libdevice` | of | at most off by |\n|---|---|---|\n")
	for _, key := range order {
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(groups[key], " "), key)
	}
}
