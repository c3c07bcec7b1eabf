//go:build !linux || !amd64

package code

// RequestTiles reports that there are no tiles.
func RequestTiles() bool { return false }
