package syntax

// number reads a number that starts at off with a digit, or with a dot and a
// digit.
func (p *parser) number(off int32) {
	src := p.src
	if src[off] == '0' {
		switch src[off+1] | 0x20 {
		case 'x':
			p.radixNumber(off, "hexadecimal", isHexDigit)
			return
		case 'o':
			p.radixNumber(off, "octal", func(c byte) bool { return '0' <= c && c <= '7' })
			return
		case 'b':
			p.radixNumber(off, "binary", func(c byte) bool { return c == '0' || c == '1' })
			return
		}
	}
	kind := tokInt
	end, ok := off, true
	if src[end] != '.' {
		if end, ok = p.digits(end); !ok {
			return
		}
	}
	if src[end] == '.' {
		kind = tokFloat
		end++
		if isDigit(src[end]) {
			if end, ok = p.digits(end); !ok {
				return
			}
		}
	}
	if exp := exponentDigits(src, end); exp > 0 {
		kind = tokFloat
		if end, ok = p.digits(exp); !ok {
			return
		}
	}
	name := "decimal"
	switch {
	case src[end]|0x20 == 'j':
		kind, name = tokImag, "imaginary"
		end++
	case kind == tokInt && src[off] == '0' && !allZeros(src[off:end]):
		p.badNumber(off, end, Span{off, end},
			"leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
		return
	}
	p.endNumber(kind, off, end, name)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHexDigit(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func allZeros(digits string) bool {
	for i := range len(digits) {
		if digits[i] != '0' && digits[i] != '_' {
			return false
		}
	}
	return true
}

// exponentDigits gives the offset of the digits of an exponent at off; 0 if
// there is none.
func exponentDigits(src string, off int32) int32 {
	if src[off]|0x20 != 'e' {
		return 0
	}
	off++
	if src[off] == '+' || src[off] == '-' {
		off++
	}
	if !isDigit(src[off]) {
		return 0
	}
	return off
}

// digits moves over decimal digits with single underscores between them.
func (p *parser) digits(off int32) (end int32, ok bool) {
	start := off
	for {
		for isDigit(p.src[off]) {
			off++
		}
		if p.src[off] != '_' {
			return off, true
		}
		off++
		if !isDigit(p.src[off]) {
			p.badNumber(start, off, Span{off - 1, off}, "invalid decimal literal")
			return off, false
		}
	}
}

// radixNumber reads a number with a prefix such as 0x.
func (p *parser) radixNumber(off int32, name string, valid func(byte) bool) {
	src := p.src
	end := off + 2
	for {
		if src[end] == '_' {
			end++
		}
		if !valid(src[end]) {
			if isDigit(src[end]) {
				p.badNumber(off, end, Span{end, end + 1}, "invalid digit '%c' in %s literal", src[end], name)
				return
			}
			p.badNumber(off, end, Span{off, end}, "invalid %s literal", name)
			return
		}
		for valid(src[end]) {
			end++
		}
		if src[end] != '_' {
			break
		}
	}
	if isDigit(src[end]) {
		p.badNumber(off, end, Span{end, end + 1}, "invalid digit '%c' in %s literal", src[end], name)
		return
	}
	p.endNumber(tokInt, off, end, name)
}

// endNumber makes the token, unless a letter follows that is no start of a
// keyword: 1if x else y are four tokens, as in CPython.
func (p *parser) endNumber(kind token, off, end int32, name string) {
	c := p.src[end]
	if wordByte[c] == wordPart && !startsKeyword(p.src[end:min(int(end)+3, len(p.src))]) {
		p.badNumber(off, end, Span{off, end}, "invalid %s literal", name)
		return
	}
	p.setToken(kind, off, end)
}

// startsKeyword reports whether text starts with the first letters of one of
// the keywords that may follow an operand.
func startsKeyword(text string) bool {
	switch {
	case len(text) >= 3 && (text[:3] == "and" || text[:3] == "for" || text[:3] == "not"):
		return true
	case len(text) >= 3 && text[:3] == "els":
		return true
	case len(text) >= 2 && (text[:2] == "if" || text[:2] == "in" || text[:2] == "is" || text[:2] == "or"):
		return true
	}
	return false
}

// badNumber fails with the rest of the word taken as part of the number.
func (p *parser) badNumber(off, end int32, at Span, format string, args ...any) {
	for wordByte[p.src[end]] != 0 {
		end++
	}
	p.setToken(tokEOF, off, end)
	p.fail(at, "bad-number", format, args...)
}
