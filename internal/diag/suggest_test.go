package diag

import "testing"

func TestSuggest(t *testing.T) {
	known := []string{"x_ptr", "y_ptr", "n_elements", "BLOCK", "eps"}
	for name, want := range map[string]string{
		"x_prt":     "; did you mean 'x_ptr'?",
		"n_element": "; did you mean 'n_elements'?",
		"block":     "; did you mean 'BLOCK'?",
		"z":         "",
		"stride":    "",
		"":          "",
	} {
		if got := Suggest(name, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Suggest("x", nil); got != "" {
		t.Errorf("nothing known: %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "ABC", 0},
		{"abc", "acb", 1}, {"abc", "abd", 1}, {"abc", "xabc", 1}, {"kitten", "sitting", 3}, {"größe", "grosse", 3},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := distance(test.b, test.a); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
