package tegula

import "github.com/tegula-lang/tegula/internal/npy"

// An Arena makes arrays whose memory lies alone: gigabytes before and after each there is none. A kernel that runs past such an array,
// which machine code does not check, ends its launch with an error, where with a slice it would overwrite what else is in the process. An
// access up to the next multiple of 64 bytes after an array is not seen, and does no harm; Check sees every one. The zero Arena is ready,
// and safe for concurrent use. Systems other than Unix have ordinary memory in it.
//
//	var arena tegula.Arena
//	defer arena.Free()
//	x, err := arena.NewArray(tegula.FP32, 1000)
type Arena struct{ arrays npy.Arena }

// NewArray is the function NewArray, with the arena's memory.
func (a *Arena) NewArray(d DType, shape ...int) (*Array, error) {
	array, err := a.arrays.New(d, shape...)
	if err != nil {
		return nil, arrayError(err)
	}
	return (*Array)(array), nil
}

// ReadNPY is the function ReadNPY, with the arena's memory.
func (a *Arena) ReadNPY(path string, as DType) (*Array, error) {
	array, err := a.arrays.ReadFile(path, as)
	return (*Array)(array), err
}

// Free gives the memory of all the arrays back. Nothing may touch their Data any more.
func (a *Arena) Free() error { return a.arrays.Free() }
