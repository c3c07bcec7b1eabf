package pyval

import (
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// doubled gives a tuple that holds 2^levels numbers, in a few words of memory.
func doubled(levels int, leaf Value) Value {
	v := leaf
	for range levels {
		v = NewTuple(v, v)
	}
	return v
}

// TestSharedParts: what looks at values that share their parts is bounded as a whole, not anew for each
// element.
func TestSharedParts(t *testing.T) {
	many := make([]Value, 1<<12)
	for i := range many {
		many[i] = doubled(15, int64(1))
	}
	list, other := NewList(many...), doubled(15, int64(1))
	other = NewTuple(other.(Tuple).Elems[0], NewTuple(other.(Tuple).Elems[1], int64(2)))
	method := func(name string, args ...Value) func() error {
		return func() error {
			m, _ := Attr(list, name)
			_, err := m.(Callable).Call(args, nil)
			return err
		}
	}
	builtin := func(name string) func() error {
		return func() error {
			f, _ := LookupBuiltin(name)
			_, err := f.(Callable).Call([]Value{list}, nil)
			return err
		}
	}
	for name, do := range map[string]func() error{
		"in":     func() error { _, err := Compare(syntax.In, other, list); return err },
		"index":  method("index", other),
		"count":  method("count", other),
		"remove": method("remove", other),
		"sort":   method("sort"),
		"sorted": builtin("sorted"),
		"max":    builtin("max"),
	} {
		start := time.Now()
		err := do()
		if e, ok := err.(*Error); !ok || e.Type != "RecursionError" {
			t.Errorf("%s gives %v, want a RecursionError", name, err)
		}
		if took := time.Since(start); took > time.Minute { // a tenth of a second of a processor
			t.Errorf("%s takes %v", name, took)
		}
	}
}

// TestLongSequences: elements that are quickly compared may be as many as a sequence can hold.
func TestLongSequences(t *testing.T) {
	numbers := make([]Value, MaxLen)
	for i := range numbers {
		numbers[i] = int64(-i)
	}
	if in, err := Compare(syntax.In, int64(1), NewList(numbers...)); in || err != nil {
		t.Errorf("in gives %v, %v", in, err)
	}
	sorted, _ := LookupBuiltin("sorted")
	v, err := sorted.(Callable).Call([]Value{NewList(numbers[:1<<17]...)}, nil)
	if err != nil || v.(*List).Elems[0] != Value(int64(1-1<<17)) {
		t.Errorf("sorted gives %.40v, %v", v, err)
	}
}
