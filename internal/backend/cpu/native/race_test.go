//go:build race

package native

const RaceDetector = true
