package launch

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/pyval"
)

// configOptions are the options that a configuration may set among the values of parameters, as Triton has it.
var configOptions = map[string]func(*Config) *int{
	"num_warps":        func(c *Config) *int { return &c.NumWarps },
	"num_stages":       func(c *Config) *int { return &c.NumStages },
	"num_ctas":         func(c *Config) *int { return &c.NumCTAs },
	"threads_per_warp": func(c *Config) *int { return &c.ThreadsPerWarp },
	"maxnreg":          func(c *Config) *int { return &c.MaxRegisters },
}

// foreignOptions are options of other compilers for kernels, which say nothing here. The extension for Python takes the same
// (python/src/arguments.c); to it backend_name says whether the options were made for cuda-mlir.
var foreignOptions = map[string]bool{
	"launch_cooperative_grid": true, "launch_pdl": true, "sanitize_overflow": true, "arch": true, "warp_size": true, "ir_override": true,
	"allow_fp8e4nv": true, "max_num_imprecise_acc_default": true, "extern_libs": true, "supported_fp8_dtypes": true,
	"deprecated_fp8_dot_operand_dtypes": true, "default_dot_input_precision": true, "allowed_dot_input_precisions": true,
	"instrumentation_mode": true, "backend_name": true, "ptx_version": true, "ptx_options": true, "matrix_instr_nonkdim": true,
	"kpack": true, "waves_per_eu": true, "num_buffers_warp_spec": true, "num_consumer_groups": true, "reg_dec_producer": true,
	"reg_inc_consumer": true, "minRegAutoWS": true, "maxRegAutoWS": true, "grf_mode": true, "split_barriers_scope": true,
	"generate_native_code": true,
}

// config makes a Config. One that does not fit the kernel matters only to launches that need
// something of it.
func config(k *module.Kernel, c module.Config) Config {
	out := Config{NumWarps: c.NumWarps, NumStages: c.NumStages, NumCTAs: c.NumCTAs, MaxRegisters: c.MaxNReg}
	for _, kw := range c.Kwargs {
		switch {
		case slices.ContainsFunc(k.Params, func(p module.Param) bool { return p.Name == kw.Name }):
			out.Values = append(out.Values, Named{kw.Name, FromPython(kw.Value)})
		case !out.setOption(kw.Name, kw.Value):
			e := diag.At(diag.Compile, k.At, "a configuration of %s sets '%s', which is none of its parameters", k.Name, kw.Name)
			out.Misfit = e.WithCode("config")
		}
	}
	return out
}

// setOption takes an option of the compiler. It reports whether it is one.
func (c *Config) setOption(name string, value pyval.Value) bool {
	switch name {
	case "debug":
		on, err := pyval.Truth(value)
		c.Debug = on
		return err == nil
	case "enable_fp_fusion":
		on, err := pyval.Truth(value)
		c.Unfused = !on && value != pyval.Value(pyval.None)
		return err == nil
	}
	field := configOptions[name]
	if field == nil {
		return foreignOptions[name]
	}
	n, ok := pyval.AsInt(value)
	if ok {
		*field(c) = orInvalid(n)
	}
	return ok || value == pyval.Value(pyval.None)
}

// orInvalid keeps what is no number of anything from meaning the default.
func orInvalid(n int64) int {
	if n < 1 || n > 1<<16 {
		return -1
	}
	return int(n)
}
