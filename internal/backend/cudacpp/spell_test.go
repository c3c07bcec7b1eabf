package cudacpp

import (
	"reflect"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lower"
)

// TestEveryOperation: what LIR has is spelled, or Can takes it away and it is listed here.
func TestEveryOperation(t *testing.T) {
	without := map[lir.Code]bool{}
	structured := map[lir.Code]bool{lir.OpFor: true, lir.OpWhile: true, lir.OpIf: true}
	for c := lir.Code(1); c.String() != "bad"; c++ {
		has := structured[c] || statements[c] != nil || expressions[c] != nil
		if has == without[c] {
			t.Errorf("%s: spelled %t, listed %t", c, has, without[c])
		}
	}
}

// TestCan: every ability is left, or it is listed here.
func TestCan(t *testing.T) {
	without := map[string]bool{}
	var all lower.Capabilities
	v := reflect.ValueOf(&all).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(1)
		default:
			f.SetUint(1)
		}
	}
	left := reflect.ValueOf(Can(all))
	for i := range left.NumField() {
		if name := left.Type().Field(i).Name; left.Field(i).IsZero() != without[name] {
			t.Errorf("%s: left out is %t, listed %t", name, left.Field(i).IsZero(), without[name])
		}
	}
}
