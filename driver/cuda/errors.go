package cuda

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A result is a CUresult.
type result uint32

// The results that this package looks at.
const (
	success          result = 0
	invalidValue     result = 1
	notInitialized   result = 3
	noDevice         result = 100
	invalidContext   result = 201
	invalidPTX       result = 218
	noCompiler       result = 221
	unsupportedPTX   result = 222
	invalidHandle    result = 400
	notReady         result = 600
	outOfResources   result = 701
	assertFailed     result = 710
	cooperativeLarge result = 720
	invalidCluster   result = 912
)

// An Error is what the driver's library says. errors.As finds it in errors of this package.
type Error struct {
	Call   string // the function that said it
	Number int    // the CUresult
	Name   string // such as CUDA_ERROR_ILLEGAL_ADDRESS
	Text   string // the library's explanation
}

// Error gives one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (%s, %d)", e.Call, e.Text, e.Name, e.Number)
}

// A meaning is what a result means beyond the library's words.
type meaning struct {
	category *diag.Category
	code     string // "" takes the result's name
	hint     string
	lasting  bool // the context does not survive it: what comes afterwards fails likewise
}

// meanings are those of the results that have one. All others are DriverErrors.
var meanings = map[result]meaning{
	notInitialized:   {hint: "after a fork, only the parent can use the GPU"},
	2:                {code: "out-of-memory", hint: "free buffers that are not needed"},
	noDevice:         {hint: "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it"},
	noCompiler:       {hint: "the driver's compiler, libnvidia-ptxjitcompiler.so.1, is not installed"},
	unsupportedPTX:   {hint: "the driver is older than the PTX that was made for it; install a newer one"},
	209:              {hint: "the code is for another GPU"},
	803:              {hint: "the driver's library and its kernel module are of different versions; reboot after an update"},
	outOfResources:   {category: diag.OutOfResources, code: "launch", hint: "fewer warps or smaller blocks need less"},
	cooperativeLarge: {category: diag.OutOfResources, code: "cooperative", hint: "not all programs can run at once; choose a smaller grid"},
	invalidCluster:   {category: diag.OutOfResources, code: "cluster-size", hint: "choose a smaller num_ctas"},
	assertFailed:     {category: diag.Check, code: "device-assert", lasting: true},
	214:              {lasting: true},
	700:              {hint: "a kernel used memory that is not there; run it on the CPU with Check to see where", lasting: true},
	702:              {lasting: true},
	714:              {lasting: true},
	715:              {lasting: true},
	716:              {hint: "a kernel used an address that is not a multiple of the access's size", lasting: true},
	717:              {lasting: true},
	718:              {lasting: true},
	719:              {lasting: true},
}

// err makes an error of a result; nil of success.
func (a *api) err(call string, r result) error {
	if r == success {
		return nil
	}
	return a.failure(call, r)
}

func (a *api) failure(call string, r result) *diag.Error {
	cause := &Error{Call: call, Number: int(r), Name: a.words(a.getErrorName, r), Text: a.words(a.getErrorString, r)}
	if cause.Name == "" {
		cause.Name = fmt.Sprintf("CUDA_ERROR_%d", r)
	}
	if cause.Text == "" {
		cause.Text = "an error that the driver does not explain"
	}
	m := meanings[r]
	if m.category == nil {
		m.category = diag.Driver
	}
	if m.code == "" {
		m.code = codeOf(cause.Name)
	}
	e := diag.New(m.category, m.code, "%s", cause)
	if m.hint != "" {
		e.Msg += "; " + m.hint
	}
	if m.lasting {
		e.Msg += "; nothing more can be done on this device in this process"
	}
	e.Cause = cause
	return e
}

// launchFailure makes the error of a launch. Launches return before the kernels have run, so what went wrong may be another's.
func (k *kernel) launchFailure(r result) *diag.Error {
	e := k.device.api.failure("cuLaunchKernel", r)
	e.Msg = fmt.Sprintf("the launch of '%s' failed: %s", k.meta.Name, e.Msg)
	if meanings[r].lasting {
		e.Msg += ". It may be an earlier launch that went wrong: with CUDA_LAUNCH_BLOCKING=1 in the environment each waits, and says so itself"
	}
	return e
}

// words asks the library for a string about a result.
func (a *api) words(fn uintptr, r result) string {
	p := cell[uintptr]()
	if plain(fn, uintptr(r), address(p)) != success {
		return ""
	}
	return text(*p)
}

// is reports whether an error comes of a result.
func is(err error, r result) bool {
	var e *Error
	return errors.As(err, &e) && e.Number == int(r)
}

// codeOf makes an error's code of its name: illegal-address of CUDA_ERROR_ILLEGAL_ADDRESS.
func codeOf(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "CUDA_ERROR_")), "_", "-")
}
