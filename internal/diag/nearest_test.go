package diag

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"program_id", "load", "store", "arange", "x", "BLOCK_SIZE", "zeros"}
	for _, c := range []struct{ name, want string }{
		{"prgram_id", "program_id"},
		{"laod", "load"},
		{"BLOCKSIZE", "BLOCK_SIZE"},
		{"zeroes", "zeros"},
		{"q", ""},
		{"completely_else", ""},
		{"", ""},
		{"load", ""},
	} {
		if got := Nearest(c.name, known); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
