package syntax

import "slices"

// statements reads statements up to the end of the block that is open.
func (p *parser) statements() []Stmt {
	mark := p.stmtList.mark()
	for p.tok != tokDedent && p.tok != tokEOF {
		p.statement()
	}
	return p.stmtList.take(mark)
}

// statement reads a compound statement or a line of simple ones, and pushes
// them.
func (p *parser) statement() {
	switch p.tok {
	case tokDef, tokAsync, tokClass, tokAt, tokIf, tokFor, tokWhile, tokTry, tokWith:
		p.stmtList.push(p.compoundStatement())
	case tokIndent:
		if !p.mixesTabs() { // else that is why the line seems to be indented
			p.report(p.here(), "bad-indent", "unexpected indent")
		}
		p.strayBlock()
	case tokName:
		if p.text() == "match" {
			if n := p.match(); n != nil {
				p.stmtList.push(n)
				return
			}
		}
		p.simpleStatements()
	default:
		p.simpleStatements()
	}
}

func (p *parser) compoundStatement() Stmt {
	switch p.tok {
	case tokDef:
		return p.functionDef(p.pos, nil, false)
	case tokClass:
		return p.classDef(nil)
	case tokAt:
		return p.decorated()
	case tokAsync:
		return p.async()
	case tokIf:
		return p.ifStatement()
	case tokFor:
		return p.forStatement(p.pos, false)
	case tokWhile:
		return p.while()
	case tokTry:
		return p.tryStatement()
	}
	return p.with(p.pos, false)
}

// simpleStatements reads a line of simple statements and pushes them. The block
// that may follow a line with an error is taken to belong to it.
func (p *parser) simpleStatements() {
	for {
		start := p.pos
		n := p.simpleStatement()
		if p.tok != tokSemi && p.tok != tokNewline && !p.failed {
			p.strayToken(start, n)
		}
		if p.failed {
			p.recover()
			p.stmtList.push(&BadStmt{p.span(min(start, p.prevEnd))})
			p.got(tokNewline)
			if p.tok == tokIndent {
				p.strayBlock()
			}
			return
		}
		p.stmtList.push(n)
		if !p.got(tokSemi) || p.tok == tokNewline {
			break
		}
	}
	p.got(tokNewline)
}

// strayToken reports what follows a statement in its line.
func (p *parser) strayToken(start int32, n Stmt) {
	if e, ok := n.(*ExprStmt); ok && startsExpr[p.tok] {
		if name, ok := e.Value.(*Name); ok && (name.Id == "print" || name.Id == "exec") {
			p.fail(Span{start, p.end}, genericError,
				"Missing parentheses in call to '%s'. Did you mean %[1]s(...)?", name.Id)
			return
		}
	}
	p.unexpected()
}

// strayBlock reads an indented block that no statement owns, and pushes its
// statements.
func (p *parser) strayBlock() {
	p.enter()
	defer p.leave()
	p.indented()
}

// indented reads the statements of an indented block, at whose indent token the
// parser stands, and pushes them.
func (p *parser) indented() {
	p.next()
	for p.tok != tokDedent && p.tok != tokEOF {
		p.statement()
	}
	p.got(tokDedent)
}

// block reads a colon and the block after it; what names the statement that owns
// it, whose keyword is at start. If the statement's header has failed, its line
// is skipped first.
func (p *parser) block(what string, start int32) []Stmt {
	mark := p.stmtList.mark()
	p.enter()
	defer p.leave()
	p.expect(tokColon, ":")
	switch {
	case p.failed:
		p.recover()
		p.got(tokNewline)
		if p.tok != tokIndent {
			return nil
		}
	case p.tok != tokNewline:
		p.simpleStatements()
		return p.stmtList.take(mark)
	default:
		p.next()
		if p.tok != tokIndent {
			p.report(p.here(), "missing-block", "expected an indented block after %s on line %d", what, p.line(start))
			return nil
		}
	}
	p.indented()
	return p.stmtList.take(mark)
}

// async reads the statement behind async.
func (p *parser) async() Stmt {
	start := p.pos
	p.next()
	switch p.tok {
	case tokDef:
		return p.functionDef(start, nil, true)
	case tokFor:
		return p.forStatement(start, true)
	case tokWith:
		return p.with(start, true)
	}
	p.unexpected()
	return p.badLine(start)
}

// badLine leaves a line behind that starts no statement, and the block that may
// follow it.
func (p *parser) badLine(start int32) Stmt {
	p.recover()
	n := &BadStmt{p.span(start)}
	p.got(tokNewline)
	if p.tok == tokIndent {
		p.strayBlock()
	}
	return n
}

// decorated reads decorators and what they decorate.
func (p *parser) decorated() Stmt {
	start := p.pos
	mark := p.exprList.mark()
	for p.tok == tokAt {
		p.next()
		p.exprList.push(p.namedExpr())
		if p.tok != tokNewline {
			p.unexpected()
			p.recover()
		}
		p.got(tokNewline)
	}
	decorators := p.exprList.take(mark)
	switch p.tok {
	case tokDef:
		return p.functionDef(p.pos, decorators, false)
	case tokClass:
		return p.classDef(decorators)
	case tokAsync:
		at := p.pos
		p.next()
		if p.tok == tokDef {
			return p.functionDef(at, decorators, true)
		}
	}
	p.unexpected()
	return p.badLine(start)
}

func (p *parser) functionDef(start int32, decorators []Expr, async bool) Stmt {
	n := p.functionDefs.alloc()
	n.Async, n.Decorators = async, decorators
	keyword := p.pos
	p.next()
	n.NameSpan = Span{p.pos, max(p.pos, p.end)}
	n.Name = p.name()
	n.TypeParams = p.typeParameters()
	if p.expect(tokLParen, "(") {
		n.Args = p.parameters(functionParameters)
		p.closing(tokRParen)
	} else {
		n.Args = p.arguments.alloc()
	}
	if p.got(tokArrow) {
		n.Returns = p.expr()
	}
	n.Body = p.block("function definition", keyword)
	n.Span = p.span(start)
	return n
}

func (p *parser) classDef(decorators []Expr) Stmt {
	start := p.pos
	p.next()
	n := &ClassDef{Decorators: decorators, Name: p.name()}
	n.TypeParams = p.typeParameters()
	if p.tok == tokLParen {
		n.Bases, n.Keywords = p.callArguments(false)
	}
	n.Body = p.block("class definition", start)
	n.Span = p.span(start)
	return n
}

// ifStatement reads if or elif with what follows.
func (p *parser) ifStatement() Stmt {
	p.enter()
	defer p.leave()
	what := "'" + p.text() + "' statement"
	start := p.pos
	p.next()
	n := p.ifs.alloc()
	n.Test = p.condition()
	n.Body = p.block(what, start)
	if p.tok == tokElif {
		mark := p.stmtList.mark()
		p.stmtList.push(p.ifStatement())
		n.Orelse = p.stmtList.take(mark)
	} else {
		n.Orelse = p.elseBlock()
	}
	n.Span = p.span(start)
	return n
}

// condition reads the test of an if or a while.
func (p *parser) condition() Expr {
	start := p.pos
	e := p.namedExpr()
	if p.tok != tokAssign {
		return e
	}
	if _, ok := e.(*Name); ok {
		p.fail(Span{start, p.end}, genericError, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	} else {
		p.fail(e.Range(), badTarget, "cannot assign to %s here. Maybe you meant '==' instead of '='?", describe(e))
	}
	return e
}

// elseBlock reads an else clause, if there is one.
func (p *parser) elseBlock() []Stmt {
	if p.tok != tokElse {
		return nil
	}
	start := p.pos
	p.next()
	return p.block("'else' statement", start)
}

func (p *parser) while() Stmt {
	start := p.pos
	p.next()
	n := &While{Test: p.condition()}
	n.Body = p.block("'while' statement", start)
	n.Orelse = p.elseBlock()
	n.Span = p.span(start)
	return n
}

func (p *parser) forStatement(start int32, async bool) Stmt {
	keyword := p.pos
	p.next()
	n := &For{Async: async, Target: p.targets()}
	p.expect(tokIn, "in")
	n.Iter = p.starExpressions()
	n.Body = p.block("'for' statement", keyword)
	n.Orelse = p.elseBlock()
	n.Span = p.span(start)
	return n
}

func (p *parser) tryStatement() Stmt {
	start := p.pos
	p.next()
	n := &Try{}
	n.Body = p.block("'try' statement", start)
	for p.tok == tokExcept {
		n.Handlers = append(n.Handlers, p.handler(n))
	}
	if len(n.Handlers) > 0 {
		n.Orelse = p.elseBlock()
	}
	if p.tok == tokFinally {
		at := p.pos
		p.next()
		n.Finally = p.block("'finally' statement", at)
	} else if len(n.Handlers) == 0 {
		p.report(p.here(), expectedCode, "expected 'except' or 'finally' block")
	}
	n.Span = p.span(start)
	return n
}

// handler reads an except clause of a try statement.
func (p *parser) handler(n *Try) *ExceptHandler {
	start := p.pos
	p.next()
	h := &ExceptHandler{}
	what := "'except' statement"
	star := p.tok == tokStar
	if star {
		what = "'except*' statement"
		p.next()
	}
	if len(n.Handlers) > 0 && star != n.Star {
		p.fail(Span{start, p.prevEnd}, "mixed-except", "cannot have both 'except' and 'except*' on the same 'try'")
	}
	n.Star = star
	switch {
	case p.tok != tokColon && p.tok != tokNewline:
		h.Type = p.expr()
		if p.tok == tokComma {
			p.fail(h.Type.Range(), genericError, "multiple exception types must be parenthesized")
		}
		if p.got(tokAs) {
			h.Name = p.name()
		}
	case star:
		p.fail(p.here(), expectedCode, "expected one or more exception types")
	}
	h.Body = p.block(what, start)
	h.Span = p.span(start)
	return h
}

func (p *parser) with(start int32, async bool) Stmt {
	n := &With{Async: async}
	keyword := p.pos
	p.next()
	n.Items = p.withItems()
	n.Body = p.block("'with' statement", keyword)
	n.Span = p.span(start)
	return n
}

// withItems reads the items of a with statement. A parenthesis may be part of
// the first one's expression, or stand around all of them, which shows at its
// end only: the latter is tried first.
func (p *parser) withItems() []WithItem {
	if p.tok != tokLParen {
		return p.itemList(tokColon)
	}
	at := p.try()
	p.next()
	items := p.itemList(tokRParen)
	p.closing(tokRParen)
	if !p.failed && p.tok == tokColon {
		return items
	}
	reached, errs := p.resume.pos, slices.Clone(p.errs[at.errs:])
	attempted := p.failed
	p.undo(at)
	items = p.itemList(tokColon)
	if p.failed && attempted && reached > p.resume.pos {
		p.errs = append(p.errs[:at.errs], errs...)
	}
	return items
}

// itemList reads items up to the closing token; within parentheses a comma may
// follow the last one.
func (p *parser) itemList(closer token) []WithItem {
	var items []WithItem
	for {
		var item WithItem
		item.Context = p.expr()
		if p.got(tokAs) {
			item.Vars = p.target()
			if !p.failed {
				p.checkTarget(item.Vars, "assign to")
			}
		}
		items = append(items, item)
		if !p.got(tokComma) || closer == tokRParen && p.tok == tokRParen {
			return items
		}
	}
}
