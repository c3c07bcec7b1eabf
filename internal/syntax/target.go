package syntax

// Targets are read as expressions and then checked: in Python every target has
// the form of an expression.

const badTarget = "bad-target"

// targets reads what stands between for and in.
func (p *parser) targets() Expr {
	start := p.pos
	e := p.target()
	if p.tok == tokComma {
		e = p.tupleFrom(start, e, (*parser).target)
	}
	if !p.failed {
		p.checkTarget(e, "assign to")
	}
	return e
}

// target reads one target up to an operator that binds looser than |; in is one.
func (p *parser) target() Expr {
	if p.tok == tokStar {
		return p.starred(precBitOr)
	}
	return p.binary(precBitOr)
}

// checkTarget refuses an expression that cannot be assigned to or deleted; verb
// says which.
func (p *parser) checkTarget(e Expr, verb string) bool {
	bad := badTargetIn(e, verb == "assign to")
	if bad == nil {
		return true
	}
	p.fail(bad.Range(), badTarget, "cannot %s %s", verb, describe(bad))
	return false
}

// badTargetIn gives the part of a target that cannot be one, or nil.
func badTargetIn(e Expr, starred bool) Expr {
	switch e := e.(type) {
	case *Name, *Attribute, *Subscript:
		return nil
	case *Starred:
		if _, twice := e.Value.(*Starred); starred && !twice {
			return badTargetIn(e.Value, starred)
		}
	case *Tuple:
		return badTargetAmong(e.Elts, starred)
	case *List:
		return badTargetAmong(e.Elts, starred)
	}
	return e
}

func badTargetAmong(elts []Expr, starred bool) Expr {
	for _, elt := range elts {
		if bad := badTargetIn(elt, starred); bad != nil {
			return bad
		}
	}
	return nil
}

// checkAssigned refuses a target on the left of =.
func (p *parser) checkAssigned(e Expr) bool {
	bad := badTargetIn(e, true)
	switch {
	case bad == nil:
		return true
	case bad == e && maybeCompared(e):
		p.fail(e.Range(), badTarget, "cannot assign to %s here. Maybe you meant '==' instead of '='?", describe(e))
	case isYield(bad):
		p.fail(bad.Range(), badTarget, "assignment to yield expression not possible")
	default:
		p.fail(bad.Range(), badTarget, "cannot assign to %s", describe(bad))
	}
	return false
}

func isYield(e Expr) bool {
	switch e.(type) {
	case *Yield, *YieldFrom:
		return true
	}
	return false
}

// maybeCompared reports whether = after e may be meant as ==.
func maybeCompared(e Expr) bool {
	switch e := e.(type) {
	case *Constant:
		return e.Kind >= ConstEllipsis
	case *Call, *BinOp, *UnaryOp, *JoinedStr, *Dict, *Set, *Await:
		return true
	case *Comp:
		return e.Kind != GeneratorExp
	}
	return false
}

// isSingleTarget reports whether e can be annotated or assigned to in place.
func isSingleTarget(e Expr) bool {
	switch e.(type) {
	case *Name, *Attribute, *Subscript:
		return true
	}
	return false
}

// describe names the kind of an expression in a message.
func describe(e Expr) string {
	switch e := e.(type) {
	case *Attribute:
		return "attribute"
	case *Subscript:
		return "subscript"
	case *Starred:
		return "starred"
	case *Name:
		return "name"
	case *List:
		return "list"
	case *Tuple:
		return "tuple"
	case *Lambda:
		return "lambda"
	case *Call:
		return "function call"
	case *Yield, *YieldFrom:
		return "yield expression"
	case *Await:
		return "await expression"
	case *Comp:
		return compNames[e.Kind]
	case *Dict:
		return "dict literal"
	case *Set:
		return "set display"
	case *JoinedStr:
		return "f-string expression"
	case *Constant:
		return describeConstant(e.Kind)
	case *Compare:
		return "comparison"
	case *IfExp:
		return "conditional expression"
	case *NamedExpr:
		return "named expression"
	}
	return "expression"
}

var compNames = [...]string{
	ListComp:     "list comprehension",
	SetComp:      "set comprehension",
	DictComp:     "dict comprehension",
	GeneratorExp: "generator expression",
}

func describeConstant(kind ConstKind) string {
	switch kind {
	case ConstNone:
		return "None"
	case ConstTrue:
		return "True"
	case ConstFalse:
		return "False"
	case ConstEllipsis:
		return "ellipsis"
	}
	return "literal"
}
