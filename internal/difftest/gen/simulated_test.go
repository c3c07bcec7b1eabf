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
			t.Run(fmt.Sprintf("%s/%d", arch, warps), func(t *testing.T) { onDevices(t, simulators()[arch].Stream(), warps, 1, nil) })
		}
	}
}

// TestSimulatedLargeAll runs large tiles with few warps, which have to hold the most, and with many.
func TestSimulatedLargeAll(t *testing.T) {
	for _, warps := range []int{1, 8} {
		t.Run(fmt.Sprint(warps), func(t *testing.T) { largeTiles(t, simulators()["90a"].Stream(), warps, 10) })
	}
}
