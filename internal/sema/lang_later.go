package sema

// laterRows are the functions of the language that are not supported yet. They have names, so
// that the diagnostic says what is missing.
func laterRows() []*Builtin {
	rows := []*Builtin{}
	for name, sig := range laterSignatures {
		rows = append(rows, &Builtin{Name: name, Sig: sig, Fn: langLater})
	}
	for _, name := range []string{"atomic_poll"} {
		rows = append(rows, &Builtin{Name: name, Sig: laterMethods[name], Method: true, Fn: langLater})
	}
	return rows
}

var laterSignatures = map[string]string{
	"dot_scaled":                           "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=None",
	"make_tensor_descriptor":               "base, shape, strides, block_shape, padding_option='zero'",
	"load_tensor_descriptor":               "desc, offsets",
	"store_tensor_descriptor":              "desc, offsets, value",
	"_experimental_descriptor_load":        "desc, offsets, shape, dtype",
	"_experimental_descriptor_store":       "desc, value, offsets",
	"_experimental_make_tensor_descriptor": "base, shape, strides, block_shape",
}

var laterMethods = map[string]string{
	"atomic_poll": "pointer, expected_value, sem=None, scope=None, timeout_ns=None",
}

func langLater(g *gen, c *call) Value {
	g.unsupported(c.node, "%s", c.name)
	return noValue
}
