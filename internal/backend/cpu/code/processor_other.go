//go:build !linux || !amd64

package code

// RequestTiles reports that there are no tiles.
func RequestTiles() bool { return false }

// Intel is the vendor of Intel's processors.
const Intel = "GenuineIntel"

// Vendor gives no processor's maker.
func Vendor() string { return "" }
