package syntax

import (
	"sort"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A File is a source text with its name. Offsets are bytes from its start.
type File struct {
	Name string
	Src  []byte

	lines []int32 // offset of each line's start; made by the parser
}

// NewFile makes a file and finds its lines.
func NewFile(name string, src []byte) *File {
	f := &File{Name: name, Src: src}
	f.lines = append(make([]int32, 0, len(src)/32+1), 0)
	for i, c := range src {
		if c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			f.lines = append(f.lines, int32(i+1))
		}
	}
	return f
}

// Position gives the line and the byte column of an offset, both from 1.
func (f *File) Position(off int32) (line, col int) {
	i := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > off })
	return i, int(off-f.lines[i-1]) + 1
}

// Line gives the text of line n (from 1) without its end.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	start := int(f.lines[n-1])
	end := len(f.Src)
	if n < len(f.lines) {
		end = int(f.lines[n])
	}
	for end > start && (f.Src[end-1] == '\n' || f.Src[end-1] == '\r') {
		end--
	}
	return string(f.Src[start:end])
}

// Place gives the diagnostic place of a span (clipped to its first line).
func (f *File) Place(s Span) diag.Place {
	line, col := f.Position(s.Pos)
	text := f.Line(line)
	endCol := col + int(s.End-s.Pos)
	if endCol > len(text)+1 {
		endCol = len(text) + 1
	}
	return diag.Place{File: f.Name, Line: line, Col: col, EndCol: endCol, Text: text}
}
