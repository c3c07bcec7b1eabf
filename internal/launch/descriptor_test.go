package launch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
)

func descriptor(t *testing.T, d dtype.DType, shape, block []int64, kind tile.DescKind) Value {
	t.Helper()
	n, size := int64(1), make([]int, len(shape))
	strides, blocks := make([]int64, len(shape)), make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i], size[i], blocks[i] = n, int(shape[i]), int(block[i])
		n *= shape[i]
	}
	v, err := Descriptor(Array(d, make([]byte, max(n*int64(d.Bytes()), 64)), size...), shape, strides, blocks, kind)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	return v
}

// What differs to the compiler has keys that differ; sizes do not.
func TestDescriptorKeys(t *testing.T) {
	same := [][]int64{{8, 16}, {4, 32}}
	nan, tf32 := tile.DescKind{NaN: true}, tile.DescKind{TF32: true}
	block := []int64{4, 8}
	key := func(v Value) string {
		spec := argSpec(&v, sema.Type{}, target.Policy{})
		k, err := appendSpec(nil, &spec)
		if err != nil {
			t.Fatal(err)
		}
		return string(k)
	}
	first := key(descriptor(t, dtype.Float32, same[0], block, tile.DescKind{}))
	if key(descriptor(t, dtype.Float32, same[1], block, tile.DescKind{})) != first {
		t.Error("the key depends on the sizes")
	}
	seen := map[string]bool{first: true}
	for i, v := range []Value{
		descriptor(t, dtype.Float32, same[0], block, nan),
		descriptor(t, dtype.Float32, same[0], block, tf32),
		descriptor(t, dtype.Int32, same[0], block, tile.DescKind{}),
		descriptor(t, dtype.Float32, same[0], []int64{8, 8}, tile.DescKind{}),
		descriptor(t, dtype.Float32, []int64{64}, []int64{8}, tile.DescKind{}),
	} {
		if k := key(v); seen[k] {
			t.Errorf("%d has the key of another", i)
		} else {
			seen[k] = true
		}
	}
}

// Host code sees what it sees of Triton's.
func TestDescriptorObject(t *testing.T) {
	v := descriptor(t, dtype.Float32, []int64{8, 16}, []int64{4, 8}, tile.DescKind{NaN: true})
	got := map[string]string{}
	for _, name := range []string{"shape", "strides", "block_shape", "dtype", "padding", "round_f32_to_tf32"} {
		a, ok, err := v.Python().(pyval.Attrer).Attr(name)
		if !ok || err != nil {
			t.Fatalf("%s: %v, %v", name, ok, err)
		}
		got[name] = pyval.Str(a)
	}
	want := map[string]string{
		"shape": "[8, 16]", "strides": "[16, 1]", "block_shape": "[4, 8]", "dtype": "fp32", "padding": "nan", "round_f32_to_tf32": "False",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, ok, _ := v.Python().(pyval.Attrer).Attr("nothing"); ok {
		t.Error("it has any attribute")
	}
}

func TestDescriptorSignature(t *testing.T) {
	spec, ok, err := parseType("tensordesc<fp16[64, 32]>")
	if !ok || err != nil || spec.Desc == nil {
		t.Fatal(ok, err)
	}
	want := &sema.DescSpec{Elem: sema.ScalarType(dtype.Float16), Block: []int{64, 32}}
	if d := cmp.Diff(want, spec.Desc, cmp.Comparer(func(a, b sema.Type) bool { return a == b })); d != "" {
		t.Error(d)
	}
	for _, text := range []string{"tensordesc<", "tensordesc<fp16>", "tensordesc<fp16[]>", "tensordesc<fp16[3]>", "tensordesc<i1[16]>", "tensordesc<x[16]>", "tensordesc<fp16[16]", "tensordesc<fp16[2,2,2,2,2,2]>"} {
		if spec, ok, err := parseType(text); err == nil {
			t.Errorf("%s is %+v, %v", text, spec.Desc, ok)
		}
	}
}
