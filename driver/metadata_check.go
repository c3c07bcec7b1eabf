package driver

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/tegula-lang/tegula/internal/schema"
)

// inconsistent is the error of fields that are right alone, but not together.
func inconsistent(path, expected, found string) error {
	return schema.NewError("inconsistent", path, expected, found)
}

// checkMetadata checks what no field says alone.
func checkMetadata(m *KernelMetadata) error {
	for _, check := range []func(*KernelMetadata) error{checkArgs, checkConstants, checkSources, checkSections} {
		if err := check(m); err != nil {
			return err
		}
	}
	return nil
}

func checkArgs(m *KernelMetadata) error {
	end, before := 0, "the beginning"
	for i := range m.Args {
		a, at := &m.Args[i], fmt.Sprintf("$.args[%d]", i)
		if size := sizeOf(a.Type); a.Size != size {
			return inconsistent(at+".size", fmt.Sprintf("%d, the size of %s", size, a.Type), fmt.Sprint(a.Size))
		}
		if a.Align != a.Size {
			return inconsistent(at+".align", fmt.Sprintf("%d, the alignment of %s", a.Size, a.Type), fmt.Sprint(a.Align))
		}
		if a.Offset < end {
			return inconsistent(at+".offset", fmt.Sprintf("at least %d, the end of %s", end, before), fmt.Sprint(a.Offset))
		}
		if a.Offset%a.Align != 0 {
			return inconsistent(at+".offset", fmt.Sprintf("a multiple of %d, the alignment", a.Align), fmt.Sprint(a.Offset))
		}
		if a.DivisibleBy > 1 && !divisible(a.Type) {
			return inconsistent(at+".divisible_by", "1 for a "+a.Type, fmt.Sprint(a.DivisibleBy))
		}
		end, before = a.Offset+a.Size, fmt.Sprintf("$.args[%d]", i)
	}
	return nil
}

// A notation is how the values of a kind are written.
type notation struct {
	pattern *regexp.Regexp
	expect  string
}

// notations are those of the kinds that have few values, or simple ones.
var notations = sync.OnceValue(func() map[string]notation {
	return map[string]notation{
		"none":  {regexp.MustCompile(`^None$`), "None"},
		"bool":  {regexp.MustCompile(`^(True|False)$`), "True or False"},
		"int":   {regexp.MustCompile(`^-?[0-9]+$`), "an integer's digits"},
		"float": {regexp.MustCompile(`^-?([0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|inf|nan)$`), "a float's digits, inf or nan"},
	}
})

func checkConstants(m *KernelMetadata) error {
	for i := range m.Constants {
		c := &m.Constants[i]
		if v, ok := notations()[c.Kind]; ok && !v.pattern.MatchString(c.Value) {
			return inconsistent(fmt.Sprintf("$.constants[%d].value", i), v.expect+", as the kind is "+c.Kind, fmt.Sprintf("%.60q", c.Value))
		}
	}
	return nil
}

// checkSources checks that no argument of a call is there twice.
func checkSources(m *KernelMetadata) error {
	seen := map[string]string{}
	add := func(list string, i int, source []int) error {
		at, key := fmt.Sprintf("$.%s[%d].source", list, i), fmt.Sprint(source)
		if other, ok := seen[key]; ok {
			return inconsistent(at, "a source that nothing else has", key+" as in "+other)
		}
		seen[key] = at
		return nil
	}
	for i := range m.Args {
		if err := add("args", i, m.Args[i].Source); err != nil {
			return err
		}
	}
	for i := range m.Constants {
		if err := add("constants", i, m.Constants[i].Source); err != nil {
			return err
		}
	}
	return nil
}

// checkSections checks that the target's backend has a section, and what the known sections say
// beside the other fields.
func checkSections(m *KernelMetadata) error {
	b, backend := &m.Backends, m.Backend()
	_, other := b.Other[backend]
	if !other && !map[string]bool{"cpu": b.CPU != nil, "cuda": b.CUDA != nil, "xpu": b.XPU != nil}[backend] {
		return inconsistent("$.backends."+backend, "a section for the target "+m.Target, "nothing")
	}
	if b.CUDA == nil {
		return nil
	}
	if c := b.CUDA.Cluster; c[0]*c[1]*c[2] != m.NumCTAs {
		return inconsistent("$.backends.cuda.cluster", fmt.Sprintf("a product of %d, as num_ctas says", m.NumCTAs), fmt.Sprint(c))
	}
	if d := b.CUDA.DynamicShared; d > m.Shared {
		return inconsistent("$.backends.cuda.dynamic_shared", fmt.Sprintf("at most %d, as shared says", m.Shared), fmt.Sprint(d))
	}
	return nil
}
