package sema

import "testing"

// BenchmarkAttention compiles the attention example, from its syntax tree to verified tile IR.
func BenchmarkAttention(b *testing.B) {
	f := loadFile(b, "../../examples/attention.py")
	s := f.spec(b, "attention", "q_ptr=*fp16:16 k_ptr=*fp16:16 v_ptr=*fp16:16 out_ptr=*fp16:16 lse_ptr=*fp32:16 scale=fp32 "+
		"n_ctx=i32:16 HEAD_DIM=64 BLOCK_M=64 BLOCK_N=32 CAUSAL=True")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(s); err != nil {
			b.Fatal(err)
		}
	}
}
