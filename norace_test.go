//go:build !race

package tegula_test

const raceEnabled = false
