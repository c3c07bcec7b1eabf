package syntax

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tegula-lang/tegula/internal/diag"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// codingLine is a declaration of the encoding as PEP 263 has it.
var codingLine = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)

// checkEncoding refuses what is no UTF-8 text.
func checkEncoding(f *File) *diag.Error {
	if i := bytes.IndexByte(f.Src, 0); i >= 0 {
		return diag.At(diag.Syntax, f.Place(byteSpan(i)), "source code cannot contain null bytes").WithCode("null-byte")
	}
	i := firstBeyondASCII(f.Src)
	if i < 0 {
		return nil
	}
	if name, at := declaredEncoding(f); name != "" {
		return diag.At(diag.Syntax, f.Place(at),
			"the encoding %q is not supported; save the file as UTF-8", name).WithCode("encoding")
	}
	for i < len(f.Src) {
		r, n := utf8.DecodeRune(f.Src[i:])
		if r == utf8.RuneError && n == 1 {
			return diag.At(diag.Syntax, f.Place(byteSpan(i)),
				"the file is not UTF-8: byte 0x%02x at offset %d", f.Src[i], i).WithCode("encoding")
		}
		i += n
	}
	return nil
}

func byteSpan(i int) Span { return Span{int32(i), int32(i) + 1} }

// firstBeyondASCII gives the offset of the first byte beyond ASCII, or -1. It
// looks at eight bytes at a time while it can.
func firstBeyondASCII(src []byte) int {
	i := 0
	for ; i+8 <= len(src); i += 8 {
		if binary.LittleEndian.Uint64(src[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < len(src); i++ {
		if src[i] >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}

// declaredEncoding gives the encoding that one of the first two lines declares,
// unless it is UTF-8.
func declaredEncoding(f *File) (name string, at Span) {
	for n := 1; n <= 2; n++ {
		line := f.Line(n)
		if m := codingLine.FindStringSubmatchIndex(line); m != nil {
			name = line[m[2]:m[3]]
			if isUTF8(name) {
				return "", at
			}
			start := f.lines[n-1]
			return name, Span{start + int32(m[2]), start + int32(m[3])}
		}
		if blank := strings.TrimLeft(line, " \t\f"); blank != "" && blank[0] != '#' {
			break // only a comment may come before a declaration
		}
	}
	return "", at
}

// isUTF8 reports whether an encoding's name means UTF-8.
func isUTF8(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return name == "utf-8" || name == "utf8" || strings.HasPrefix(name, "utf-8-") || name == "ascii" || name == "us-ascii"
}
