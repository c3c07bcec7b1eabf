package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Version is the version of the compiler and the runtime.
const Version = "0.1.0-dev"

// modulePath is the module that the compiler is part of.
const modulePath = "github.com/tegula-lang/tegula"

// Build tells this compiler from every other: the version, and unless this is a release, what
// tells the program that it is part of. Binaries are kept under it.
var Build = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if release := releaseOf(info); release != "" {
			return Version + " " + release
		}
	}
	return Version + " " + fingerprint()
})

// releaseOf gives the version of the module if its sources are those that the version names; ""
// if they may have been changed.
func releaseOf(info *debug.BuildInfo) string {
	for _, m := range info.Deps {
		if m.Path == modulePath && m.Replace == nil && m.Sum != "" {
			return m.Version + " " + m.Sum
		}
	}
	v := info.Main.Version
	if info.Main.Path != modulePath || v == "" || v == "(devel)" || strings.Contains(v, "dirty") {
		return ""
	}
	return v
}

// fingerprintBytes is how much of a program is looked at: its beginning holds Go's build ID, which
// changes with the code, in every format of programs.
const fingerprintBytes = 1 << 16

// program is the file that the compiler is in, if that is not the program that runs.
var program string

// SetProgram says which file the compiler is in: a shared library, say. It is called before anything is
// compiled.
func SetProgram(path string) { program = path }

// fingerprint tells this program from others.
func fingerprint() string {
	path := program
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return "unknown"
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.CopyN(h, f, fingerprintBytes); err != nil && err != io.EOF {
		return "unknown"
	}
	if info, err := f.Stat(); err == nil {
		h.Write([]byte(info.ModTime().UTC().String()))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
