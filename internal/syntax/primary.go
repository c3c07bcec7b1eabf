package syntax

// primary reads an atom and the attributes, calls and subscripts after it.
func (p *parser) primary() Expr {
	start := p.pos
	e := p.atom()
	for {
		switch p.tok {
		case tokDot:
			p.next()
			n := p.attributes.alloc()
			n.Value, n.Attr = e, p.name()
			n.Span = p.span(start)
			e = n
		case tokLParen:
			n := p.calls.alloc()
			n.Func = e
			n.Args, n.Keywords = p.callArguments(true)
			n.Span = p.span(start)
			e = n
		case tokLBrack:
			n := p.subscripts.alloc()
			n.Value, n.Slice = e, p.subscript()
			n.Span = p.span(start)
			e = n
		default:
			return e
		}
		p.grew()
	}
}

// subscript reads a subscript with its brackets.
func (p *parser) subscript() Expr {
	p.next()
	start := p.pos
	starred := p.tok == tokStar
	e := p.slice()
	if p.tok == tokComma {
		e = p.tupleOfSlices(start, e)
	} else if starred {
		n := p.tuples.alloc()
		mark := p.exprList.mark()
		p.exprList.push(e)
		*n = Tuple{p.span(start), p.exprList.take(mark)}
		e = n
	}
	p.closing(tokRBrack)
	return e
}

func (p *parser) tupleOfSlices(start int32, first Expr) Expr {
	mark := p.exprList.mark()
	p.exprList.push(first)
	for p.got(tokComma) && p.tok != tokRBrack {
		p.exprList.push(p.slice())
	}
	n := p.tuples.alloc()
	*n = Tuple{p.span(start), p.exprList.take(mark)}
	p.grew()
	return n
}

// slice reads one element of a subscript.
func (p *parser) slice() Expr {
	start := p.pos
	if p.tok == tokStar {
		return p.starredExpr()
	}
	var lower Expr
	if p.tok != tokColon {
		lower = p.namedExpr()
		if p.tok != tokColon {
			return lower
		}
		if named, ok := lower.(*NamedExpr); ok && named.Pos == start {
			p.unexpected() // a bound is no named expression
			return p.bad(start)
		}
	}
	p.next()
	n := &Slice{Lower: lower, Upper: p.bound()}
	if p.got(tokColon) {
		n.Step = p.bound()
	}
	n.Span = p.span(start)
	p.grew()
	return n
}

// bound reads an expression of a slice that may be absent.
func (p *parser) bound() Expr {
	switch p.tok {
	case tokColon, tokComma, tokRBrack:
		return nil
	}
	return p.expr()
}

// closing takes the bracket that ends what was opened.
func (p *parser) closing(t token) {
	if p.tok == t {
		p.next()
		return
	}
	p.unexpected()
}

// atom reads a name, a literal, a display or what is in parentheses.
func (p *parser) atom() Expr {
	switch p.tok {
	case tokName:
		n := p.names.alloc()
		n.Span = Span{p.pos, p.end}
		n.Id = p.identifier()
		p.next()
		return n
	case tokInt:
		return p.constant(ConstInt)
	case tokFloat:
		return p.constant(ConstFloat)
	case tokImag:
		return p.constant(ConstImag)
	case tokString, tokFString:
		return p.strings()
	case tokLParen:
		return p.parenthesised()
	case tokLBrack:
		return p.list()
	case tokLBrace:
		return p.braces()
	case tokNone:
		return p.singleton(ConstNone)
	case tokTrue:
		return p.singleton(ConstTrue)
	case tokFalse:
		return p.singleton(ConstFalse)
	case tokEllipsis:
		return p.singleton(ConstEllipsis)
	}
	p.unexpected()
	return p.bad(p.pos)
}

func (p *parser) constant(kind ConstKind) *Constant {
	n := p.constants.alloc()
	n.Span = Span{p.pos, p.end}
	n.Kind = kind
	n.Text = p.text()
	p.next()
	return n
}

func (p *parser) singleton(kind ConstKind) *Constant {
	n := p.constant(kind)
	n.Text = ""
	return n
}

// parenthesised reads a group, a tuple or a generator expression.
func (p *parser) parenthesised() Expr {
	start := p.pos
	p.next()
	if p.tok == tokRParen {
		p.next()
		n := p.tuples.alloc()
		n.Span = p.span(start)
		return n
	}
	if p.tok == tokYield {
		e := p.yield()
		p.closing(tokRParen)
		return e
	}
	first := p.pos
	e := p.starNamedExpression()
	switch p.tok {
	case tokComma:
		return p.tuple(start, e)
	case tokFor, tokAsync:
		return p.comprehension(GeneratorExp, start, e, nil, tokRParen)
	}
	p.closing(tokRParen)
	if s, ok := e.(*Starred); ok && s.Pos == first {
		p.fail(s.Span, "bad-star", "cannot use starred expression here")
	}
	return e
}

// tuple reads the rest of a tuple in parentheses.
func (p *parser) tuple(start int32, first Expr) Expr {
	mark := p.exprList.mark()
	p.exprList.push(first)
	p.elements(tokRParen)
	n := p.tuples.alloc()
	*n = Tuple{p.span(start), p.exprList.take(mark)}
	p.grew()
	return n
}

// elements pushes the elements of a display after its first one, up to and with
// its closing bracket.
func (p *parser) elements(closer token) {
	for p.got(tokComma) && p.tok != closer {
		p.exprList.push(p.starNamedExpression())
	}
	if p.tok == tokFor {
		p.fail(p.here(), genericError, "did you forget parentheses around the comprehension target?")
	}
	p.closing(closer)
}

func (p *parser) list() Expr {
	start := p.pos
	p.next()
	n := p.lists.alloc()
	if p.tok == tokRBrack {
		p.next()
		n.Span = p.span(start)
		return n
	}
	e := p.starNamedExpression()
	if p.tok == tokFor || p.tok == tokAsync {
		return p.comprehension(ListComp, start, e, nil, tokRBrack)
	}
	mark := p.exprList.mark()
	p.exprList.push(e)
	p.elements(tokRBrack)
	*n = List{p.span(start), p.exprList.take(mark)}
	p.grew()
	return n
}

// braces reads a dictionary or set display, or a comprehension of one.
func (p *parser) braces() Expr {
	start := p.pos
	p.next()
	switch p.tok {
	case tokRBrace:
		p.next()
		n := p.dicts.alloc()
		n.Span = p.span(start)
		return n
	case tokPower:
		return p.dict(start, nil)
	}
	first := p.pos
	e := p.starNamedExpression()
	switch p.tok {
	case tokColon:
		switch e.(type) {
		case *Starred:
			p.fail(e.Range(), "bad-star", "cannot use a starred expression in a dictionary key")
		case *NamedExpr:
			if e.Range().Pos == first {
				p.unexpected() // a key is no named expression
			}
		}
		return p.dict(start, e)
	case tokFor, tokAsync:
		return p.comprehension(SetComp, start, e, nil, tokRBrace)
	}
	n := &Set{}
	mark := p.exprList.mark()
	p.exprList.push(e)
	p.elements(tokRBrace)
	*n = Set{p.span(start), p.exprList.take(mark)}
	p.grew()
	return n
}

// dict reads the rest of a dictionary display or comprehension: after its brace
// if key is nil, else after the first key.
func (p *parser) dict(start int32, key Expr) Expr {
	mark := p.exprList.mark()
	pairs := 0
	for {
		if pairs > 0 {
			key = nil
			if p.tok != tokPower {
				key = p.expr()
			}
		}
		value := p.dictValue(key)
		if p.tok == tokFor || p.tok == tokAsync {
			if pairs == 0 && key != nil {
				return p.comprehension(DictComp, start, key, value, tokRBrace)
			}
			if key == nil {
				p.fail(value.Range(), "bad-star", "dict unpacking cannot be used in dict comprehension")
			}
		}
		p.exprList.push(key)
		p.exprList.push(value)
		pairs++
		if !p.got(tokComma) || p.tok == tokRBrace {
			break
		}
	}
	p.closing(tokRBrace)
	n := p.dicts.alloc()
	n.Span = p.span(start)
	n.Keys, n.Values = p.splitPairs(mark, pairs)
	p.grew()
	return n
}

// dictValue reads : value, or ** value where key is nil.
func (p *parser) dictValue(key Expr) Expr {
	if key == nil {
		p.next()
		return p.binary(precBitOr)
	}
	if p.tok != tokColon {
		if p.tok == tokComma || p.tok == tokRBrace {
			p.fail(Span{key.Range().Pos, p.prevEnd}, expectedCode, "':' expected after dictionary key")
		} else {
			p.unexpected()
		}
		return p.bad(p.pos)
	}
	p.next()
	if p.tok == tokRBrace || p.tok == tokComma {
		p.fail(p.here(), expectedCode, "expression expected after dictionary key and ':'")
		return p.bad(p.pos)
	}
	if p.tok == tokStar {
		p.fail(p.here(), "bad-star", "cannot use a starred expression in a dictionary value")
		return p.bad(p.pos)
	}
	return p.expr()
}

// splitPairs takes the keys and values that were pushed in turn since mark.
func (p *parser) splitPairs(mark, pairs int) (keys, values []Expr) {
	for i := range pairs {
		p.exprList.push(p.exprList.items[mark+2*i+1])
	}
	values = p.exprList.take(mark + 2*pairs)
	items := p.exprList.items[mark:]
	for i := range pairs {
		items[i] = items[2*i]
	}
	p.exprList.items = p.exprList.items[:mark+pairs]
	return p.exprList.take(mark), values
}

// comprehension reads the clauses of a comprehension and its closing bracket.
func (p *parser) comprehension(kind CompKind, start int32, elt, value Expr, closer token) Expr {
	if s, ok := elt.(*Starred); ok {
		p.fail(s.Span, "bad-star", "iterable unpacking cannot be used in comprehension")
		return p.bad(start)
	}
	n := &Comp{Kind: kind, Elt: elt, Value: value, Generators: p.clauses()}
	p.closing(closer)
	n.Span = p.span(start)
	p.grew()
	return n
}

// clauses reads the for and if clauses of a comprehension.
func (p *parser) clauses() []Comprehension {
	mark := p.compList.mark()
	for p.tok == tokFor || p.tok == tokAsync {
		var c Comprehension
		if p.got(tokAsync) {
			c.Async = true
		}
		p.expect(tokFor, "for")
		c.Target = p.targets()
		if !p.got(tokIn) {
			p.fail(p.here(), expectedCode, "'in' expected after for-loop variables")
		}
		c.Iter = p.binary(precOr)
		ifs := p.exprList.mark()
		for p.got(tokIf) {
			p.exprList.push(p.binary(precOr))
		}
		c.Ifs = p.exprList.take(ifs)
		p.compList.push(c)
	}
	return p.compList.take(mark)
}
