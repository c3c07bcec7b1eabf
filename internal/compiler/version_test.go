package compiler

import (
	"runtime/debug"
	"testing"
)

// A version of the module says what its sources are, unless they may have been changed.
func TestReleaseOf(t *testing.T) {
	module := func(version, sum string, replace *debug.Module) *debug.Module {
		return &debug.Module{Path: modulePath, Version: version, Sum: sum, Replace: replace}
	}
	for name, test := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"a dependency":               {debug.BuildInfo{Deps: []*debug.Module{module("v1.2.3", "h1:abc", nil)}}, "v1.2.3 h1:abc"},
		"a replaced dependency":      {debug.BuildInfo{Deps: []*debug.Module{module("v1.2.3", "", &debug.Module{Path: "../tegula"})}}, ""},
		"a dependency in a workshop": {debug.BuildInfo{Deps: []*debug.Module{module("v1.2.3", "", nil)}}, ""},
		"the tool of a release":      {debug.BuildInfo{Main: *module("v1.2.3", "", nil)}, "v1.2.3"},
		"the tool of a revision":     {debug.BuildInfo{Main: *module("v0.0.0-20260102150405-abcdefabcdef", "", nil)}, "v0.0.0-20260102150405-abcdefabcdef"},
		"the tool of changed files":  {debug.BuildInfo{Main: *module("v1.2.3+dirty", "", nil)}, ""},
		"the tool, just built":       {debug.BuildInfo{Main: *module("(devel)", "", nil)}, ""},
		"a test of the module":       {debug.BuildInfo{Main: *module("", "", nil)}, ""},
		"another program":            {debug.BuildInfo{Main: debug.Module{Path: "example.com/x", Version: "v1.0.0"}}, ""},
	} {
		if got := releaseOf(&test.info); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
