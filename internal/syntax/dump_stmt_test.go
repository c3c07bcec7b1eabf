package syntax

func (d *dumper) stmts(field string, list []Stmt) {
	for _, s := range list {
		d.stmt(field, s)
	}
}

func (d *dumper) stmt(field string, s Stmt) {
	d.node(field, stmtKind(s), s.Range())
	d.depth++
	defer func() { d.depth-- }()
	switch s := s.(type) {
	case *FunctionDef:
		d.text("name", s.Name)
		d.arguments(s.Args)
		d.stmts("body", s.Body)
		d.exprs("decorator_list", s.Decorators)
		d.optional("returns", s.Returns)
		d.typeParams(s.TypeParams)
	case *ClassDef:
		d.text("name", s.Name)
		d.exprs("bases", s.Bases)
		d.keywords(s.Keywords)
		d.stmts("body", s.Body)
		d.exprs("decorator_list", s.Decorators)
		d.typeParams(s.TypeParams)
	case *Return:
		d.optional("value", s.Value)
	case *Delete:
		d.exprs("targets", s.Targets)
	case *Assign:
		d.exprs("targets", s.Targets)
		d.expr("value", s.Value)
	case *TypeAlias:
		d.expr("name", s.Name)
		d.typeParams(s.TypeParams)
		d.expr("value", s.Value)
	case *AugAssign:
		d.attr("op", s.Op.String())
		d.expr("target", s.Target)
		d.expr("value", s.Value)
	case *AnnAssign:
		d.flag("simple", s.Simple)
		d.expr("target", s.Target)
		d.expr("annotation", s.Annotation)
		d.optional("value", s.Value)
	case *For:
		d.expr("target", s.Target)
		d.expr("iter", s.Iter)
		d.stmts("body", s.Body)
		d.stmts("orelse", s.Orelse)
	case *While:
		d.expr("test", s.Test)
		d.stmts("body", s.Body)
		d.stmts("orelse", s.Orelse)
	case *If:
		d.expr("test", s.Test)
		d.stmts("body", s.Body)
		d.stmts("orelse", s.Orelse)
	case *With:
		d.withItems(s.Items)
		d.stmts("body", s.Body)
	case *Match:
		d.expr("subject", s.Subject)
		d.cases(s.Cases)
	case *Raise:
		d.optional("exc", s.Exc)
		d.optional("cause", s.Cause)
	case *Try:
		d.stmts("body", s.Body)
		d.handlers(s.Handlers)
		d.stmts("orelse", s.Orelse)
		d.stmts("finalbody", s.Finally)
	case *Assert:
		d.expr("test", s.Test)
		d.optional("msg", s.Msg)
	case *Import:
		d.aliases(s.Names)
	case *ImportFrom:
		d.text("module", s.Module)
		d.number("level", s.Level)
		d.aliases(s.Names)
	case *Global:
		d.names("names", s.Names)
	case *Nonlocal:
		d.names("names", s.Names)
	case *ExprStmt:
		d.expr("value", s.Value)
	}
}

func (d *dumper) withItems(items []WithItem) {
	for _, item := range items {
		d.line("items", "withitem")
		d.children(func() {
			d.expr("context_expr", item.Context)
			d.optional("optional_vars", item.Vars)
		})
	}
}

func (d *dumper) handlers(list []*ExceptHandler) {
	for _, h := range list {
		d.node("handlers", "ExceptHandler", h.Span)
		d.text("name", h.Name)
		d.children(func() {
			d.optional("type", h.Type)
			d.stmts("body", h.Body)
		})
	}
}

func (d *dumper) aliases(list []Alias) {
	for _, a := range list {
		d.node("names", "alias", a.Span)
		d.text("name", a.Name)
		d.text("asname", a.AsName)
	}
}

func (d *dumper) cases(list []MatchCase) {
	for _, c := range list {
		d.line("cases", "match_case")
		d.children(func() {
			d.pattern("pattern", c.Pattern)
			d.optional("guard", c.Guard)
			d.stmts("body", c.Body)
		})
	}
}

func (d *dumper) patterns(field string, list []Pattern) {
	for _, p := range list {
		d.pattern(field, p)
	}
}

func (d *dumper) pattern(field string, pat Pattern) {
	d.node(field, patternKind(pat), pat.Range())
	d.depth++
	defer func() { d.depth-- }()
	switch pat := pat.(type) {
	case *MatchValue:
		d.expr("value", pat.Value)
	case *MatchSingleton:
		d.attr("value", singletonNames[pat.Kind])
	case *MatchSequence:
		d.patterns("patterns", pat.Patterns)
	case *MatchMapping:
		d.text("rest", pat.Rest)
		d.exprs("keys", pat.Keys)
		d.patterns("patterns", pat.Patterns)
	case *MatchClass:
		d.names("kwd_attrs", pat.KwdAttrs)
		d.expr("cls", pat.Cls)
		d.patterns("patterns", pat.Patterns)
		d.patterns("kwd_patterns", pat.KwdPatterns)
	case *MatchStar:
		d.text("name", pat.Name)
	case *MatchAs:
		d.text("name", pat.Name)
		if pat.Pattern != nil {
			d.pattern("pattern", pat.Pattern)
		}
	case *MatchOr:
		d.patterns("patterns", pat.Patterns)
	}
}

func patternKind(pat Pattern) string {
	switch pat.(type) {
	case *MatchValue:
		return "MatchValue"
	case *MatchSingleton:
		return "MatchSingleton"
	case *MatchSequence:
		return "MatchSequence"
	case *MatchMapping:
		return "MatchMapping"
	case *MatchClass:
		return "MatchClass"
	case *MatchStar:
		return "MatchStar"
	case *MatchAs:
		return "MatchAs"
	}
	return "MatchOr"
}

// stmtKind gives the name of a statement's class in CPython's ast module.
func stmtKind(s Stmt) string {
	switch s := s.(type) {
	case *FunctionDef:
		return asyncName(s.Async, "FunctionDef")
	case *ClassDef:
		return "ClassDef"
	case *Return:
		return "Return"
	case *Delete:
		return "Delete"
	case *Assign:
		return "Assign"
	case *TypeAlias:
		return "TypeAlias"
	case *AugAssign:
		return "AugAssign"
	case *AnnAssign:
		return "AnnAssign"
	case *For:
		return asyncName(s.Async, "For")
	case *While:
		return "While"
	case *If:
		return "If"
	case *With:
		return asyncName(s.Async, "With")
	case *Match:
		return "Match"
	case *Raise:
		return "Raise"
	case *Try:
		if s.Star {
			return "TryStar"
		}
		return "Try"
	case *Assert:
		return "Assert"
	case *Import:
		return "Import"
	case *ImportFrom:
		return "ImportFrom"
	case *Global:
		return "Global"
	case *Nonlocal:
		return "Nonlocal"
	case *ExprStmt:
		return "Expr"
	case *Pass:
		return "Pass"
	case *Break:
		return "Break"
	case *Continue:
		return "Continue"
	}
	return "BadStmt"
}

func asyncName(async bool, name string) string {
	if async {
		return "Async" + name
	}
	return name
}
