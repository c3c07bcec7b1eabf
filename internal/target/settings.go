package target

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/diag"
)

// Settings are what the environment says about compilations. All of them are part of a binary's
// identity.
type Settings struct {
	// Check and Strict have every launch checked: TEGULA_CHECK, 0, 1 or strict.
	Check, Strict bool
	// CPU chooses what runs kernels on the CPU: TEGULA_CPU, one of the executors.
	CPU Executor
	// Features are the vector instructions that machine code for the CPU is made of: TEGULA_CPU_FEATURES; "" stands for the best
	// that the processor has.
	Features native.Features
}

// An Executor is what runs kernels on the CPU.
type Executor string

// The executors.
const (
	Checked    Executor = "checked"     // the checked executor
	Native     Executor = "native"      // machine code, the default; the checked executor for kernels that cannot be compiled
	NativeOnly Executor = "native-only" // machine code; such kernels are errors
)

// The variables.
const (
	envCheck = "TEGULA_CHECK"
	envCPU   = "TEGULA_CPU"
	// envFeatures may ask for less than the processor has.
	envFeatures = "TEGULA_CPU_FEATURES"
)

// Environment reads the settings of this process. It is asked when a kernel is loaded, not when it
// is launched: looking would cost as much as the launch.
func Environment() (Settings, error) { return settings(os.Getenv) }

func settings(getenv func(string) string) (Settings, error) {
	s := Settings{CPU: Native}
	switch v := getenv(envCheck); strings.ToLower(v) {
	case "", "0", "off", "false":
	case "1", "on", "true":
		s.Check = true
	case "strict":
		s.Check, s.Strict = true, true
	default:
		return s, diag.New(diag.Argument, "environment", "%s is %q; it may be 0, 1 or strict", envCheck, v)
	}
	switch v := Executor(getenv(envCPU)); v {
	case "":
	case Checked, Native, NativeOnly:
		s.CPU = v
	default:
		return s, diag.New(diag.Argument, "environment", "%s is %q; it may be %s, %s or %s", envCPU, v, Checked, Native, NativeOnly)
	}
	s.Features = native.Features(strings.ToLower(getenv(envFeatures)))
	if s.Features != "" && !slices.Contains(native.Sets, s.Features) {
		return s, diag.New(diag.Argument, "environment", "%s is %q; it may be one of %v", envFeatures, s.Features, native.Sets)
	}
	return s, nil
}

// Executor says what runs kernels on the CPU: a set of instructions, or the checked executor and why.
func (s Settings) Executor() (string, error) {
	why := native.Supported()
	switch {
	case s.Check:
		return "checked executor: " + envCheck + " is set", nil
	case s.CPU == Checked:
		return "checked executor: " + envCPU + " is " + string(Checked), nil
	case why != "" && s.CPU == NativeOnly:
		return "", diag.New(diag.Argument, "environment", "%s is %s, but %s", envCPU, NativeOnly, why)
	case why != "":
		return "checked executor: " + why, nil
	case s.Features == "":
		return string(native.Available()[0]), nil
	case !slices.Contains(native.Available(), s.Features):
		return "", diag.New(diag.Argument, "environment", "%s is %s; this processor has %v", envFeatures, s.Features, native.Available())
	}
	return string(s.Features) + ": " + envFeatures + " is set", nil
}

// String gives the settings as a binary's identity has them.
func (s Settings) String() string {
	return fmt.Sprintf("%s=%t,%t %s=%s %s=%s", envCheck, s.Check, s.Strict, envCPU, s.CPU, envFeatures, s.Features)
}
