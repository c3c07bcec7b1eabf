package cpu

import (
	"context"
	"testing"
)

func TestVectorAdd(t *testing.T) {
	const n = 5000
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n+8)
	for i := range x {
		x[i], y[i] = float32(i), float32(i)*0.5
	}
	p, err := Compile(vectorAdd(1024), Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = p.Run(context.Background(), Launch{Grid: [3]int32{5, 1, 1}, Args: []Arg{
		arrayOf("x", x), arrayOf("y", y), arrayOf("z", z), {Bits: n}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range z {
		want := float32(0)
		if i < n {
			want = x[i] + y[i]
		}
		if v != want {
			t.Fatalf("z[%d] = %v, want %v", i, v, want)
		}
	}
}
