package syntax

// lineToken gives the tokens that a line's indentation makes. It is called
// where the last token was a line token, and reports false when the line's own
// tokens are next.
func (p *parser) lineToken() bool {
	if p.tok == tokNewline && p.indentation() {
		p.lineTokenAt(tokIndent)
		return true
	}
	if p.dedents == 0 {
		return false
	}
	p.dedents--
	p.lineTokenAt(tokDedent)
	return true
}

func (p *parser) lineTokenAt(t token) {
	p.tok, p.pos, p.end = t, p.off, p.prevEnd
}

// indentation moves to the next line that has a token, compares its indentation
// with those of the open blocks and reports whether it opens a block. The
// blocks that it closes are counted in p.dedents.
func (p *parser) indentation() (opens bool) {
	in := p.measureIndent()
	top := p.indentStack[p.indents]
	switch {
	case in == top:
		return false
	case in.width > top.width:
		if in.alt <= top.alt {
			p.tabsError()
		}
		return p.pushIndent(in)
	}
	for in.width < p.indentStack[p.indents].width {
		p.indents--
		p.dedents++
	}
	top = p.indentStack[p.indents]
	if in.width > top.width {
		// The line belongs to the block that it is nearest to.
		p.dedents--
		p.indents++
		p.indentStack[p.indents] = in
		p.report(Span{p.off, p.off}, "bad-dedent", "unindent does not match any outer indentation level")
		return false
	}
	if in.alt != top.alt {
		p.tabsError()
	}
	return false
}

const mixedTabs = "mixed-tabs"

func (p *parser) tabsError() {
	p.report(Span{p.off, p.off}, mixedTabs, "inconsistent use of tabs and spaces in indentation")
}

// mixesTabs reports whether the last error is that of the current line's indentation.
func (p *parser) mixesTabs() bool {
	n := len(p.errs)
	if n == 0 || p.errs[n-1].Code != mixedTabs {
		return false
	}
	line, _ := p.file.Position(p.pos)
	return p.errs[n-1].Place.Line == line
}

func (p *parser) pushIndent(in indent) bool {
	if p.indents+1 == maxIndents {
		p.report(Span{p.off, p.off}, tooNested, "too many levels of indentation (the limit is %d)", maxIndents)
		p.stop()
		return false
	}
	p.indents++
	p.indentStack[p.indents] = in
	return true
}

// measureIndent moves p.off over blank lines and comments to the first token of
// a line, and measures the white space before it. The end of the source counts
// as a line without indentation.
func (p *parser) measureIndent() indent {
	src := p.src
	off := p.off
	for {
		var in indent
		in, off = p.leadingSpace(off)
		if src[off] == '#' {
			off = p.lineEnd(off)
		}
		switch src[off] {
		case '\n', '\r':
			off = afterNewline(src, off)
			continue
		case 0:
			in = indent{}
		}
		p.off = off
		return in
	}
}

// leadingSpace measures the white space at the start of a line and gives the
// offset behind it. Where lines are joined by backslashes, the white space before
// the first backslash counts.
func (p *parser) leadingSpace(off int32) (in indent, end int32) {
	src := p.src
	var joined indent
	for {
		switch src[off] {
		case ' ':
			in.width++
			in.alt++
		case '\t':
			in.width = (in.width/tabSize + 1) * tabSize
			in.alt++
		case '\f':
			in = indent{}
		case '\\':
			if c := src[off+1]; c != '\n' && c != '\r' || p.atEnd(afterNewline(src, off+1)) {
				return in, off // an error, which is found when the token is read
			}
			if joined.width == 0 {
				joined = indent{in.width, in.width}
			}
			in = indent{}
			off = afterNewline(src, off+1)
			continue
		default:
			if joined.width != 0 {
				in = joined
			}
			return in, off
		}
		off++
	}
}
