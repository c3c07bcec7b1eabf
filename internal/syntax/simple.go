package syntax

// simpleStatement reads a statement of one line, without what ends it.
func (p *parser) simpleStatement() Stmt {
	start := p.pos
	switch p.tok {
	case tokReturn:
		p.next()
		n := p.returns.alloc()
		if startsExpr[p.tok] || p.tok == tokStar {
			n.Value = p.starExpressions()
		}
		n.Span = p.span(start)
		return n
	case tokPass:
		p.next()
		return &Pass{p.span(start)}
	case tokBreak:
		p.next()
		return &Break{p.span(start)}
	case tokContinue:
		p.next()
		return &Continue{p.span(start)}
	case tokImport:
		return p.importStatement()
	case tokFrom:
		return p.importFrom()
	case tokRaise:
		return p.raise()
	case tokAssert:
		return p.assert()
	case tokDel:
		return p.delete()
	case tokGlobal:
		p.next()
		n := &Global{Names: p.nameList()}
		n.Span = p.span(start)
		return n
	case tokNonlocal:
		p.next()
		n := &Nonlocal{Names: p.nameList()}
		n.Span = p.span(start)
		return n
	case tokName:
		if p.text() == "type" {
			if n := p.typeAlias(); n != nil {
				return n
			}
		}
	}
	return p.expressionStatement()
}

// expressionStatement reads what starts with an expression: an assignment of
// any kind or the expression alone.
func (p *parser) expressionStatement() Stmt {
	start := p.pos
	e := p.yieldOrStar()
	switch {
	case p.tok == tokAssign:
		return p.assignment(start, e)
	case p.tok == tokColon && !isYield(e):
		return p.annotated(start, e)
	case augmented[p.tok] != NoOp:
		return p.augmentedAssignment(start, e)
	}
	n := p.exprStmts.alloc()
	*n = ExprStmt{p.span(start), e}
	return n
}

// assignment reads the rest of a = b = value.
func (p *parser) assignment(start int32, first Expr) Stmt {
	mark := p.exprList.mark()
	e := first
	for p.tok == tokAssign {
		if !p.checkAssigned(e) {
			break
		}
		p.next()
		p.exprList.push(e)
		e = p.yieldOrStar()
	}
	n := p.assigns.alloc()
	*n = Assign{p.span(start), p.exprList.take(mark), e}
	return n
}

// annotated reads the rest of target: annotation = value.
func (p *parser) annotated(start int32, target Expr) Stmt {
	switch target.(type) {
	case *Tuple:
		p.fail(target.Range(), badTarget, "only single target (not tuple) can be annotated")
	case *List:
		p.fail(target.Range(), badTarget, "only single target (not list) can be annotated")
	default:
		if !isSingleTarget(target) {
			p.notAnnotated(target)
		}
	}
	p.got(tokColon)
	name, isName := target.(*Name)
	n := &AnnAssign{Target: target, Simple: isName && name.Pos == start}
	n.Annotation = p.expr()
	if p.got(tokAssign) {
		n.Value = p.yieldOrStar()
	}
	n.Span = p.span(start)
	return n
}

// notAnnotated refuses the colon after an expression that is no target. Where
// the line ends behind it, it is the colon of a misspelt statement rather than
// of an annotation.
func (p *parser) notAnnotated(e Expr) {
	off := p.off
	for classOf[p.src[off]] == classSpace {
		off++
	}
	switch classOf[p.src[off]] {
	case classNewline, classComment, classNul:
		p.unexpected()
	default:
		p.fail(e.Range(), badTarget, "illegal target for annotation")
	}
}

func (p *parser) augmentedAssignment(start int32, target Expr) Stmt {
	if !isSingleTarget(target) {
		p.fail(target.Range(), badTarget, "'%s' is an illegal expression for augmented assignment", describe(target))
	}
	n := p.augAssigns.alloc()
	n.Op, n.Target = augmented[p.tok], target
	if !p.failed {
		p.next()
	}
	n.Value = p.yieldOrStar()
	n.Span = p.span(start)
	return n
}

func (p *parser) raise() Stmt {
	start := p.pos
	p.next()
	n := &Raise{}
	if startsExpr[p.tok] {
		n.Exc = p.expr()
		if p.got(tokFrom) {
			n.Cause = p.expr()
		}
	}
	n.Span = p.span(start)
	return n
}

func (p *parser) assert() Stmt {
	start := p.pos
	p.next()
	n := &Assert{Test: p.expr()}
	if p.got(tokComma) {
		n.Msg = p.expr()
	}
	n.Span = p.span(start)
	return n
}

func (p *parser) delete() Stmt {
	start := p.pos
	p.next()
	mark := p.exprList.mark()
	for {
		e := p.target()
		if !p.failed && p.checkTarget(e, "delete") {
			p.exprList.push(e)
		}
		if !p.got(tokComma) || !startsExpr[p.tok] {
			break
		}
	}
	n := &Delete{p.span(start), p.exprList.take(mark)}
	return n
}

// nameList reads names with commas between them.
func (p *parser) nameList() []string {
	mark := p.stringList.mark()
	for {
		p.stringList.push(p.name())
		if !p.got(tokComma) {
			return p.stringList.take(mark)
		}
	}
}

// typeAlias reads type name[params] = value, if that is what the word type
// starts here; else it gives nil.
func (p *parser) typeAlias() Stmt {
	start := p.pos
	at := p.try()
	p.next()
	if p.tok != tokName {
		p.undo(at)
		return nil
	}
	n := &TypeAlias{Name: p.atom().(*Name)}
	n.TypeParams = p.typeParameters()
	p.expect(tokAssign, "=")
	n.Value = p.expr()
	n.Span = p.span(start)
	return n
}
