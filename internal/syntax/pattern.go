package syntax

// match reads a match statement, if that is what the word match starts here;
// else it gives nil. The word is a name unless a subject, a colon and the end
// of the line follow.
func (p *parser) match() Stmt {
	start := p.pos
	at := p.try()
	p.next()
	if !startsExpr[p.tok] && p.tok != tokStar {
		p.undo(at)
		return nil
	}
	n := &Match{Subject: p.subject()}
	if p.failed || p.tok != tokColon {
		p.undo(at)
		return nil
	}
	p.next()
	if p.tok != tokNewline {
		p.undo(at)
		return nil
	}
	n.Cases = p.cases(start)
	n.Span = p.span(start)
	return n
}

// subject reads a match statement's subject.
func (p *parser) subject() Expr {
	start := p.pos
	e := p.starNamedExpression()
	if p.tok == tokComma {
		return p.tupleFrom(start, e, (*parser).starNamedExpression)
	}
	if s, ok := e.(*Starred); ok {
		p.fail(s.Span, "bad-star", "cannot use starred expression here")
	}
	return e
}

// cases reads the block of a match statement, at whose newline the parser
// stands.
func (p *parser) cases(start int32) []MatchCase {
	p.enter()
	defer p.leave()
	p.next()
	indented := p.got(tokIndent)
	if !indented {
		p.report(p.here(), "missing-block", "expected an indented block after 'match' statement on line %d", p.line(start))
	}
	var cases []MatchCase
	for p.tok != tokDedent && p.tok != tokEOF {
		switch {
		case p.tok == tokName && p.text() == "case":
			cases = append(cases, p.matchCase())
		case !indented:
			return cases
		default:
			p.unexpected()
			p.badLine(p.pos)
		}
	}
	if indented {
		p.got(tokDedent)
	}
	return cases
}

func (p *parser) matchCase() MatchCase {
	start := p.pos
	p.next()
	c := MatchCase{Pattern: p.patterns()}
	if p.got(tokIf) {
		c.Guard = p.namedExpr()
	}
	c.Body = p.block("'case' statement", start)
	return c
}

// patterns reads a pattern, or several as a sequence without brackets.
func (p *parser) patterns() Pattern {
	start := p.pos
	first := p.starPattern()
	if p.tok == tokComma {
		return p.sequence(start, first, tokColon)
	}
	p.noStarPattern(first)
	return first
}

// noStarPattern refuses a star pattern outside a sequence.
func (p *parser) noStarPattern(pat Pattern) {
	if s, ok := pat.(*MatchStar); ok {
		p.fail(s.Span, "bad-star", "cannot use a starred pattern here")
	}
}

// sequence reads the rest of a sequence pattern, whose comma is next, up to its
// closing token, which it takes if it is a bracket.
func (p *parser) sequence(start int32, first Pattern, closer token) Pattern {
	mark := p.patternList.mark()
	p.patternList.push(first)
	for p.got(tokComma) && p.tok != closer && p.tok != tokIf {
		p.patternList.push(p.starPattern())
	}
	if closer != tokColon {
		p.closing(closer)
	}
	n := &MatchSequence{Patterns: p.patternList.take(mark)}
	n.Span = p.span(start)
	return n
}

// starPattern reads an element of a sequence.
func (p *parser) starPattern() Pattern {
	if p.tok != tokStar {
		return p.pattern()
	}
	start := p.pos
	p.next()
	n := &MatchStar{}
	if name := p.name(); name != "_" {
		n.Name = name
	}
	n.Span = p.span(start)
	return n
}

// pattern reads alternatives and the name that may be bound to them.
func (p *parser) pattern() Pattern {
	p.enter()
	defer p.leave()
	start := p.pos
	pat := p.alternatives()
	if p.tok != tokAs {
		return pat
	}
	p.next()
	switch {
	case p.tok == tokName && p.text() == "_":
		p.fail(p.here(), "bad-pattern", "cannot use '_' as a target")
	case p.tok != tokName:
		p.fail(p.here(), "bad-pattern", "invalid pattern target")
	}
	n := &MatchAs{Pattern: pat, Name: p.name()}
	if p.tok == tokDot || p.tok == tokLParen {
		p.fail(p.here(), "bad-pattern", "invalid pattern target")
	}
	n.Span = p.span(start)
	return n
}

func (p *parser) alternatives() Pattern {
	start := p.pos
	first := p.closedPattern()
	if p.tok != tokPipe {
		return first
	}
	mark := p.patternList.mark()
	p.patternList.push(first)
	for p.got(tokPipe) {
		p.patternList.push(p.closedPattern())
	}
	n := &MatchOr{Patterns: p.patternList.take(mark)}
	n.Span = p.span(start)
	return n
}

func (p *parser) closedPattern() Pattern {
	start := p.pos
	switch p.tok {
	case tokName:
		return p.namePattern()
	case tokNone, tokTrue, tokFalse:
		c := p.atom().(*Constant)
		return &MatchSingleton{c.Span, c.Kind}
	case tokInt, tokFloat, tokImag, tokString, tokFString, tokMinus:
		n := &MatchValue{Value: p.patternLiteral()}
		n.Span = p.span(start)
		return n
	case tokLBrack:
		return p.listPattern()
	case tokLParen:
		return p.groupPattern()
	case tokLBrace:
		return p.mapping()
	}
	p.unexpected()
	return p.badPattern(start)
}

// badPattern stands for a pattern that could not be read.
func (p *parser) badPattern(start int32) Pattern {
	return &MatchValue{p.span(start), p.bad(start)}
}

// namePattern reads a capture, a wildcard, a dotted name or a class pattern.
func (p *parser) namePattern() Pattern {
	start := p.pos
	name := p.identifier()
	e := p.dotted()
	if p.tok == tokLParen {
		return p.classPattern(start, e)
	}
	if _, dotted := e.(*Attribute); dotted {
		return &MatchValue{p.span(start), e}
	}
	if name == "_" {
		name = ""
	}
	return &MatchAs{Span: p.span(start), Name: name}
}

// dotted reads a name and the attributes after it.
func (p *parser) dotted() Expr {
	start := p.pos
	e := p.atom()
	height := p.height
	for p.got(tokDot) {
		n := p.attributes.alloc()
		n.Value, n.Attr = e, p.name()
		n.Span = p.span(start)
		e = n
		p.grew()
	}
	p.height = height
	return e
}

// patternLiteral reads a number, a complex number or strings.
func (p *parser) patternLiteral() Expr {
	start := p.pos
	if p.tok == tokString || p.tok == tokFString {
		e := p.strings()
		if _, formatted := e.(*JoinedStr); formatted {
			p.fail(e.Range(), fstringPattern, "patterns may only match literals and attribute lookups")
		}
		return e
	}
	left := p.signedNumber()
	if p.tok != tokPlus && p.tok != tokMinus {
		return left
	}
	if isImaginary(left) {
		p.fail(left.Range(), "bad-pattern", "real number required in complex literal")
	}
	op := infix[p.tok].op
	p.got(p.tok)
	right := p.patternNumber()
	if !p.failed && !isImaginary(right) {
		p.fail(right.Range(), "bad-pattern", "imaginary number required in complex literal")
	}
	n := p.binOps.alloc()
	*n = BinOp{p.span(start), op, left, right}
	return n
}

// fstringPattern is the code of an error that CPython finds when it compiles,
// not when it parses.
const fstringPattern = "fstring-pattern"

func isImaginary(e Expr) bool {
	if u, ok := e.(*UnaryOp); ok {
		e = u.Operand
	}
	c, ok := e.(*Constant)
	return ok && c.Kind == ConstImag
}

func (p *parser) signedNumber() Expr {
	start := p.pos
	if !p.got(tokMinus) {
		return p.patternNumber()
	}
	n := p.unaryOps.alloc()
	*n = UnaryOp{Op: USub, Operand: p.patternNumber()}
	n.Span = p.span(start)
	return n
}

func (p *parser) patternNumber() Expr {
	switch p.tok {
	case tokInt, tokFloat, tokImag:
		return p.atom()
	}
	p.unexpected()
	return p.bad(p.pos)
}

func (p *parser) listPattern() Pattern {
	start := p.pos
	p.next()
	if p.got(tokRBrack) {
		return &MatchSequence{Span: p.span(start)}
	}
	return p.sequence(start, p.starPattern(), tokRBrack)
}

// groupPattern reads a pattern in parentheses or a sequence with them.
func (p *parser) groupPattern() Pattern {
	start := p.pos
	p.next()
	if p.got(tokRParen) {
		return &MatchSequence{Span: p.span(start)}
	}
	first := p.starPattern()
	if p.tok == tokComma {
		return p.sequence(start, first, tokRParen)
	}
	p.noStarPattern(first)
	p.closing(tokRParen)
	return first
}

func (p *parser) mapping() Pattern {
	start := p.pos
	p.next()
	n := &MatchMapping{}
	keys, patterns := p.exprList.mark(), p.patternList.mark()
	rest := false
	for p.tok != tokRBrace && !p.failed {
		if rest {
			p.fail(p.here(), "bad-pattern", "a double star pattern must come last in a mapping pattern")
			break
		}
		if p.got(tokPower) {
			rest = true
			if n.Rest = p.name(); n.Rest == "_" {
				p.fail(Span{p.prevEnd - 1, p.prevEnd}, "bad-pattern", "cannot use '_' as a target")
			}
		} else {
			p.exprList.push(p.mappingKey())
			p.expect(tokColon, ":")
			p.patternList.push(p.pattern())
		}
		if !p.got(tokComma) {
			break
		}
	}
	p.closing(tokRBrace)
	n.Keys, n.Patterns = p.exprList.take(keys), p.patternList.take(patterns)
	n.Span = p.span(start)
	return n
}

func (p *parser) mappingKey() Expr {
	switch p.tok {
	case tokNone, tokTrue, tokFalse:
		return p.atom()
	case tokInt, tokFloat, tokImag, tokString, tokFString, tokMinus:
		return p.patternLiteral()
	case tokName:
		e := p.dotted()
		if _, dotted := e.(*Attribute); dotted {
			return e
		}
	}
	p.unexpected()
	return p.bad(p.pos)
}

// classPattern reads the parentheses of a class pattern.
func (p *parser) classPattern(start int32, cls Expr) Pattern {
	p.next()
	n := &MatchClass{Cls: cls}
	for p.tok != tokRParen && !p.failed {
		at := p.pos
		pat := p.pattern()
		if p.tok == tokAssign {
			p.keywordPattern(n, at, pat)
		} else if len(n.KwdAttrs) > 0 {
			p.fail(Span{at, p.prevEnd}, "argument-order", "positional patterns follow keyword patterns")
		} else {
			n.Patterns = append(n.Patterns, pat)
		}
		if !p.got(tokComma) {
			break
		}
	}
	p.closing(tokRParen)
	n.Span = p.span(start)
	return n
}

// keywordPattern reads the rest of name=pattern.
func (p *parser) keywordPattern(n *MatchClass, start int32, name Pattern) {
	as, ok := name.(*MatchAs)
	if !ok || as.Pattern != nil || as.Pos != start {
		p.unexpected()
		return
	}
	attr := as.Name
	if attr == "" {
		attr = "_"
	}
	p.next()
	n.KwdAttrs = append(n.KwdAttrs, attr)
	n.KwdPatterns = append(n.KwdPatterns, p.pattern())
}
