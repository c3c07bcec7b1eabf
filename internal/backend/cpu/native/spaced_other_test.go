//go:build !linux

package native

import "testing"

// between gives n bytes of memory.
func between(_ *testing.T, n int, _ bool) []byte { return make([]byte, n) }
