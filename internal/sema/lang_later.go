package sema

// laterRows are the functions of the language that are not supported yet. They have names and
// parameters, so that the diagnostic at the call says what is missing.
func laterRows() []*Builtin {
	return []*Builtin{
		{
			Name: "dot_scaled",
			Sig: "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, " +
				"rhs_k_pack=True, out_dtype=None",
			Fn: langLater,
		},
		{Name: "make_tensor_descriptor", Sig: "base, shape, strides, block_shape, padding_option='zero'", Fn: langLater},
		{Name: "load_tensor_descriptor", Sig: "desc, offsets", Fn: langLater},
		{Name: "store_tensor_descriptor", Sig: "desc, offsets, value", Fn: langLater},
		{Name: "_experimental_make_tensor_descriptor", Sig: "*args", Fn: langLater},
		{Name: "_experimental_descriptor_load", Sig: "*args", Fn: langLater},
		{Name: "_experimental_descriptor_store", Sig: "*args", Fn: langLater},
		{
			Name:   "atomic_poll",
			Sig:    "pointer, expected_value, sem=None, scope=None, timeout_ns=None",
			Method: true,
			Fn:     langLater,
		},
	}
}

func langLater(g *gen, c *call) Value {
	g.unsupported(c.node, "%s", c.name)
	return noValue
}
