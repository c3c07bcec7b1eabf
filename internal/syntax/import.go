package syntax

import "strings"

func (p *parser) importStatement() Stmt {
	start := p.pos
	p.next()
	mark := p.aliasList.mark()
	for {
		if p.tok == tokNewline {
			p.fail(p.here(), expectedCode, "Expected one or more names after 'import'")
		}
		at := p.pos
		a := Alias{Name: p.dottedName()}
		p.asName(&a, at)
		p.aliasList.push(a)
		if !p.got(tokComma) {
			break
		}
	}
	if p.tok == tokFrom {
		p.fail(p.here(), genericError, "Did you mean to use 'from ... import ...' instead?")
	}
	n := &Import{p.span(start), p.aliasList.take(mark)}
	return n
}

// importFrom reads from ..module import names.
func (p *parser) importFrom() Stmt {
	start := p.pos
	p.next()
	n := &ImportFrom{}
	for p.tok == tokDot || p.tok == tokEllipsis {
		n.Level++
		if p.tok == tokEllipsis {
			n.Level += 2
		}
		p.next()
	}
	if n.Level == 0 || p.tok != tokImport {
		n.Module = p.dottedName()
	}
	p.expect(tokImport, "import")
	n.Names = p.importedNames()
	n.Span = p.span(start)
	return n
}

// importedNames reads what a from statement imports.
func (p *parser) importedNames() []Alias {
	mark := p.aliasList.mark()
	switch p.tok {
	case tokStar:
		p.next()
		p.aliasList.push(Alias{Span{p.prevEnd - 1, p.prevEnd}, "*", ""})
	case tokLParen:
		p.next()
		for {
			p.aliasList.push(p.alias())
			if !p.got(tokComma) || p.tok == tokRParen {
				break
			}
		}
		p.closing(tokRParen)
	case tokNewline:
		p.fail(p.here(), expectedCode, "Expected one or more names after 'import'")
	default:
		for {
			p.aliasList.push(p.alias())
			if !p.got(tokComma) {
				break
			}
			if p.tok == tokNewline {
				p.fail(p.here(), genericError, "trailing comma not allowed without surrounding parentheses")
			}
		}
	}
	return p.aliasList.take(mark)
}

func (p *parser) alias() Alias {
	start := p.pos
	a := Alias{Name: p.name()}
	p.asName(&a, start)
	return a
}

// asName reads as name, if it is there, and ends the alias.
func (p *parser) asName(a *Alias, start int32) {
	if p.got(tokAs) {
		if p.tok != tokName && startsExpr[p.tok] {
			p.fail(p.here(), badTarget, "cannot use %s as import target", describeToken(p.tok))
		}
		a.AsName = p.name()
	}
	a.Span = p.span(start)
}

func describeToken(t token) string {
	switch t {
	case tokNone:
		return "None"
	case tokTrue:
		return "True"
	case tokFalse:
		return "False"
	case tokInt, tokFloat, tokImag, tokString:
		return "literal"
	}
	return "expression"
}

// dottedName reads a.b.c.
func (p *parser) dottedName() string {
	name := p.name()
	if p.tok != tokDot {
		return name
	}
	mark := p.stringList.mark()
	p.stringList.push(name)
	for p.got(tokDot) {
		p.stringList.push(p.name())
	}
	return strings.Join(p.stringList.take(mark), ".")
}
