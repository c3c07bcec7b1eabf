package syntax

func (d *dumper) exprs(field string, list []Expr) {
	for _, e := range list {
		d.expr(field, e)
	}
}

// optional shows an expression that may be absent.
func (d *dumper) optional(field string, e Expr) {
	if e != nil {
		d.expr(field, e)
	}
}

func (d *dumper) expr(field string, e Expr) {
	if e == nil {
		d.line(field, "None")
		return
	}
	d.node(field, exprKind(e), e.Range())
	d.depth++
	defer func() { d.depth-- }()
	switch e := e.(type) {
	case *BoolOp:
		d.attr("op", e.Op.String())
		d.exprs("values", e.Values)
	case *NamedExpr:
		d.expr("target", e.Target)
		d.expr("value", e.Value)
	case *BinOp:
		d.attr("op", e.Op.String())
		d.expr("left", e.Left)
		d.expr("right", e.Right)
	case *UnaryOp:
		d.attr("op", e.Op.String())
		d.expr("operand", e.Operand)
	case *Lambda:
		d.arguments(e.Args)
		d.expr("body", e.Body)
	case *IfExp:
		d.expr("test", e.Test)
		d.expr("body", e.Body)
		d.expr("orelse", e.Orelse)
	case *Dict:
		d.exprs("keys", e.Keys)
		d.exprs("values", e.Values)
	case *Set:
		d.exprs("elts", e.Elts)
	case *Comp:
		d.comp(e)
	case *Await:
		d.expr("value", e.Value)
	case *Yield:
		d.optional("value", e.Value)
	case *YieldFrom:
		d.expr("value", e.Value)
	case *Compare:
		d.names("ops", opList(e.Ops))
		d.expr("left", e.Left)
		d.exprs("comparators", e.Comparators)
	case *Call:
		d.expr("func", e.Func)
		d.exprs("args", e.Args)
		d.keywords(e.Keywords)
	case *JoinedStr:
		d.exprs("values", e.Values)
	case *FormattedValue:
		d.number("conversion", int(e.Conversion))
		d.expr("value", e.Value)
		if e.FormatSpec != nil {
			d.expr("format_spec", e.FormatSpec)
		}
	case *Constant:
		d.constant(e)
	case *Attribute:
		d.text("attr", e.Attr)
		d.expr("value", e.Value)
	case *Subscript:
		d.expr("value", e.Value)
		d.expr("slice", e.Slice)
	case *Starred:
		d.expr("value", e.Value)
	case *Name:
		d.text("id", e.Id)
	case *List:
		d.exprs("elts", e.Elts)
	case *Tuple:
		d.exprs("elts", e.Elts)
	case *Slice:
		d.optional("lower", e.Lower)
		d.optional("upper", e.Upper)
		d.optional("step", e.Step)
	}
}

func (d *dumper) comp(e *Comp) {
	if e.Kind == DictComp {
		d.expr("key", e.Elt)
		d.expr("value", e.Value)
	} else {
		d.expr("elt", e.Elt)
	}
	for _, c := range e.Generators {
		d.line("generators", "comprehension")
		d.flag("is_async", c.Async)
		d.children(func() {
			d.expr("target", c.Target)
			d.expr("iter", c.Iter)
			d.exprs("ifs", c.Ifs)
		})
	}
}

func opList(ops []Op) []string {
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = op.String()
	}
	return names
}

func (d *dumper) keywords(list []Keyword) {
	for _, k := range list {
		d.node("keywords", "keyword", k.Span)
		d.text("arg", k.Arg)
		d.children(func() { d.expr("value", k.Value) })
	}
}

func (d *dumper) arguments(a *Arguments) {
	d.line("args", "arguments")
	d.children(func() {
		d.argList("posonlyargs", a.PosOnly)
		d.argList("args", a.Args)
		if a.VarArg != nil {
			d.arg("vararg", a.VarArg)
		}
		d.argList("kwonlyargs", a.KwOnly)
		d.exprs("kw_defaults", a.KwDefaults)
		if a.KwArg != nil {
			d.arg("kwarg", a.KwArg)
		}
		d.exprs("defaults", a.Defaults)
	})
}

func (d *dumper) argList(field string, list []*Arg) {
	for _, a := range list {
		d.arg(field, a)
	}
}

func (d *dumper) arg(field string, a *Arg) {
	d.node(field, "arg", a.Span)
	d.text("arg", a.Name)
	d.children(func() { d.optional("annotation", a.Annotation) })
}

func (d *dumper) typeParams(list []*TypeParam) {
	for _, t := range list {
		d.node("type_params", typeParamNames[t.Kind], t.Span)
		d.text("name", t.Name)
		d.children(func() {
			d.optional("bound", t.Bound)
			d.optional("default_value", t.Default)
		})
	}
}

var typeParamNames = [...]string{TypeVar: "TypeVar", TypeVarTuple: "TypeVarTuple", ParamSpec: "ParamSpec"}

var compKinds = [...]string{
	ListComp: "ListComp", SetComp: "SetComp", DictComp: "DictComp", GeneratorExp: "GeneratorExp",
}

// exprKind gives the name of an expression's class in CPython's ast module.
func exprKind(e Expr) string {
	switch e := e.(type) {
	case *BoolOp:
		return "BoolOp"
	case *NamedExpr:
		return "NamedExpr"
	case *BinOp:
		return "BinOp"
	case *UnaryOp:
		return "UnaryOp"
	case *Lambda:
		return "Lambda"
	case *IfExp:
		return "IfExp"
	case *Dict:
		return "Dict"
	case *Set:
		return "Set"
	case *Comp:
		return compKinds[e.Kind]
	case *Await:
		return "Await"
	case *Yield:
		return "Yield"
	case *YieldFrom:
		return "YieldFrom"
	case *Compare:
		return "Compare"
	case *Call:
		return "Call"
	case *JoinedStr:
		return "JoinedStr"
	case *FormattedValue:
		return "FormattedValue"
	case *Constant:
		return "Constant"
	case *Attribute:
		return "Attribute"
	case *Subscript:
		return "Subscript"
	case *Starred:
		return "Starred"
	case *Name:
		return "Name"
	case *List:
		return "List"
	case *Tuple:
		return "Tuple"
	case *Slice:
		return "Slice"
	}
	return "BadExpr"
}
