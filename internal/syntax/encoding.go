package syntax

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
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
	name, at := declaredEncoding(f)
	if name != "" && !slices.Contains(encodings, normalised(name)) {
		return diag.At(diag.Syntax, f.Place(at), "unknown encoding: %s", name).WithCode("encoding")
	}
	if i < 0 {
		return nil
	}
	if name != "" {
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

// normalised gives an encoding's name as it is looked up.
func normalised(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// encodings are those that CPython 3.13 knows in which ASCII text is as in ASCII: a file of such text may declare any of them.
var encodings = strings.Fields("1125 1250 1251 1252 1253 1254 1255 1256 1257 1258 437 646 775 850 852 855 857 858 860 861 862 863 865 866 869 8859 932 936 949 950 " +
	"ansi-x3-4-1968 ansi-x3.4-1968 ansi-x3.4-1986 arabic ascii asmo-708 big5 big5-hkscs big5-tw big5hkscs chinese cp-gr cp-is cp1051 cp1125 " +
	"cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp1361 cp154 cp367 cp437 cp65001 cp775 cp819 cp850 cp852 cp855 cp857 cp858 " +
	"cp860 cp861 cp862 cp863 cp865 cp866 cp866u cp869 cp932 cp936 cp949 cp950 csascii csbig5 csibm855 csibm857 csibm858 csibm860 csibm861 " +
	"csibm863 csibm865 csibm866 csibm869 csiso2022jp csiso2022kr csiso58gb231280 csisolatin1 csisolatin2 csisolatin3 csisolatin4 csisolatin5 " +
	"csisolatin6 csisolatinarabic csisolatincyrillic csisolatingreek csisolatinhebrew cskoi8r cspc775baltic cspc850multilingual " +
	"cspc862latinhebrew cspc8codepage437 cspcp852 csptcp154 csshiftjis cyrillic cyrillic-asian ecma-114 ecma-118 elot-928 euc-cn euc-jis-2004 " +
	"euc-jis2004 euc-jisx0213 euc-jp euc-kr euccn eucgb2312-cn eucjis2004 eucjisx0213 eucjp euckr gb18030 gb18030-2000 gb2312 gb2312-1980 " +
	"gb2312-80 gbk greek greek8 hebrew hkscs hp-roman8 ibm1051 ibm1125 ibm367 ibm437 ibm775 ibm819 ibm850 ibm852 ibm855 ibm857 ibm858 ibm860 " +
	"ibm861 ibm862 ibm863 ibm865 ibm866 ibm869 iso-2022-jp iso-2022-jp-1 iso-2022-jp-2 iso-2022-jp-2004 iso-2022-jp-3 iso-2022-jp-ext iso-2022-kr " +
	"iso-646.irv-1991 iso-8859-1 iso-8859-1-1987 iso-8859-10 iso-8859-10-1992 iso-8859-11 iso-8859-11-2001 iso-8859-13 iso-8859-14 " +
	"iso-8859-14-1998 iso-8859-15 iso-8859-16 iso-8859-16-2001 iso-8859-2 iso-8859-2-1987 iso-8859-3 iso-8859-3-1988 iso-8859-4 iso-8859-4-1988 " +
	"iso-8859-5 iso-8859-5-1988 iso-8859-6 iso-8859-6-1987 iso-8859-7 iso-8859-7-1987 iso-8859-8 iso-8859-8-1988 iso-8859-9 iso-8859-9-1989 iso- " +
	"celtic iso-ir-100 iso-ir-101 iso-ir-109 iso-ir-110 iso-ir-126 iso-ir-127 iso-ir-138 iso-ir-144 iso-ir-148 iso-ir-157 iso-ir-166 iso-ir-199 " +
	"iso-ir-226 iso-ir-58 iso-ir-6 iso2022-jp iso2022-jp-1 iso2022-jp-2 iso2022-jp-2004 iso2022-jp-3 iso2022-jp-ext iso2022-kr iso2022jp " +
	"iso2022jp-1 iso2022jp-2 iso2022jp-2004 iso2022jp-3 iso2022jp-ext iso2022kr iso646-us iso8859 iso8859-1 iso8859-10 iso8859-11 iso8859-13 " +
	"iso8859-14 iso8859-15 iso8859-16 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 jisx0213 johab koi8-r " +
	"korean ks-c-5601 ks-c-5601-1987 ks-x-1001 ksc5601 ksx1001 kz-1048 kz1048 l1 l10 l2 l3 l4 l5 l6 l7 l8 l9 latin latin-1 latin1 latin10 latin2 " +
	"latin3 latin4 latin5 latin6 latin7 latin8 latin9 mac-centeuro mac-cyrillic mac-greek mac-iceland mac-latin2 mac-roman mac-turkish " +
	"maccentraleurope maccyrillic macgreek maciceland macintosh maclatin2 macroman macturkish ms-kanji ms1361 ms932 ms936 ms949 ms950 mskanji " +
	"pt154 ptcp154 r8 rk1048 roman8 ruscii s-jis shift-jis shiftjis sjis strk1048-2002 thai tis-620 tis-620-0 tis-620-2529-0 tis-620-2529-1 " +
	"tis620 u-jis u8 uhc ujis us us-ascii utf utf-8 utf8 utf8-ucs2 utf8-ucs4 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 " +
	"windows-1255 windows-1256 windows-1257 windows-1258 x-mac-japanese x-mac-korean x-mac-simp-chinese x-mac-trad-chinese ")

// isUTF8 reports whether an encoding's name means UTF-8.
func isUTF8(name string) bool {
	name = normalised(name)
	return name == "utf-8" || name == "utf8" || strings.HasPrefix(name, "utf-8-") || name == "ascii" || name == "us-ascii"
}
