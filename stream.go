package tegula

import (
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cpu"
)

// A Stream is where launches go: an order of work on one device.
type Stream = driver.Stream

// CPU gives the stream of the processor that the program runs on. A launch on it is over when
// Launch returns.
func CPU() Stream { return cpu.Stream() }
