package syntax

// The rules of expressions, from the loosest: star expressions, named
// expressions, expressions, infix operators, operands. A rule's span runs from
// the token that it starts at to the last one that it takes, which for a
// parenthesised operand is more than the operand's own.

// starExpressions reads one star expression, or several as a tuple.
func (p *parser) starExpressions() Expr {
	start := p.pos
	e := p.starExpression()
	if p.tok != tokComma {
		return e
	}
	return p.tupleFrom(start, e, (*parser).starExpression)
}

// expressions reads one expression, or several as a tuple, none of them starred.
func (p *parser) expressions() Expr {
	start := p.pos
	e := p.expr()
	if p.tok != tokComma {
		return e
	}
	return p.tupleFrom(start, e, (*parser).expr)
}

// tupleFrom reads the rest of a tuple without parentheses, whose first element
// has been read and whose comma is next.
func (p *parser) tupleFrom(start int32, first Expr, element func(*parser) Expr) Expr {
	mark := p.exprList.mark()
	p.exprList.push(first)
	for p.got(tokComma) {
		if !startsExpr[p.tok] && p.tok != tokStar {
			break
		}
		p.exprList.push(element(p))
	}
	n := p.tuples.alloc()
	n.Span = p.span(start)
	n.Elts = p.exprList.take(mark)
	p.grew()
	return n
}

// starExpression reads an expression that may be starred.
func (p *parser) starExpression() Expr {
	if p.tok == tokStar {
		return p.starred(precBitOr)
	}
	return p.expr()
}

// starNamedExpression reads a named expression that may be starred.
func (p *parser) starNamedExpression() Expr {
	if p.tok == tokStar {
		return p.starred(precBitOr)
	}
	return p.namedExpr()
}

// starred reads a star and an operand that binds at least as tight as prec.
func (p *parser) starred(prec uint8) Expr {
	start := p.pos
	p.next()
	n := p.starreds.alloc()
	n.Value = p.binary(prec)
	n.Span = p.span(start)
	p.grew()
	return n
}

// starredExpr reads a star and any expression, as calls and subscripts have it.
func (p *parser) starredExpr() Expr {
	start := p.pos
	p.next()
	n := p.starreds.alloc()
	n.Value = p.expr()
	n.Span = p.span(start)
	p.grew()
	return n
}

// namedExpr reads an expression that may be target := value.
func (p *parser) namedExpr() Expr {
	start := p.pos
	e := p.expr()
	if p.tok != tokWalrus {
		return e
	}
	return p.walrus(start, e)
}

// walrus reads the rest of target := value.
func (p *parser) walrus(start int32, target Expr) Expr {
	name, ok := target.(*Name)
	if !ok || name.Pos != start {
		p.fail(Span{start, p.prevEnd}, badTarget, "cannot use assignment expressions with %s", describe(target))
		return p.bad(start)
	}
	p.next()
	n := &NamedExpr{Target: name, Value: p.expr()}
	n.Span = p.span(start)
	p.grew()
	return n
}

// yieldOrStar reads what may stand on the right of an assignment.
func (p *parser) yieldOrStar() Expr {
	if p.tok == tokYield {
		return p.yield()
	}
	return p.starExpressions()
}

func (p *parser) yield() Expr {
	start := p.pos
	p.next()
	if p.got(tokFrom) {
		n := &YieldFrom{Value: p.expr()}
		n.Span = p.span(start)
		p.grew()
		return n
	}
	n := &Yield{}
	if startsExpr[p.tok] || p.tok == tokStar {
		n.Value = p.starExpressions()
	}
	n.Span = p.span(start)
	p.grew()
	return n
}

// expr reads a single expression.
func (p *parser) expr() Expr {
	if p.tok == tokLambda {
		return p.lambda()
	}
	start := p.pos
	e := p.binary(precOr)
	if p.tok != tokIf {
		return e
	}
	return p.ifExp(start, e)
}

// ifExp reads the rest of body if test else orelse.
func (p *parser) ifExp(start int32, body Expr) Expr {
	p.enter()
	defer p.leave()
	p.next()
	n := &IfExp{Body: body, Test: p.binary(precOr)}
	if p.tok != tokElse {
		p.fail(p.span(start), expectedCode, "expected 'else' after 'if' expression")
		return p.bad(start)
	}
	p.next()
	n.Orelse = p.expr()
	n.Span = p.span(start)
	p.grew()
	return n
}

func (p *parser) lambda() Expr {
	p.enter()
	defer p.leave()
	start := p.pos
	if p.inField() {
		p.fail(p.here(), "bare-lambda", "f-string: lambda expressions are not allowed without parentheses")
		return p.bad(start)
	}
	p.next()
	n := &Lambda{Args: p.parameters(lambdaParameters)}
	p.expect(tokColon, ":")
	n.Body = p.expr()
	n.Span = p.span(start)
	p.grew()
	return n
}

// binary reads operands joined by operators that bind at least as tight as
// prec.
func (p *parser) binary(prec uint8) Expr {
	p.enter()
	outer := p.height
	p.height = 0
	start := p.pos
	left := p.operand(prec)
	for {
		in := &infix[p.tok]
		if in.prec < prec {
			break
		}
		switch in.prec {
		case precCompare:
			left = p.compare(start, left)
		case precOr, precAnd:
			left = p.boolOp(start, left, in.prec, in.op)
		default:
			p.next()
			n := p.binOps.alloc()
			n.Op, n.Left = in.op, left
			n.Right = p.binary(in.prec + 1)
			n.Span = p.span(start)
			left = n
		}
		p.grew()
	}
	p.height = max(p.height, outer)
	p.leave()
	return left
}

// boolOp reads the rest of a chain of one boolean operator.
func (p *parser) boolOp(start int32, left Expr, prec uint8, op Op) Expr {
	n := p.boolOps.alloc()
	n.Op = op
	mark := p.exprList.mark()
	p.exprList.push(left)
	for t := p.tok; p.got(t); {
		p.exprList.push(p.binary(prec + 1))
	}
	n.Values = p.exprList.take(mark)
	n.Span = p.span(start)
	return n
}

// compare reads the rest of a chain of comparisons.
func (p *parser) compare(start int32, left Expr) Expr {
	n := p.compares.alloc()
	n.Left = left
	exprs, ops := p.exprList.mark(), p.opList.mark()
	for infix[p.tok].prec == precCompare {
		p.opList.push(p.compareOp())
		p.exprList.push(p.binary(precBitOr))
	}
	n.Ops = p.opList.take(ops)
	n.Comparators = p.exprList.take(exprs)
	n.Span = p.span(start)
	return n
}

// compareOp takes a comparison operator of one or two tokens.
func (p *parser) compareOp() Op {
	t := p.tok
	p.next()
	switch {
	case t == tokNot:
		if !p.got(tokIn) {
			p.unexpected()
		}
	case t == tokIs && p.got(tokNot):
		return IsNot
	}
	return infix[t].op
}

// operand reads a unary expression, a power, an await or a primary. The operator
// not is one only where prec is loose enough.
func (p *parser) operand(prec uint8) Expr {
	switch p.tok {
	case tokMinus:
		return p.unary(USub)
	case tokPlus:
		return p.unary(UAdd)
	case tokTilde:
		return p.unary(Invert)
	case tokNot:
		if prec > precNot {
			p.unexpected()
			return p.bad(p.pos)
		}
		start := p.pos
		p.next()
		n := p.unaryOps.alloc()
		n.Op, n.Operand = Not, p.binary(precNot)
		n.Span = p.span(start)
		p.grew()
		return n
	}
	start := p.pos
	var e Expr
	if p.tok == tokAwait {
		e = p.await()
	} else {
		e = p.primary()
	}
	if p.tok != tokPower {
		return e
	}
	p.enter()
	p.next()
	n := p.binOps.alloc()
	n.Op, n.Left, n.Right = Pow, e, p.operand(precTerm)
	n.Span = p.span(start)
	p.grew()
	p.leave()
	return n
}

func (p *parser) unary(op Op) Expr {
	p.enter()
	start := p.pos
	p.next()
	n := p.unaryOps.alloc()
	n.Op, n.Operand = op, p.operand(precTerm)
	n.Span = p.span(start)
	p.grew()
	p.leave()
	return n
}

func (p *parser) await() Expr {
	start := p.pos
	p.next()
	n := &Await{Value: p.primary()}
	n.Span = p.span(start)
	p.grew()
	return n
}

// bad stands for an expression that could not be read.
func (p *parser) bad(start int32) Expr {
	return &BadExpr{Span{start, max(start, p.prevEnd)}}
}
