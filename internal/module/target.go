package module

import (
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// A Target is what a program is told that its kernels are compiled for.
type Target struct {
	Backend string // "cpu", "cuda", "xpu"; empty if it is not told
	Arch    string // "90a"; empty if that is not known
}

// currentTarget is what triton.runtime.driver.active.get_current_target() names.
const currentTarget = "triton.runtime.driver.active.get_current_target"

// answer gives what the program is told of its target by the call of a function of triton's, or nil.
func (p *program) answer(fn *unknown) Value {
	if p.target.Backend == "" || fn.path != currentTarget {
		return nil
	}
	p.asked = true
	names := []string{"backend", "arch", "warp_size"}
	unknownPart := func(name string) Value {
		return &unknown{path: currentTarget + "()." + name, why: "target " + p.target.Backend + " does not say it"}
	}
	elems := []Value{p.target.Backend, unknownPart("arch"), unknownPart("warp_size")}
	if p.target.Backend == "cuda" {
		elems[2] = int64(32)
		if n, err := strconv.Atoi(strings.TrimRight(p.target.Arch, "abcdefghijklmnopqrstuvwxyz")); err == nil {
			elems[1] = int64(n)
		}
	}
	return pyval.Tuple{Elems: elems, Names: names}
}

// Asked tells what target the program was told when it asked, if it did: what its names are depends on that.
func (m *Module) Asked() (t Target, ok bool) {
	defer m.enter()()
	return m.prog.target, m.prog.asked
}
