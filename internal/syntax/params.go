package syntax

// A parameterStyle tells a function's parameter list from a lambda's.
type parameterStyle struct {
	closer      token
	annotations bool
	what        string
}

var (
	functionParameters = parameterStyle{tokRParen, true, "Function parameters"}
	lambdaParameters   = parameterStyle{tokColon, false, "Lambda expression parameters"}
)

// A parameterReader is where the reading of a parameter list stands.
type parameterReader struct {
	style     parameterStyle
	args      *Arguments
	mark      int  // of the parameters since the last / or *
	slash     bool // there was a /
	star      bool // there was a * or *args
	bareStar  bool // there was a *, and no parameter yet after it
	kwarg     bool // there was a **kwargs
	defaulted bool // a parameter before the * had a default
}

// parameters reads a parameter list up to its closing token, which stays.
func (p *parser) parameters(style parameterStyle) *Arguments {
	a := p.arguments.alloc()
	r := parameterReader{style: style, args: a, mark: p.argList.mark()}
	for p.tok != style.closer && !p.failed {
		p.parameter(&r)
		if !p.got(tokComma) {
			break
		}
		if r.kwarg && p.tok != style.closer {
			p.fail(p.here(), "parameter-order", "arguments cannot follow var-keyword argument")
		}
	}
	if r.bareStar {
		p.fail(p.here(), "parameter-order", "named arguments must follow bare *")
	}
	rest := p.argList.take(r.mark)
	if r.star {
		a.KwOnly = rest
	} else {
		a.Args = rest
	}
	return a
}

// parameter reads one parameter, or a mark between kinds of parameters.
func (p *parser) parameter(r *parameterReader) {
	switch p.tok {
	case tokName:
		p.plainParameter(r)
	case tokStar:
		p.starParameter(r)
	case tokSlash:
		p.slashMark(r)
	case tokPower:
		p.next()
		r.args.KwArg = p.arg(r.style, false)
		r.kwarg = true
		if r.bareStar {
			r.bareStar = false
			p.fail(r.args.KwArg.Span, "parameter-order", "named arguments must follow bare *")
		}
		p.noDefault("var-keyword argument cannot have default value")
	case tokLParen:
		p.fail(p.here(), "bad-parameter", "%s cannot be parenthesized", r.style.what)
	default:
		p.unexpected()
	}
}

// plainParameter reads name: annotation = default.
func (p *parser) plainParameter(r *parameterReader) {
	arg := p.arg(r.style, false)
	p.argList.push(arg)
	r.bareStar = false
	var value Expr
	if p.got(tokAssign) {
		if p.tok == r.style.closer || p.tok == tokComma {
			p.fail(p.here(), expectedCode, "expected default value expression")
		}
		value = p.expr()
	}
	a := r.args
	if r.star {
		a.KwDefaults = append(a.KwDefaults, value)
		return
	}
	if value == nil {
		if r.defaulted {
			p.fail(arg.Span, "parameter-order", "parameter without a default follows parameter with a default")
		}
		return
	}
	r.defaulted = true
	a.Defaults = append(a.Defaults, value)
}

// starParameter reads *args or a bare *.
func (p *parser) starParameter(r *parameterReader) {
	if r.star {
		p.fail(p.here(), "parameter-order", "* argument may appear only once")
		return
	}
	p.next()
	r.star = true
	r.args.Args = p.argList.take(r.mark)
	if p.tok == tokComma || p.tok == r.style.closer {
		r.bareStar = true
		return
	}
	r.args.VarArg = p.arg(r.style, true)
	p.noDefault("var-positional argument cannot have default value")
}

// slashMark reads the / behind positional-only parameters.
func (p *parser) slashMark(r *parameterReader) {
	switch {
	case r.slash:
		p.fail(p.here(), "parameter-order", "/ may appear only once")
	case r.star:
		p.fail(p.here(), "parameter-order", "/ must be ahead of *")
	case p.argList.mark() == r.mark:
		p.fail(p.here(), "parameter-order", "at least one argument must precede /")
	}
	p.got(tokSlash)
	r.slash = true
	r.args.PosOnly = p.argList.take(r.mark)
}

func (p *parser) noDefault(msg string) {
	if p.tok == tokAssign {
		p.fail(p.here(), "bad-parameter", "%s", msg)
	}
}

// arg reads a parameter's name and annotation; that of *args may be starred.
func (p *parser) arg(style parameterStyle, starred bool) *Arg {
	start := p.pos
	arg := p.args.alloc()
	arg.Name = p.name()
	if style.annotations && p.got(tokColon) {
		if starred {
			arg.Annotation = p.starExpression()
		} else {
			arg.Annotation = p.expr()
		}
	}
	arg.Span = p.span(start)
	return arg
}

// typeParameters reads [T: bound = default, *Ts, **P], if it is there.
func (p *parser) typeParameters() []*TypeParam {
	if p.tok != tokLBrack {
		return nil
	}
	p.next()
	if p.tok == tokRBrack {
		p.fail(p.here(), "bad-type-parameter", "Type parameter list cannot be empty")
		return nil
	}
	var params []*TypeParam
	for p.tok != tokRBrack && !p.failed {
		params = append(params, p.typeParameter())
		if !p.got(tokComma) {
			break
		}
	}
	p.closing(tokRBrack)
	return params
}

func (p *parser) typeParameter() *TypeParam {
	start := p.pos
	n := &TypeParam{Kind: TypeVar}
	switch {
	case p.got(tokStar):
		n.Kind = TypeVarTuple
	case p.got(tokPower):
		n.Kind = ParamSpec
	}
	n.Name = p.name()
	if p.tok == tokColon {
		if n.Kind != TypeVar {
			p.fail(p.here(), "bad-type-parameter", "cannot use bound with %s", [...]string{
				TypeVarTuple: "TypeVarTuple", ParamSpec: "ParamSpec"}[n.Kind])
		}
		p.got(tokColon)
		n.Bound = p.expr()
	}
	if p.got(tokAssign) {
		if n.Kind == TypeVarTuple {
			n.Default = p.starExpression()
		} else {
			n.Default = p.expr()
		}
	}
	n.Span = p.span(start)
	return n
}
