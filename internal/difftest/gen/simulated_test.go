//go:build oracle

package gen_test

import (
	"fmt"
	"testing"
)

// TestSimulatedAll runs all cases on all simulated GPUs, with few warps and with many.
func TestSimulatedAll(t *testing.T) {
	for _, arch := range []string{"75", "80", "90a"} {
		for _, warps := range []int{1, 2, 4, 8} {
			t.Run(fmt.Sprintf("%s/%d", arch, warps), func(t *testing.T) { onDevices(t, simulators()[arch].Stream(), warps, 1) })
		}
	}
}
