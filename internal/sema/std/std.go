package std

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
)

//go:embed *.py
var files embed.FS

// A File is a source file of the library.
type File struct {
	Name string
	Src  []byte
}

// index maps each function's name to its file. It is made by looking for lines that start with
// def, without parsing.
var index = sync.OnceValue(func() map[string]*File {
	m := make(map[string]*File, 128)
	names, err := fs.Glob(files, "*.py")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		src, err := files.ReadFile(name)
		if err != nil {
			panic(err) // the file was just listed
		}
		f := &File{Name: name, Src: src}
		for line := range strings.Lines(string(src)) {
			if rest, ok := strings.CutPrefix(line, "def "); ok {
				fn, _, _ := strings.Cut(rest, "(")
				m[fn] = f
			}
		}
	}
	return m
})

// Find gives the file that defines a function, or nil.
func Find(name string) *File { return index()[name] }

// Names lists the functions, private ones too, in no order.
func Names() []string {
	var all []string
	for name := range index() {
		all = append(all, name)
	}
	return all
}

// Source gives the text of a file by its name, nil if there is none.
func Source(name string) []byte {
	src, err := files.ReadFile(name)
	if err != nil {
		return nil
	}
	return src
}
