package tegula

import "github.com/tegula-lang/tegula/driver"

// A Buffer is memory of a device with the type of its elements: an array argument of kernels that
// run there.
type Buffer = driver.Buffer

// NewBuffer allocates an array on the device of a stream. On the CPU slices do as well.
func NewBuffer(s Stream, d DType, shape ...int) (*Buffer, error) {
	device, err := driver.OpenDevice(s.Backend, s.Device)
	if err != nil {
		return nil, err
	}
	return driver.NewBuffer(device, d, shape...)
}
