package syntax

// callArguments reads the arguments of a call or a class with their
// parentheses. Only a call may have a bare generator expression.
func (p *parser) callArguments(call bool) ([]Expr, []Keyword) {
	a := argumentReader{open: p.pos, exprs: p.exprList.mark(), keywords: p.keywordList.mark()}
	p.next()
	for p.tok != tokRParen && !p.failed {
		if p.argument(&a, call) {
			break
		}
		if !p.got(tokComma) {
			break
		}
	}
	if !a.closed {
		p.closing(tokRParen)
	}
	return p.exprList.take(a.exprs), p.keywordList.take(a.keywords)
}

// An argumentReader is where the reading of an argument list stands.
type argumentReader struct {
	open            int32 // the parenthesis
	exprs, keywords int   // marks
	named           bool  // there was name=value
	unpacked        bool  // there was **value
	closed          bool  // the closing parenthesis has been taken
}

// argument reads one argument; it reports whether it was the last.
func (p *parser) argument(a *argumentReader, call bool) (last bool) {
	start := p.pos
	switch p.tok {
	case tokStar:
		if a.unpacked {
			p.fail(p.here(), "argument-order", "iterable argument unpacking follows keyword argument unpacking")
			return true
		}
		p.exprList.push(p.starredExpr())
		return false
	case tokPower:
		p.next()
		k := Keyword{Value: p.expr()}
		k.Span = p.span(start)
		p.keywordList.push(k)
		a.unpacked = true
		p.noAssign(start)
		return false
	}
	e := p.namedExpr()
	switch p.tok {
	case tokAssign:
		p.keywordArgument(start, e)
		a.named = true
		return false
	case tokFor, tokAsync:
		return p.bareGenerator(a, start, e, call)
	}
	if a.unpacked {
		p.fail(Span{start, p.prevEnd}, "argument-order", "positional argument follows keyword argument unpacking")
		return true
	}
	if a.named {
		p.fail(Span{start, p.prevEnd}, "argument-order", "positional argument follows keyword argument")
		return true
	}
	p.exprList.push(e)
	return false
}

// keywordArgument reads the rest of name=value.
func (p *parser) keywordArgument(start int32, name Expr) {
	n, ok := name.(*Name)
	if !ok || n.Pos != start {
		p.notKeyword(start, name)
		return
	}
	p.next()
	if p.tok == tokComma || p.tok == tokRParen {
		p.fail(Span{start, p.prevEnd}, expectedCode, "expected argument value expression")
		return
	}
	k := Keyword{Arg: n.Id, Value: p.expr()}
	k.Span = p.span(start)
	p.keywordList.push(k)
	if p.tok == tokFor || p.tok == tokAsync {
		p.fail(k.Span, genericError, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
		return
	}
	p.noAssign(start)
}

// notKeyword explains why what stands before = is no keyword.
func (p *parser) notKeyword(start int32, e Expr) {
	if c, ok := e.(*Constant); ok && (c.Kind == ConstTrue || c.Kind == ConstFalse || c.Kind == ConstNone) {
		p.fail(c.Span, badTarget, "cannot assign to %s", describe(e))
		return
	}
	p.noAssign(start)
}

// noAssign refuses = after an argument.
func (p *parser) noAssign(start int32) {
	if p.tok == tokAssign {
		p.fail(Span{start, p.end}, badTarget, `expression cannot contain assignment, perhaps you meant "=="?`)
	}
}

// bareGenerator reads the clauses of a generator expression without parentheses
// of its own: it must be the only argument and takes those of the call.
func (p *parser) bareGenerator(a *argumentReader, start int32, elt Expr, call bool) (last bool) {
	first := p.exprList.mark() == a.exprs && p.keywordList.mark() == a.keywords
	n := &Comp{Kind: GeneratorExp, Elt: elt, Generators: p.clauses()}
	if !first || !call || p.tok == tokComma {
		p.fail(Span{start, p.prevEnd}, "bare-generator", "Generator expression must be parenthesized")
		return true
	}
	p.closing(tokRParen)
	a.closed = true
	n.Span = p.span(a.open)
	p.exprList.push(n)
	p.grew()
	return true
}
