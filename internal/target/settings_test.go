package target

import (
	"errors"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/diag"
)

// What runs kernels is said as the environment has it.
func TestExecutor(t *testing.T) {
	for _, test := range []struct {
		settings Settings
		want     string
	}{
		{Settings{Check: true, CPU: Native}, "checked executor: TEGULA_CHECK is set"},
		{Settings{CPU: Checked}, "checked executor: TEGULA_CPU is checked"},
	} {
		if got, err := test.settings.Executor(); got != test.want || err != nil {
			t.Errorf("%v: %s, %v", test.settings, got, err)
		}
	}
	for _, f := range native.Sets {
		got, err := Settings{CPU: Native, Features: f}.Executor()
		if has := slices.Contains(native.Available(), f); has != (got == string(f)+": TEGULA_CPU_FEATURES is set") || native.Supported() == "" && has == (err != nil) {
			t.Errorf("%s: %s, %v", f, got, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		want Settings
		ok   bool
	}{
		"nothing":            {nil, Settings{CPU: Native}, true},
		"checked":            {map[string]string{"TEGULA_CHECK": "1"}, Settings{Check: true, CPU: Native}, true},
		"checked by word":    {map[string]string{"TEGULA_CHECK": "ON"}, Settings{Check: true, CPU: Native}, true},
		"checked strictly":   {map[string]string{"TEGULA_CHECK": "strict"}, Settings{Check: true, Strict: true, CPU: Native}, true},
		"not checked":        {map[string]string{"TEGULA_CHECK": "0"}, Settings{CPU: Native}, true},
		"native":             {map[string]string{"TEGULA_CPU": "native"}, Settings{CPU: Native}, true},
		"native only":        {map[string]string{"TEGULA_CPU": "native-only"}, Settings{CPU: NativeOnly}, true},
		"the checked one":    {map[string]string{"TEGULA_CPU": "checked"}, Settings{CPU: Checked}, true},
		"other instructions": {map[string]string{"TEGULA_CPU_FEATURES": "AVX2"}, Settings{CPU: Native, Features: native.AVX2}, true},
		"no instructions":    {map[string]string{"TEGULA_CPU_FEATURES": "sse2"}, Settings{}, false},
		"a check that isn't": {map[string]string{"TEGULA_CHECK": "maybe"}, Settings{}, false},
		"no executor":        {map[string]string{"TEGULA_CPU": "fast"}, Settings{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := settings(func(v string) string { return test.env[v] })
			if (err == nil) != test.ok || err != nil && !errors.Is(err, diag.Argument) || test.ok && got != test.want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// Settings that differ have texts that differ: they are part of binaries' identities.
func TestSettingsTexts(t *testing.T) {
	seen := map[string]Settings{}
	for _, s := range []Settings{{CPU: Checked}, {Check: true, CPU: Checked}, {Check: true, Strict: true, CPU: Checked}, {CPU: Native}, {CPU: NativeOnly}, {CPU: Native, Features: native.AVX2}} {
		if other, taken := seen[s.String()]; taken {
			t.Errorf("%+v and %+v are both %s", s, other, s)
		}
		seen[s.String()] = s
	}
}
