package syntax

import (
	"bytes"
	"math"
	"sort"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A File is a source text with its name. Offsets are bytes from its start.
type File struct {
	Name string
	Src  []byte

	lines []int32 // offset of each line's start
}

// NewFile makes a file and finds its lines. A byte order mark is part of no
// line.
func NewFile(name string, src []byte) *File {
	f := &File{Name: name, Src: src, lines: []int32{0}}
	if len(src) >= math.MaxInt32 {
		return f // too large for offsets; the parser says so
	}
	start := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		start = len(byteOrderMark)
	}
	f.lines = append(make([]int32, 0, len(src)/32+1), int32(start))
	if bytes.IndexByte(src, '\r') < 0 {
		f.findLines(start)
	} else {
		f.findMixedLines(start)
	}
	return f
}

// findLines finds the lines of a text whose lines end in a line feed.
func (f *File) findLines(off int) {
	for {
		i := bytes.IndexByte(f.Src[off:], '\n')
		if i < 0 {
			return
		}
		off += i + 1
		f.lines = append(f.lines, int32(off))
	}
}

// findMixedLines finds the lines of a text that has carriage returns.
func (f *File) findMixedLines(off int) {
	for i := off; i < len(f.Src); i++ {
		c := f.Src[i]
		if c == '\n' || c == '\r' && (i+1 == len(f.Src) || f.Src[i+1] != '\n') {
			f.lines = append(f.lines, int32(i+1))
		}
	}
}

// Position gives the line and the byte column of an offset, both from 1.
func (f *File) Position(off int32) (line, col int) {
	i := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > off })
	if i == 0 {
		return 1, 1
	}
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

// end is the offset behind the last byte.
func (f *File) end() int32 { return int32(min(len(f.Src), math.MaxInt32)) }
